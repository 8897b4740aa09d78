"""An abstract made short: a few of its own sentences, word for word, and which of them is a finding.

sentences     an abstract as sentences
wording       signals in a sentence's wording: numbers, comparisons, hopes, praise
features      what a sentence looks like: phrases, place, names, figures
kinds         the kind of each sentence, by a linear-chain CRF
claims        which sentences say nothing to a reader, or praise without a measure
findings      how sure it is that a sentence reports a finding
roles         what each sentence does: how much of task, idea and result it holds
references    openers that refer back, and head words that can be left out
summary       the few sentences that say most to one reader
highlights    the words in them to mark
weights       the models' weights, in ``weights.json``; learned by ``bench/summary_weights.py``
"""
