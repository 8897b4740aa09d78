"""Read a profile's text: topics that the reader wants, topics that they refuse, and the unread rest.

"I work on LLM agents. Rather not robots" wants "LLM agents", refuses "robots" and leaves "I work on" unread.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import groupby, pairwise

from bot.text.tokens import Token, shipped_vocabulary, stem, tokens

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
    separate segments.
    """

    text: str
    stems: tuple[str, ...]
    segment: int = 0
    starts_sentence: bool = False

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
    actually ain also anything apart appreciate area aren article articles aside ask asking asks bit bored build
    building chiefly come comes couldn cover covering covers curious currently didn doesn don dont enjoy enough
    especially everybody everyone everything evidence except excited exclude excluding fed fewer find fine follow fun
    get gets getting give gives glad go goes going good great group happen happened happening happens happy hasn hate
    haven hear hello help helping helps hi hide hot idea ideally ignore include includes including inside instead
    interest interested interesting interests isn keen keep kind kinds know latest learn leave let like literature ll
    long look looking looks lot lots love mainly make makes making matter mean means mind mostly mustn need needs new
    nice often old omit paper papers particular particularly people's phd please prefer preferably previous primarily
    probably project projects publication publications put puts questions rather re read reader reading reads real
    really recent related relevant research researcher researchers say says scientist see seem send shouldn show sick
    skip somebody someone something sort sorts spare specially stop stuff take takes tell thank thanks thing things
    think tired today top topic topics try trying understand unless update updates usually various ve want wants wasn
    way ways welcome weren wish won wonder work working works wouldn yes
    """.split()
)
# A verb follows: "I study ...".
_SUBJECTS = frozenset({"i", "we", "who"})
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

_ME = r"\b(?:i|we)(?:'m|'re|'ve|'d|'ll)?(?:\s+(?:am|are|have|would|do|really|also|just|usually|try|to|rather))*"
_NOT = r"(?:do\s+not|don'?t|did\s+not|didn't|not|never|no\s+longer|won't|wouldn't|cannot|can't)"
# "Not only" and "no matter" refuse nothing.
_NO_REFUSAL = r"(?!\s+(?:only|just|merely|necessarily|limited|yet|sure|least|all|always|even|mind|matter|doubt|so\b))"
# The refusal follows these words.
_BEFORE_REFUSED = re.compile(
    rf"""
      {_ME}\s+(?:{_NOT}{_NO_REFUSAL}(?:\s+(?:really|much))?(?:\s+care(?:\s+(?:much|about|for))*)?|hate|dislike|avoid|skip|ignore|exclude|detest|can\s+do\s+without|had\s+enough\s+of)
    | (?:^|[,:(–—]|\b(?:but|and|please|so|maybe|rather|preferably|ideally)\b)\s*(?:please\s+)?
      (?:{_NOT}{_NO_REFUSAL}|avoid|skip|exclude|ignore|omit|drop|hide|mute|leave\s+out|spare\s+me|stop|fewer|less|minus)\b
    | \b(?:see|want|get|like|need|send|show\s+me|interested\s+in)\s+(?:less|fewer)\b | \bless\s+interested\s+in\b
    # Not where something else does not: "models that do not generalise".
    | (?<!\bdo\s)(?<!\bdoes\s)(?<!\bdid\s)(?<!\bcan\s)(?<!\bcould\s)(?<!\bis\s)(?<!\bare\s)(?<!\bmay\s)(?<!\bwill\s)
      (?<!\bshould\s)(?<!\bwhat\s)(?<!\bwhen\s)(?<!\bhow\s)(?<!\bor\s)(?<!\bwhy\s)
      \b(?:not|no){_NO_REFUSAL}(?!\s+(?:longer|one|more\s+than))\b
    | \b(?:except|excluding|without|neither|nor|(?:rather|other)\s+than|instead\s+of|(?:apart|aside)\s+from)\b
    | \b(?:as\s+opposed\s+to|(?:any|every)thing\s+but|uninterested\s+in|outside(?:\s+of)?\s+my)\b
    | \b(?:(?:sick(?:\s+and\s+tired)?|tired|bored|fed\s+up|enough)\s+(?:of|by|with))\b
    | \bnothing\s+(?:about|on|to\s+do\s+with)\b | \b(?:steer\s+clear|(?:stay|keep)\s+away)\s+(?:of|from)\b
    | (?<!は)不要|不想要|不想看|不需要|不包括|排除
    | \b(?:as|so)\s+long\s+as\s+(?:\w+\s+){{0,3}}?(?:isn't|aren't|is\s+not|are\s+not|don't|doesn't)\b | \bunless\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
# The refusal precedes these words.
_BEHIND_REFUSED = re.compile(
    r"""
      \b(?:is|are)(?:n't|\s+not)\s+(?:really\s+|so\s+)?
      (?:for\s+me|my\b|of\s+interest|interesting|relevant|what\s+i|in\s+scope)
    | \b(?:does|do)(?:n't|\s+not)\s+(?:really\s+|much\s+)?(?:interest|excite|concern|appeal|matter\s+to|belong)
    | \bleaves?\s+me\s+cold\b | \bbores?\s+me\b | \bno,?\s+thanks?\b
    | は不要(?:です)?|[はにへ](?:の)?興味[はが]?(?:ない|ありません)|不感兴趣|不感興趣|没兴趣|沒興趣
    | \b(?:is|are)\s+(?:out\s+of\s+scope|boring|irrelevant|less\s+(?:interesting|relevant|important)|unwelcome)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
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
    plain = _WRAP.sub(" ", text.replace("’", "'")).translate(_PUNCTUATION)
    wanted_text, refused_text = list(plain), [sign if sign == "\n" else " " for sign in plain]
    for taken, refused in _refusals(plain):
        # The comma ends the segment. Positions stay.
        wanted_text[taken] = "," + " " * (taken.stop - taken.start - 1)
        refused_text[refused] = plain[refused]
        if taken.start < refused.start:
            refused_text[taken.start] = ","
    wanted, places = _topics(text, "".join(wanted_text))
    named, _ = _topics(text, "".join(refused_text))
    unwanted = {stems: topic for stems, topic in named.items() if stems not in wanted}
    # "No technical methods" refuses no methods.
    specific = [topic for stems, topic in unwanted.items() if stems not in _TOO_BROAD]
    return Interests(
        tuple(wanted.values()),
        tuple(specific or unwanted.values()),
        tuple(_unread(text, "".join(wanted_text), places)),
    )


def _unread(original: str, text: str, read: Iterable[tuple[int, int]]) -> Iterator[str]:
    """Yield parts between topics with more than function words."""
    rest = list(text)
    for start, end in read:
        rest[start:end] = "," * (end - start)
    left = "".join(rest)
    contents = [token.start for token in tokens(left)]
    for part in _BETWEEN.finditer(left):
        start, end = part.span()
        if bisect_left(contents, end) > bisect_left(contents, start):
            yield " ".join(original[start:end].split())


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
            done = _first_from(ends, cue.end(), len(part))
            comma = part.find(",", cue.end(), done)
            # "No robots, drones or cars" refuses them all, "agents, not robots, and planning" one.
            is_list = _first_from(ors, comma, done) < done <= _first_from(ands, cue.end(), done)
            if comma >= 0 and not is_list and first_word and first_word.start() < cue.start():
                done = comma
            yield slice(offset + cue.start(), offset + done), slice(offset + cue.end(), offset + done)
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


def _topics(original: str, text: str) -> tuple[dict[tuple[str, ...], Topic], list[tuple[int, int]]]:
    """Return topics by their stems, and all their places. ``original`` has the reader's signs."""
    segments = _segments(text)
    runs = [(number, run) for number, segment in segments for run in _runs(segment)]
    runs = runs or [(number, [token]) for number, segment in segments for token in segment]
    topics: dict[tuple[str, ...], Topic] = {}
    for number, run in _with_shared_nouns(text, runs):
        is_joined = bool(_SHARES_NOUN.match(text, run[0].end)) and len(run) > 1
        spelling = (
            " ".join(token.spelling for token in run)
            if is_joined
            else " ".join(original[run[0].start : run[-1].end].split())
        )
        before = original[: run[0].start].rstrip(' \t"“”*•–-')
        starts_sentence = not before or before[-1] in ".:!?\n"
        topic = Topic(spelling, expanded(token.stem for token in run), number, starts_sentence)
        topics.setdefault(topic.stems, topic)
    return topics, [(token.start, token.end) for _, run in runs for token in run]


def _with_shared_nouns(text: str, runs: Sequence[tuple[int, list[Token]]]) -> list[tuple[int, list[Token]]]:
    """Append the shared noun to an adjective before "and" or "or"."""
    shared = []
    for (number, run), (_, following) in pairwise([*runs, (0, [])]):
        link = _SHARES_NOUN.match(text, run[0].end) if len(run) == 1 and len(following) > 1 else None
        is_adjective = run[0].spelling.lower().endswith(_ADJECTIVE_ENDINGS)
        shares = is_adjective and link is not None and link.end() == following[0].start
        shared.append((number, [*run, following[-1]] if shares else run))
    return shared


def _segments(text: str) -> list[tuple[int, list[Token]]]:
    """Return numbered runs of tokens between punctuation, "and" and "or", without requests."""
    ends = [match.start() for match in _SEGMENT_END.finditer(text)]
    segments = []
    for number, group in groupby(tokens(text), key=lambda token: bisect_left(ends, token.start)):
        segment: list[Token] = []
        has_request = False
        for token in group:
            words_before = text[max(0, token.start - 12) : token.start].lower().split()
            follows_subject = bool(words_before) and words_before[-1] in _SUBJECTS
            if follows_subject or (token.spelling.lower() in _REQUESTS and not _is_kind_of_paper(segment, token)):
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
        for run in vocabulary.split(part, vocabulary.breaking):
            # "Text to speech" and "reinforcement learning from human feedback" are one topic.
            joined = [*(runs[-1] if runs else []), *run]
            if tuple(token.stem for token in joined) in common_expansions().values() or (
                len(run) == 1 and _is_kind_of_paper(joined[:-1], run[0])
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
