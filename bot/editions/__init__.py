"""Compose editions and weekly letters.

    due: readers, candidates --> models: interests --> ranked: choices, reasons --> composer

``connections`` relates new papers to known ones. ``letters`` sums up a week, and ``catch_up`` a longer span. ``health``
watches the sources.
"""
