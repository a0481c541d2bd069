"""The matcher of the current book, shared by all who read shops' words: building one takes as long as reading a hundred lines."""

from collections.abc import Sequence

from attrs import Factory, field, frozen

from repaircore.book.model import Problem
from repaircore.job_matching.model import JobNames
from repaircore.job_matching.repair_match import RepairMatcher
from repaircore.kernel.cache import OneSlotCache
from repaircore.kernel.types import Lazy


@frozen(kw_only=True)
class SharedMatcher:
    """Returns the matcher of the current book, cached by its edition."""

    edition: Lazy[str]
    problems: Lazy[Sequence[Problem]]
    job_names: Lazy[JobNames]
    cache: OneSlotCache[RepairMatcher] = field(repr=False, eq=False, default=Factory(OneSlotCache))

    def __call__(self) -> RepairMatcher:
        """Return the matcher; the first call after a change of the book builds one."""
        return self.cache.get(self.edition(), lambda: RepairMatcher(self.problems(), self.job_names()))
