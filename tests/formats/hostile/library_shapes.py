"""Hostile libraries: a part that repeats, for each format; see ``shapes``."""

from __future__ import annotations

from hostile.shapes import EACH, Shape

BIB = b"@article{owls, title = {Owls by Night}, author = {Lovelace, Ada}, doi = {10.1234/owls}}\n"
RIS = b"TY  - JOUR\nTI  - Owls by Night\nAU  - Lovelace, Ada\nDO  - 10.1234/owls\nER  - \n"
ITEM = b'{"key": "OWLS2345", "data": {"itemType": "preprint", "title": "Owls by Night"}}'

MEDLINE = b"PMID- 30000001\nTI  - Owls by Night.\nFAU - Lovelace, Ada\nLID - 10.1234/owls [doi]\n"
ISI = b"FN Clarivate\nVR 1.0\nPT J\nTI Owls by Night\nAU Lovelace, A\nER\n"
CSV = b"Title,Authors,Year,DOI\nOwls by Night,Ada Lovelace,2020,10.1234/owls\n"
ENDNOTE = b"<xml><records><record><titles><title>Owls by Night</title></titles></record>"
RDF = (
    b'<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns:bib="http://purl.org/net/biblio#" '
    b'xmlns:dc="http://purl.org/dc/elements/1.1/"><bib:Article><dc:title>Owls by Night</dc:title></bib:Article>'
)
MODS = b"<modsCollection><mods><titleInfo><title>Owls by Night</title></titleInfo><abstract>See.</abstract>"
YAML = b"- title: Owls by Night\n  type: chapter\n"
CSL = b'{"type": "article", "title": "Owls by Night", "issued": {}}'

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
    "bib: pieces in braces": Shape(BIB + b'@article{a, title = "x" # {', b"{a{b}", b"}}\n"),
    "bib: unclosed pieces": Shape(BIB + b'@article{a, title = x # "', b"{a ", b"}\n"),
    "bib: blanks between authors": Shape(b"@article{a, title = {Owls}, author = {A", b" ", b"B}}\n", papers=1),
    "bib: commas between authors": Shape(b"@article{a, title = {Owls}, author = {", b"A. B. ", b", C D}}\n", papers=1),
    "bib: authors between commas": Shape(b"@article{a, title = {Owls}, author = {A B", b", C. D", b"}}\n", papers=1),
    "bib: semicolons between authors": Shape(b"@article{a, title = {Owls}, author = {A", b"; ", b"}}\n", papers=1),
    "bib: nested accents": Shape(b"@article{a, title = {Owls}, author = {A", rb"{\~{\^e}}", b"}}\n", papers=1),
    "bib: accents without letters": Shape(b"@article{a, title = {Owls}, author = {A", rb"\~{\^", b"}}\n"),
    "bib: accents for formulas": Shape(b"@article{a, title = {Owls}, author = {A", rb"\ifmmode x\else ", b"}}\n", papers=1),
    "bib: named parts": Shape(b"@article{a, title = {Owls}, author = {", b"family=A, ", b"}}\n", papers=1),
    "bib: tildes in addresses": Shape(b"@article{a, title = {Owls}, url = {http://example.org/", rb"{\textasciitilde}", b"}}\n", papers=1),
    "bib: addresses in macros": Shape(b"@article{a, title = {Owls}, url = {", rb"\url{http://a", b"}}\n"),
    "bib: items of journals": Shape(b"@article{a, title = {Owls}, doi = {10.1234/", b"<1:2", b">3}}\n", papers=1),
    "bib: strings with strings": Shape(
        b'@string{s0 = "owl"}\n', lambda n: b"@string{s%d = s0 # s%d}\n" % (n + 1, n), BIB, papers=1),
    "ris: types": Shape(RIS + b"TY  - JOUR\nTI  - Owls\nDO  - 10.1/2\n", b"TY  - JOUR\nAB  - x\n", b"ER  - \n"),
    "ris: tags before the type": Shape(b"", b"DB  - x\n", RIS, papers=1),
    "ris: copyrights": Shape(b"TY  - JOUR\nTI  - Owls\nAB  - ", b"Copyright of ", b"\nER  - \n", papers=1),
    "ris: addresses": Shape(b"TY  - JOUR\nTI  - Owls\nUR  - ", b"http://a;", b"\nER  - \n", papers=1),
    "ris: a name of initials": Shape(b"PMID- 1\nTI  - Owls\nAU  - A", b" B.", b"\n", papers=1),
    "ris: dates": Shape(b"TY  - JOUR\nTI  - Owls\nDA  - ", b"1999 mar ", b"\nER  - \n", papers=1),
    "ris: roles of authors": Shape(b"TY  - JOUR\nTI  - Owls\nAU  - A", b" [Editor; x] and B, C", b"\nER  - \n", papers=1),
    "ris: rights": Shape(b"TY  - JOUR\nTI  - Owls\nAB  - ", "\u00a9 A ".encode(), b"\nER  - \n", papers=1),
    "ris: files": Shape(b"TY  - JOUR\nTI  - Owls", b"<.pdf", b"\nER  - \n", papers=1),
    "ris: scripts of INSPEC": Shape(b"TY  - JOUR\nTI  - Owls\nAB  - ", b"/sub /sup ", b"\nER  - \n", papers=1),
    "ris: blanks around ampersands": Shape(b"TY  - JOUR\nTI  - Owls\nAB  - x", b" & lt;", b"\nER  - \n", papers=1),
    "medline: records": Shape(b"", lambda n: b"PMID- %d\nTI  - Owls by night %d.\n\n" % (n, n), papers=EACH),
    "medline: lines of a title": Shape(b"PMID- 1\nTI  - Owls\n", b"      owls\n", papers=1),
    "medline: empty lines": Shape(MEDLINE, b"\n", MEDLINE, papers=2),
    "eric: records": Shape(b"", lambda n: b"OWN - ERIC\nTI  - Owls by night %d.\n\n" % n, papers=EACH),
    "ovid: records": Shape(b"", lambda n: b"<%d>\nTI  - Owls by night %d\n" % (n, n), papers=EACH),
    "ovid: editors": Shape(b"<1>\nTI  - Owls by night\nSO  - ", b"A [Editor]", b"\n", papers=1),
    "ovid: degrees": Shape(b"<1>\nTI  - Owls by night\nAU  - A", b", a MD", b"\n", papers=1),
    "cochrane: records": Shape(
        b"", lambda n: b"Record #%d of 9\nID: CN-%d\nTI: Owls by night %d\n" % (n + 1, n, n), papers=EACH),
    "cochrane: families": Shape(b"Record #1 of 1\nID: 1\nTI: Owls by night\nAU: ", b"van", b"\n", papers=1),
    "refworks: records": Shape(b"", lambda n: b"RT Journal Article\nID 1\nT1 Owls by night %d\n" % n, papers=EACH),
    "ovid: labels": Shape(b"<1>\nTitle\n  Owls by night\n", b"Abstract\n  x\n", papers=1),
    "web of science: records": Shape(b"FN x\nVR 1.0\n", lambda n: b"PT J\nTI Owls by night %d\nER\n" % n, papers=EACH),
    "web of science: names": Shape(b"PT J\nTI Owls by night\nAU A\n", b"   B, C\n", b"ER\n", papers=1),
    "web of science: ends": Shape(ISI, b"ER\n", papers=1),
    "endnote: records": Shape(b"", lambda n: b"%%0 Journal Article\n%%T Owls by night %d\n" % n, papers=EACH),
    "endnote: tags": Shape(b"%0 Journal Article\n%T Owls by night\n", b"%X x\n", papers=1),
    "csv: rows": Shape(CSV, lambda n: b"Owls by night %d,Ada Lovelace,2020,\n" % n),
    "csv: quotation marks": Shape(CSV, b'"'),
    "csv: commas": Shape(CSV, b",", b"\n", papers=1),
    "csv: columns": Shape(b"Title,Authors,Year", lambda n: b",c%d" % n, b"\nOwls,A,2020\n"),
    "csv: authors": Shape(CSV + b'Owls,"A', b", B C", b'",2020,\n'),
    "csv: glued authors": Shape(b"Item Title,Authors,Publication Year,Item DOI\nOwls by night,", b"AaBb", b",2020,\n", papers=1),
    "csv: citations": Shape(b"TI,AU,SO,AB\nOwls by night,A,", b"; 2019", b",x\n", papers=1),
    "csv: rows of names": Shape(b'"TITLE","Owls that see by night"\n"AUTHOR NAMES","A"\n', b'"ABSTRACT","x"\n', papers=1),
    "csl: items": Shape(b"[" + CSL, lambda n: b"," + CSL.replace(b"Night", b"Night %d" % n), b"]"),
    "csl: names": Shape(b'[{"type": "article", "title": "Owls", "author": [{"family": "A"}', b', {"family": "B"}', b"]}]", papers=1),
    "yaml: items": Shape(b"", lambda n: b"- title: Owls %d\n  type: chapter\n" % n, papers=EACH),
    "yaml: broken items": Shape(YAML, b'- title: "\n', papers=1),
    "yaml: depth": Shape(YAML + b"- title: ", b"[", b"\n", papers=1),
    "yaml: lists": Shape(YAML + b"- title: Bees\n  author: ", b"- ", b"\n"),
    "yaml: aliases": Shape(YAML + b"- title: Bees\n  a: &a [x]\n  author: [", b"*a, ", b"]\n"),
    "yaml: lines": Shape(YAML + b"- title: >\n", b"    x\n"),
    "yaml: comments": Shape(b"", b"#\n", YAML),
    "mods: names": Shape(MODS, b"<name><namePart>A</namePart></name>", b"</mods></modsCollection>", papers=1),
    "mods: titles": Shape(MODS, b"<relatedItem type='host'><titleInfo><title>A</title></titleInfo></relatedItem>", b"</mods></modsCollection>", papers=1),
    "mods: comments": Shape(b"<!--", b"<!--", MODS + b"</mods></modsCollection>", papers=0),
    "csl: settings": Shape(b'{"config": {}', b', "items": ', b"[" + CSL + b"]}", papers=0),
    "endnote xml: records": Shape(
        b"<xml><records>", lambda n: b"<record><titles><title>Owls by night %d</title></titles></record>" % n, papers=EACH),
    "endnote xml: elements in elements": Shape(ENDNOTE, b"<record>"),
    "endnote xml: styles": Shape(ENDNOTE + b"<record><titles><title>Owls", b"<style>x</style>", b"</title></titles></record>"),
    "endnote xml: styles in styles": Shape(ENDNOTE + b"<record><titles><title>Owls", b"<style face='subscript'>", b""),
    "endnote xml: ampersands": Shape(ENDNOTE + b"<record><abstract>", b"& ", b"</abstract></record></records></xml>"),
    "endnote xml: entities": Shape(
        b"<xml><records><record><titles><title>Owls by Night", b"&owl;", b"</title></titles></record></records></xml>"),
    "rdf: items": Shape(RDF, lambda n: b"<bib:Article><dc:title>Owls by night %d</dc:title></bib:Article>" % n),
    "rdf: empty elements": Shape(RDF, b"<bib:Journal/>", b"</rdf:RDF>", papers=1),
    "rdf: attributes": Shape(RDF + b"<bib:Article ", lambda n: b'a%d="" ' % n, b"/></rdf:RDF>"),
}  # fmt: skip
