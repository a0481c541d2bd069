"""The repair book as operators see it: each entry with its invoices."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.book import identifiers
from repaircore.book.model import Category, Problem
from repaircore.book.vocabulary import Vocabulary
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.money import Cents, round_half_up
from repaircore.kernel.paging import FIRST_PAGE, MOST_PER_PAGE, Page, PageRequest
from repaircore.kernel.types import Lazy
from repaircore.kernel.value_lists import ValueOrders
from repaircore.problems.errors import ProblemNotFound
from repaircore.problems.ports import InvoiceSum, OpenWork, ProblemsWork

_MOST_FREQUENT: Final = 10


@frozen(kw_only=True)
class ProblemEntry:
    """A main category or a repair with its invoices; a main category includes those of its repairs.

    ``total`` is the sum of the invoices, and ``children`` the number of repairs in a main category.
    """

    item: Category | Problem
    children: int
    invoices: int
    total: Cents

    @property
    def parent(self) -> Category | None:
        """Return the main category of a repair, or None for a main category."""
        return self.item.parent if isinstance(self.item, Problem) else None

    @property
    def average(self) -> Cents | None:
        """Return the average invoice, or None if there are no invoices."""
        return round_half_up(self.total / self.invoices) if self.invoices else None


@frozen(kw_only=True)
class ProblemDetails:
    """An entry with everything that the book says about it.

    ``symptoms`` has the slug, name and share of each. ``related`` has the repairs that often follow or, for a main
    category, the repairs in it.
    """

    entry: ProblemEntry
    symptoms: Sequence[tuple[str, str, float]]
    related: Sequence[Problem]


@frozen(kw_only=True)
class ProblemFilter:
    """Filters for entries. None matches all; entries must contain every word of ``search``."""

    search: str | None = None
    parent_id: int | None = None


@frozen(kw_only=True)
class ProblemStats:
    """All entries, and the invoices of each month (``2026-01``), oldest first."""

    categories: Sequence[ProblemEntry]
    repairs: Sequence[ProblemEntry]
    months: Mapping[str, InvoiceSum]

    @property
    def invoices(self) -> int:
        """Return the number of invoices."""
        return sum(entry.invoices for entry in self.repairs)

    @property
    def total(self) -> Cents:
        """Return the sum of the invoices."""
        return sum(entry.total for entry in self.repairs)

    @property
    def average(self) -> Cents | None:
        """Return the average invoice, or None if there are no invoices."""
        return round_half_up(self.total / self.invoices) if self.invoices else None

    @property
    def most_frequent(self) -> Sequence[ProblemEntry]:
        """Return the ten repairs with the most invoices, most frequent first."""
        invoiced = [entry for entry in self.repairs if entry.invoices]
        return sorted(invoiced, key=lambda entry: (-entry.invoices, entry.item.id))[:_MOST_FREQUENT]


_WHOLE: Final = PageRequest(per_page=MOST_PER_PAGE)
_ORDERS: Final[ValueOrders[ProblemEntry]] = ValueOrders(
    of="problems",
    keys={
        "id": lambda entry: entry.item.id,
        "name": lambda entry: entry.item.name.casefold(),
        "invoices": lambda entry: entry.invoices,
        "total": lambda entry: entry.total,
    },
    id=lambda entry: entry.item.id,
    usual="id",
)


@frozen(kw_only=True)
class ProblemOverview:
    """Use cases for the overview. Invoices are those of the caller's environment."""

    read: OpenWork
    vocabulary: Lazy[Vocabulary]

    def page(
        self, wanted: ProblemFilter, caller: Caller = LOCAL, *, request: PageRequest = FIRST_PAGE
    ) -> Page[ProblemEntry]:
        """List entries, paginated: main categories by id, then repairs by id, unless another order is requested.

        Raises:
            Invalid: ``page``, ``per_page``, ``sort`` or ``cursor`` is invalid.
        """
        words = [word.casefold() for word in (wanted.search or "").split()]
        with self.read() as work:
            entries = _entries(work, caller)
        found = [
            entry
            for entry in entries
            if (wanted.parent_id is None or (entry.parent and entry.parent.id) == wanted.parent_id)
            and _contains(entry.item, words)
        ]
        return _ORDERS.page(found, request)

    def list_children(
        self, identifier: str, caller: Caller = LOCAL, *, request: PageRequest = _WHOLE
    ) -> Page[ProblemEntry]:
        """List the repairs of a main category by id, paginated; a repair has no children.

        Raises:
            Invalid: ``page``, ``per_page``, ``sort`` or ``cursor`` is invalid.
            ProblemNotFound: nothing has this id or slug.
        """
        with self.read() as work:
            entries = _entries(work, caller)
        parent = _require_entry(entries, identifier).item
        own = [entry for entry in entries if entry.parent is not None and entry.parent.id == parent.id]
        return _ORDERS.page(own, request)

    def get(self, identifier: str, caller: Caller = LOCAL) -> ProblemEntry:
        """Return the entry with this id (as a string) or slug.

        Raises:
            ProblemNotFound: nothing has this id or slug.
        """
        with self.read() as work:
            return _require_entry(_entries(work, caller), identifier)

    def get_details(self, identifier: str, caller: Caller = LOCAL) -> ProblemDetails:
        """Return the entry with this id or slug, with everything that the book says about it.

        Raises:
            ProblemNotFound: nothing has this id or slug.
        """
        with self.read() as work:
            entries = _entries(work, caller)
        entry = _require_entry(entries, identifier)
        item, names = entry.item, self.vocabulary().symptoms
        repairs = {each.item.slug: each.item for each in entries if isinstance(each.item, Problem)}
        if isinstance(item, Category):
            own = [repair for repair in repairs.values() if repair.parent.id == item.id]
            return ProblemDetails(entry=entry, symptoms=(), related=own)
        return ProblemDetails(
            entry=entry,
            symptoms=[(sign.slug, names.get(sign.slug, sign.slug), sign.share) for sign in item.symptoms],
            related=[repairs[slug] for slug in item.followups if slug in repairs],
        )

    def stats(self, caller: Caller = LOCAL) -> ProblemStats:
        """Return all entries, and the invoices of each month."""
        with self.read() as work:
            entries = _entries(work, caller)
            months = work.problem_invoices.sum_by_month(caller.environment)
        return ProblemStats(
            categories=[entry for entry in entries if entry.parent is None],
            repairs=[entry for entry in entries if entry.parent is not None],
            months=months,
        )


def _entries(work: ProblemsWork, caller: Caller) -> Sequence[ProblemEntry]:
    sums = work.problem_invoices.sum_by_problem(caller.environment)
    repairs = work.problems.list_all()
    by_parent: dict[int, list[Problem]] = {}
    for repair in repairs:
        by_parent.setdefault(repair.parent.id, []).append(repair)
    categories = work.problems.list_categories()
    return [
        *(_entry(category, by_parent.get(category.id, []), sums) for category in categories),
        *(_entry(repair, [repair], sums) for repair in repairs),
    ]


def _entry(
    item: Category | Problem, repairs: Sequence[Problem], sums: Mapping[int, InvoiceSum]
) -> ProblemEntry:
    own = [sums[repair.id] for repair in repairs if repair.id in sums]
    return ProblemEntry(
        item=item,
        children=len(repairs) if isinstance(item, Category) else 0,
        invoices=sum(invoices.n for invoices in own),
        total=sum(invoices.total for invoices in own),
    )


def _require_entry(entries: Iterable[ProblemEntry], identifier: str) -> ProblemEntry:
    number, slug = identifiers.parse_problem_id(identifier), identifiers.parse_slug(identifier)
    for entry in entries:
        if entry.item.id == number or entry.item.slug == slug:
            return entry
    raise ProblemNotFound


def _contains(item: Category | Problem, words: Sequence[str]) -> bool:
    texts = [item.name, item.slug, item.description]
    if isinstance(item, Problem):
        texts += [item.parent.name, *item.keywords]
    text = "\n".join(texts).casefold()
    return all(word in text for word in words)
