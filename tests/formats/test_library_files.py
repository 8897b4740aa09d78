"""Libraries in BibTeX and RIS, as reference managers and people leave them."""

import html
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.formats.library import MAX_BYTES, parse
from bot.model import Paper, RawDigest
from bot.model.errors import DigestError
from bot.model.papers import normalised_title
from bot.web.archive import bibtex, ris


def library(text, encoding="utf-8"):
    return parse(RawDigest("", "library.bib", text.encode(encoding)))


def entries(text, encoding="utf-8"):
    return [item.entry for item in library(text, encoding).entries]


def titles(text):
    return [entry.title for entry in entries(text)]


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
        (r"10\textsuperscript{3}, 10\textsuperscript{\textminus{}3} and {\textsuperscript{13}C}", "10³, 10⁻³ and ¹³C"),
        (r"{\textminus}5 \textdegree{}C, a\textunderscore{}b {\textbar}x{\textbar}", "−5 °C, a_b |x|"),
        (
            r"10\ensuremath{^3} \ensuremath{\alpha}-cells of x \not = y, $x \not= y$",
            r"10$^3$ $\alpha$-cells of x ≠ y, $x ≠ y$",
        ),
        (r"the 5\textsuperscript{th} H\textsubscript{2}O, \textalpha-cells", "the 5th H2O, α-cells"),
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
        (b'[{"data": {"creators": "Ada", "title": "2101", "abstractNote": "2101"}}]', "export it as one of these"),
        (b"%PDF-1.7", "a PDF"),
        (b"x" * (MAX_BYTES + 1), "more than the 60 MB that a library may have"),
    ],
)
def test_other_files_are_refused_with_the_reason(content, message):
    with pytest.raises(DigestError, match=message):
        parse(RawDigest("", "x", content))


# With a letter that Latin-1 lacks: without one, "Ã¼" is taken for a broken "ü", and mended. "&GT;" is a sign in HTML.
TITLES = (
    st.text(st.characters(exclude_categories=("C", "Z", "M"), exclude_characters="<$\\"), max_size=60)
    .filter(lambda text: html.unescape(text) == text)
    .map("Ω {}".format)
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


MARKS = r"{|}|(|)|,|=|#|\"|\|\"|$|$$|%|~|;|\c|1999" "\n|\r|\0|\x1b|é|﷽|doi= 10.1/x"
BEGINNINGS = {
    "@article{k, title = {Owls},": MARKS
    + "| and |{and}|@article{|@book(|@comment{|@string{|title={|author={|eprint={2504.08385}",
    "TY  - JOUR\nTI  - Owls\n": f"{MARKS}|TY  - JOUR|TI - |\nAU  - |\nER  - |\nZZ  - |\nUR  - |\nTY-",
    "PMID- 1\nTI  - Owls.\n": "TI  - |\n|FAU - |AB  - |PMID- |LID - 10.1000/x [doi]|      |<1>|A, B;",
    "<1>\nTI  - Owls\n": "<2>\n|Title\n|Authors\n|  |TI - |\n|A B; C",
    "PT J\nTI Owls\n": "\nAU |\n   |ER\n|EF|PT |\nDI 10.1000/x",
    "%0 Journal Article\n%T Owls\n": "\n|%0 |%A |%8 |%D 2020|%X|%",
    "Title,Authors,Year\nOwls,A,2020\n": '"|,|\n|;|A, B.| and |"",|\t',
    '[{"type": "article", "title": "Owls", "issued": {}': (
        ', "author": [|{"family": |1|"x"|]|}|, "issued": |{"date-parts": |[[|]]|null'
    ),
    "- title: Owls": "\n|\n- title: Bees|\n  author:\n  - family: |[|]|{|}|&a |*a|'|\"|: |- |...",
    "{Reference Type}: Thesis\n{Title}: Owls": "\n|{|}|: |{Author}: |{Reference Type}: |{Title}: ",
    "<xml><records><record><titles><title>Owls": (
        "</title>|</titles>|</record>|<|>|&a;|<style>|</style>|<record>|<added-to-library>9"
    ),
    "<modsCollection><mods><titleInfo><title>Owls": "</title>|</titleInfo>|</mods>|<mods>|<name>|<namePart>|<|>|&",
    '<rdf:RDF xmlns:b="http://purl.org/net/biblio#" xmlns:rdf="r"><b:Article><title>Owls': (
        "</title>|</b:Article>|<b:Journal>|<|>|&|<isPartOf/>"
    ),
}


@given(beginning=st.sampled_from(list(BEGINNINGS)), data=st.data())
def test_whatever_follows_the_beginning_of_a_library_it_is_read_or_refused(beginning, data):
    pieces = st.lists(st.sampled_from(BEGINNINGS[beginning].split("|")) | st.text(max_size=8), max_size=30)
    try:
        read = library(beginning + "".join(data.draw(pieces)), "utf-16")
    except (DigestError, UnicodeEncodeError):
        return
    for item in read.entries:
        assert item.entry.title == " ".join(item.entry.title.split()) != ""
    assert read.entries or sum(read.skipped.values())


@given(content=st.binary(max_size=200))
def test_whatever_the_bytes_they_are_read_or_refused(content):
    for beginning in (b"@article{k, title={", b"TY  - JOUR\nTI  - "):
        try:
            parse(RawDigest("", "x", beginning + content))
        except DigestError:
            continue
