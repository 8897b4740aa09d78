"""Which papers does a reader want? TF-IDF over title and abstract, and a classifier trained from thumbs.

    corpus        one vocabulary for all readers
    examples      a reader's interests and thumbs as training data
    reader_model  the classifier, and what each word adds to a score
    rules         keywords, followed authors, mutes
    ranker        the four together: candidates in, scores with reasons out

Follows scikit-learn's conventions (``fit``, ``transform``, ``decision_function``, trailing underscores for
what was learned) and knows no database and no clock.
"""

from bot.ranking.ranker import Interest, Ranker, Ranking
from bot.ranking.rules import Rules

__all__ = ["Interest", "Ranker", "Ranking", "Rules"]
