"""One day of the application on each database."""

NOW = "2025-05-07T09:00:00+02:00"


def test_a_day_has_the_same_result_on_each_database(home, paperbot, store_url, monkeypatch):
    monkeypatch.setenv("PAPERBOT_STORE__URL", store_url)
    first = paperbot("run", "--now", NOW, "--json")
    assert first.code == 0
    assert (first.json["new"], first.json["editions"], first.json["delivered"]) == (176, 1, 1)
    assert paperbot("ingest", "--json").json["digests"][0]["known"] == 57
    assert paperbot("thumb", "up", "reward-models", "TTRL").code == 0
    liked = paperbot("thumb", "up", "reward-models", "LLM-Powered GUI Agents")
    assert liked.code == 0
    because = paperbot("why", "reward-models", "A Summary on GUI Agents", "--json").json["because"]
    assert [paper["title"][:22] for paper in because] == ["LLM-Powered GUI Agents"]
    status = paperbot("status", "--now", NOW, "--json").json
    assert (status["papers"], status["outbox"]["sent"]) == (176, 1)
    assert status["readers"][0]["thumbs_up"] == 2
