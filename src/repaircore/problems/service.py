"""Looking repairs up."""

from collections.abc import Sequence

from attrs import frozen

from repaircore.problems import identifiers, search
from repaircore.problems.errors import ProblemNotFound
from repaircore.problems.model import Category, Problem
from repaircore.problems.ports import Begin

__all__ = ["ProblemBook"]


@frozen(kw_only=True)
class ProblemBook:
    """The use cases of problems."""

    look: Begin

    def categories(self) -> Sequence[Category]:
        """List the main categories, by id."""
        with self.look() as work:
            return work.problems.categories()

    def all(self) -> Sequence[Problem]:
        """List every repair, by id."""
        with self.look() as work:
            return work.problems.all()

    def find(self, identifier: str) -> Problem | None:
        """Give the repair with this id (written out) or slug, or None."""
        number, slug = identifiers.problem_id(identifier), identifiers.slug(identifier)
        with self.look() as work:
            found = None if number is None else work.problems.by_id(number)
            return found or (None if slug is None else work.problems.by_slug(slug))

    def show(self, identifier: str) -> Problem:
        """Give the repair with this id or slug.

        Raises:
            ProblemNotFound: there is none.
        """
        problem = self.find(identifier)
        if problem is None:
            raise ProblemNotFound
        return problem

    def search(self, text: str, *, limit: int = 10) -> Sequence[Problem]:
        """Find repairs by words, best first."""
        return search.ranked(self.all(), text, limit=limit)

    def suggestion(self, text: str) -> Problem | None:
        """Give the repair that a mistyped identifier most likely means, or None."""
        return search.suggestion(self.all(), text)
