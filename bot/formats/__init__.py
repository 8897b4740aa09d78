"""Parsing in a sandboxed child process, so that hostile bytes can neither freeze nor fill the process that runs.

    RawDigest --Parser.parse--> request frame --stdin--> child: bot.formats.registry.parse, under limits
                                                              |
    ParsedDigest, DigestError or LimitError <-- response frame (JSON) --stdout--

A reader's library (``bot.formats.library``), a conference's programme (``bot.formats.programme``) and a report on a
sent mail (``bot.formats.bounces``) are parsed the same way.

A process, and not a thread: a regular expression holds the interpreter's lock (the GIL) while it matches, so a thread
that matches one stops all others and can't be stopped itself. A new interpreter, and not a fork: a fork of a server
with threads may inherit a lock that no thread releases. Starting one takes a fifth of a second, once.

The child has no environment, opens no socket and starts no process. Its resource limits (setrlimit(2)):

RLIMIT_AS      Address space; set once, before the parsers are imported. Python raises MemoryError; the child answers
               that it met the limit, and ends, because its heap is fragmented.
RLIMIT_CPU     Processor time. It counts over the life of a process, so before each request it is raised to the time
               used so far plus what one digest may use; the kernel sends SIGXCPU. Processor time, and not wall-clock
               time, so that the same bytes give the same result on a busy machine; a deadline that is ten times as long
               ends a child that waits for something.
RLIMIT_FSIZE   0 once all modules are imported: no file can be written.
RLIMIT_NOFILE  A few open files. RLIMIT_CORE is 0: a core dump would hold a reader's mail.

Two more limits are the interpreter's own (``sys``). The child keeps their defaults, and the formats rely on them:

sys.getrecursionlimit()       1,000 frames. Deeply nested input ("[" a million times) raises RecursionError, which the
                              formats turn into a DigestError, before the C stack overflows.
sys.get_int_max_str_digits()  4,300 digits. To convert a decimal string of n digits takes n^2 steps; beyond the limit
                              ``int`` and ``json.loads`` raise ValueError, which the formats turn into a DigestError.

One child serves many digests. It is started with the first one, ends when its standard input does (the parent closes
it, or has died), and is replaced when it dies. Responses are JSON in length-prefixed frames, never pickles: unpickling
what a compromised child sends would run its code in the parent.
"""

from __future__ import annotations

from bot.formats.process import ParseLimits, Parser

__all__ = ["ParseLimits", "Parser"]
