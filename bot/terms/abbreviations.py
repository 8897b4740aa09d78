"""What abbreviations stand for, so that "LLM" and "large language models" are one topic."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from itertools import groupby

from bot.terms.stems import stem
from bot.terms.tokens import tokens

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
