"""What databases and reference managers really write, one peculiarity a row."""

import pytest

from bot.formats.library import parse
from bot.model import RawDigest

BIB = "@article{{k, title = {{Owls}}, {}}}"
RIS = "TY  - JOUR\nTI  - Owls\n{}\nER  - \n"
ISI = "FN Clarivate Analytics Web of Science\nVR 1.0\nPT J\nTI Owls\n{}\nER\n\nEF\n"
OVID = "<1. >\nTI  - Owls\n{}\n"
RAYYAN = "key,title,year,month,day,journal,authors\nrayyan-1,Owls,2019,3,12,J Owls,{}\n"
OVID_CSV = "ORN,VN,DB,UI,PM,TI,SO,AU,IN,AB\n1,Ovid Technologies,Embase,1,,Owls,{},x,See.\n"
SPRINGER = "Item Title,Publication Title,Item DOI,Authors,Publication Year,Content Type\nOwls,J Owls,,{},2020,{}\n"
PUBMED = "PMID,Title,Authors,Citation,Journal/Book,Publication Year,DOI\n1,Owls,{},x,J Owls,2024,\n"
SCOPUS = "Authors,Author full names,Title,Year,DOI\nx,{},Owls,2026,\n"
POP = "Cites,Authors,Title,Year,Source,ArticleURL,QueryDate,Type,DOI\n3,{},Owls,2014,Owls,,2022-06-03 12:54:03,,{}\n"
ENDNOTE = "<xml><records><record><titles><title>{}</title></titles></record></records></xml>"
EMBASE = '"TITLE","Owls that see by night"\n"SOURCE","{}"\n"PUBLICATION YEAR","2026"\n'
COCHRANE = "Record #1 of 2\nID: CD009275\nAU: {}\nTI: Owls\nSO: Owl Reviews\n\nRecord #2 of 2\nID: CN-1\nTI: Bees\n"
OVID_JOURNALS = """<1>
Author
  Lovelace, Ada MD *;  van Vugt, Arie MD, PhD +;  Hopper, Grace 1
Title
  Owls.[Review]
Source
  Owls.
Status
  Publish Ahead of Print, 30 November 2015
"""
REFWORKS = "RT Journal Article\nSR 1\nA1 Lovelace,Ada\nA1 张三;李四;\nT1 Owls\nJF J Owls\nYR 2020\nDO 10.1000/1\n"


@pytest.mark.parametrize(
    ("text", "field", "expected"),
    [
        # citation-js breaks RIS after 70 signs of a value, also at a blank, and other programs at words
        (RIS.format(f"AB  - {'o' * 69}w\nls fly."), "abstract", f"{'o' * 69}wls fly."),
        (RIS.format(f"AB  - {'o' * 69} \nfly {'o' * 65}w\nls."), "abstract", f"{'o' * 69} fly {'o' * 65}wls."),
        (RIS.format(f"AB  - {'o' * 60}\n{'w' * 70}\nfly."), "abstract", f"{'o' * 60} {'w' * 70} fly."),
        # pandoc's formulas, and an accent over a dotless i
        (
            BIB.format(r"abstract = {CO\(_2\) at \(10^{-3}\) and \(\alpha\)}"),
            "abstract",
            r"CO$_2$ at $10^{-3}$ and $\alpha$",
        ),
        (BIB.format("author = {Cruz, Mar\u0131\u0301a}"), "authors", ("María Cruz",)),
        # Rayyan, Covidence: authors with "and", and the month in a column
        (RAYYAN.format('"Lovelace, Ada and van der Berg, J"'), "authors", ("Ada Lovelace", "J van der Berg")),
        (RAYYAN.format("A"), "published", "2019-03-12"),
        (RIS.format("AU  - Zlatic, M and Kostadinov, S"), "authors", ("M Zlatic", "S Kostadinov")),
        ("Title,Authors,Published Year,Published Month\nOwls,A,2011,May\n", "published", "2011-05-01"),
        # Ovid: a citation for journal and date, authors as paragraphs, roles, degrees, and fields behind a record
        (OVID_CSV.format('"Owls. 25 (1), 2018. Date of Publication: December 2021.",A'), "venue", "Owls"),
        (OVID_CSV.format('"Owls. 25 (1), 2018. Date of Publication: December 2021.",A'), "published", "2021-12-01"),
        (OVID_CSV.format('"Owls. 25 (1), 2018.","Hall V.\n\nvan Berg J.A."'), "authors", ("V. Hall", "J.A. van Berg")),
        (OVID.format("AU  - Werner, S. M. [Author; E-mail: x@example.org]"), "authors", ("S. M. Werner",)),
        (OVID.format("SO  - Kamp, R [Editor, Author], Owl, J [Editor]. Methods.:371-397, 2004."), "venue", "Methods"),
        (OVID_JOURNALS, "authors", ("Ada Lovelace", "Arie van Vugt", "Grace Hopper")),
        (OVID_JOURNALS, "title", "Owls"),
        (OVID_JOURNALS, "published", "2015-11-30"),
        (EMBASE.format("Owls A: Physics (2026) 750 Date of Publication: 5 Dec 2026"), "venue", "Owls A: Physics"),
        # Cochrane, RefWorks, CNKI
        (COCHRANE.format("Van Ryswyk Emer\nAU: Lovelace A"), "authors", ("Emer Van Ryswyk", "A Lovelace")),
        (COCHRANE.format("x"), "venue", "Owl Reviews"),
        (REFWORKS, "authors", ("Ada Lovelace", "张三", "李四")),
        (REFWORKS, "doi", "10.1000/1"),
        (RIS.format("AB  - <正>我们研究。"), "abstract", "我们研究。"),
        # Springer Link, PubMed, Scopus: lists of authors in tables
        (
            SPRINGER.format("Ada LovelaceRonan McDonaldK. O’Neill", "Article"),
            "authors",
            ("Ada Lovelace", "Ronan McDonald", "K. O’Neill"),
        ),
        (PUBMED.format('"Lovelace A, Hopper GM; Owl Group."'), "authors", ("A Lovelace", "GM Hopper", "Owl Group")),
        (SCOPUS.format('"Hedayati Ch, Mojtaba Ali (57188863424)"'), "authors", ("Mojtaba Ali Hedayati Ch",)),
        # Web of Science: early access has no year, and blanks are around the ampersand
        (ISI.format("EA JAN 2021"), "published", "2021-01-01"),
        (ISI.format("PD 2025 MAR 17\nPY 2025\nEA FEB 2025"), "published", "2025-03-17"),
        (
            ISI.format("AB Schr & ouml;dinger, p & lt; 0.05, IFN- & gamma;, 25 & DEG;C, R & amp;D"),
            "abstract",
            "Schrödinger, p < 0.05, IFN-γ, 25 °C, R&D",
        ),
        (BIB.format("Early Access Date = {MAR 2021}"), "published", "2021-03-01"),
        # EndNote: files without a title, and scripts
        (ENDNOTE.format("&lt;Owls by night.pdf&gt;"), "title", "Owls by night"),
        (
            ENDNOTE.format('10<style face="superscript">-3</style> G<style face="subscript">IC</style>'),
            "title",
            "10⁻³ GIC",
        ),
        # what R and pandas write for nothing, and what databases write behind an abstract
        (RIS.format("AB  - NA"), "abstract", ""),
        (RIS.format("AB  - See. [Author Abstract] KEY WORDS: owls"), "abstract", "See."),
        (RIS.format("AB  - See. © The Author(s), under licence to Springer Nature 2024."), "abstract", "See."),
        (RIS.format("AB  - See.Copyright © 2021, The Author(s)."), "abstract", "See."),
        (RIS.format("AB  - See. © ©The Author(s) 2023."), "abstract", "See."),
        (
            RIS.format("AB  - See. Crown Copyright © 2011 Published by Owls B.V. All rights reserved."),
            "abstract",
            "See.",
        ),
        (RIS.format("AB  - See. © The Owls 2019. All rights reserved. For permissions, email x."), "abstract", "See."),
        (RIS.format("AB  - See. Published by Elsevier Ltd."), "abstract", "See."),
        (RIS.format("AB  - See. Elsevier Inc. All rights reserved."), "abstract", "See."),
        (RIS.format("AB  - We used data published by Owls Ltd."), "abstract", "We used data published by Owls Ltd."),
        (RIS.format("AB  - We used ArcGIS © software. Owls see."), "abstract", "We used ArcGIS © software. Owls see."),
        (
            RIS.format("AB  - <bold>Background: </bold>Owls.<bold>Methods: </bold>We see."),
            "abstract",
            "Background: Owls. Methods: We see.",
        ),
        # addresses, dates, books and arXiv ids
        (RIS.format("UR  - https://a.org/1?from=exporthttp://doi.org/10.1000/1"), "url", "https://a.org/1?from=export"),
        (RIS.format("UR  - https://a.org/1 and https://a.org/1.pdf"), "url", "https://a.org/1"),
        (BIB.format("date = {14.03.2018}"), "published", "2018-03-14"),
        (BIB.format("month = {18--24 Jul}, year = {2021}"), "published", "2021-07-18"),
        ("PMID- 1\nTI  - Owls\nBTI - Night\nPT  - Book Chapter\n", "venue", "Night"),
        ("%0 Journal Article\n%T Owls\n%J arXiv preprint arXiv:2510.14718\n", "arxiv_id", "2510.14718"),
        (BIB.format("journal = {ArXiv}, volume = {abs/1706.03762}"), "arxiv_id", "1706.03762"),
        (BIB.format("eprint = {1609.09073}, adsurl = {http://adsabs.harvard.edu/abs/x}"), "arxiv_id", "1609.09073"),
        # BibTeX of Paperpile, Crossref, Citavi, MathSciNet and biblatex
        (BIB.format("author = {Croux,, Ada and Hopper, G and\n}"), "authors", ("Ada Croux", "G Hopper")),
        (
            BIB.format(r"abstract = {$\less$i$\greater$Strix$\less$/i$\greater$, R{\&}amp$\mathsemicolon$D, \$5}"),
            "abstract",
            "Strix, R&D, $5",
        ),
        (BIB.format(r"abstract = {{\glqq}Night{\grqq} \enquote{by} 5{\thinspace}\%}"), "abstract", "„Night“ “by” 5 %"),
        (BIB.format(r"author = {{\cprime}Andr\'e, Y}"), "authors", ("Y ʹAndré",)),
        # BibTeX of people and programs that don't know it, and values of JavaScript
        (
            BIB.format("author = {A. Lovelace, G.-M. Hopper, and B. Owl}"),
            "authors",
            ("A. Lovelace", "G.-M. Hopper", "B. Owl"),
        ),
        (
            BIB.format("author = {Ada Lovelace, Grace Hopper, Bo Owl}"),
            "authors",
            ("Ada Lovelace", "Grace Hopper", "Bo Owl"),
        ),
        (BIB.format("author = {Lovelace A., Hopper G.}"), "authors", ("A. Lovelace", "G. Hopper")),
        (BIB.format("author = {Lovelace, Ada; Hopper, Grace}"), "authors", ("Ada Lovelace", "Grace Hopper")),
        (BIB.format("author = {{Owls; Bees}}"), "authors", ("Owls; Bees",)),
        (BIB.format("author = {van der Berg, Jan Pieter}"), "authors", ("Jan Pieter van der Berg",)),
        (BIB.format("author = {de Owl, Jr, Ada Bo}"), "authors", ("Ada Bo de Owl, Jr",)),
        (BIB.format("abstract = {null}"), "abstract", ""),
        (BIB.format("author = {OpenOwls and : and Ada Lovelace}"), "authors", ("OpenOwls", "Ada Lovelace")),
        # TeX's bookmarks, blanks and quantities
        (
            BIB.format(r"abstract = {The \texorpdfstring{$\alpha$ of {Owls}}{a of Owls} by\hspace{1em}night}"),
            "abstract",
            r"The $\alpha$ of Owls by night",
        ),
        (
            BIB.format(r"abstract = {A \SI{5}{\micro\metre} claw at \qty[x=y]{300}{K}, 5\slash6}"),
            "abstract",
            r"A \SI{5}{\micro\metre} claw at \qty[x=y]{300}{K}, 5/6",
        ),
        # ScienceDirect's title of a special issue, and journals beside their abbreviation
        (RIS.format("T2  - Special Issue on Owls by Night\nJO  - Journal of Birds"), "venue", "Journal of Birds"),
        (
            RIS.format("T2  - Journal of International Owls\nJO  - J. Intl. Owls"),
            "venue",
            "Journal of International Owls",
        ),
        # Google Scholar, Publish or Perish, Lens.org, INSPEC
        (RIS.format("AU  - Lovelace, A\nAU  - ..."), "authors", ("A Lovelace",)),
        (POP.format('"A Lovelace, G Hopper, ..."', ""), "authors", ("A Lovelace", "G Hopper")),
        (
            POP.format("A", "10.1000/1098%28200011%2952%3A3%3C133%3E3.0.CO%3B2-%23"),
            "doi",
            "10.1000/1098(200011)52:3<133>3.0.CO;2-#",
        ),
        (
            'Title,Publication Year,Author/s,Abstract\nOwls,2020,A,"<title>Abstract</title>;   <p>We watch.</p>"\n',
            "abstract",
            "We watch.",
        ),
        (ISI.format("PD 07 2006\nPY 2006"), "published", "2006-07-01"),
        (RIS.format("DA  - SEP 12\nPY  - 2010"), "published", "2010-09-12"),
        # Mendeley's months, Paperpile's web pages of ResearchGate, and notes of EndNote
        (
            "<xml><records><record><titles><title>Owls</title></titles><dates><year>2024</year><pub-dates><date>4</date>"
            "</pub-dates></dates></record></records></xml>",
            "published",
            "2024-04-01",
        ),
        ("@article{k, title = {({PDF}) Owls [PDF]}}", "title", "Owls [PDF]"),
        (
            BIB.format("abstract = {ResearchGate is a network dedicated to science and research. Connect.}"),
            "abstract",
            "",
        ),
        ("%0 Journal Article\n%T Owls\n%O 10.1000/1\n", "doi", "10.1000/1"),
        # tables of few columns, of Embase, IEEE Xplore and ASReview
        (
            'Title,Author Names,Source,Abstract\nOwls,"Owl A.",Owls (2014) 3. Date of Publication: 2014,We see.\n',
            "published",
            "2014-01-01",
        ),
        ('"Title","Authors","Abstract","Publication","DOI"\nOwls,"Ada Owl, Bo Owl",See.,Birds,\n', "venue", "Birds"),
        ("title,abstract\nOwls,We see._x000D_\n", "abstract", "We see."),
        # ERIC, SSRN, EBSCO, ACL Anthology
        ("%0 Conference Proceedings\n%T Owls\n%S Proceedings of Owls\n", "venue", "Proceedings of Owls"),
        ("OWN - ERIC\nTI  - Owls\nAU  - Lovelace, Ada\n\nOWN - ERIC\nTI  - Bees\n", "authors", ("Ada Lovelace",)),
        (
            RIS.format("UR  - https://ssrn.com/abstract=1 or http://dx.doi.org/10.2139/x"),
            "url",
            "https://ssrn.com/abstract=1",
        ),
        (
            'title,an,contributors,doi,publicationDate,source\nOwls,1,"Lovelace, Ada; Hopper, Grace",,20240312,J\n',
            "authors",
            ("Ada Lovelace", "Grace Hopper"),
        ),
    ],
)
def test_a_peculiarity_is_read_as_a_person_reads_it(text, field, expected):
    (item, *_) = parse(RawDigest("", "x", text.encode())).entries
    venues = [fact.value for fact in item.entry.facts]
    value = "".join(venues) if field == "venue" else getattr(item.entry, field)
    assert (value.isoformat() if field == "published" else value) == expected


def test_a_book_among_articles_and_a_field_between_records_are_no_papers():
    parsed = parse(RawDigest("", "x", SPRINGER.format("A", "Book").encode()))
    assert (len(parsed.entries), sum(parsed.skipped.values())) == (0, 1)
    between = "TY  - JOUR\nTI  - Owls\nER  -\nNL  - J Owls\n\n2.\nTY  - JOUR\nTI  - Bees\nER  -\nNL  - J Bees\n"
    parsed = parse(RawDigest("", "x", between.encode()))
    assert ([item.entry.title for item in parsed.entries], parsed.skipped) == (["Owls", "Bees"], {})
