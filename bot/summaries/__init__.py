"""An abstract made short: a few of its own sentences, word for word, and which of them is a finding.

sentences     an abstract as sentences
features      what a sentence looks like: phrases, place, names, figures
roles         what each sentence does: its kind, and how much of task, idea and result it holds
claims        which sentences say nothing to a reader, and which report a finding
references    openers that refer back, and head words that can be left out
summary       the few sentences that say most to one reader
marking       the words in them to mark

The weights in ``weights.json`` are learned by ``tests/bench/learn_summaries.py``.
"""

from bot.summaries.summary import finding, summarise

__all__ = ["finding", "summarise"]
