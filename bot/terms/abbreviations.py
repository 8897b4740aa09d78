"""What abbreviations stand for, so that "LLM" and "large language models" meet."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import cache

from bot.terms.stems import stem
from bot.terms.tokens import tokens

Expansions = Mapping[str, tuple[str, ...]]

# For a corpus that doesn't spell them out; each is its field's commonest reading.
_COMMON = {
    "ASR": "automatic speech recognition",
    "CNN": "convolutional neural network",
    "CoT": "chain-of-thought",
    "DPO": "direct preference optimization",
    "GAN": "generative adversarial network",
    "GNN": "graph neural network",
    "GRPO": "group relative policy optimization",
    "IR": "information retrieval",
    "LLM": "large language model",
    "LM": "language model",
    "MARL": "multi-agent reinforcement learning",
    "MDP": "Markov decision process",
    "MLLM": "multimodal large language model",
    "MoE": "mixture-of-experts",
    "NER": "named entity recognition",
    "NLP": "natural language processing",
    "ORM": "outcome reward model",
    "PINN": "physics-informed neural network",
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
    "TTS": "text-to-speech",
    "VAE": "variational autoencoder",
    "VLA": "vision-language-action model",
    "VLM": "vision-language model",
    "VQA": "visual question answering",
}
_IN_BRACKETS = re.compile(r"\(([A-Za-z][A-Za-z-]{1,9})\)")
_LONGEST_FORM = 120  # characters before the bracket that are looked at
_MOST_BRACKETS = 40  # of a text


def common_expansions() -> Expansions:
    """Of each common abbreviation's stem the stems that it stands for."""
    return _common()


def learned_expansions(texts: Iterable[str], least: int = 3) -> Expansions:
    """The common expansions, and those that at least so many texts give ("large language models (LLMs)").

    A text's form counts where its letters begin the words before the bracket (after Schwartz and Hearst 2003); of
    several forms the commonest is taken if it is more than half of all.
    """
    forms: defaultdict[str, Counter[tuple[str, ...]]] = defaultdict(Counter)
    for text in texts:
        for short, long in set(_forms(text)):
            forms[short][long] += 1
    learned = {}
    for short, counts in forms.items():
        long, count = counts.most_common(1)[0]
        if count >= least and 2 * count > counts.total():
            learned[short] = long
    return {**learned, **_common()}


def expanded(stems: Iterable[str], expansions: Expansions) -> tuple[str, ...]:
    """The stems with each abbreviation replaced by what it stands for."""
    return tuple(part for s in stems for part in expansions.get(s, (s,)))


def _forms(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Each abbreviation in brackets with the stems of the words before it that it abbreviates."""
    pairs = []
    for _, bracket in zip(range(_MOST_BRACKETS), _IN_BRACKETS.finditer(text), strict=False):
        letters = bracket[1].removesuffix("s").replace("-", "").lower()
        if sum(map(str.isupper, bracket[1])) < 2 or len(letters) < 2:
            continue
        before = text[max(0, bracket.start() - _LONGEST_FORM) : bracket.start()]
        words = [(w.start(), w[0].lower()) for w in re.finditer(r"[A-Za-z]+", before)]
        start = _start_of_form(words, letters)
        if start is not None:
            pairs.append((stem(bracket[1]), tuple(t.stem for t in tokens(before[start:]))))
    return [(short, long) for short, long in pairs if len(long) > 1]


def _start_of_form(words: list[tuple[int, str]], letters: str) -> int | None:
    """Where the last words begin whose first letters, in order, spell the abbreviation; a word may be passed over."""
    left = len(letters)
    for place, word in reversed(words[-2 * len(letters) :]):
        if word[0] == letters[left - 1]:
            left -= 1
            if not left:
                return place
    return None


@cache
def _common() -> dict[str, tuple[str, ...]]:
    return {stem(short): tuple(t.stem for t in tokens(long)) for short, long in _COMMON.items()}
