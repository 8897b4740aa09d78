"""Rank papers for readers: a mixture of experts over the terms of title and abstract, learned from votes.

    corpus         vocabulary, idf, latent components and background papers, shared by all readers
    matching       experts words and Rocchio: a paper's similarity to the profile's topics and to liked papers
    learner        experts linear and trees: models fitted to votes, and their bytes
    experts        the four experts of each reader, and the mixture that calibrates them on past votes (stacking)
    ranking        the pool of papers, a profile's rules, one reader's ranking with its terms on demand
    ranker         the entry point: interests and candidates in, rankings out
    selection      an edition's papers from scores: threshold, diversity, exploration, alerts, trending
    phrases        a paper's phrases and the topics that it mentions
    reasons        why a paper was picked
    prequential    metrics of past rankings

Follows scikit-learn's conventions (``fit``, ``transform``, ``decision_function``, a trailing underscore for
fitted attributes) and uses neither database nor clock.
"""
