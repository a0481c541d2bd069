"""Looking repairs up."""

from collections.abc import Sequence
from typing import Final

from attrs import Factory, field, frozen

from repaircore.book import identifiers
from repaircore.book.fit import ProblemFit, list_fitting
from repaircore.book.model import Category, Description, Problem
from repaircore.book.vocabulary import Vocabulary
from repaircore.kernel.cache import OneSlotCache
from repaircore.kernel.callers import LOCAL, Caller, Environment
from repaircore.kernel.errors import Invalid, Unavailable
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.types import Clock, Lazy
from repaircore.problems.errors import CategoryNotFound, ProblemNotFound
from repaircore.problems.fusion import SearchHit
from repaircore.problems.ports import Describer, OpenWork, ProblemsWork, Ranker
from repaircore.problems.search import ProblemIndex

_SHORTEST_QUERY: Final = 2
_LONGEST_QUERY: Final = 500
_USUAL_LIMIT: Final = 10
_LARGEST_LIMIT: Final = 50


@frozen
class MarketMatch:
    """A repair, and how many invoices of it the caller's environment has learned from."""

    problem: Problem
    samples: int


@frozen
class DescribedProblem:
    """A repair with its description; ``cached`` tells whether that was written before."""

    problem: Problem
    description: Description
    cached: bool


@frozen(kw_only=True)
class ProblemBook:
    """The use cases of problems.

    ``describer`` writes about repairs for the live environment, ``offline`` for the test environment and
    when the other one fails; ``seconds`` is how long a caller may wait for it. What the ``rankers`` make of a search
    is fused with what its words find.
    """

    transaction: OpenWork
    read: OpenWork
    vocabulary: Lazy[Vocabulary]
    describer: Lazy[Describer]
    offline: Lazy[Describer]
    seconds: float
    clock: Clock
    rankers: Lazy[Sequence[Ranker]] = tuple
    cache: OneSlotCache[ProblemIndex] = field(repr=False, eq=False, default=Factory(OneSlotCache))

    def list_categories(self) -> Sequence[Category]:
        """List the main categories, by id."""
        with self.read() as work:
            return work.problems.list_categories()

    def list_in_category(self, category_id: int) -> Sequence[Problem]:
        """List the repairs of a main category, by id.

        Raises:
            CategoryNotFound: there is no such main category.
        """
        with self.read() as work:
            if all(category.id != category_id for category in work.problems.list_categories()):
                raise CategoryNotFound
            return [problem for problem in work.problems.list_all() if problem.parent.id == category_id]

    def list_all(self) -> Sequence[Problem]:
        """List every repair, by id."""
        with self.read() as work:
            return work.problems.list_all()

    def list_fitting(self, vehicle: VehicleProfile) -> Sequence[ProblemFit]:
        """List the repairs that fit a vehicle, by id, and after them those that may."""
        return list_fitting(self.list_all(), vehicle)

    def market_match(self, caller: Caller = LOCAL) -> Sequence[MarketMatch]:
        """List every repair, by id, with the number of invoices behind it."""
        with self.read() as work:
            counts = work.samples.counts(caller.environment)
            return [MarketMatch(problem, counts.get(problem.id, 0)) for problem in work.problems.list_all()]

    def find(self, identifier: str) -> Problem | None:
        """Give the repair with this id (written out) or slug, or None."""
        number, slug = identifiers.parse_problem_id(identifier), identifiers.parse_slug(identifier)
        with self.read() as work:
            found = None if number is None else work.problems.find(number)
            return found or (None if slug is None else work.problems.find_by_slug(slug))

    def get(self, identifier: str) -> Problem:
        """Give the repair with this id or slug.

        Raises:
            ProblemNotFound: there is none.
        """
        problem = self.find(identifier)
        if problem is None:
            raise ProblemNotFound
        return problem

    def search(self, query: str, *, limit: int | None = None) -> Sequence[SearchHit]:
        """Find repairs by everyday words, best first; without a limit, ten at most.

        Raises:
            Invalid: on ``query`` and ``limit``.
        """
        told = self.validate(query=query, limit=limit)
        if told:
            raise Invalid(told)
        lists = [found for ranker in self.rankers() if (found := ranker.rank(query)) is not None]
        kept = _USUAL_LIMIT if limit is None else limit
        return self._index().search(query, limit=kept, as_typed=True, lists=lists)

    def suggest(self, text: str) -> Problem | None:
        """Give the repair that a mistyped identifier most likely means, or None."""
        return self._index().suggestion(text)

    def validate(self, **fields: object) -> dict[str, list[str]]:
        """Name what is wrong with some fields of a search; those that are not given are not judged."""
        query, limit = fields.get("query"), fields.get("limit")
        told: dict[str, list[str]] = {}
        if isinstance(query, str):
            length = len(query.strip())
            if length < _SHORTEST_QUERY:
                told["query"] = [f"The query field must be at least {_SHORTEST_QUERY} characters long."]
            if length > _LONGEST_QUERY:
                told["query"] = [f"The query field must not be longer than {_LONGEST_QUERY} characters."]
        if isinstance(limit, int) and not 1 <= limit <= _LARGEST_LIMIT:
            told["limit"] = [f"The limit field must be between 1 and {_LARGEST_LIMIT}."]
        return told

    def describe(self, problem_id: int, caller: Caller = LOCAL) -> DescribedProblem:
        """Tell what a repair is, for car owners: written once, then remembered.

        When the describer does not answer, the book's own text stands in, and is not remembered.

        Raises:
            ProblemNotFound: there is no such repair.
        """
        environment = caller.environment
        with self.read() as work:
            problem, edition = work.problems.find(problem_id), work.problems.edition()
            kept = work.descriptions.find(environment, problem_id)
        if problem is None:
            raise ProblemNotFound
        writer = self.offline() if environment is Environment.TEST else self.describer()
        if kept is not None and kept.counts(edition=edition, writer=writer.source):
            return DescribedProblem(problem, kept, cached=True)
        written = self._written(problem, edition, writer)
        if written.generated_by != writer.source:
            return DescribedProblem(problem, written, cached=False)
        with self.transaction() as work:
            now_kept = work.descriptions.save(environment, written, instead_of=kept)
        return DescribedProblem(problem, now_kept, cached=now_kept != written)

    def _written(self, problem: Problem, edition: str, writer: Describer) -> Description:
        try:
            text, source = writer.describe(problem, seconds=self.seconds), writer.source
        except Unavailable:
            book = self.offline()
            text, source = book.describe(problem, seconds=self.seconds), book.source
        return Description(
            problem_id=problem.id, edition=edition, text=text, generated_by=source, generated_at=self.clock()
        )

    def _index(self) -> ProblemIndex:
        with self.read() as work:
            return self.cache.get(work.problems.edition(), lambda: self._indexed(work))

    def _indexed(self, work: ProblemsWork) -> ProblemIndex:
        return ProblemIndex(work.problems.list_all(), self.vocabulary())
