"""The repair that a line names, and shops' names for repairs."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from attrs import frozen

from repaircore.line_model.model import NO_OPINION, LineModel


class Outcome(StrEnum):
    """How certain the repair of a job is.

    ``sure`` jobs are imported. ``unsure`` and ``several`` jobs await a decision; ``unmatched`` ones need a repair to be
    chosen.
    """

    SURE = "sure"
    UNSURE = "unsure"
    SEVERAL = "several"
    UNMATCHED = "unmatched"


SURE: Final = 0.9
"""The minimum confidence of a match that needs no decision."""


@frozen(kw_only=True)
class Match:
    """The repair that a line names, by its slug, with the confidence from 0 to 1, and the reason if it is not sure.

    ``is_repair`` is False for a line that is left out, since it is not a repair in the book: a fee, or work that the
    book does not cover. ``suggestions`` are all repairs found if there are several jobs, else at most three.
    """

    outcome: Outcome
    slug: str | None = None
    confidence: float = 0.0
    reason: str | None = None
    suggestions: tuple[str, ...] = ()
    is_repair: bool = True


@frozen(kw_only=True)
class JobNames:
    """Shops' names for repairs, by slug; a name alone identifies its repair unless other words say more.

    ``included`` has words for the work that a repair usually includes, separated by spaces, by the slug of the repair
    or its category. ``other`` has the names of work that is not in the book. ``learned`` is a model that was trained on
    labeled lines.
    """

    names: Mapping[str, tuple[str, ...]]
    included: Mapping[str, str]
    other: tuple[str, ...]
    learned: LineModel = NO_OPINION
