"""What messages show of a paper: its category in words, its line of facts, and its summary.

A summary's sentences are split into marked and unmarked pieces, which each channel formats in its own way.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import lru_cache
from urllib.parse import quote

from bot.channels.links import web_address
from bot.model import FactKind, Paper, Role, Sentence
from bot.model.wording import plural
from bot.text.display import oneline, shorten, wrap
from bot.text.latex import readable

# The names of arXiv's categories (https://arxiv.org/category_taxonomy).
_ARCHIVES = {
    "cs": """AI Artificial Intelligence; AR Hardware Architecture; CC Computational Complexity; CE Computational
        Engineering, Finance, and Science; CG Computational Geometry; CL Computation and Language; CR Cryptography and
        Security; CV Computer Vision; CY Computers and Society; DB Databases; DC Distributed, Parallel, and Cluster
        Computing; DL Digital Libraries; DM Discrete Mathematics; DS Data Structures and Algorithms; ET Emerging
        Technologies; FL Formal Languages and Automata Theory; GL General Literature; GR Graphics; GT Computer Science
        and Game Theory; HC Human-Computer Interaction; IR Information Retrieval; IT Information Theory; LG Machine
        Learning; LO Logic in Computer Science; MA Multiagent Systems; MM Multimedia; MS Mathematical Software; NA
        Numerical Analysis; NE Neural and Evolutionary Computing; NI Networking and Internet Architecture; OH Other
        Computer Science; OS Operating Systems; PF Performance; PL Programming Languages; RO Robotics; SC Symbolic
        Computation; SD Sound; SE Software Engineering; SI Social and Information Networks; SY Systems and Control""",
    "econ": "EM Econometrics; GN General Economics; TH Theoretical Economics",
    "eess": """AS Audio and Speech Processing; IV Image and Video Processing; SP Signal Processing; SY Systems and
        Control""",
    "math": """AC Commutative Algebra; AG Algebraic Geometry; AP Analysis of PDEs; AT Algebraic Topology; CA Classical
        Analysis and ODEs; CO Combinatorics; CT Category Theory; CV Complex Variables; DG Differential Geometry; DS
        Dynamical Systems; FA Functional Analysis; GM General Mathematics; GN General Topology; GR Group Theory; GT
        Geometric Topology; HO History and Overview; IT Information Theory; KT K-Theory and Homology; LO Logic; MG
        Metric Geometry; MP Mathematical Physics; NA Numerical Analysis; NT Number Theory; OA Operator Algebras; OC
        Optimization and Control; PR Probability; QA Quantum Algebra; RA Rings and Algebras; RT Representation Theory;
        SG Symplectic Geometry; SP Spectral Theory; ST Statistics Theory""",
    "astro-ph": """CO Cosmology; EP Earth and Planetary Astrophysics; GA Astrophysics of Galaxies; HE High Energy
        Astrophysics; IM Instrumentation for Astrophysics; SR Solar and Stellar Astrophysics""",
    "cond-mat": """dis-nn Disordered Systems and Neural Networks; mes-hall Mesoscale and Nanoscale Physics; mtrl-sci
        Materials Science; other Other Condensed Matter; quant-gas Quantum Gases; soft Soft Condensed Matter; stat-mech
        Statistical Mechanics; str-el Strongly Correlated Electrons; supr-con Superconductivity""",
    "nlin": """AO Adaptation and Self-Organizing Systems; CD Chaotic Dynamics; CG Cellular Automata; PS Pattern
        Formation and Solitons; SI Exactly Solvable and Integrable Systems""",
    "physics": """acc-ph Accelerator Physics; ao-ph Atmospheric and Oceanic Physics; app-ph Applied Physics; atm-clus
        Atomic and Molecular Clusters; atom-ph Atomic Physics; bio-ph Biological Physics; chem-ph Chemical Physics;
        class-ph Classical Physics; comp-ph Computational Physics; data-an Data Analysis, Statistics and Probability;
        ed-ph Physics Education; flu-dyn Fluid Dynamics; gen-ph General Physics; geo-ph Geophysics; hist-ph History and
        Philosophy of Physics; ins-det Instrumentation and Detectors; med-ph Medical Physics; optics Optics; plasm-ph
        Plasma Physics; pop-ph Popular Physics; soc-ph Physics and Society; space-ph Space Physics""",
    "q-bio": """BM Biomolecules; CB Cell Behavior; GN Genomics; MN Molecular Networks; NC Neurons and Cognition; OT
        Other Quantitative Biology; PE Populations and Evolution; QM Quantitative Methods; SC Subcellular Processes; TO
        Tissues and Organs""",
    "q-fin": """CP Computational Finance; EC Economics; GN General Finance; MF Mathematical Finance; PM Portfolio
        Management; PR Pricing of Securities; RM Risk Management; ST Statistical Finance; TR Trading and Market
        Microstructure""",
    "stat": """AP Applications; CO Computation; ME Methodology; ML Machine Learning (Statistics); OT Other Statistics;
        TH Statistics Theory""",
}
_NAMES = {
    f"{archive}.{code}": name
    for archive, names in _ARCHIVES.items()
    for code, _, name in (entry.strip().partition(" ") for entry in " ".join(names.split()).split(";"))
} | {
    "gr-qc": "General Relativity and Quantum Cosmology",
    "hep-ex": "High Energy Physics: Experiment",
    "hep-lat": "High Energy Physics: Lattice",
    "hep-ph": "High Energy Physics: Phenomenology",
    "hep-th": "High Energy Physics: Theory",
    "math-ph": "Mathematical Physics",
    "nucl-ex": "Nuclear Experiment",
    "nucl-th": "Nuclear Theory",
    "quant-ph": "Quantum Physics",
}


def known_category(text: str) -> str:
    """Return an arXiv category as arXiv writes it; raises ValueError with the nearest one, or where to look it up.

    >>> known_category("cs.lg")
    'cs.LG'
    """
    by_folded_code = {code.casefold(): code for code in _NAMES}
    if code := by_folded_code.get(text.casefold()):
        return code
    near = get_close_matches(text.casefold(), by_folded_code, n=1)
    remedy = f"did you mean {by_folded_code[near[0]]}?" if near else "https://arxiv.org/category_taxonomy lists them"
    raise ValueError(f"{text!r} is not a category of arXiv; {remedy}")


def category_in_words(category: str) -> str:
    """Return the name of one of arXiv's categories; another category as it is, with a capital at its beginning.

    >>> category_in_words("cs.CL"), category_in_words("bioinformatics"), category_in_words("cs.XX")
    ('Computation and Language', 'Bioinformatics', 'cs.XX')
    """
    if name := _NAMES.get(category):
        return name
    return category if "." in category else category[:1].upper() + category[1:]


_VENUE_WIDTH = 80


@dataclass(frozen=True, slots=True)
class ShownFact:
    """A fact in words. ``url`` is empty for one without a link; ``origin`` names who states it, empty if any digest."""

    text: str
    url: str = ""
    origin: str = ""


def facts(paper: Paper, *, with_pdf: bool = True) -> list[ShownFact]:
    """Return what is stated of a paper, in the order of the line; what is not stated is left out.

    ``with_pdf`` is false where the PDF is linked beside the title.
    """
    # Of several origins the first counts: the one that was merged first.
    stated = {fact.kind: fact for fact in reversed(paper.facts)}
    line: list[ShownFact] = []
    if paper.organisation:
        line.append(ShownFact(shorten(readable(paper.organisation), _VENUE_WIDTH)))
    if venue := stated.get(FactKind.VENUE):
        line.append(ShownFact(shorten(readable(venue.value), _VENUE_WIDTH), origin=venue.origin))
    if paper.upvotes:
        line.append(ShownFact(plural(paper.upvotes, "upvote")))
    if (code := stated.get(FactKind.CODE)) and (url := web_address(code.value)):
        stars = stated.get(FactKind.STARS)
        count = int(stars.value) if stars and stars.value.isdecimal() else 0
        line.append(ShownFact(f"Code ({plural(count, 'star')})" if count else "Code", url, code.origin))
    if (project := stated.get(FactKind.PROJECT)) and (url := web_address(project.value)):
        line.append(ShownFact("Project page", url, project.origin))
    if with_pdf and (url := pdf(paper)):
        line.append(ShownFact("PDF", url))
    if paper.categories:
        line.append(ShownFact(shorten(category_in_words(paper.categories[0]), _VENUE_WIDTH)))
    return line


def pdf(paper: Paper) -> str:
    """Return the address of a paper's PDF, derived from what digests name; empty where that is not possible."""
    if paper.arxiv_id:
        return f"https://arxiv.org/pdf/{quote(paper.arxiv_id)}"
    url = web_address(paper.url or "")
    return url if url.lower().partition("?")[0].endswith(".pdf") else ""


def facts_text(paper: Paper) -> str:
    """Return the facts on one line, addresses left out: ``ICLR 2026 · 12 upvotes · Code (34 stars)``."""
    return " · ".join(fact.text for fact in facts(paper))


# Shows that sentences, or the first words of a sentence, were omitted.
GAP = "… "
# What the reader should know before reading a sentence: that a language model wrote it, or that it is not what is new.
LABELS: Mapping[Role | None, str] = {Role.TLDR: "TL;DR: ", Role.BACKGROUND: "Background: "}
_SHORTEST_CUT = 12  # characters; less of a further sentence is a word or a letter


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of plain text, marked or not; the channel has to escape it."""

    text: str
    marked: bool = False


# In both parts of a mail, and readers of a paper have few different summaries.
@lru_cache(maxsize=10_000)
def pieces(sentence: Sentence) -> tuple[Piece, ...]:
    """Return the sentence in plain Unicode, with the first occurrence of each mark as a piece of its own."""
    text = oneline(readable(sentence.text))
    spans: list[tuple[int, int]] = []
    for mark in sentence.marks:
        # Both sides go through the same conversion, so that a mark with LaTeX in it still matches. No \b: a mark may
        # begin or end with a character that is not a word character, such as "C++". No match right after a hyphen, in
        # a system's name ("HALT-RAG"), nor of several words right before one ("reward model-free").
        words = re.escape(oneline(readable(mark)))
        no_more = r"(?![\w-])" if " " in mark else r"(?!\w)"
        match = re.search(rf"(?<![\w-]){words}{no_more}", text)
        overlaps = match and any(start < match.end() and match.start() < end for start, end in spans)
        if match and match.group() and not overlaps:
            spans.append(match.span())
    split: list[Piece] = []
    position = 0
    for start, end in sorted(spans):
        split.append(Piece(text[position:start]))
        split.append(Piece(text[start:end], marked=True))
        position = end
    split.append(Piece(text[position:]))
    return tuple(piece for piece in split if piece.text)


def shortened(summary: Sequence[Sentence], width: int) -> tuple[Sentence, ...]:
    """Return the sentences that fit into ``width`` characters of plain text; the last of them may be cut."""
    fitting: list[Sentence] = []
    for sentence in summary:
        full_text = readable(sentence.text)
        if width <= 1 or (fitting and len(full_text) > width and width < _SHORTEST_CUT):
            break
        text = shorten(full_text, width)
        fitting.append(replace(sentence, text=text))
        # A blank separates it from the next sentence.
        width -= len(text) + 1
    return tuple(fitting)


def paragraphs(summary: Sequence[Sentence]) -> list[str]:
    """Return the summary as plain text: marks between asterisks, the result after an arrow in its own paragraph.

    An ellipsis shows an omission.
    """
    groups: list[list[str]] = [[]]
    for sentence in summary:
        text = "".join(f"*{piece.text}*" if piece.marked else piece.text for piece in pieces(sentence))
        gap = GAP if sentence.after_gap else ""
        if sentence.role is Role.RESULT:
            groups += [[f"→ {gap}{text}"], []]
        else:
            label = LABELS.get(sentence.role, "")
            groups[-1].append(f"{gap}{label}{text}")
    return [" ".join(texts) for texts in groups if texts]


def summary_text(summary: Sequence[Sentence], indent: str = "") -> str:
    """Return the summary's paragraphs in lines, each of which begins with ``indent``."""
    return "\n".join(wrap(paragraph, indent, indent) for paragraph in paragraphs(summary))
