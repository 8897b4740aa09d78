"""Summarise an abstract in a few of its own sentences, with the finding in bold, or by a language model's TL;DR."""
