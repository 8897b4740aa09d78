"""Limits for the fields of papers and for whatever in a digest costs work.

Digests are untrusted input: a paper with an address of 5 MB would make a mail of 10 MB, and a regular expression that
is fast on a name is slow on a megabyte. So every parser applies these limits before it looks any closer. All lengths
are in characters, and each is several times what honest digests have.
"""

from __future__ import annotations

# A paper.
TITLE = 1_000  # arXiv's longest have some 250; a longer one is cut, and then rejected
AUTHOR = 200  # one name; a collaboration's has some 100
AUTHORS = 5_000  # of one paper; the record is 5,154, and papers of that kind mostly name the collaboration instead
ID = 100  # an arXiv id, with the text around it in an address
URL = 2_000  # not all mail programs and browsers follow longer ones
DOI = 300
ABSTRACT = 20_000  # arXiv allows 1,920
ORGANISATION = 200
CATEGORY = 60
CATEGORIES = 20
ALERT = 500  # a search at Google Scholar has at most 256, the title that a paper cites comes on top
FACT = 500

# A digest.
TOPIC = 150
LINE = 1_000_000  # the names of 5,000 authors at their full length
BYLINE = AUTHORS * AUTHOR  # an author list as one text
MARKUP = 10 * ABSTRACT  # a title, name or abstract before its tags are removed
COMBINING = 30  # accents on one letter, as in Unicode's Stream-Safe Text Format (UAX 15, section 13)
REJECTED = 1_000  # sentences on what could not be read

# A mail. Each multipart around a line costs a comparison for that line.
PARTS = 100
MULTIPARTS = 20
HEADER = 2_000  # one field of the header
