"""A kind of source that stands outside the package, for tests of what goes through the registry."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from support import digest

from bot.config.tables import Minutes, PolledOptions
from bot.model import RawDigest
from bot.model.errors import SourceError
from bot.sources import ConfiguredSource, SourceDependencies, SourceKind, Visit, _kinds

SETTINGS = '[[sources]]\nname = "owl-news"\nkind = "toy"\ntitle = "Reward models for owls"\n'


class ToyOptions(PolledOptions):
    """The title of its paper, and the password that it expects, if any."""

    title: str
    expects: str = ""
    every: Minutes = 45


@dataclass(frozen=True)
class ToySource(ConfiguredSource[ToyOptions]):
    """A digest of one paper."""

    password: str

    def retrieve(self, visit: Visit) -> Iterator[RawDigest]:
        if self.options.expects != self.password:
            raise SourceError("the password is wrong")
        yield RawDigest(self.name, f"{visit.now.date()}.txt", digest(self.options.title).encode())


def make(options: ToyOptions, dependencies: SourceDependencies) -> ToySource:
    return ToySource(options, dependencies.password_of(options.name))


TOY = SourceKind("toy", ToyOptions, make)


@contextmanager
def registered() -> Iterator[None]:
    """Add the kind to the others for a while."""
    _kinds()[TOY.name] = TOY
    try:
        yield
    finally:
        del _kinds()[TOY.name]
