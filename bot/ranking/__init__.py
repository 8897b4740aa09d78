"""Which papers does a reader want? Weighted words of title and abstract, and a linear model from thumbs.

    corpus         one vocabulary, one factorisation, one background for all readers
    taste          readers' interests and thumbs as rows of one matrix
    reader_models  all readers' linear models, trained in a few matrix products
    rules          keywords, followed authors, mutes
    metrics        how good a ranking was; ``examining`` puts past ones to the test
    ranker         the four together: candidates in, scores with reasons out

Follows scikit-learn's conventions (``fit``, ``transform``, ``decision_function``, trailing underscores for
what was learned) and knows no database and no clock.
"""

from bot.ranking.corpus import Corpus
from bot.ranking.ranker import Best, Interest, Ranker, Ranking
from bot.ranking.rules import Rules

__all__ = ["Best", "Corpus", "Interest", "Ranker", "Ranking", "Rules"]
