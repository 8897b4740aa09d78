"""The commands of ``paperbot``, by theme: they parse options, call one use case, and print its result.

Modules import click and the foundations only; heavy libraries are imported within the commands, so that
``paperbot --help`` takes 0.1 s and not 1.5 s.
"""
