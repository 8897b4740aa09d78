"""The time zones that people name."""

import pytest

from bot.cli.time_zones import time_zone
from bot.model.clock import timezone_names


@pytest.mark.parametrize(
    ("said", "zone"),
    [
        ("Munich, Germany", "Europe/Berlin"),
        ("Deutschland", "Europe/Berlin"),
        ("são paulo", "America/Sao_Paulo"),
        ("India", "Asia/Kolkata"),
        ("UK", "Europe/London"),
        ("New York, USA", "America/New_York"),
        ("Eastern", "America/New_York"),
        ("PST", "America/Los_Angeles"),
        ("CET", "CET"),
        ("utc + 2", "Etc/GMT-2"),
        ("GMT-3:00", "Etc/GMT+3"),
        ("UTC+0", "UTC"),
        ("Etc/UTC", "Etc/UTC"),
    ],
)
def test_a_zone_a_country_an_abbreviation_and_an_offset_are_understood(said, zone):
    assert time_zone(said) == zone
    assert zone in timezone_names()


@pytest.mark.parametrize(
    ("said", "hint"),
    [
        ("Munich", 'add the country, as in "Munich, Germany", or write a zone: Europe/Berlin'),
        ("UTC+5:30", "Asia/Kolkata"),
        ("Berln", "did you mean Berlin?"),
        ("Lyon, Frence", "did you mean France?"),
        ("Brazil", "name one of: .*America/Sao_Paulo, America/Cuiaba"),
        ("Spain", "name one of: Europe/Madrid, Atlantic/Canary"),
    ],
)
def test_what_names_no_single_zone_is_refused_with_a_hint(said, hint):
    with pytest.raises(ValueError, match=hint.replace("?", r"\?")):
        time_zone(said)
