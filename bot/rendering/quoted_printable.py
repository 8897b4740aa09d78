"""Quoted-printable (RFC 2045, section 6.7): texts as ASCII on short lines.

A text is encoded as whole lines, of which the last ends in a soft line break unless the text ends its line. So texts
that were encoded one by one give their joined text when their bytes are joined.
"""

from __future__ import annotations

from binascii import a2b_qp, b2a_qp

from bot.rendering.text import visible

SOFT_LINE_BREAK = b"=\r\n"


def encoded(text: str) -> bytes:
    r"""Return what is visible of a text, in whole lines.

    >>> encoded("Grüße") + encoded(" from\nhere")
    b'Gr=C3=BC=C3=9Fe=\r\n from\r\nhere=\r\n'
    """
    # With one more letter, which is taken off again: in its place the line has room for the soft line break. Only a
    # text with "\r\n" gets such line breaks.
    lines = f"{visible(text)}x\n".replace("\r\n", "\n").replace("\r", "\n").replace("\n", "\r\n")
    content = b2a_qp(lines.encode(), istext=True)[:-3]
    return content if content.endswith(b"\n") or not content else content + SOFT_LINE_BREAK


def decoded(content: bytes) -> str:
    """Return the text of encoded texts that were joined."""
    return a2b_qp(content).replace(b"\r\n", b"\n").decode()
