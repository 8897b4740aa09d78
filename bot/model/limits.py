"""Limits for papers and digests, in characters: several times the size in honest digests.

One huge field would stall a regular expression.
"""

from __future__ import annotations

# A paper.
TITLE = 1_000  # arXiv's longest have about 250
AUTHOR = 200  # collaborations have about 100
AUTHORS = 5_000  # the record is 5,154
ID = 100  # an arXiv id with the text around it
URL = 2_000  # some mail programs and browsers ignore longer ones
DOI = 300
ABSTRACT = 20_000
ORGANISATION = 200
CATEGORY = 60
CATEGORIES = 20
ALERT = 500  # searches at Google Scholar have up to 256, and cited titles come on top
FACT = 500

# A digest.
TOPIC = 150
LINE = 1_000_000  # 5,000 authors at full length
BYLINE = AUTHORS * AUTHOR
MARKUP = 10 * ABSTRACT  # before tags are removed
COMBINING = 30  # accents on one letter, as in the Stream-Safe Text Format (UAX 15, section 13)
REJECTED = 1_000

# A mail. Each multipart costs a comparison for each line.
PARTS = 100
MULTIPARTS = 20
HEADER = 2_000
