"""Hostile libraries: a part that repeats, for each format; see ``shapes``."""

from __future__ import annotations

from hostile.shapes import EACH, Shape

BIB = b"@article{owls, title = {Owls by Night}, author = {Lovelace, Ada}, doi = {10.1234/owls}}\n"
RIS = b"TY  - JOUR\nTI  - Owls by Night\nAU  - Lovelace, Ada\nDO  - 10.1234/owls\nER  - \n"
ITEM = b'{"key": "OWLS2345", "data": {"itemType": "preprint", "title": "Owls by Night"}}'

LIBRARIES = {
    "bib: entries": Shape(b"", lambda n: b"@article{k%d, title = {Owls by night %d}}\n" % (n, n), papers=EACH),
    "bib: one key": Shape(b"", b"@article{k, title = {Owls by night}}\n", papers=EACH),
    "bib: opening braces": Shape(BIB, b"{"),
    "bib: closing braces": Shape(BIB, b"}"),
    "bib: braces in a title": Shape(BIB + b"@article{a, title = {", b"{x}", b"}}\n", papers=2),
    "bib: nested braces": Shape(BIB + b"@article{a, title = {Owls ", b"{", b"}}\n"),
    "bib: entries without ends": Shape(BIB, b"@article{a, title = {x\n"),
    "bib: at signs": Shape(BIB, b"@"),
    "bib: comments": Shape(BIB, b"@comment{x}\n", papers=1),
    "bib: strings": Shape(b"", lambda n: b'@string{s%d = "x"}\n' % n, BIB, papers=1),
    "bib: strings of strings": Shape(
        b'@string{s0 = "x"}\n', lambda n: b"@string{s%d = s%d # s%d}\n" % (n + 1, n, n), BIB, papers=1),
    "bib: fields": Shape(b"@article{a, title = {Owls}", lambda n: b", f%d = {x}" % n, b"}\n", papers=1),
    "bib: concatenations": Shape(b'@article{a, title = "Owls"', b' # "x"', b"}\n", papers=1),
    "bib: authors": Shape(b"@article{a, title = {Owls}, author = {A", b" and B, C", b"}}\n", papers=1),
    "bib: accents": Shape(b"@article{a, title = {Owls}, abstract = {", rb'\"{o} ', b"}}\n", papers=1),
    "bib: commands": Shape(b"@article{a, title = {Owls}, abstract = {", rb"\textbf{x} ", b"}}\n", papers=1),
    "bib: dollars": Shape(b"@article{a, title = {Owls}, abstract = {", b"$x ", b"}}\n", papers=1),
    "bib: formulas in braces": Shape(b"@article{a, title = {Owls}, abstract = {", b"${x}", b"}}\n", papers=1),
    "bib: backslashes": Shape(b"@article{a, title = {Owls}, abstract = {", b"\\\\", b"}}\n", papers=1),
    "bib: arXiv": Shape(b"@article{a, title = {Owls}, note = {", b"arXiv:", b"}}\n", papers=1),
    "ris: references": Shape(b"", lambda n: b"TY  - JOUR\nTI  - Owls by night %d\nER  - \n" % n, papers=EACH),
    "ris: beginnings": Shape(RIS, b"TY  - JOUR\n"),
    "ris: ends": Shape(RIS, b"ER  - \n"),
    "ris: authors": Shape(b"TY  - JOUR\nTI  - Owls\n", b"AU  - Lovelace, A\n", b"ER  - \n", papers=1),
    "ris: tags": Shape(b"TY  - JOUR\nTI  - Owls\n", b"ZZ - x\n", b"ER  - \n", papers=1),
    "ris: blanks": Shape(RIS, b" ", b"x\n", papers=1),
    "ris: a long title": Shape(b"TY  - JOUR\nTI  - Owls", b" owls", b"\nER  - \n", papers=1),
    "zotero: items": Shape(
        b"[" + ITEM, lambda n: b"," + ITEM.replace(b"Night", b"Night %d" % n), b"]"),
    "zotero: lists in lists": Shape(b'[{"data": ', b"[", b"]", papers=0),
    "zotero: creators": Shape(
        b'[{"data": {"itemType": "preprint", "title": "Owls", "creators": [{"name": "A"}',
        b', {"name": "B"}', b"]}}]", papers=1),
    "zotero: digits": Shape(b'[{"data": ', b"9", b"}]", papers=0),
}  # fmt: skip
