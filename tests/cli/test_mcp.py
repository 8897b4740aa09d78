"""``paperbot mcp``, driven by the client of the protocol's own SDK, over stdio."""

import asyncio
import json
import sys
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest
from mcp import Client, StdioServerParameters
from mcp.server.mcpserver.exceptions import ToolError
from support import ROOT

from bot.app import open_app
from bot.cli.main import invoke
from bot.cli.mcp_server import ReaderTools

ADDRESS = "ada@example.org"


@pytest.fixture
def ask(ingested):
    """Return a function that calls tools of one server, and returns the names of its tools and the results."""

    def ask(*calls, options=()):
        arguments = ["-m", "bot", "--home", str(ingested), "mcp", f"reward-models/{ADDRESS}", *options]
        server = StdioServerParameters(command=sys.executable, args=arguments, env={"PYTHONPATH": str(ROOT)})

        async def session():
            async with Client(server, read_timeout_seconds=120) as client:
                tools = (await client.list_tools()).tools
                return tools, [await client.call_tool(name, values) for name, values in calls]

        # In a thread of its own: Playwright's loop runs in this one as soon as a test has used the browser.
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(lambda: asyncio.run(session())).result()

    return ask


def value(result):
    assert not result.is_error, result.content
    return result.structured_content or json.loads(result.content[0].text)


@pytest.mark.slow
def test_a_program_reads_and_with_votes_votes_and_no_address_leaves(ask, ingested, paperbot):
    before = paperbot("export", f"reward-models/{ADDRESS}").json
    calls = [
        ("picks", {}),
        ("search", {"words": "reward model", "limit": 3}),
        ("paper", {"paper": "TTRL"}),
        ("why", {"paper": "TTRL"}),
        ("paper", {"paper": "No such paper"}),
        ("search", {"words": "reward", "limit": 1000}),
        ("vote", {"paper": "TTRL", "vote": "up"}),
    ]
    tools, results = ask(*calls)
    assert [tool.name for tool in tools] == ["picks", "search", "paper", "why"]
    assert all(tool.annotations.read_only_hint and tool.description for tool in tools)
    picks, search, paper, why = map(value, results[:4])
    assert 0 < len(picks["picks"]) <= 5
    assert all({"id", "title", "match", "why", "summary"} <= pick.keys() for pick in picks["picks"])
    assert len(search["papers"]) == 3
    assert paper["title"].startswith("TTRL")
    assert paper["abstract"]
    assert why["weights"]
    assert [result.is_error for result in results[4:]] == [True] * 3
    assert "no paper 'No such paper'" in results[4].content[0].text
    assert ADDRESS not in repr(results)
    assert paperbot("export", f"reward-models/{ADDRESS}").json == before

    tools, (voted, paper, wrong) = ask(
        ("vote", {"paper": paper["id"], "vote": "up"}),
        ("paper", {"paper": paper["id"]}),
        ("vote", {"paper": paper["id"], "vote": "sideways"}),
        options=["--votes"],
    )
    assert tools[-1].name == "vote"
    assert not tools[-1].annotations.read_only_hint
    assert value(voted)["vote"] == value(paper)["vote"] == "up"
    assert wrong.is_error
    (thumb,) = paperbot("export", f"reward-models/{ADDRESS}").json["thumbs"]
    assert thumb["thumb"] == "up"


def test_an_unknown_reader_is_refused_before_anything_is_served(ingested, capsys):
    assert invoke(["--home", str(ingested), "mcp", "reward-models/eve@example.org"]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "is not a reader" in err


def test_errors_name_no_reader(ingested):
    with open_app(ingested) as app:
        tools = ReaderTools(app, "reward-models")
        profile = ingested / "profiles" / "reward-models.toml"
        profile.write_text(profile.read_text().replace(ADDRESS, "eve@example.org"))
        with pytest.raises(ToolError, match=r"^this reader has left the profile$"):
            tools.picks()


def test_a_vote_does_not_bring_a_forgotten_reader_back(ingested):
    with open_app(ingested) as app, open_app(ingested) as another:
        tools = ReaderTools(app, f"reward-models/{ADDRESS}")
        tools.vote("TTRL", "up")
        another.forget(app.store.readers.get("reward-models", ADDRESS), datetime.now(UTC))
        with pytest.raises(ToolError, match=r"^this reader has left the profile$"):
            tools.vote("TTRL", "down")
        # Nor by a process that read the file before, and so has the address still.
        app.store.readers.sync("reward-models", [("email", ADDRESS)], datetime.now(UTC))
        assert app.store.readers.all() == []
        assert app.store.readers.of_profile("reward-models") == []
