"""A profile's text as topics: what the reader wants to read about, without the words that ask for it.

Abbreviations are expanded, so that "LLM" and "large language models" are one topic.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import groupby, pairwise

from bot.text.tokens import Token, stem, tokens
from bot.text.vocabulary import is_general, names_topic, shipped_vocabulary

# Each with its commonest reading in the field. Those that a corpus spells out ("large language models (LLMs)") could be
# learned from it, but the same profile would mean something else in each home, and "CLIP", "BED" or "CAPE" are words.
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
    """Return for the stem of each common abbreviation the stems of what it stands for."""
    return {stem(short): tuple(token.stem for token in tokens(long)) for short, long in _COMMON.items()}


def expanded(stems: Iterable[str]) -> tuple[str, ...]:
    """Return the stems with each abbreviation replaced by what it stands for; "LLM models" are language models, too.

    >>> expanded(["llm", "agent"]), expanded(["rl", "learn"])
    (('larg', 'languag', 'model', 'agent'), ('reinforc', 'learn'))
    """
    expansions = common_expansions()
    parts = (part for stem in stems for part in expansions.get(stem, (stem,)))
    return tuple(part for part, _ in groupby(parts))


# Words of requests, as spelled: "learn" is one, "learning" is part of topics.
_REQUESTS = frozenset(
    """
    also anything appreciate article articles ask asks asking cover covering covers curious currently enjoy
    especially everything excited find follow fun happy hear hello help helps helping hi ideally include
    includes including interest interested interesting interests keen keep know latest learn like literature
    look looking looks love mainly mostly nice paper papers particular particularly phd please preferably
    prefer primarily project projects publication publications questions read reader reading reads recent
    related relevant research researcher researchers scientist see send something specially stuff tell
    thanks thing things topic topics understand update updates want wants welcome wish wonder work working
    works yes
    """.split()
)
# What follows is a verb: "I study ...".
_SUBJECTS = frozenset({"i", "we", "who"})
# Alone these would fit nearly every paper.
_TOO_BROAD = frozenset(
    "ai algorithm approach artifici data learn machin method model network result scienc system task technolog".split()
)
_SEGMENT_END = re.compile(r"[.,;:!?()\[\]\"“”•*|&]|\n|\b(?:and|or|but)\b", re.IGNORECASE)
# A line break behind a long line wraps a sentence; behind a short one it ends an item of a list.
_WRAP = re.compile(r"(?<=[^\n]{50})\n(?![ \t]*[\n–-])")
_HOW = re.compile(r"\bhow (?:can|could|do|does|should|to|well)\b", re.IGNORECASE)
_NEGATED = re.compile(
    r"\b(?:not(?! only)|no|except|excluding|rather than|instead of)\s[^.,;:!?()]*?(?=\bbut\b|[.,;:!?()]|$)",
    re.IGNORECASE,
)
# "Sequential and generative recommendation": an adjective alone, before a phrase whose noun it shares.
_SHARES_NOUN = re.compile(r"\s+(?:and|or)\s+(?=\w)", re.IGNORECASE)
_ADJECTIVE_ENDINGS = ("tial", "cial", "onal", "ural", "ical", "ative", "tic", "ous", "able", "ible")
_NOUN_ENDINGS = ("ness", "ity", "ion", "ing", "ment", "ics", "ance", "ence", "sis", "s", "y")


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic in the reader's own words, and as stems with abbreviations expanded.

    Topics of one ``segment`` ("reinforcement learning for language models") are meant together; those of different
    ones, divided by a comma, "and" or "or", are alternatives. ``starts_sentence``: its first letter may be a capital
    for no other reason.
    """

    text: str
    stems: tuple[str, ...]
    segment: int = 0
    starts_sentence: bool = False

    @property
    def terms(self) -> tuple[str, ...]:
        """Its stems and their bigrams, as ``stem_terms`` gives them."""
        return (*self.stems, *(f"{a} {b}" for a, b in pairwise(self.stems)))


def profile_topics(text: str) -> tuple[Topic, ...]:
    """Return the topics that a reader wrote, in order, each once, without those that they exclude ("no robots").

    Requests, verbs behind "I" or "we", and general academic vocabulary are omitted; a general word counts where the
    reader named it alone, as an item of a list. If nothing remains, every word counts that does not make a request.

    >>> [t.text for t in profile_topics("I work on reward hacking. How do models help reasoning, but not robots?")]
    ['reward hacking', 'reasoning']
    """
    # A comma ends the segment before what is excluded; all other characters keep their positions.
    text = _NEGATED.sub(lambda negated: "," + " " * (len(negated[0]) - 1), text)
    segments = _segments(_WRAP.sub(" ", text))
    runs = [(number, run) for number, segment in segments for run in _topical_runs(segment)]
    topics: dict[tuple[str, ...], Topic] = {}
    runs = _with_shared_nouns(text, runs)
    for number, run in runs or [(number, [token]) for number, segment in segments for token in segment]:
        has_shared_noun = bool(_SHARES_NOUN.match(text, run[0].end)) and len(run) > 1
        spelling = (
            " ".join(token.spelling for token in run)
            if has_shared_noun
            else " ".join(text[run[0].start : run[-1].end].split())
        )
        before = text[: run[0].start].rstrip(' \t"“”*•–-')
        starts_sentence = not before or before[-1] in ".:!?\n"
        topic = Topic(spelling, expanded(token.stem for token in run), number, starts_sentence)
        topics.setdefault(topic.stems, topic)
    return tuple(topics.values())


def _with_shared_nouns(text: str, runs: Sequence[tuple[int, list[Token]]]) -> list[tuple[int, list[Token]]]:
    """Return the runs, an adjective before "and" or "or" with the noun behind: "sequential" with "recommendation"."""
    shared = []
    for (number, run), (_, following) in pairwise([*runs, (0, [])]):
        link = _SHARES_NOUN.match(text, run[0].end) if len(run) == 1 and len(following) > 1 else None
        is_adjective = run[0].spelling.lower().endswith(_ADJECTIVE_ENDINGS)
        shares = is_adjective and link is not None and link.end() == following[0].start
        shared.append((number, [*run, following[-1]] if shares else run))
    return shared


def _segments(text: str) -> list[tuple[int, list[Token]]]:
    """Return the tokens between punctuation, "and" and "or", without those that make a request, by number."""
    ends = [match.start() for match in _SEGMENT_END.finditer(text)]
    segments = []
    for number, group in groupby(tokens(text), key=lambda token: bisect_left(ends, token.start)):
        segment = []
        has_request = False
        for token in group:
            words_before = text[max(0, token.start - 12) : token.start].lower().split()
            follows_subject = bool(words_before) and words_before[-1] in _SUBJECTS
            if follows_subject or token.spelling.lower() in _REQUESTS:
                has_request = True
            else:
                segment.append(token)
        start = ends[number - 1] if number else 0
        # "How do language models hallucinate" ends in its verb; "how can they help with markets" has another.
        if len(segment) > 2 and not has_request and _HOW.search(text, start, segment[0].start):
            segments += [(number, segment[:-1]), (number, segment[-1:])]
        else:
            segments.append((number, segment))
    return segments


def _topical_runs(segment: Sequence[Token]) -> list[list[Token]]:
    """Return the parts of a segment that name topics: side by side in the text, cut at verbs."""
    if len(segment) == 1:
        word = segment[0]
        is_named_alone = word.stem not in _TOO_BROAD and word.spelling.endswith(_NOUN_ENDINGS)
        return [list(segment)] if is_named_alone or not is_general(word.stem) else []
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
            if tuple(token.stem for token in joined) in common_expansions().values():
                runs[-1:] = [joined]
            else:
                runs.append(run)
    return [run for run in runs if len(run) > 1 or (run and names_topic([run[0].stem]))]
