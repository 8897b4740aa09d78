"""The files that come with Paperbot: templates, sample profiles, sample digests, sample settings.

In a checkout they lie at its top; a wheel carries them inside the package.
"""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).parent


def shipped(name: str) -> Path:
    """``templates``, ``profiles``, ``seeds`` or ``paperbot.toml`` as it was shipped."""
    packed = _PACKAGE / "shipped" / name
    return packed if packed.exists() else _PACKAGE.parent / name
