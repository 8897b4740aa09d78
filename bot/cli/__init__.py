"""The commands of ``paperbot``: each parses options, calls one use case, and prints the result."""
