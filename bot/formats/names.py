"""Names of authors: lists of them, and their parts in the spoken order."""

from __future__ import annotations

import re
from collections.abc import Sequence

from bot.formats.tables import words
from bot.model import limits

# "Sammy Davis, Jr." is one author.
_BETWEEN_NAMES = re.compile(r"[,;\uff0c\uff1b\u3001](?!\s*(?:[JS]r\b|I{2,3}\b|IV\b))|\s(?:and|&)\s|(?<=ollaboration):")
_PARENTHESIS = re.compile(r"([()])")
# "G. M.", "J.-P." or "A. M., Jr."
_INITIALS = re.compile(r"(?:[^\W\d_]{1,2}\.[ -]?){1,5}(?:,? ?(?:[JS]r\.?|I{2,3}|IV))?")
_CAPITALS = re.compile(r"[^\W\d_]{1,3}")
DEGREE = (
    r"(?:Ph\.?\s?D|D\.?\s?Phil|M\.?Phil|M\.?D|M\.?P\.?H|[MB]\.?Sc?|[MB]\.?A|M\.?B\.?A|M\.?B(?:\.?B\.?S|\.?Ch\.?B)?|Ch\.?B"
    r"|B\.?Ch(?:ir)?|Dr\.?P\.?H|Sc\.?D|Pharm\.?D|R\.?N|D\.?O|J\.?D|FACS|FACC|F\.?R\.?C\.?P|MHS|MAS)\.?"
)
_DEGREE = re.compile(DEGREE)
_SUFFIXES = ("Jr", "Jr.", "Sr", "Sr.", "2nd", "3rd", "II", "III", "IV", "Inc", "Inc.", "Ltd", "Ltd.", "LLC")
_DOTTED = re.compile(r"(?:[A-Z]\.-?){1,3}")
_MOST_WORDS = 4  # of one name
# Between the names of "Ada LovelaceGrace M. HopperRonan McDonald".
BETWEEN_GLUED = re.compile(r"(?<=[a-z\u00df-\u017f])(?<!\bMc)(?<!\bMac)(?<!\b[DL][aei])(?=[A-Z\u00c0-\u00de])")
# Foreign names in Katakana keep their order.
_FAMILY_FIRST = re.compile(r"[\u3005\u3007\u3041-\u309f\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]{1,9}")
# "Lovelace AB", "van Rossum, G.", "Lovelace A.-B. Jr", as databases abbreviate names.
_SURNAME_FIRST = re.compile(
    r"(\S[^,;]{0,100}?)(?<!\b[A-Z]\.),? "
    r"((?:[A-ZÀ-ÞΑ-ΩА-Я]{1,2}\.(?:[ -]{0,2})){1,5}|[A-ZÀ-ÞΑ-ΩА-Я]{1,2}(?:-?[A-ZÀ-ÞΑ-ΩА-Я]){0,3})"
    r"(?: (Jr|Sr|[23][nr]d|II|III|IV)\.?)?"
)
# "Guocheng SHU", "Ping LIU": a surname.
_CAPITAL_SURNAME = re.compile(r".{0,100} (?=[A-Z]{0,4}[AEIOUY])[A-Z]{3,5}")
_OTHERS = re.compile(r"(?:\s|^)(?:(?:and |& )?(?:et\.? al\.?|others)|\u2026|\.\.\.)$", re.IGNORECASE)


def author_names(text: str, *, have_initials_last: bool = True) -> tuple[str, ...]:
    """Split an author list, into at most one author more than a paper may have.

    Names such as "Lovelace AB" are turned, unless the names beside them show that "AB" is a surname.

    >>> author_names("Lovelace, A., Hopper, G. M., et al."), author_names("Lovelace A, Hopper GM.")
    (('A. Lovelace', 'G. M. Hopper'), ('A Lovelace', 'GM Hopper'))
    """
    text = text[: limits.BYLINE]
    # "Lovelace, Ada; Hopper, Grace" and "Lovelace, Ada and Hopper, Grace"
    for separator, share in ((";", 0.3), (" and ", 1)):
        pairs = [name.split(",", 2) for name in text.split(separator, limits.AUTHORS + 1) if name.strip()]
        are_inverted = len(pairs) > 1 and all(len(pair) == 2 and pair[1].strip() for pair in pairs)
        if are_inverted and sum(" " not in pair[0].strip() for pair in pairs) >= share * len(pairs):
            return tuple(spoken_name(first.strip(), last.strip()) for last, first in pairs)[: limits.AUTHORS + 1]
    parts = _BETWEEN_NAMES.split(text, maxsplit=2 * limits.AUTHORS + 1)
    parts = [" ".join(part.split()).removeprefix("and ").removeprefix("& ").strip() for part in parts]
    parts = list(filter(None, (_OTHERS.sub("", part) for part in parts)))
    # "Lovelace, A, Hopper, GM"; but "OpenAI, CMS" are two.
    capitals = parts[1::2]
    are_pairs = len(parts) == 2 * len(capitals) and all(
        part.isupper() and _CAPITALS.fullmatch(part) for part in capitals
    )
    are_pairs = are_pairs and (len(capitals) > 1 or len("".join(capitals)) == 1)
    names: list[str] = []
    last = ""  # the name of the next initials
    for part in parts:
        if last and " " in last and _DEGREE.fullmatch(part):
            continue
        if last and (_INITIALS.fullmatch(part) or (are_pairs and last is names[-1])):
            initials, _, suffix = part.partition(",")
            names[-1] = f"{initials} {last}{suffix}"
            last = ""
        else:
            names.append(part)
            last = part
    # A single "Adithya S" may be a whole name.
    is_one = len(names) == 1 and (names[0][-2:-1] == " " or names[0].isupper())
    are_spoken = 2 * sum(map(bool, map(_CAPITAL_SURNAME.fullmatch, names))) > len(names)
    if have_initials_last and not is_one and not are_spoken and all(map(_SURNAME_FIRST.fullmatch, names)):
        # "Lovelace A, Hopper G." ends with the full stop of the list.
        ends = "." if len(names) > 1 and "." not in "".join(names[:-1]) else ""
        names = [initials_first(name.rstrip(ends)) for name in names]
    return tuple(names[: limits.AUTHORS + 1])


def spoken_name(given: str, family: str) -> str:
    """Return a name in the spoken order, in East Asia without a blank.

    >>> spoken_name("Ada", "Lovelace"), spoken_name("子帆", "王"), spoken_name("", "Owl Group")
    ('Ada Lovelace', '王子帆', 'Owl Group')
    """
    if not family.isascii() and _FAMILY_FIRST.fullmatch(family) and _FAMILY_FIRST.fullmatch(given):
        return family + given
    return f"{given} {family}".strip()


def separated_names(text: str) -> Sequence[str]:
    """Return the names in a list without separators, or none if they are uncertain.

    Each has a given name, initials, particles and a surname.

    >>> separated_names("Ada B. Lovelace Grace Hopper Rosa van der Berg"), separated_names("Juan Carlos Rossi Perez")
    (['Ada B. Lovelace', 'Grace Hopper', 'Rosa van der Berg'], [])
    """
    parts, particles = text.split(), words("particles")
    if "," in text or len(parts) < _MOST_WORDS:
        return [text]
    names: list[str] = []
    begin = 0
    while begin < len(parts):
        end = begin + 1
        while end < len(parts) and (_DOTTED.fullmatch(parts[end]) or parts[end] in particles):
            end += 1
        if end == len(parts) or not parts[begin][0].isupper() or not parts[end][0].isupper():
            return []
        names.append(" ".join(parts[begin : end + 1]))
        begin = end + 1
    return names if len(parts) > _MOST_WORDS or any(len(name.split()) > 2 for name in names) else []


def first_name_first(name: str) -> str:
    """Turn "Lovelace, Ada" or "King, Jr., Martin" into the spoken order.

    >>> first_name_first("King, Jr., Martin"), first_name_first("Lovelace,Ada,Jr.")
    ('Martin King, Jr.', 'Ada Lovelace, Jr.')
    """
    match [part.strip() for part in name.rstrip(", ").split(",")]:
        case [last, first] if first not in _SUFFIXES:
            given, _, suffix = first.rpartition(" ")  # MEDLINE's "King, Martin L Jr"
            return f"{given} {last}, {suffix}" if suffix in _SUFFIXES else spoken_name(first, last)
        case [last, suffix, first] if suffix in _SUFFIXES:
            return f"{first} {last}, {suffix}"
        case [last, first, suffix]:
            return f"{first} {last}, {suffix}"
    return name.strip(" ,")  # EndNote's institutions end with a comma


def initials_first(name: str) -> str:
    """Turn a name into the spoken order, with or without a comma.

    >>> initials_first("Lovelace AB"), initials_first("van Rossum, Guido"), initials_first("Ada Lovelace")
    ('AB Lovelace', 'Guido van Rossum', 'Ada Lovelace')
    """
    match = _SURNAME_FIRST.fullmatch(name.strip(" ,;"))
    if match is None:
        return first_name_first(name)
    return f"{match[2].strip()} {match[1]}{', ' + match[3] if match[3] else ''}"


def without_affiliations(authors: str) -> str:
    """Remove parentheses from an author list.

    >>> without_affiliations("Ada Lovelace (1 and 2), Grace Hopper ((1) Lab, Here (2) There)")
    'Ada Lovelace , Grace Hopper '
    """
    # A stack: removing the innermost parentheses again and again takes n^2 steps. Unclosed ones stay.
    outside: list[str] = []
    opened: list[int] = []  # indices into ``outside``
    for part in _PARENTHESIS.split(authors[: limits.BYLINE]):
        if part == ")" and opened:
            del outside[opened.pop() :]
        else:
            if part == "(":
                opened.append(len(outside))
            outside.append(part)
    return "".join(outside)
