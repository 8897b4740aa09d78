"""The commands of ``paperbot``: each parses options, calls one use case, and prints the result.

Commands import heavy libraries late, so ``paperbot --help`` takes 0.1 s instead of 1.5 s.
"""
