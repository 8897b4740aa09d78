"""Rank papers for readers: a mixture of experts over the terms of title and abstract, learned from votes.

    ranker         the entry point: interests and candidates in, rankings out
    ranking        one reader's scores, and the terms behind them on demand
    pool           the papers that a batch of readers is ranked over
    rules          keywords, followed authors, mutes, required terms
    corpus         vocabulary, idf, latent components and background papers, shared by all readers
    vectors        document expansion: a paper's terms and those of its nearest neighbours
    paper_terms    how a paper's value is divided among its terms, prepared once for all readers
    user_vectors   readers' interests and votes as rows of one matrix
    library        how much the papers of a reader's own library count beside votes
    experts        the four models of each reader
    words          expert: similarity to the profile's topics, and their coverage
    reader_models  expert: Rocchio relevance feedback with hard negatives
    linear, trees  experts: logistic regression and extremely randomised trees on votes, fitted by ``learner``
    mixture        weights of the experts, calibrated on past predictions (stacking)
    serialization  what was fitted to a reader's votes, as bytes
    metrics        precision, nDCG, AUC and calibration of a ranking; ``prequential`` evaluates past ones

Follows scikit-learn's conventions (``fit``, ``transform``, ``decision_function``, a trailing underscore for
fitted attributes) and uses neither database nor clock.
"""
