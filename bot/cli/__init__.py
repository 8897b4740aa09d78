"""The commands: they read the command line and the clock, call one thing below, and print. One file a command.

``main`` is where they are listed and where errors become exit codes; ``options`` and ``output`` are what they
share. Nothing heavy is imported before a command runs, so that ``paperbot --help`` answers at once.
"""
