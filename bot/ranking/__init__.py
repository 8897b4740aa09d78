"""Rank papers for readers, by their text and by their votes.

    meaning        vectors of stems
    matching       how papers match a text: phrases, topics together, refusals, meaning
    corpus         vocabulary, idf, meanings and background papers, shared by all readers
    experts        text, the model of a reader's votes, and the mixture that calibrates both (stacking)
    ranking        the pool of papers, a profile's rules, one reader's ranking
    ranker         the entry point: interests and candidates in, rankings out
    selection      an edition's papers: threshold, exploration, new readers, alerts, trending
    phrases        a paper's phrases and the topics that it mentions
    reasons        why a paper was picked
    prequential    metrics of past rankings

A trailing underscore marks fitted attributes, as in scikit-learn.
"""
