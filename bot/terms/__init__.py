"""What a text is about: its tokens, their stems, and the phrases that people name topics by.

text --tokens--> Token with stem and position --> stem_terms: what ranking weighs
profile text --profile_topics--> the topics that the reader wrote
phrases --topical_phrases--> the phrases of a paper that name topics
corpus texts --> Spellings: how words are usually capitalised
"""

from bot.terms.abbreviations import common_expansions, expanded
from bot.terms.spellings import Spellings
from bot.terms.stems import stem
from bot.terms.tokens import Token, phrases, stem_terms, tokens
from bot.terms.topics import Topic, profile_topics
from bot.terms.vocabulary import is_general, names_topic, topical_phrases, topical_terms

__all__ = [
    "Spellings",
    "Token",
    "Topic",
    "common_expansions",
    "expanded",
    "is_general",
    "names_topic",
    "phrases",
    "profile_topics",
    "stem",
    "stem_terms",
    "tokens",
    "topical_phrases",
    "topical_terms",
]
