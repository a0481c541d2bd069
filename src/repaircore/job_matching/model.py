"""The repair that a text names, and the names that shops give repairs."""

from collections.abc import Mapping
from enum import StrEnum

from attrs import frozen

from repaircore.line_model.model import NO_OPINION, LineModel


class Outcome(StrEnum):
    """How sure it is which repair a job is.

    ``sure`` jobs are imported. ``unsure`` and ``several`` wait for a decision, ``unmatched`` for a repair that they are.
    """

    SURE = "sure"
    UNSURE = "unsure"
    SEVERAL = "several"
    UNMATCHED = "unmatched"


@frozen(kw_only=True)
class Match:
    """The repair that a text names, by its slug, with the confidence from 0 to 1 and the reason where it is not sure.

    ``is_work`` is False for a line that is no repair, such as a fee. ``suggestions`` of several jobs are all that were found, else
    at most three repairs.
    """

    outcome: Outcome
    slug: str | None = None
    confidence: float = 0.0
    reason: str | None = None
    suggestions: tuple[str, ...] = ()
    is_work: bool = True


@frozen(kw_only=True)
class JobNames:
    """How shops name repairs, by slug: each name is enough, unless other words say more.

    ``included`` has the words of what a repair usually includes, by its slug or by that of its category, separated by spaces. ``other``
    has the names of work that is no repair of the book. ``learned`` is what labeled lines teach besides.
    """

    names: Mapping[str, tuple[str, ...]]
    included: Mapping[str, str]
    other: tuple[str, ...]
    learned: LineModel = NO_OPINION
