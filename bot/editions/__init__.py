"""Editions and weekly letters: ``due`` says who gets one, ``composer`` and ``letters`` compose them.

    due --> candidates --> models, ranked --> composer, letters

``health`` watches the sources, and says why an edition is quiet.
"""
