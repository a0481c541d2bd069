"""The repair book as operators see it: with what was invoiced."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from attrs import frozen

from repaircore.book import identifiers
from repaircore.book.model import Category, Problem
from repaircore.book.vocabulary import Vocabulary
from repaircore.kernel.callers import LOCAL, Caller
from repaircore.kernel.money import Cents, round_half_up
from repaircore.kernel.paging import MOST_PER_PAGE, PER_PAGE, Page
from repaircore.kernel.types import Lazy
from repaircore.problems.errors import ProblemNotFound
from repaircore.problems.ports import InvoiceSum, OpenWork, ProblemsWork

_MOST_FREQUENT: Final = 10


@frozen(kw_only=True)
class ProblemEntry:
    """A main category or a repair, and the invoices of it, of a main category those of its repairs.

    ``total`` is what the invoices come to, ``children`` how many repairs a main category has.
    """

    about: Category | Problem
    children: int
    invoices: int
    total: Cents

    @property
    def parent(self) -> Category | None:
        """Give the main category of a repair."""
        return self.about.parent if isinstance(self.about, Problem) else None

    @property
    def average(self) -> Cents | None:
        """Give what an invoice comes to on the average, None without any."""
        return round_half_up(self.total / self.invoices) if self.invoices else None


@frozen(kw_only=True)
class ProblemDetails:
    """An entry with all that the book says of it.

    ``symptoms`` are slugs with what owners call them, ``related`` the repairs that often follow, or, of a
    main category, those in it.
    """

    entry: ProblemEntry
    symptoms: Sequence[tuple[str, str, float]]
    related: Sequence[Problem]


@frozen(kw_only=True)
class ProblemFilter:
    """Which entries are wanted; None wants all. Every word of ``search`` must stand in what the book says of one."""

    search: str | None = None
    parent_id: int | None = None


@frozen(kw_only=True)
class ProblemStats:
    """What the book holds and what was invoiced of it; ``months`` are ``2026-01``, the oldest first."""

    categories: Sequence[ProblemEntry]
    repairs: Sequence[ProblemEntry]
    months: Mapping[str, InvoiceSum]

    @property
    def invoices(self) -> int:
        """Count the invoices."""
        return sum(entry.invoices for entry in self.repairs)

    @property
    def total(self) -> Cents:
        """Add them up."""
        return sum(entry.total for entry in self.repairs)

    @property
    def average(self) -> Cents | None:
        """Give what an invoice comes to on the average, None without any."""
        return round_half_up(self.total / self.invoices) if self.invoices else None

    @property
    def most_frequent(self) -> Sequence[ProblemEntry]:
        """List the repairs with most invoices, the most frequent first."""
        invoiced = [entry for entry in self.repairs if entry.invoices]
        return sorted(invoiced, key=lambda entry: (-entry.invoices, entry.about.id))[:_MOST_FREQUENT]


@frozen(kw_only=True)
class ProblemOverview:
    """The use cases. Invoices are those of the caller's environment."""

    read: OpenWork
    vocabulary: Lazy[Vocabulary]

    def page(
        self, wanted: ProblemFilter, caller: Caller = LOCAL, *, number: int = 1, per_page: int = PER_PAGE
    ) -> Page[ProblemEntry]:
        """List entries by id, main categories first, in pages."""
        words = [word.casefold() for word in (wanted.search or "").split()]
        with self.read() as work:
            entries = _entries(work, caller)
        found = [
            entry
            for entry in entries
            if (wanted.parent_id is None or (entry.parent and entry.parent.id) == wanted.parent_id)
            and _says(entry.about, words)
        ]
        return _page(found, number, per_page)

    def list_children(
        self, identifier: str, caller: Caller = LOCAL, *, number: int = 1, per_page: int = MOST_PER_PAGE
    ) -> Page[ProblemEntry]:
        """List what is in a main category, by id; nothing is in a repair.

        Raises:
            ProblemNotFound: nothing has this id or slug.
        """
        with self.read() as work:
            entries = _entries(work, caller)
        parent = _found(entries, identifier).about
        own = [entry for entry in entries if entry.parent is not None and entry.parent.id == parent.id]
        return _page(own, number, per_page)

    def get(self, identifier: str, caller: Caller = LOCAL) -> ProblemEntry:
        """Give the entry with an id (written out) or a slug.

        Raises:
            ProblemNotFound: there is none.
        """
        with self.read() as work:
            return _found(_entries(work, caller), identifier)

    def get_details(self, identifier: str, caller: Caller = LOCAL) -> ProblemDetails:
        """Give the entry with an id or a slug, and all that the book says of it.

        Raises:
            ProblemNotFound: there is none.
        """
        with self.read() as work:
            entries = _entries(work, caller)
        entry = _found(entries, identifier)
        about, named = entry.about, self.vocabulary().symptoms
        repairs = {one.about.slug: one.about for one in entries if isinstance(one.about, Problem)}
        if isinstance(about, Category):
            own = [repair for repair in repairs.values() if repair.parent.id == about.id]
            return ProblemDetails(entry=entry, symptoms=(), related=own)
        return ProblemDetails(
            entry=entry,
            symptoms=[(one.slug, named.get(one.slug, one.slug), one.share) for one in about.symptoms],
            related=[repairs[slug] for slug in about.followups if slug in repairs],
        )

    def stats(self, caller: Caller = LOCAL) -> ProblemStats:
        """Count what the book holds and what was invoiced."""
        with self.read() as work:
            entries = _entries(work, caller)
            months = work.problem_invoices.sum_by_month(caller.environment)
        return ProblemStats(
            categories=[entry for entry in entries if entry.parent is None],
            repairs=[entry for entry in entries if entry.parent is not None],
            months=months,
        )


def _page(entries: Sequence[ProblemEntry], number: int, per_page: int) -> Page[ProblemEntry]:
    first = (number - 1) * per_page
    items = tuple(entries[first : first + per_page])
    return Page(items=items, number=number, per_page=per_page, total=len(entries))


def _entries(work: ProblemsWork, caller: Caller) -> Sequence[ProblemEntry]:
    invoiced = work.problem_invoices.sum_by_problem(caller.environment)
    repairs = [_entry(one, [one], invoiced) for one in work.problems.list_all()]
    by_parent: dict[int, list[Problem]] = {}
    for repair in repairs:
        if isinstance(repair.about, Problem):
            by_parent.setdefault(repair.about.parent.id, []).append(repair.about)
    mains = [_entry(one, by_parent.get(one.id, []), invoiced) for one in work.problems.list_categories()]
    return [*mains, *repairs]


def _entry(
    about: Category | Problem, repairs: Iterable[Problem], invoiced: Mapping[int, InvoiceSum]
) -> ProblemEntry:
    mine = [*repairs]
    sums = [invoiced[one.id] for one in mine if one.id in invoiced]
    return ProblemEntry(
        about=about,
        children=len(mine) if isinstance(about, Category) else 0,
        invoices=sum(one.n for one in sums),
        total=sum(one.total for one in sums),
    )


def _found(entries: Iterable[ProblemEntry], identifier: str) -> ProblemEntry:
    number, slug = identifiers.parse_problem_id(identifier), identifiers.parse_slug(identifier)
    for entry in entries:
        if entry.about.id == number or entry.about.slug == slug:
            return entry
    raise ProblemNotFound


def _says(about: Category | Problem, words: Sequence[str]) -> bool:
    texts = [about.name, about.slug, about.description]
    if isinstance(about, Problem):
        texts += [about.parent.name, *about.keywords]
    whole = "\n".join(texts).casefold()
    return all(word in whole for word in words)
