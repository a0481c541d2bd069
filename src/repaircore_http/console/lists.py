"""Lists on pages: their filters and sort orders are in the query string, and unknown parameters are errors."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Final, TypeVar

from attrs import frozen

from repaircore.kernel.cursors import SortKey
from repaircore.kernel.paging import PageRequest
from repaircore.kernel.rules import Length
from repaircore.structuring import structure
from repaircore_http.console.paging import PER_PAGE, PageQuery
from repaircore_http.json_io import read_query_params, require_known_params

T = TypeVar("T")

_ALSO: Final = ("done",)
"""Parameters that every page accepts, such as the message about the last action."""

_PLACE: Final = frozenset({"page", "cursor"})


@frozen(kw_only=True)
class ListQuery(PageQuery):
    """The requested page of a list, by its number or a cursor, and its sort order."""

    sort: str = ""
    cursor: Annotated[str, Length(0, 2000)] | None = None

    def request(self) -> PageRequest:
        """Return the requested page."""
        return PageRequest(number=self.page, per_page=PER_PAGE, sort=self.sort, cursor=self.cursor)


@frozen(kw_only=True)
class WholeListQuery:
    """The search and the sort order of a list that fits on a single page."""

    search: Annotated[str, Length(0, 255)] = ""
    sort: str = ""


def arranged(
    items: Iterable[T],
    wanted: WholeListQuery,
    *,
    text: Callable[[T], str],
    keys: Mapping[str, Callable[[T], SortKey]],
    usual: str,
) -> Sequence[T]:
    """Return the items whose text has every word of the search, in the requested order or the default one."""
    words = wanted.search.casefold().split()
    found = [item for item in items if all(word in text(item).casefold() for word in words)]
    name = wanted.sort or usual
    return sorted(found, key=keys[name.removeprefix("-")], reverse=name.startswith("-"))


def read_list(shape: type[T]) -> tuple[T, Mapping[str, Any]]:
    """Return the query of a list, and its parameters except the page and the cursor, for links to other pages.

    Raises:
        Invalid: with every unknown or invalid parameter.
        HTTPException: 400 for a NUL character.
    """
    require_known_params(shape, also=_ALSO)
    params = {name: value for name, value in read_query_params(shape).items() if value != ""}
    return structure(shape, params), links_of(params)


def links_of(params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the parameters of a list for its links: all but the page and the cursor."""
    return {
        name: str(value).lower() if isinstance(value, bool) else value
        for name, value in params.items()
        if name not in _PLACE
    }


@frozen(kw_only=True)
class SortLink:
    """A link that sorts a list: its label, the order that it selects, and the current order of its column, or None."""

    label: str
    sort: str
    now: str | None


def sort_links(columns: Mapping[str, str], current: str, *, usual: str) -> Mapping[str, SortLink]:
    """Return the sort link of each column, keyed by its name; the link of the current column reverses the order.

    A column sorts in ascending order first, or in descending order if its name in ``columns`` begins with "-", as for
    dates and amounts.
    """
    now = current or usual
    return {name.removeprefix("-"): _link(name, label, now) for name, label in columns.items()}


def _link(name: str, label: str, now: str) -> SortLink:
    bare = name.removeprefix("-")
    if now.removeprefix("-") != bare:
        return SortLink(label=label, sort=name, now=None)
    is_falling = now.startswith("-")
    return SortLink(
        label=label,
        sort=bare if is_falling else f"-{bare}",
        now="descending" if is_falling else "ascending",
    )


def filters_of(names: Sequence[str], params: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return what was typed for each filter, or "" if nothing was."""
    return {name: params.get(name, "") for name in names}
