"""The language of a reader's text, by its function words."""

import pytest

from bot.text.languages import foreign_language

FOREIGN = {
    "Dutch": ["Uilen en muizen, geen valken", "de invloed van stikstof op het bos", "Machinaal leren voor de zorg"],
    "French": ["Chouettes et souris, pas de faucons", "Les hiboux; la forêt", "Histoire de l'art dans les villes"],
    "German": [
        "Die Ökologie der Eulen, und zwar im Wald",
        "Eulen und Mäuse",
        "Ich lese über owls und large language models, nicht robots",
    ],
    "Italian": ["gufi e topi, senza falchi nella città", "storia della filosofia nel medioevo"],
    "Portuguese": ["corujas e ratos, sem falcões", "aprendizado de máquina para a saúde"],
    "Spanish": ["búhos y ratones, sin halcones", "Me interesan los búhos y las lechuzas"],
}


@pytest.mark.parametrize(("language", "text"), [(name, text) for name, texts in FOREIGN.items() for text in texts])
def test_a_text_in_another_language_is_recognised(language, text):
    assert foreign_language(text) == language


@pytest.mark.parametrize(
    "text",
    [
        "",
        "owls",
        "AI; OS; IM; x and y",
        "强化学习",
        "El Niño and La Niña; drought in Los Angeles and Rio de Janeiro",
        "Schrödinger operators, von Neumann algebras, van der Waals forces",
        "Poincaré duality; de Rham cohomology",
        "de novo assembly; sans-serif fonts; mal de débarquement; café au lait spots",
        "cells that die in vivo, and per capita costs of die casting",
        "Mann et al., Müller et al.; Émile Borel et al. on measures",
        "work by van den Oord, van der Schaar, ten Hoope and op den Akker",
        "IL-1β in mice",
        "il-6, il-1 und-x; da-2",
        "para-xylene in Grätzel cells",
        "“Rogue waves” – para nitrophenol",
        "crème brûlée, pour-over coffee, sans-serif fonts",
        "I read about the works of Johann Wolfgang von Goethe and about Cinco de Mayo in the United States",
    ],
)
def test_english_with_foreign_names_and_terms_is_english(text):
    assert foreign_language(text) is None


@pytest.mark.parametrize("part", ["\n", ". ", ".\n ", "a", "a-", "a6-"])
def test_a_hostile_text_is_read_in_time_that_grows_with_its_length(part):
    assert foreign_language(part * 100_000) is None  # minutes with a pattern of n² steps
