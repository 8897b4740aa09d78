"""Read a profile's text: topics that the reader wants, topics that they refuse, and the unread rest.

"I work on LLM agents. Rather not robots" wants "LLM agents", refuses "robots" and leaves "I work on" unread.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, lru_cache
from itertools import groupby, pairwise

from bot.text.tokens import Token, is_filler, shipped_vocabulary, stem, tokens

# Learned from a corpus, a profile would differ between homes, and "CLIP", "BED" or "CAPE" are words.
_COMMON = {
    "ASR": "automatic speech recognition",
    "CNN": "convolutional neural network",
    "CoT": "chain-of-thought",
    "CTR": "click-through rate",
    "DPO": "direct preference optimization",
    "EHR": "electronic health record",
    "GAN": "generative adversarial network",
    "GNN": "graph neural network",
    "GRPO": "group relative policy optimization",
    "GUI": "graphical user interface",
    "ICL": "in-context learning",
    "IR": "information retrieval",
    "KG": "knowledge graph",
    "LLM": "large language model",
    "LM": "language model",
    "LVLM": "large vision-language model",
    "MARL": "multi-agent reinforcement learning",
    "MCTS": "Monte Carlo tree search",
    "MDP": "Markov decision process",
    "MLLM": "multimodal large language model",
    "MoE": "mixture-of-experts",
    "MPC": "model predictive control",
    "NAS": "neural architecture search",
    "NER": "named entity recognition",
    "NLP": "natural language processing",
    "OCR": "optical character recognition",
    "ORM": "outcome reward model",
    "PDE": "partial differential equation",
    "PEFT": "parameter-efficient fine-tuning",
    "PINN": "physics-informed neural network",
    "POMDP": "partially observable Markov decision process",
    "PPO": "proximal policy optimization",
    "PRM": "process reward model",
    "QA": "question answering",
    "RAG": "retrieval-augmented generation",
    "RL": "reinforcement learning",
    "RLAIF": "reinforcement learning from AI feedback",
    "RLHF": "reinforcement learning from human feedback",
    "RLVR": "reinforcement learning with verifiable rewards",
    "RNN": "recurrent neural network",
    "SAE": "sparse autoencoder",
    "SFT": "supervised fine-tuning",
    "SLAM": "simultaneous localization and mapping",
    "SLM": "small language model",
    "SNN": "spiking neural network",
    "SSL": "self-supervised learning",
    "SSM": "state space model",
    "SVM": "support vector machine",
    "text-to-speech": "text to speech",
    "TTS": "text to speech",
    "UAV": "unmanned aerial vehicle",
    "VAE": "variational autoencoder",
    "VLA": "vision-language-action model",
    "VLM": "vision-language model",
    "VQA": "visual question answering",
}


@cache
def common_expansions() -> Mapping[str, tuple[str, ...]]:
    return {stem(short): tuple(token.stem for token in tokens(long)) for short, long in _COMMON.items()}


# Some abbreviations have other meanings, too: "attack success rate", "test-time scaling", "impulse response".
# A paper that means the expansion has this word.
AMBIGUOUS = {stem(short): stem(word) for short, word in {"ASR": "speech", "TTS": "speech", "IR": "retrieval"}.items()}


def expanded(stems: Iterable[str]) -> tuple[str, ...]:
    """Expand abbreviations. "LLM models" are language models, too.

    >>> expanded(["llm", "agent"]), expanded(["rl", "learn"])
    (('larg', 'languag', 'model', 'agent'), ('reinforc', 'learn'))
    """
    expansions = common_expansions()
    parts = (part for stem in stems for part in expansions.get(stem, (stem,)))
    return tuple(part for part, _ in groupby(parts))


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic in the reader's own words, and as stems with abbreviations expanded.

    Topics of one ``segment`` ("reinforcement learning for language models") belong together. Commas, "and" and "or"
    separate segments. ``is_verb``: a lone one, as in "agents that write and repair code". ``is_alternative``: only
    "and" or "or" stands before it, as before "MRI" in "tumours in CT and MRI". ``place`` is in the reader's text.
    """

    text: str
    stems: tuple[str, ...]
    segment: int = 0
    starts_sentence: bool = False
    is_verb: bool = False
    is_alternative: bool = False
    place: range = field(default=range(0), compare=False)

    @property
    def terms(self) -> tuple[str, ...]:
        return (*self.stems, *(f"{a} {b}" for a, b in pairwise(self.stems)))


@dataclass(frozen=True, slots=True)
class Interests:
    """A text's topics, each once in text order, and its ``unread`` parts."""

    wanted: tuple[Topic, ...] = ()
    refused: tuple[Topic, ...] = ()
    unread: tuple[str, ...] = ()


# As spelled: "learn" is a request, "learning" is part of topics.
_REQUESTS = frozenset(
    """
    actually ain also anybody anymore anyone anything apart appreciate area aren article articles aside ask asking
    asks bit bored build building chiefly come comes couldn cover covering covers curious currently didn doesn don
    dont enjoy enough especially everybody everyone everything evidence except excited exclude excluding fed fewer
    find fine follow fun get gets getting give gives glad go goes going good great group happen happened happening
    happens happy hasn hate haven hear hello help helping helps hi hide hot idea ideally ignore include includes
    including inside instead interest interested interesting interests isn keen keep kind kinds know lately latest
    learn leave let like literature ll long look looking looks lot lots love mainly make makes making matter mean
    means mind mostly mustn need needs new nice nobody nowadays often old omit paper papers particular particularly
    people's phd please prefer preferably previous primarily probably project projects publication publications put
    puts questions rather re read reader reading reads real really recent related relevant research researcher
    researchers say says scientist see seem send shouldn show sick skip somebody someone something sort sorts spare
    specially stop stuff take takes tell thank thanks thing things think tired today top topic topics try trying
    understand unless update updates usually various ve want wants wasn way ways welcome weren wish won wonder work
    working works wouldn yes
    """.split()
)
_DEGREE = r"(?:ph\.?d\.?|doctoral|(?:post|under)?graduate|master'?s?|bachelor'?s?|msc|bsc)"
_SETTING_OF = rf"(?:{_DEGREE}|own|current|new|main|other|day|side)\s+"
# Where or when somebody works, and on nothing: "my thesis is about ...", "my lab studies ...", "on the side".
_SETTING = re.compile(
    rf"""
      \b(?:(?:my|our)\s+(?:{_SETTING_OF})*|{_DEGREE}\s+)(?:thesis|dissertation|projects?|lab|laboratory|group|team)\b
      (?:\s+\w+s\b)?
    | \b(?:my|our)\s+(?:{_SETTING_OF})*(?:ph\.?d|doctorate|postdoc|internship|job|hobby|hobbies|side|interests?|focus
      |field|(?:spare|free|leisure)\s+time)\b
    | \bon\s+the\s+side\b(?!\s+of) | \bin\s+(?:spare|free)\s+time\b | \bas\s+an?\s+(?:{_SETTING_OF})?(?:hobby|job)\b
    | \b(?:i(?:'m|\s+am)|as)\s+an?\s+(?:{_SETTING_OF})*(?:student|postdoc)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# A verb follows: "I study ...".
_SUBJECTS = frozenset({"i", "we", "who"})
_NOUN_ENDINGS = ("tion", "sion", "ment")
_NO_VERB_ENDINGS = ("s", "ty", "ion", "ness", "ment")
_BEFORE_VERB = re.compile(r"\b(?:that|which|to|they|you|can|could|will|would|should|may|might|must)\s+$", re.IGNORECASE)
# Long lines are wrapped, short ones are list items.
_WRAP = re.compile(r"(?<=[^\n]{50})\n(?![ \t]*[\n–-])")
_SENTENCE = re.compile(r"(?:[^.!?;\n•]|[.!?](?!\s|$))+")
_SEGMENT_END = re.compile(r"[.,;:!?()\[\]\"“”•*|&和与與及或]|\n|\b(?:and|or|but|so|nor)\b", re.IGNORECASE)
# Positions stay.
_PUNCTUATION = str.maketrans("，、。；！？：（）「」『』【】・", ',,;;;;:()""""(),')
_HOW = re.compile(r"\bhow (?:can|could|do|does|should|to|well)\b", re.IGNORECASE)
# "Sequential and generative recommendation": a lone adjective shares the noun.
_SHARES_NOUN = re.compile(r"\s+(?:and|or)\s+(?=\w)", re.IGNORECASE)
_ADJECTIVE_ENDINGS = ("tial", "cial", "onal", "ural", "ical", "ative", "tic", "ous", "able", "ible")

_ME = (
    r"\b(?:i|we)(?:'m|'re|'ve|'d|'ll)?(?:\s+(?:am|are|have|would|do|really|also|just|usually|generally|mostly|often|always"
    r"|tend|prefer|try|to|rather))*"
)
_NOT = (
    r"(?:(?:do|did|would|should|could|have|has|am|is|are|was)(?:\s+not|n't)|won't|cannot|can't|not|never|no\s+longer)"
    r"(?![-\w])"
)
# The sentence goes on about liking: "keen on", "bother me with", "want to hear about".
_LIKING = r"""(?:\s+(?:a|an|at|all|any|anything|be|been|big|bother|bothered|care|cares|crazy|deal|enthusiastic
      |especially|ever
    |excited|fan|fans|feel|fond|fussed|get|give|great|hear|hearing|huge|interested|invested|keen|like|looking|me|much
      |need
    |particularly|read|reading|really|receive|see|seeing|send|sending|show|so|that|thrilled|time|to|too|use|very|want
      |waste
    |wish|with|about|after|by|for|in|into|of|on)(?=\s))*"""
_PAPERS = r"(?:papers?|articles?|work|one|topics?|studies)"
_LEAVE_OUT = r"""(?:avoid|skip|exclude|ignore|omit|drop|hide|mute|block|ban|remove|forget(?:\s+about)?|de-?prioriti[sz]e
    |down-?(?:rank|weight)|(?:leave|cut|filter|weed|rule|keep)\s+out|spare\s+me
      |stop(?:\s+sending(?:\s+me)?)?)(?![-\w])"""
_START = r"(?:^|[,:(–—]|\b(?:but|and|please|so|maybe|rather|preferably|ideally)\b)\s*(?:please\s+)?"
# "Never skip", "I can't get enough of", "not only", "nothing but": wishes, however negative.
_WISH = rf"""(?:{_START}|{_ME}\s+)?(?:{_NOT}{_LIKING}\s+(?:miss(?:ed)?|skip|omit|forget|overlook|ignore|exclude|avoid
      |leave\s+out|drop|hide|hate|dislike
      |resist|objections?|lose|tire|bor(?:ed|ing)|tired|sick|weary|mind|enough|(?:do|live|go|be)\s+without
      |let\s+me\s+miss|seen\s+enough|least)\b(?:\s+(?:of|by|with|without))?
    | (?:hate|afraid)\s+to\s+miss\b
    | \bnothing\s+(?:but|except|besides|beats|like|against|wrong\s+with|(?:other|better)\s+than)\b
    | \bno\s+(?:{_PAPERS}\s+(?:but|except|besides|other\s+than)|objections?\s+to|less|doubt|matter)\b
    | \bno\s+{_PAPERS}\s+(?:on|about)\b(?=[^.;\n]{{1,80}}\b(?:missed|skipped)\b) | \bwithout\s+(?:exceptions?
      |(?:a\s+)?doubt)\b
    | \bnothing\s+else\b)"""
# "Learning without labels" is a topic.
_TECHNIQUE = r"""(?!-|\s+(?:an?|any|access|additional|explicit|external|ground|human|labels?|labell?ed|annotations?
      |supervision
    |gradients?|backpropagation|(?:re|pre-?)?training|fine-?tuning|forgetting|replacement|assumptions?|parametric
      |parameters
    |demonstrations?|rewards?|replay|regret|borders|search|attention|normali[sz]ation|loss|losing|sacrificing
      |compromising)\b)"""
# "Not only" and "not at random" refuse nothing.
_NO_REFUSAL = (
    r"(?!-|\s+(?:only|just|merely|necessarily|limited|yet|sure|all\b(?!\s+that)|always|even|matter|doubt|at\s+random"
    r"|so\b(?!\s+(?:much|many|interested|keen|into|fond))|free\s+lunch))"
)
_NO_INTEREST = r"(?:no|little|zero|scant|minimal|limited|hardly\s+any|not\s+(?:much|any))"
# The refusal follows these words, unless they are a ``wish``.
_BEFORE_REFUSED = re.compile(
    rf"""
      (?:{_START}|{_ME}\s+)?(?:never\s*mind|can(?:'t|not)\s+(?:stand|bear)|could(?:n't
      |\s+not)?\s+care\s+less(?:\s+(?:about|for))?)\b
    | (?P<wish>{_WISH})
    | {_ME}\s+(?:{_NOT}{_NO_REFUSAL}{_LIKING}|hate|dislike|detest|loathe|despise|{_LEAVE_OUT}|can\s+(?:do
      |live)\s+without|could\s+(?:do|live)\s+without|(?:had|seen|read)\s+enough\s+of|(?:done|through|finished)\s+with
      |(?:rarely|seldom|hardly(?:\s+ever)?)(?:\s+(?:read|need|want|like|care\s+(?:about|for)))?)(?![-\w])
    | \b(?:allergic\s+to|away\s+with|with\s+the\s+exception\s+of|barring|save\s+for|none\s+of)\b
    | (?:\b(?:feel\s+free|prefer|tend)\s+to|\byou\s+(?:can|may|could)|\bjust)(?:\s+(?:just|safely
      |always))?\s+{_LEAVE_OUT}
    | {_START}(?:{_NOT}{_NO_REFUSAL}{_LIKING}|{_LEAVE_OUT}|(?:fewer|less)(?!-|\s+(?:is|than))|minus(?![-\w]))
    | \b(?:see|want|get|like|need|send|show\s+me|interested\s+in)\s+(?:less|fewer)\b(?!-) | \bless\s+interested\s+in\b
    | (?:{_START}|{_ME}\s+(?:get|got|see|seen|have|had|read|receive)\s+)(?:far\s+|way\s+)?too\s+(?:much|many)\b
    # Not where something else does not: "models that do not generalise".
    | (?<!\bdo\s)(?<!\bdoes\s)(?<!\bdid\s)(?<!\bcan\s)(?<!\bcould\s)(?<!\bis\s)(?<!\bare\s)(?<!\bmay\s)(?<!\bwill\s)
      (?<!\bshould\s)(?<!\bwhat\s)(?<!\bwhen\s)(?<!\bhow\s)(?<!\bor\s)(?<!\bwhy\s)(?<!\bneed\s)
      \b(?:not|no){_NO_REFUSAL}(?!\s+(?:longer|one|more\s+than|wanted|needed)\b){_LIKING}(?![-\w])
    | \bwithout\b{_TECHNIQUE}
    | \b(?:except|excluding|neither|nor|(?:rather|other)\s+than|instead\s+of|(?:apart|aside)\s+from|unless)\b(?!-)
    | \b(?:as\s+opposed\s+to|(?:any|every)thing\s+but|(?:un|dis)interested\s+in|indifferent\s+to)\b
    | \b(?:sick(?:\s+and\s+tired)?|tired|weary|bored|fed\s+up|enough)\s+(?:of|by|with)\b
    | \b(?:(?:{_NO_INTEREST}|lost|lose|lack(?:\s+of)?)\s+(?:all\s+|my\s+)?(?:interest\s+in|(?:use|need|time
      |patience)\s+for))\b
    | \bnothing\s+(?:about|on|with|to\s+do\s+with)\b | \b(?:steer\s+clear|(?:stay|keep)\s+(?:me\s+)?(?:away
      |clear))\s+(?:of|from)\b
    | (?<!は)不要|不想要|不想看|不需要|不包括|排除
    | \b(?:as|so)\s+long\s+as\s+(?:\w+\s+){{0,3}}?(?:isn't|aren't|is\s+not|are\s+not|don't|doesn't)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# The refusal precedes these words.
_BEHIND_REFUSED = re.compile(
    rf"""
      \b(?:is|are)(?:n't|\s+not)\s+(?:really\s+|so\s+|very\s+|that\s+)?(?:for\s+me
      |my\b(?:\s+(?:cup\s+of\s+tea|field|area|thing|topic|focus|scope|concern|business))?
      |of\s+(?:(?:any|much|great)\s+)?interest|interesting|relevant|exciting|what\s+i|in\s+scope|wanted|needed|welcome)
    | \b(?:(?:is|are)\s+)?of\s+{_NO_INTEREST}\s+(?:interest|use|concern|relevance|value)(?:\s+(?:to|for)\s+(?:me|us))?\b
    | \bholds?\s+{_NO_INTEREST}\s+interest\b
    | \b(?:does|do)(?:n't|\s+not)\s+(?:really\s+|much\s+)?(?:interest|excite|concern|appeal|matter|belong
      |do\s+(?:anything|much|it))(?:\s+(?:to|for)\s+(?:me|us))?
    | \bleaves?\s+me\s+cold\b | \bbores?\s+me\b | \bno,?\s+thank(?:s|\s+you)?\b | \bneed\s+not\s+apply\b
    | は不要(?:です)?|[はにへ](?:の)?興味[はが]?(?:ない|ありません)|不感兴趣|不感興趣|没兴趣|沒興趣
    | \b(?:is|are)\s+(?:out\s+of\s+(?:my\s+)?scope|boring|dull|tedious|irrelevant|uninteresting|less\s+(?:interesting
      |relevant|important)|unwelcome
      |off[ -](?:topic|limits)|outside(?:\s+of)?\s+my\s+\w+)\b
    | \b(?:can|may|could|should)\s+be\s+(?:skipped|ignored|omitted|excluded|dropped|(?:left|kept)\s+out)\b
    | \b(?:not\s+(?:wanted|needed)|unwanted|excluded|excepted|aside|i\s+(?:can|could)\s+(?:do
      |live)\s+without)(?=\s*(?:$|[,)]))
    | [:–—]\s*(?:no|nope|never|not\s+(?:interested|for\s+me|relevant|now))(?=\s*$)
    """,
    re.IGNORECASE | re.VERBOSE,
)
# The refusal stands between: "keep robots out", "I find robots boring".
_AROUND_REFUSED = re.compile(
    rf"""
      (?:{_START}|{_ME}\s+|\byou\s+(?:can|may|could)\s+)(?:leave|keep|cut|filter|put|find)\s+([^,;:]{{1,80}}?)\s+
      (?:out|aside|away|off|boring|dull|tedious|uninteresting|irrelevant)\b(?:\s+(?:of|from)\s+(?:my|the|this
      |me)\b(?:\s+\w+)?)?
    | (?:{_START}|{_ME}\s+(?:had|seen)\s+)enough\s+([^,;:]{{1,80}}?)\s+(?:already|for\s+now|lately)\b
    | \bas\s+(?:little|few)\s+([^,;:]{{1,80}}?)\s+as\s+possible\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# "Robots? No thanks." is one sentence.
_ANSWERED = re.compile(r"\?(?=\s+(?:no|nope|not|never)\b[^.;?!\n]{0,20}(?:[.;!\n]|$))", re.IGNORECASE)
_TURN = re.compile(
    r"[()]|\s[–—-]\s|,?(?:但是?|不过|不過|しかし|ただし)|,?\s*\b(?:but|however|though|although|whereas|while)\b"
    r"|,\s*(?=(?:i|we|please|show|send|give|read|love|anything|everything|just|only|especially|rather|prefer|more|unless)\b)",
    re.IGNORECASE,
)
# A wanted topic follows: "no robots except drones".
_EXCEPTION = re.compile(r",?\s*\b(?:except|excluding|unless|other\s+than|(?:apart|aside)\s+from)\b", re.IGNORECASE)
_OR = re.compile(r"\bn?or\b", re.IGNORECASE)
_AND = re.compile(r"\band\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|we)\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")
_BETWEEN = re.compile(r"\w[^.,;:!?()\[\]\"“”•|\n]*(?<!\s)")
# "Position papers" are no papers on position.
_KINDS = frozenset("benchmark opinion perspective position review survey".split())
_STEMS_OF_KINDS = {(stem(word),) for word in _KINDS}
# Alone, these would refuse nearly every paper.
_TOO_BROAD = {
    (stem(word),)
    for word in "ai approach data decision explaining learning machine method model network paper result system".split()
}


@lru_cache(maxsize=10_000)
def read_interests(text: str) -> Interests:
    """Split a reader's text into wanted topics, refused topics and unread parts.

    Requests ("I work on"), verbs after "I" or "we", and words without a topic stay unread. A general word counts as an
    item of its own. If nothing remains, all words except requests count.

    >>> interests = read_interests("I work on reward hacking. How do models help reasoning? Robots aren't for me.")
    >>> [topic.text for topic in interests.wanted], [topic.text for topic in interests.refused], interests.unread
    (['reward hacking', 'models', 'reasoning'], ['Robots'], ('I work on', 'help'))
    """
    plain = _ANSWERED.sub(":", _WRAP.sub(" ", text.replace("’", "'")).translate(_PUNCTUATION))
    wanted_text, refused_text = list(plain), [sign if sign == "\n" else " " for sign in plain]
    for taken, refused in _refusals(plain):
        # The comma ends the segment. Positions stay.
        wanted_text[taken] = "," + " " * (taken.stop - taken.start - 1)
        refused_text[refused] = plain[refused]
        if taken.start < refused.start:
            refused_text[taken.start] = ","
    topics = _topics(text, "".join(wanted_text))
    wanted: dict[tuple[str, ...], Topic] = {}
    for topic in topics:
        wanted.setdefault(topic.stems, topic)
    refusals = [
        list({topic.stems: topic for topic in group}.values())
        for _, group in groupby(_topics(text, "".join(refused_text)), key=lambda topic: topic.segment)
    ]
    # "No technical methods" refuses no methods, "no animal studies" no studies, but "no surveys of robots" surveys.
    specific = [
        [
            topic
            for topic in group
            if not (topic.stems in _TOO_BROAD or is_filler(topic.stems))
            or (len(group) > 1 and topic.stems in _STEMS_OF_KINDS)
        ]
        for group in refusals
    ]
    unwanted: dict[tuple[tuple[str, ...], ...], list[Topic]] = {}
    for group in filter(None, specific if any(specific) else refusals):
        # "Robots, no reinforcement learning for robots" refuses both together.
        if any(topic.stems not in wanted for topic in group):
            unwanted.setdefault(tuple(topic.stems for topic in group), group)
    for topic in topics:
        wanted_text[topic.place.start : topic.place.stop] = "," * len(topic.place)
    rest = "".join(wanted_text)
    contents = [token.start for token in tokens(rest)]
    between = (part.span() for part in _BETWEEN.finditer(rest))
    # Function words alone aren't worth a message.
    unread = [span for span in between if bisect_left(contents, span[1]) > bisect_left(contents, span[0])]
    return Interests(
        tuple(wanted.values()),
        tuple(topic for group in unwanted.values() for topic in group),
        tuple(" ".join(text[start:end].split()) for start, end in unread),
    )


def _refusals(text: str) -> Iterator[tuple[slice, slice]]:
    """Yield each refusal with its cue, and without it."""
    for sentence in _SENTENCE.finditer(text):
        offset, part = sentence.start(), sentence[0]
        turns = [turn.span() for turn in _TURN.finditer(part)]
        turn_starts, turn_ends = [start for start, _ in turns], [end for _, end in turns]
        ors, ands = ([match.start() for match in pattern.finditer(part)] for pattern in (_OR, _AND))
        exceptions = {exception.end(): exception.start() for exception in _EXCEPTION.finditer(part)}
        ends = sorted([*turn_starts, *exceptions.values()])
        first_word = _WORD.search(part)
        done = 0
        for cue in _BEFORE_REFUSED.finditer(part):
            if cue.start() < done or (done and exceptions.get(cue.end()) == done):
                continue
            if cue["wish"]:
                done = cue.end()
                yield slice(offset + cue.start(), offset + done), slice(offset + done, offset + done)
                continue
            done = _first_from(ends, cue.end(), len(part))
            comma = part.find(",", cue.end(), done)
            # "No robots, drones or cars" refuses them all, "agents, not robots, and planning" one.
            is_list = _first_from(ors, comma, done) < done <= _first_from(ands, cue.end(), done)
            if comma >= 0 and not is_list and first_word and first_word.start() < cue.start():
                done = comma
            yield slice(offset + cue.start(), offset + done), slice(offset + cue.end(), offset + done)
        for cue in _AROUND_REFUSED.finditer(part):
            start, end = next(cue.span(group) for group in range(1, 4) if cue[group])
            yield slice(offset + cue.start(), offset + cue.end()), slice(offset + start, offset + end)
        previous = 0
        for cue in _BEHIND_REFUSED.finditer(part):
            turn = bisect_right(turn_ends, cue.start())
            start = max(turn_ends[turn - 1] if turn else 0, previous)
            previous = cue.end()
            if _FIRST_PERSON.search(part, start, cue.start()):  # "I like proofs, robots aren't for me"
                start = max(start, part.rfind(",", start, cue.start()))
            yield slice(offset + start, offset + cue.end()), slice(offset + start, offset + cue.start())


def _first_from(places: Sequence[int], start: int, otherwise: int) -> int:
    place = bisect_left(places, start)
    return places[place] if place < len(places) else otherwise


def _topics(original: str, text: str) -> list[Topic]:
    """Return topics. ``original`` has the reader's signs."""
    segments = _segments(text)
    runs = [(number, run) for number, segment in segments for run in _runs(segment)]
    runs = runs or [(number, [token]) for number, segment in segments for token in segment]
    topics = []
    verb_ends = link_ends = -1
    for (number, run), (_, following) in pairwise([*runs, (0, [])]):
        link = _SHARES_NOUN.match(text, run[0].end)
        is_adjective = len(run) == 1 and run[0].spelling.lower().endswith(_ADJECTIVE_ENDINGS)
        shares_noun = is_adjective and link and len(following) > 1 and link.end() == following[0].start
        words = [*run, following[-1]] if shares_noun else run
        spelling = (
            " ".join(token.spelling for token in words)
            if link and len(words) > 1
            else " ".join(original[run[0].start : run[-1].end].split())
        )
        before = original[: run[0].start].rstrip(' \t"“”*•–-')
        starts_sentence = not before or before[-1] in ".:!?\n"
        follows_verb = verb_ends >= 0 and _SHARES_NOUN.fullmatch(text, verb_ends, run[0].start)
        is_verb = (
            len(run) == 1
            and not run[0].spelling.lower().endswith(_NO_VERB_ENDINGS)
            and bool(follows_verb or _BEFORE_VERB.search(text[max(run[0].start - 12, 0) : run[0].start]))
        )
        verb_ends = run[0].end if is_verb else -1
        is_alternative = link_ends == run[0].start
        link_ends = link.end() if link else -1
        stems = expanded(token.stem for token in words)
        place = range(run[0].start, run[-1].end)
        topics.append(Topic(spelling, stems, number, starts_sentence, is_verb, is_alternative, place))
    return topics


def _segments(text: str) -> list[tuple[int, list[Token]]]:
    """Return numbered runs of tokens between punctuation, "and" and "or", without requests."""
    ends = [match.start() for match in _SEGMENT_END.finditer(text)]
    settings = [place for match in _SETTING.finditer(text) for place in match.span()]
    segments = []
    for number, group in groupby(tokens(text), key=lambda token: bisect_left(ends, token.start)):
        segment: list[Token] = []
        has_request = False
        for token in group:
            words_before = text[max(0, token.start - 12) : token.start].lower().split()
            follows_subject = bool(words_before) and words_before[-1] in _SUBJECTS
            is_setting = bisect_right(settings, token.start) % 2 == 1
            if (
                is_setting
                or follows_subject
                or (token.spelling.lower() in _REQUESTS and not _is_kind_of_paper(segment, token))
            ):
                has_request = True
            else:
                segment.append(token)
        start = ends[number - 1] if number else 0
        # "How do language models hallucinate" ends in its verb. "How can they help with markets" has another.
        if len(segment) > 2 and not has_request and _HOW.search(text, start, segment[0].start):
            segments += [(number, segment[:-1]), (number, segment[-1:])]
        else:
            segments.append((number, segment))
    return segments


def _runs(segment: Sequence[Token]) -> list[list[Token]]:
    vocabulary = shipped_vocabulary()
    parts = [list(segment[:1])]
    for before, token in pairwise(segment):
        if token.phrase == before.phrase and token.start - before.end <= 1:
            parts[-1].append(token)
        else:
            parts.append([token])
    runs: list[list[Token]] = []
    for part in parts:
        for number, run in enumerate(vocabulary.split(part, vocabulary.breaking)):
            # "Text to speech" and "reinforcement learning from human feedback" are one topic.
            joined = [*(runs[-1] if runs else []), *run]
            # "Preventing" ends a topic, "prevention" doesn't.
            is_noun = number > 0 and len(run) == 1 and run[0].spelling.lower().endswith(_NOUN_ENDINGS)
            if (
                is_noun
                or tuple(token.stem for token in joined) in common_expansions().values()
                or (len(run) == 1 and _is_kind_of_paper(joined[:-1], run[0]))
            ):
                runs[-1:] = [joined]
            else:
                runs.append(run)
    return runs


def _is_kind_of_paper(segment: Sequence[Token], token: Token) -> bool:
    before = segment[-1] if segment else None
    return (
        token.stem == "paper"
        and before is not None
        and before.spelling.lower() in _KINDS
        and before.phrase == token.phrase
    )
