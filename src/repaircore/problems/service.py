"""Browse, search and describe the repairs in the book."""

from collections.abc import Sequence
from typing import Annotated, Any, Final

from attrs import Factory, field, frozen

from repaircore.book import identifiers
from repaircore.book.fit import ProblemFit, list_fitting
from repaircore.book.model import Category, Description, Problem
from repaircore.book.vocabulary import Vocabulary
from repaircore.kernel.cache import OneSlotCache
from repaircore.kernel.callers import LOCAL, Caller, Environment
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.profile import VehicleProfile
from repaircore.kernel.rules import Length, Range, require_valid
from repaircore.kernel.types import Clock, Lazy
from repaircore.problems.errors import CategoryNotFound, ProblemNotFound
from repaircore.problems.fusion import SearchHit
from repaircore.problems.ports import Describer, OpenWork, Ranker
from repaircore.problems.search import ProblemIndex

_SHORTEST_QUERY: Final = 2
_DEFAULT_LIMIT: Final = 10

_EXACT: Final = 1.0
"""The score of a repair whose exact name was searched for."""
_CLEAR: Final = 0.9
_LEAD: Final = 0.2
"""Words clearly mean a repair that scores at least ``_CLEAR``, if the next one is at least ``_LEAD`` behind."""


_WORD_LEAD: Final = 0.05
"""A one-word name is clear only if the next match is this far behind: "battery" could mean several repairs."""


@frozen
class _QueryLength:
    """Limits the length of a string, ignoring white space around it."""

    def broken_by(self, value: Any) -> str | None:
        return Length(_SHORTEST_QUERY, 500).broken_by(value.strip())


@frozen(kw_only=True)
class SearchProblems:
    """A search for repairs by everyday words; if no limit is given, it finds at most ten."""

    query: Annotated[str, _QueryLength()]
    limit: Annotated[int | None, Range(1, 50)] = None


@frozen
class MarketMatch:
    """A repair, and the number of its invoices that the caller's environment has learned from."""

    problem: Problem
    samples: int


@frozen
class DescribedProblem:
    """A repair with its description; ``cached`` means that it was written earlier."""

    problem: Problem
    description: Description
    cached: bool


@frozen(kw_only=True)
class ProblemBook:
    """Use cases for problems.

    ``describer`` writes the descriptions of the live environment; ``offline`` writes those of the test environment, and
    is the fallback when ``describer`` fails; ``seconds`` is the time limit of each. A search fuses the lists of the
    ``rankers`` with the matches of its words.
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

    def edition(self) -> str:
        """Return the edition of the book, which changes whenever an entry does."""
        with self.read() as work:
            return work.problems.edition()

    def list_fitting(self, vehicle: VehicleProfile) -> Sequence[ProblemFit]:
        """List the repairs that fit a vehicle, by id, followed by those that may fit it."""
        return list_fitting(self.list_all(), vehicle)

    def market_match(self, caller: Caller = LOCAL) -> Sequence[MarketMatch]:
        """List every repair, by id, with how many of its invoices the caller's environment has learned from."""
        with self.read() as work:
            counts = work.samples.counts(caller.environment)
            return [MarketMatch(problem, counts.get(problem.id, 0)) for problem in work.problems.list_all()]

    def find(self, identifier: str) -> Problem | None:
        """Return the repair with this id (as a string) or slug, or None if there is none."""
        number, slug = identifiers.parse_problem_id(identifier), identifiers.parse_slug(identifier)
        with self.read() as work:
            found = None if number is None else work.problems.find(number)
            return found or (None if slug is None else work.problems.find_by_slug(slug))

    def get(self, identifier: str) -> Problem:
        """Return the repair with this id or slug.

        Raises:
            ProblemNotFound: there is no such repair.
        """
        problem = self.find(identifier)
        if problem is None:
            raise ProblemNotFound
        return problem

    def search(self, query: str, *, limit: int | None = None) -> Sequence[SearchHit]:
        """Search repairs by everyday words, best match first; see ``SearchProblems``.

        Raises:
            Invalid: ``query`` or ``limit`` is invalid.
        """
        require_valid(SearchProblems(query=query, limit=limit))
        index, most = self.index(), limit or _DEFAULT_LIMIT
        found = index.search(query, limit=most, as_typed=True)
        best = found[0].score if found else 0.0
        ranked = (ranker.rank(query, best=best) for ranker in self.rankers())
        lists = [each for each in ranked if each is not None]
        return index.search(query, limit=most, as_typed=True, lists=lists) if lists else found

    def identify(self, text: str) -> Problem | None:
        """Return the repair that ``text`` clearly means, by id, slug or search, or None if it is not clear.

        Words mean the best match if they are its name, or if the next match is far behind: "brake pads" means neither
        the front nor the rear ones.
        """
        found = self.find(text)
        if found is not None or not self.can_search(text):
            return found
        matches = self.search(text, limit=2)
        if not matches:
            return None
        best, *others = matches
        lead = best.score - max((other.score for other in others), default=0.0)
        is_named = best.score >= _EXACT and (" " in text.strip() or lead >= _WORD_LEAD)
        is_clear = is_named or (best.score >= _CLEAR and lead >= _LEAD)
        return best.problem if is_clear else None

    def suggest(self, text: str) -> Problem | None:
        """Return the repair that a mistyped identifier most likely means, or None if none is similar."""
        return self.index().suggestion(text)

    def can_search(self, query: str) -> bool:
        """Return whether ``query`` is long enough to search for, and not too long."""
        return _QueryLength().broken_by(query) is None

    def describe(self, problem_id: int, caller: Caller = LOCAL) -> DescribedProblem:
        """Return a repair's description for car owners, which is written once per edition of the book and stored.

        When the describer is unavailable, the book's own text is returned but not stored.

        Raises:
            ProblemNotFound: there is no such repair.
        """
        environment = caller.environment
        with self.read() as work:
            problem, edition = work.problems.find(problem_id), work.problems.edition()
            stored = work.descriptions.find(environment, problem_id)
        if problem is None:
            raise ProblemNotFound
        writer = self.offline() if environment is Environment.TEST else self.describer()
        if stored is not None and stored.is_current(edition=edition, writer=writer.source):
            return DescribedProblem(problem, stored, cached=True)
        written = self._write(problem, edition, writer)
        if written.generated_by != writer.source:
            return DescribedProblem(problem, written, cached=False)
        with self.transaction() as work:
            saved = work.descriptions.save(environment, written, replaces=stored)
        return DescribedProblem(problem, saved, cached=saved != written)

    def _write(self, problem: Problem, edition: str, writer: Describer) -> Description:
        try:
            text, source = writer.describe(problem, seconds=self.seconds), writer.source
        except Unavailable:
            book = self.offline()
            text, source = book.describe(problem, seconds=self.seconds), book.source
        return Description(
            problem_id=problem.id, edition=edition, text=text, generated_by=source, generated_at=self.clock()
        )

    def index(self) -> ProblemIndex:
        """Return the search index of the current book, cached by its edition."""
        with self.read() as work:
            return self.cache.get(
                work.problems.edition(), lambda: ProblemIndex(work.problems.list_all(), self.vocabulary())
            )
