"""The settings of retention: for how long what is stored is kept."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, model_validator

from bot.config.toml import Section

Days = Annotated[int, Field(ge=0, le=36_500)]


class RetentionSection(Section):
    """For how many days what is stored is kept; 0: forever."""

    bodies_days: Days = 30
    editions_days: Days = 400
    picks_days: Days = 400
    thumbs_days: Days = 0
    papers_days: Days = 0

    @model_validator(mode="after")
    def _papers_outlast_digests(self) -> RetentionSection:
        if 0 < self.papers_days < 60:
            raise ValueError(
                "papers_days is 0 or at least 60: a feed that repeats an older one would bring it as new"
            )
        return self
