"""Libraries in BibTeX and RIS, as reference managers and people leave them."""

from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.formats.library import MAX_BYTES, parse
from bot.model import Entry, Paper, RawDigest
from bot.model.errors import DigestError
from bot.model.papers import normalised_title
from bot.web.editions import bibtex, ris


def library(text, encoding="utf-8"):
    return parse(RawDigest("", "library.bib", text.encode(encoding)))


def entries(text, encoding="utf-8"):
    return [item.entry for item in library(text, encoding).entries]


def titles(text):
    return [entry.title for entry in entries(text)]


MESSY = r"""
% Encoding: UTF-8
@string{nips = "NeurIPS"}
@comment{jabref-meta: databaseType:bibtex;}
Text between the entries.
@article{same, title = {The {BERT} of Erd{\H{o}}s},
  author = {M{\"u}ller, J{\"o}rg and {Barnes and Noble} and Ada Lovelace and others},
  journal = {arXiv preprint arXiv:2504.08385}, year = 2019, month = may, title = {Of two titles the first}}
@inproceedings{same, title = "Second " # "part", booktitle = nips, doi = {10.1000/x\_y},
  date-added = {2020-03-04 10:00 +0100}, abstract = {100\% of $\alpha_{i}$ in the stra{\ss}e}}
@book{b, title = {A book}}
@misc{note, title = {A note to myself}}
@misc{preprint, title = {A preprint}, eprint = {2101.00001v2}, archivePrefix = {arXiv}}
@article{broken, title = {Never closed
@article{after, title = {After a broken entry}, timestamp = {2015.03.02}}
@article(round, title = {In parentheses})
@article{untitled, year = 1999}
"""


def test_a_messy_bibtex_file_gives_all_its_papers():
    read = library(MESSY)
    assert read.format == "bibtex"
    assert [item.entry.title for item in read.entries] == [
        "The BERT of Erdős",
        "Second part",
        "A preprint",
        "After a broken entry",
        "In parentheses",
    ]
    first, second, preprint, after, _ = read.entries
    assert first.entry.authors == ("Jörg Müller", "Barnes and Noble", "Ada Lovelace")
    assert (first.entry.arxiv_id, first.entry.published) == ("2504.08385", date(2019, 5, 1))
    assert second.entry.abstract == r"100% of $\alpha_{i}$ in the straße"
    assert (second.entry.doi, second.added) == ("10.1000/x_y", date(2020, 3, 4))
    assert preprint.entry.arxiv_id == "2101.00001"
    assert after.added == date(2015, 3, 2)


def test_entries_that_are_not_papers_are_counted_by_reason():
    read = library(MESSY)
    assert read.skipped == {"books, notes and the like": 2, "without a title": 1, "unreadable": 1}
    (problem,) = read.problems
    assert problem.startswith("line 14: ")


RIS = """Provider: a database

TY - JOUR
AU - King, Jr., Martin
AU - Lovelace, Ada
TI - A title that
 goes on
UR - https://arxiv.org/abs/2504.08385v1
PY - 2019/05/03/
ER -
TY  - JOUR
T1  - A reference without an end
N2  - An <i>abstract</i>.
Y2  - 2020/01/02
TY  - BOOK
TI  - A book
ER  -

TY  - GEN
TI  - A preprint
M1  - arXiv:2101.00001
ER  -
TY  - GEN
TI  - A web page
ER  -
TY  - JOUR
ZZ  - an unknown tag
ER  -
"""


def test_a_messy_ris_file_gives_all_its_papers():
    read = library(RIS)
    assert read.format == "ris"
    first, second, preprint = read.entries
    assert first.entry.title == "A title that goes on"
    assert first.entry.authors == ("Martin King, Jr.", "Ada Lovelace")
    assert (first.entry.arxiv_id, first.entry.published) == ("2504.08385", date(2019, 5, 3))
    assert (second.entry.title, second.entry.abstract) == ("A reference without an end", "An abstract.")
    assert second.added is None  # Y2 is a date of access, and Ovid's is one of publication
    assert preprint.entry.arxiv_id == "2101.00001"
    assert read.skipped == {"books, notes and the like": 2, "without a title": 1}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
def test_a_library_may_have_any_encoding_and_line_ends(encoding):
    text = "@article{k,\r\n  title = {Über Größen},\r\n  author = {Jörg Müller}}\r\n"
    (entry,) = entries(text, encoding)
    assert (entry.title, entry.authors) == ("Über Größen", ("Jörg Müller",))


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"{\'E}t{\'{e}} na\"ive \'\i\ Ho\v{s}ek \c{c}a {\aa}", "Été naïve í Hošek ça å"),
        (r"{Deep} {L}earning \emph{really} \textbf{\emph{works}}", "Deep Learning really works"),
        (r"R\&D~of 5\$ \textless 6\%", "R&D of 5$ <6%"),
        (r"A $O(\sqrt{n})$ bound", r"A $O(\sqrt{n})$ bound"),
    ],
)
def test_latex_is_read_as_text_and_formulas_are_kept(latex, text):
    (title,) = titles(f"@article{{k, title = {{{latex} end}}}}")
    assert title.removesuffix(" end") == text


@pytest.mark.parametrize(
    "fields",
    [
        "doi = {10.48550/arXiv.2504.08385}",
        "url = {http://arxiv.org/pdf/2504.08385v3.pdf}",
        "number = {arXiv:2504.08385}",
        "journal = {arXiv preprint arXiv:2504.08385}",
        "eprint = {2504.08385}, eprinttype = {arxiv}",
        "arxivid = {2504.08385}",
    ],
)
def test_an_arxiv_id_is_found_where_programs_write_it(fields):
    (entry,) = entries(f"@misc{{k, title = {{Owls}}, {fields}}}")
    assert (entry.arxiv_id, entry.doi) == ("2504.08385", None)


def test_page_numbers_are_not_taken_for_an_arxiv_id():
    (entry,) = entries("@article{k, title = {Owls}, pages = {2504.08385}, eprint = {2504.08385}}")
    assert entry.arxiv_id is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "empty file"),
        (b"Title,Year\nOwls,1999\n", r"export it as one of these: BibTeX .* RIS .* \.nbib \(PubMed\)"),
        (b"%PDF-1.7", "a PDF"),
        (b"x" * (MAX_BYTES + 1), "more than the 60 MB that a library may have"),
    ],
)
def test_other_files_are_refused_with_the_reason(content, message):
    with pytest.raises(DigestError, match=message):
        parse(RawDigest("", "x", content))


# With a letter that Latin-1 lacks: without one, "Ã¼" is taken for a broken "ü", and mended.
TITLES = st.text(st.characters(exclude_categories=("C", "Z", "M"), exclude_characters="<$\\"), max_size=60).map(
    "Ω {}".format
)


def paper(number, title):
    return Paper(
        id=number,
        title=title,
        abstract="What it says.",
        authors=("Ada Lovelace", "Grace Hopper"),
        author_count=2,
        published=date(2020, 5, 1 + number % 28),
        arxiv_id=f"2005.{number:05}",
        doi=f"10.1000/{number}",
        url=None,
        upvotes=None,
        organisation=None,
        first_seen=datetime(2020, 6, 1, tzinfo=UTC),
    )


@pytest.mark.parametrize("write", [bibtex, ris])
@given(given_titles=st.lists(TITLES, min_size=1, max_size=8))
def test_what_paperbot_exports_it_imports(write, given_titles):
    papers = [paper(number, title) for number, title in enumerate(given_titles)]
    read = [item.entry for item in library(write(papers)).entries]
    assert [entry.doi for entry in read] == [p.doi for p in papers]
    assert [entry.arxiv_id for entry in read] == [p.arxiv_id for p in papers]
    assert [entry.authors for entry in read] == [p.authors for p in papers]
    assert [normalised_title(entry.title) for entry in read] == [normalised_title(t) for t in given_titles]


MARKS = '{}(),=#"\\$%~;\n\r\0\x1bé﷽'
WORDS = r"\" \c $$ @article{ @book( @comment{ @string{ key title={ author={ {and} year=1999 eprint={2504.08385}"
TAGS = (
    "\r\n",
    " and ",
    "doi= 10.1/x",
    "TY  - JOUR",
    "TI - ",
    "\nAU  - ",
    "\nER  - ",
    "\nZZ  - ",
    "\nUR  - ",
    "\nTY-",
)
PIECES = st.sampled_from([*MARKS, *WORDS.split(), *TAGS])


@given(
    beginning=st.sampled_from(["@article{k, title = {Owls},", "TY  - JOUR\nTI  - Owls\n", ""]),
    pieces=st.lists(PIECES.map(lambda piece: piece.replace("\u2002", "  ").replace("-_", "- ")) | st.text(max_size=8)),
)
def test_whatever_the_text_it_is_read_or_refused(beginning, pieces):
    try:
        read = library(beginning + "".join(pieces), "utf-16")
    except (DigestError, UnicodeEncodeError):
        return
    for item in read.entries:
        assert isinstance(item.entry, Entry)
        assert item.entry.title == " ".join(item.entry.title.split()) != ""
    assert sum(read.skipped.values()) + len(read.entries) > 0 or not beginning


@given(content=st.binary(max_size=200))
def test_whatever_the_bytes_they_are_read_or_refused(content):
    for beginning in (b"@article{k, title={", b"TY  - JOUR\nTI  - "):
        try:
            parse(RawDigest("", "x", beginning + content))
        except DigestError:
            continue
