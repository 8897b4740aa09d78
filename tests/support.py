"""What tests of several rooms share: where the checkout is, and digests of their own."""

from pathlib import Path

ROOT = Path(__file__).parent.parent


def digest(*titles: str, date: str = "2025-05-05 17:00:00", header: str = "LLM-RL - 2025-05-06") -> str:
    """A keyword digest of papers with these titles; each abstract says what its title says."""
    blocks = [
        f"{title}\n\nAuthors:Ada Lovelace, Grace Hopper\nDate:{date}\n\n"
        f"Little is known of this. We study {title.lower()} with care. It works in 9 of 10 cases.\n"
        for title in titles
    ]
    return f"{header}\n\n" + "\n".join(blocks)
