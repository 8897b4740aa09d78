"""Rank papers for readers, by their text and by their votes.

A trailing underscore marks fitted attributes, as in scikit-learn.
"""
