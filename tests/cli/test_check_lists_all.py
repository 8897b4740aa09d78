"""``paperbot check`` lists every mistake of every file at once, each with its place and its remedy."""

import pytest

from bot.model.categories import known_subject, subjects
from bot.sources import in_address, in_arxiv_query, in_search

VALID_SOURCES = """\
[[sources]]
name = "seeds"
kind = "folder"
path = "seeds"
[[sources]]
name = "hci"
kind = "arxiv"
query = 'cat:cs.HX AND abs:"large language'
[[sources]]
name = "brains"
kind = "biorxiv"
category = "neuroscinece"
"""
VAIN = [
    "paperbot.toml:8: sources[2].query: the quotation mark at character 19 is not closed; add one behind the phrase",
    "paperbot.toml:8: sources[2].query: 'cs.HX' is not a category of arXiv; did you mean cs.HC?",
    "paperbot.toml:12: sources[3].category: 'neuroscinece' is not a subject of bioRxiv; did you mean 'Neuroscience'?",
]
WRONG_SETTINGS = """\
[[sources]]
name = "seeds"
kind = "openalex"
serach = "owls"
search = "(owls"
every = 0
[[sources]]
kind = "arxiv"
url = "arxiv"
[[sources]]
name = "spare"
path = "spare"
[bot]
timezone = "Nowhere"
[email]
hots = "x"
password = "x"
security = "none"
[queue]
url = "redis://localhost"
"""
IN_SETTINGS = [
    "paperbot.toml:29: email.password: secrets don't belong in files; set PAPERBOT_EMAIL__PASSWORD instead",
    "environment: PAPERBOT_BOT__TIMEZON: there is no such setting; did you mean PAPERBOT_BOT__TIMEZONE?",
    "environment: PAPERBOT_EMAIL__PORT: '99999' is not valid; it should be less than or equal to 65535",
    "paperbot.toml:28: email.hots: unknown key; did you mean 'host'?",
    'paperbot.toml:26: bot.timezone: unknown time zone \'Nowhere\'; write it like "Europe/Berlin", "Berlin" or "UTC". '
    "A town has the zone of a large city, such as London, New York, Los Angeles, Kolkata or Shanghai",
    "paperbot.toml:16: sources[4].serach: unknown key; did you mean 'search'?",
    "paperbot.toml:18: sources[4].every: 0 is not valid; it should be greater than or equal to 1",
    "paperbot.toml:19: sources[5].name: is missing; add it",
    'paperbot.toml:19: sources[5]: a source of kind "arxiv" needs query; add query = ...',
    "paperbot.toml:21: sources[5].url: 'arxiv' is not a web address; write it like https://example.org/feed.xml",
    "paperbot.toml:22: sources[6].kind: is missing; add it",
    "paperbot.toml:14: sources[4].name: two sources have the name 'seeds'; give each its own",
    "paperbot.toml:32: queue.url: workers share a store on PostgreSQL; set store.url to postgresql://...",
]
# In a source that can't be used as it is.
VAIN_BESIDE = 'paperbot.toml:17: sources[4].search: the "(" at character 1 is not closed; add a ")"'
PROFILES = {
    "aa.toml": 'titel = "A"\ninterests = "owls"\n[edition]\nsize = 0\nexplore = "x"\n',
    "bb.toml": 'title = "B"\nkeyword = ["owls"]\n' + '[[readers]]\nemail = "ada@example.org"\n' * 2,
    "cc.toml": 'title = "C"\ninterests = "owls"\nsources = ["hci", "sedes", "files", "qqq"]\n',
    "dd.toml": "title = 3\n[schedule]\nat = 25\n",
    "ee.toml": "= 3\n",
}
IN_PROFILES = [
    "profiles/aa.toml:1: titel: unknown key; did you mean 'title'?",
    "profiles/aa.toml:4: edition.size: 0 is not valid; it should be greater than or equal to 1",
    "profiles/aa.toml:5: edition.explore: 'x' is not valid; it should be a whole number, without quotes",
    "profiles/bb.toml:2: keyword: unknown key; did you mean 'keywords'?",
    "profiles/bb.toml:6: readers[2].email: 'ada@example.org' is in this file twice; remove one of them",
    "profiles/cc.toml:3: sources[2]: no source has the name 'sedes', so it brings nothing; did you mean 'seeds'?",
    "profiles/cc.toml:3: sources[4]: no source has the name 'qqq', so it brings nothing; known: seeds, hci, brains",
    "profiles/dd.toml:1: title: 3 is not valid; it should be a text of the allowed length, in quotes",
    'profiles/dd.toml:3: schedule.at: 25 is not a time of day; write it like "08:00"',
    "profiles/dd.toml: says nothing to look for; add interests, keywords or authors",
    "profiles/ee.toml:1: not valid TOML: Invalid statement; texts need quotation marks, and each key and section may "
    "be there once",
]


@pytest.fixture
def wrong_home(home):
    for name, text in PROFILES.items():
        (home / "profiles" / name).write_text(text)
    (home / "templates").mkdir()
    for name in ("mail.txt.j2", "mial.html.j2", "mail.html.j2"):
        (home / "templates" / name).write_text("{{ nothing }}")
    return home


def listed(answer) -> list[str]:
    assert answer.code == 2
    assert "more" not in answer.err
    return [line.removeprefix("! ") for line in answer.err.splitlines()]


def test_all_mistakes_of_settings_that_can_be_read(wrong_home, paperbot) -> None:
    (wrong_home / "paperbot.toml").write_text(VALID_SOURCES)
    lines = listed(paperbot("check"))
    others = [line for line in lines if not line.startswith("templates: ")]
    assert others == [*IN_PROFILES, *VAIN]
    names = [line.rpartition("/")[2] for line in lines if line not in others]
    # The misspelt one can't be rendered either.
    assert [name.partition(":")[0] for name in names] == ["mail.html.j2", "mail.txt.j2", *["mial.html.j2"] * 2]


def test_mistakes_in_settings_hide_none_of_sources_profiles_and_templates(wrong_home, paperbot, monkeypatch) -> None:
    monkeypatch.setenv("PAPERBOT_EMAIL__PORT", "99999")
    monkeypatch.setenv("PAPERBOT_BOT__TIMEZON", "UTC")
    (wrong_home / "paperbot.toml").write_text(VALID_SOURCES + WRONG_SETTINGS)
    lines = listed(paperbot("check"))
    templates = [line for line in lines if line.startswith("templates: ")]
    profiles = [line.replace("seeds, hci, brains", "seeds, hci, brains, spare") for line in IN_PROFILES]
    assert sorted(lines) == sorted([*IN_SETTINGS, *VAIN, VAIN_BESIDE, *profiles, *templates])
    assert len(templates) == 4
    # Every other command is refused in one line.
    (refused,) = paperbot("run").err.splitlines()
    assert refused == f"paperbot: {IN_SETTINGS[0]} (and {len(IN_SETTINGS) - 1} more, which `paperbot check` lists)"


def test_settings_that_are_not_toml_hide_no_profile(wrong_home, paperbot) -> None:
    (wrong_home / "paperbot.toml").write_text("[bot\n")
    first, *others = listed(paperbot("check"))
    assert first.startswith("paperbot.toml:1: not valid TOML")
    assert [line for line in others if not line.startswith("templates: ")] == [
        line for line in IN_PROFILES if "no source has the name" not in line
    ]


def test_a_profile_with_an_unknown_source_is_read_and_reported_by_every_run(home, paperbot) -> None:
    (home / "profiles" / "cc.toml").write_text(PROFILES["cc.toml"].replace('"hci"', '"seeds"'))
    ran = paperbot("run", "--json")
    assert (ran.code, [problem["source"] for problem in ran.json["problems"]]) == (1, ["profiles/cc.toml:3"] * 2)
    assert "cc" in paperbot("profiles").out


def test_a_home_without_sources_says_so_and_files_of_a_command_are_a_source(home, paperbot) -> None:
    (home / "paperbot.toml").write_text("")
    (home / "profiles" / "cc.toml").write_text('title = "C"\ninterests = "owls"\nsources = ["files", "seeds"]\n')
    (line,) = paperbot("check").err.splitlines()
    assert line.endswith(
        "sources[2]: no source has the name 'seeds', so it brings nothing; paperbot.toml has no [[sources]]"
    )


def test_a_file_of_thousands_of_mistakes_is_cut_with_a_remedy(home, paperbot) -> None:
    (home / "profiles" / "long.toml").write_text(
        'title = "x"\ninterests = "x"\nauthors = [' + '"", ' * 499 + "]\n" + "mute = [3]\n"
    )
    lines = paperbot("check").err.splitlines()
    assert len(lines) == 101
    assert lines[-1] == "! profiles/long.toml:3: 400 more mistakes; correct these first"


@pytest.mark.parametrize(
    ("query", "mistakes"),
    [
        ('cat:cs.LG AND (abs:"reward (model" OR ti:owls)', []),
        ("cat:cs.* OR cat:hep-th OR cat:CS.lg OR cat:astro-ph* OR all:cat", []),
        ("cat:cs.XX* OR cat:hep-tt", ["'cs.XX*' is not", "'hep-tt' is not a category of arXiv; did you mean hep-th?"]),
        ("(a OR (b)", ['the "(" at character 1 is not closed']),
        ("a) OR (b", ['the ")" at character 2 has no "(" before it']),
    ],
)
def test_queries_to_arxiv(query: str, mistakes: list[str]) -> None:
    found = list(in_arxiv_query(query))
    assert [each.startswith(mistake) for each, mistake in zip(found, mistakes, strict=True)] == [True] * len(mistakes)


@pytest.mark.parametrize(
    ("url", "mistakes"),
    [
        ("https://rss.arxiv.org/rss/cs.AI+cs.LG+math", []),
        ("https://rss.arxiv.org/atom/cs.HX", ["'cs.HX' is not a category of arXiv; did you mean cs.HC?"]),
        ("http://export.arxiv.org/rss/cs.CL+q-boi", ["'q-boi' is not a category of arXiv; did you mean q-bio."]),
        ("http://export.arxiv.org/api/query?search_query=cat:cs.HX+AND+%28x", ['the "("', "'cs.HX' is not"]),
        ("https://example.org/rss/cs.HX?subject=owls", []),
        ("https://connect.biorxiv.org/biorxiv_xml.php?subject=cell_biology+Plant%20Biology,genomics", []),
        ("https://connect.biorxiv.org/biorxiv_xml.php?subject=all", []),
        (
            "https://connect.biorxiv.org/biorxiv_xml.php?subject=ecology+oncology",
            ["'oncology' is not a subject of bioRxiv; "],
        ),
        ("https://connect.medrxiv.org/medrxiv_xml.php?subject=hivaids+oncology", []),
        (
            "https://connect.medrxiv.org/medrxiv_xml.php?subject=nutritoin",
            ["'nutritoin' is not a subject of medRxiv; did you mean 'Nutrition'?"],
        ),
    ],
)
def test_addresses_of_feeds(url: str, mistakes: list[str]) -> None:
    found = list(in_address(url))
    assert [each.startswith(mistake) for each, mistake in zip(found, mistakes, strict=True)] == [True] * len(mistakes)


def test_a_search_of_openalex_and_all_subjects(home: object) -> None:
    assert list(in_search('"social media" AND (owls OR (bees))')) == []
    assert len(list(in_search('"social media AND (owls'))) == 1
    for server, names in subjects().items():
        assert [known_subject(server, subject.lower().replace(" ", "_")) for subject in names] == list(names)
