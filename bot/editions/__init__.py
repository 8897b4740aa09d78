"""Editions and weekly letters: ``due`` says who gets one, ``composer`` composes them.

    due: readers, candidates --> models: interests --> ranked: choices, reasons --> composer

``health`` watches the sources, and says why an edition is quiet.
"""
