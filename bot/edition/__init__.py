"""What goes into an edition: pure functions from scores and papers to picks, without database or clock.

trending      upvotes as one more reason of a score
selection     which papers, in which order
quiet         why there are no picks
composing     picks with summary and reasons
"""

from bot.edition.composing import compose
from bot.edition.quiet import Supply
from bot.edition.selection import Choice, Limits, select
from bot.edition.trending import with_trending

__all__ = ["Choice", "Limits", "Supply", "compose", "select", "with_trending"]
