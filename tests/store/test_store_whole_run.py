"""A whole day of the application on each database."""

NOW = "2025-05-07T09:00:00+02:00"


def test_a_day_goes_the_same_on_each_database(home, paperbot, store_url, monkeypatch):
    monkeypatch.setenv("PAPERBOT_STORE__URL", store_url)
    first = paperbot("run", "--now", NOW, "--json")
    assert first.code == 0
    assert (first.json["new"], first.json["editions"], first.json["delivered"]) == (176, 1, 1)
    assert paperbot("ingest", "--json").json["digests"][0]["known"] == 57
    assert paperbot("thumb", "up", "reward-models", "TTRL").code == 0
    assert paperbot("why", "reward-models", "TTRL", "--json").json["because"][0]["title"].startswith("TTRL")
    status = paperbot("status", "--now", NOW, "--json").json
    assert (status["papers"], status["outbox"]["sent"]) == (176, 1)
    assert status["readers"][0]["thumbs_up"] == 1
