"""How long the fields of papers may be, and how many there may be of what costs work.

What comes from outside is anybody's: one paper with an address of 5 MB would make a mail of 10 MB, and a pattern that
is quick on a name is slow on a megabyte. So every parser keeps to these limits before it looks any closer. All lengths
are in characters, and each is several times what honest digests have.
"""

from __future__ import annotations

TITLE = 1_000  # arXiv's longest have some 250; what is longer is cut, and then refused as no title
AUTHOR = 200  # one name; a collaboration's has some 100
AUTHORS = 5_000  # of one paper; the record is 5,154, and those are mostly given as a collaboration
ID = 100  # an arXiv id, with what stands around it in an address
URL = 2_000  # mail programs and browsers follow no longer ones for certain
DOI = 300
ABSTRACT = 20_000  # arXiv allows 1,920
ORGANISATION = 200
TOPIC = 150
CATEGORIES, CATEGORY = 20, 60
LINE = 1_000_000  # of a text: the names of 5,000 authors at their full length
BYLINE = AUTHORS * AUTHOR  # a list of authors as one text
MARKUP = 10 * ABSTRACT  # a title, a name or an abstract with its tags, before these are taken out
PARTS, MULTIPARTS = 100, 20  # of a mail; what it nests costs time for every line
HEADER = 2_000  # one field of a mail's header
COMBINING = 30  # accents on one letter; the Stream-Safe Text Format of Unicode (UAX 15) has the same
REJECTED = 1_000  # sentences on what could not be read, of one digest
