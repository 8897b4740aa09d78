"""The files that are shipped with Paperbot: templates, sample profiles, sample digests, sample settings.

In a checkout they are in its top folder; a wheel has them inside the package.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def shipped(name: str) -> Path:
    """Return the shipped ``templates``, ``profiles``, ``seeds`` or ``paperbot.toml``."""
    # Not importlib.resources: the folders are copied and walked, which needs real paths.
    in_wheel = _PACKAGE / "shipped" / name
    return in_wheel if in_wheel.exists() else _PACKAGE.parent / name
