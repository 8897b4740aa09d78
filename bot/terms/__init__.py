"""What a text is about: its tokens, their stems, and the phrases that people name topics by.

    text --tokens--> Token with stem and place --> stem_terms: what ranking weighs
    profile text --profile_topics--> the topics that the reader wrote
    corpus texts --spellings, expansions--> how a term is usually written, what an abbreviation stands for

``terms`` and ``singular`` are the older, unstemmed terms.
"""

from bot.terms.stems import stem
from bot.terms.tokens import Token, phrases, stem_terms, tokens
from bot.terms.words import singular, terms

__all__ = ["Token", "phrases", "singular", "stem", "stem_terms", "terms", "tokens"]
