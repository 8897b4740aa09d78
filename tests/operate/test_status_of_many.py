"""``paperbot status`` with more readers than anybody reads through."""

from datetime import UTC, datetime

from bot.app import open_app
from bot.operate.status import MAX_READERS


def test_the_first_thousand_readers_are_shown_and_the_others_are_counted(home, paperbot):
    addresses = "".join(f'[[readers]]\nemail = "r{n}@example.org"\n' for n in range(MAX_READERS + 3))
    for profile in (home / "profiles").iterdir():
        profile.unlink()
    (home / "profiles" / "owls.toml").write_text(f'title = "Owls"\ninterests = "owls"\n{addresses}')
    with open_app(home) as app:
        listed = [("email", f"r{n}@example.org") for n in range(MAX_READERS + 3)]
        app.store.readers.sync("owls", listed, datetime.now(UTC))
    status = paperbot("status", "--json").json
    assert [row["reader"] for row in status["readers"]] == [f"owls/r{n}@example.org" for n in range(MAX_READERS)]
    assert status["readers_left_out"] == 3
    assert "and 3 more readers" in paperbot("status").out
