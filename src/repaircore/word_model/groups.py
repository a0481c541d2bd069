"""Groups of repairs: what an owner's words can tell apart."""

from collections.abc import Iterable, Mapping
from typing import Final

from attrs import frozen


@frozen(kw_only=True)
class RepairGroup:
    """Some repairs of the book, by their slugs, that owners describe in the same words."""

    slug: str
    name: str
    repairs: tuple[str, ...]


class Groups:
    """The groups in their order. Each repair is in one group at most."""

    def __init__(self, groups: Iterable[RepairGroup] = ()) -> None:
        """Take the groups.

        Raises:
            ValueError: a group or a repair is there twice.
        """
        self.listed: Final = tuple(groups)
        self.numbers: Final[Mapping[str, int]] = {one.slug: at for at, one in enumerate(self.listed)}
        by_repair: dict[str, str] = {}
        for group in self.listed:
            for repair in group.repairs:
                if by_repair.setdefault(repair, group.slug) != group.slug:
                    raise ValueError(f"{repair} is in two groups: {by_repair[repair]} and {group.slug}")
        if len(self.numbers) != len(self.listed):
            raise ValueError("A group is listed twice")
        self._by_repair: Final[Mapping[str, str]] = by_repair

    def of(self, repair: str) -> str | None:
        """Return the group of a repair, both by their slugs; None when it is in none."""
        return self._by_repair.get(repair)
