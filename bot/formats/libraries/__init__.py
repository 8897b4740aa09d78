"""The formats of libraries: each reads an export of reference managers or databases into ``Reference``s.

``bot.formats.library`` lists them, and turns references into papers.
"""
