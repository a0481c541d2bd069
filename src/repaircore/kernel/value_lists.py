"""Paginate in-memory lists in a requested order, by page number or cursor."""

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, TypeVar

from attrs import evolve, frozen

from repaircore.kernel.cursors import Cursor, SortKey
from repaircore.kernel.errors import Invalid
from repaircore.kernel.paging import Page, PageRequest

T = TypeVar("T")


@frozen(kw_only=True)
class ValueOrders(Generic[T]):
    """The orders of the list named ``of``: sort keys by name, the default ``usual``, and ``id`` as a tiebreaker."""

    of: str
    keys: Mapping[str, Callable[[T], SortKey]]
    id: Callable[[T], int]
    usual: str

    def page(self, values: Sequence[T], request: PageRequest) -> Page[T]:
        """Return a page of values.

        Raises:
            Invalid: on ``sort`` or ``cursor``.
        """
        name = request.sort or self.usual
        key = self.keys.get(name.removeprefix("-"))
        if key is None:
            orders = ", ".join(order for own in self.keys for order in (own, f"-{own}"))
            raise Invalid({"sort": [f"The sort field must be one of: {orders}."]})
        falls = name.startswith("-")
        places = [(key(value), self.id(value)) for value in values]
        order = sorted(range(len(values)), key=places.__getitem__, reverse=falls)
        start, end = self._span([places[at] for at in order], request, name, falls=falls)
        page = Page(
            items=tuple(values[at] for at in order[start:end]),
            number=request.number if request.cursor is None else 0,
            per_page=request.per_page,
            total=len(values),
        )
        if not page.items:
            return page
        first, last = places[order[start]], places[order[end - 1]]
        return evolve(
            page,
            next_cursor=None
            if end >= len(values)
            else Cursor(of=self.of, sort=name, key=last[0], id=last[1]).to_text(),
            previous_cursor=None
            if start <= 0
            else Cursor(of=self.of, sort=name, key=first[0], id=first[1], is_before=True).to_text(),
        )

    def _span(
        self, places: Sequence[tuple[SortKey, int]], request: PageRequest, name: str, *, falls: bool
    ) -> tuple[int, int]:
        """Return where a page begins and ends among the sorted places."""
        if request.cursor is None:
            start = (request.number - 1) * request.per_page
            return start, min(start + request.per_page, len(places))
        cursor = Cursor.parse(request.cursor, of=self.of, sort=name)
        there = (cursor.key, cursor.id)
        try:
            before = sum(1 for place in places if (place > there if falls else place < there))
            upto = before + sum(1 for place in places if place == there)
        except TypeError:
            raise Invalid({"cursor": ["The cursor field must be a cursor from this list."]}) from None
        if cursor.is_before:
            return max(0, before - request.per_page), before
        return upto, min(upto + request.per_page, len(places))
