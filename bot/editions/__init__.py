"""Editions and weekly letters: ``due`` says who gets one, ``composer`` composes them.

    due: readers, candidates --> models: interests --> ranked: choices, reasons --> composer

``connections`` says what a day's papers have to do with those that a reader knows, ``letters`` what a week taught,
``catch_up`` chooses from a longer span. ``health`` watches the sources, and says why an edition is quiet.
"""
