"""Parsing in a child process with limits, so that hostile bytes can neither freeze nor fill the process that runs.

    RawDigest --Parser.parse--> request frame --stdin--> child: bot.digests.parse, under limits
                                                              |
    ParsedDigest, DigestError or LimitError <-- response frame (JSON) --stdout--

A regular expression holds the interpreter's lock while it matches, so a thread can't be stopped; a process can. The
child has no environment, opens no socket and starts no process. It limits its own memory once (RLIMIT_AS), and before
each request raises its limit of processor time (RLIMIT_CPU counts over the life of a process) by what one digest may
use. Processor time, and not time by the clock, so that the same bytes give the same result on a busy machine; a
deadline that is several times as long ends a child that waits for something.

One child serves many digests. It is started with the first, ends when its standard input does (the parent closes it,
or is gone), and is replaced when it dies. What it sends back is JSON in length-prefixed frames, never pickles.

process   the parent's side: starts, asks, replaces
child     the child's side: limits itself, parses, answers
frames    what goes over the pipes
"""

from bot.parsing.process import Limits, Parser

__all__ = ["Limits", "Parser"]
