"""The names of arXiv's categories (https://arxiv.org/category_taxonomy)."""

from __future__ import annotations

from difflib import get_close_matches

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
    remedy = (
        f"did you mean {by_folded_code[near[0]]}?"
        if near
        else "https://arxiv.org/category_taxonomy lists them"
    )
    raise ValueError(f"{text!r} is not a category of arXiv; {remedy}")


def category_in_words(category: str) -> str:
    """Return the name of one of arXiv's categories; another category as it is, with a capital at its beginning.

    >>> category_in_words("cs.CL"), category_in_words("bioinformatics"), category_in_words("cs.XX")
    ('Computation and Language', 'Bioinformatics', 'cs.XX')
    """
    if name := _NAMES.get(category):
        return name
    return category if "." in category else category[:1].upper() + category[1:]
