"""Which papers does a reader want? Weighted words of title and abstract, and a linear model from thumbs.

    corpus         one vocabulary, one factorisation, one background for all readers
    taste          readers' interests and thumbs as rows of one matrix
    reader_models  all readers' linear models, trained in a few matrix products
    rules          keywords, followed authors, mutes
    vectors        papers as the models see them: their words, and those of the papers nearest to them
    pool           the papers that a batch of readers is ranked over
    ranking        one reader's scores, and reasons for those that somebody looks at
    ranker         all of it together: interests and candidates in, rankings out
    metrics        precision, nDCG, AUC and calibration of a ranking; ``prequential`` measures past ones

Follows scikit-learn's conventions (``fit``, ``transform``, ``decision_function``, trailing underscores for
what was learned) and knows no database and no clock.
"""

from bot.ranking.corpus import Corpus
from bot.ranking.learner import Learned
from bot.ranking.ranker import Best, Interest, Ranker
from bot.ranking.ranking import Ranking
from bot.ranking.rules import Rules

__all__ = ["Best", "Corpus", "Interest", "Learned", "Ranker", "Ranking", "Rules"]
