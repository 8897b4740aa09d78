"""What a text is about: its tokens, their stems, and the phrases that people name topics by.

    text --tokens--> Token with stem and place --> stem_terms: what ranking weighs
    profile text --profile_topics--> the topics that the reader wrote
    corpus texts --> Spellings, learned_expansions: how a term is usually written, what an abbreviation stands for

``terms`` and ``singular`` are the older, unstemmed terms.
"""

from bot.terms.abbreviations import Expansions, common_expansions, expanded, learned_expansions
from bot.terms.spellings import Spellings
from bot.terms.stems import stem
from bot.terms.tokens import Token, phrases, stem_terms, tokens
from bot.terms.topics import Topic, profile_topics
from bot.terms.vocabulary import is_filler, is_general, is_topical, names_topic, topical_phrases
from bot.terms.words import singular, terms

__all__ = [
    "Expansions",
    "Spellings",
    "Token",
    "Topic",
    "common_expansions",
    "expanded",
    "is_filler",
    "is_general",
    "is_topical",
    "learned_expansions",
    "names_topic",
    "phrases",
    "profile_topics",
    "singular",
    "stem",
    "stem_terms",
    "terms",
    "tokens",
    "topical_phrases",
]
