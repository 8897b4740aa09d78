"""Keys of other services are encrypted with the home's, and readable again with any of its keys."""

from base64 import urlsafe_b64decode

import pytest

from bot.config.keys import Sealer
from bot.model.errors import PaperbotError

OLD, NEW = b"o" * 32, b"n" * 32


def test_what_was_sealed_with_an_older_key_is_still_read():
    sealed = Sealer([OLD]).seal("key of Ada")
    assert b"key of Ada" not in urlsafe_b64decode(sealed)
    assert Sealer([OLD, NEW]).unseal(sealed) == "key of Ada"
    with pytest.raises(PaperbotError, match="connect again"):
        Sealer([NEW]).unseal(sealed)


def test_the_newest_key_seals():
    assert Sealer([NEW]).unseal(Sealer([OLD, NEW]).seal("x")) == "x"
