"""Guess in which language a short text is, by its function words."""

from __future__ import annotations

import re

_ENGLISH = frozenset(
    """
    about and are at be been between but by can do does for from has have how into its my not of or our than that the
    their these they this those to us we what when where which who why with you
    """.split()
)
# Words that are English too, as "in" and "was", tell nothing.
_FUNCTION_WORDS = {
    "Dutch": """aan als bij de dat door een en geen het hoe ik maar met mijn naar niet om onder ook op te tegen
        tussen uit van vooral voor wij zijn zonder""",
    "French": """au aux avec ce ces chez dans de des du elle en et est il je la le les leur leurs mais mes mon ne
        nos notre ou où par pas pour que qui sans ses sont sur une vos""",
    "German": """aber als auch auf aus bei beim das dem den der des die durch ein eine einem einen einer eines für gegen
        ich im ist kein keine keinen keiner mein meine mit nach nicht nur oder ohne sich sind sowie über um und unter
        vom von vor wie wir zu zum zur zwischen""",
    "Italian": """al alla alle anche che col come con da dal dalla dei del della delle degli di ed gli il la le lo mi
        nei nel nella nelle per più senza si sono sugli sul sulla sulle tra un una""",
    "Portuguese": """ao aos com como da das de dos em entre mais mas meu minha na nas não nos ou para pela pelo por que
        sem seu sua sobre um uma""",
    "Spanish": """al con cómo como de del en entre es las los mi muy ni para pero por que qué sin sobre su sus un una
        y""",
}
_LANGUAGES = {language: frozenset(words.split()) for language, words in _FUNCTION_WORDS.items()}
# "Von Neumann", "de novo", "op den Akker", "El Niño and La Niña": alone, these tell nothing.
_IN_NAMES = frozenset(
    "al au con da das de del della den der des di die du en la las le los op per sans te van von über".split()
)
# Whole compounds ("pour-over coffee"), and no "et" of "et al.".
_WORD = re.compile(r"(?<![\w-])(?!et al\b)[^\W\d_]+(?:-[^\W\d_]+)*(?![\w-])")
# Neither "IL" of "IL-6" nor "Para" of "Para-xylene".
_FIRST_WORD = re.compile(r"(?:^|[.;:!?\n] ?)([^\W\d_][^\W\d_A-Z]*)(?![\w-])")
_ACCENTED = re.compile("[À-ÖØ-öø-ɏ]")  # Greek letters and typographic signs are English, too


def foreign_language(text: str) -> str | None:
    """Return the name of a language other than English, or None.

    A language has at least two function words of the text, and more than English. Beside accented letters, one is
    enough.

    >>> foreign_language("Ökologie von Graslandpflanzen, keine Landwirtschaft"), foreign_language("Écologie et climat")
    ('German', 'French')
    >>> foreign_language("Schrödinger operators; von Neumann algebras; de novo genes")
    """
    words = set(filter(str.islower, _WORD.findall(text))) | set(map(str.lower, _FIRST_WORD.findall(text)))
    found = {language: words & known for language, known in _LANGUAGES.items()}
    language = max(found, key=lambda name: (len(found[name] - _IN_NAMES), len(found[name])))
    least = 0 if _ACCENTED.search(text) else 1
    is_likely = len(found[language]) > max(least, len(words & _ENGLISH)) and found[language] - _IN_NAMES
    return language if is_likely else None
