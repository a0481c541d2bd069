"""Groups of repairs that can be told apart by an owner's words."""

from collections.abc import Iterable, Mapping
from typing import Final

from attrs import frozen


@frozen(kw_only=True)
class RepairGroup:
    """Repairs in the book, by slug, that owners describe in the same words."""

    slug: str
    name: str
    repairs: tuple[str, ...]


class Groups:
    """The groups in order; each repair is in at most one group."""

    def __init__(self, groups: Iterable[RepairGroup] = ()) -> None:
        """Index the groups.

        Raises:
            ValueError: a group or a repair occurs twice.
        """
        self.listed: Final = tuple(groups)
        self.numbers: Final[Mapping[str, int]] = {group.slug: at for at, group in enumerate(self.listed)}
        by_repair: dict[str, str] = {}
        for group in self.listed:
            for repair in group.repairs:
                if by_repair.setdefault(repair, group.slug) != group.slug:
                    raise ValueError(f"{repair} is in two groups: {by_repair[repair]} and {group.slug}")
        if len(self.numbers) != len(self.listed):
            slugs = [group.slug for group in self.listed]
            raise ValueError(
                f"groups are listed twice: {sorted({slug for slug in slugs if slugs.count(slug) > 1})}"
            )
        self._by_repair: Final[Mapping[str, str]] = by_repair

    def of(self, repair: str) -> str | None:
        """Return the slug of a repair's group, or None if it is in no group."""
        return self._by_repair.get(repair)
