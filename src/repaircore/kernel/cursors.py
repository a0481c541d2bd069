"""Cursors: positions in a list at which a page begins or ends, as text that a client passes back."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import Final, TypeAlias

from attrs import frozen

from repaircore.kernel.errors import Invalid

SortKey: TypeAlias = int | float | str
"""The value of a row in the column that a list is sorted by."""

_LONGEST: Final = 2_000
_FOREIGN: Final = (
    "The cursor field must be a cursor from this list: next_cursor or previous_cursor of an earlier page."
)
_OTHER_ORDER: Final = "The cursor field is from a list in another order. Use the same sort as for the page that returned the cursor."
_PARTS: Final = 5
_LARGEST: Final = 2**63


@frozen(kw_only=True)
class Cursor:
    """A position in the list named ``of``, sorted by ``sort``: next to the row with this key and id.

    The page begins after the position, or ends before it (``is_before``).
    """

    of: str
    sort: str
    key: SortKey
    id: int | str
    is_before: bool = False

    def to_text(self) -> str:
        """Return the cursor as text."""
        data = json.dumps([self.of, self.sort, self.key, self.id, self.is_before], separators=(",", ":"))
        return urlsafe_b64encode(data.encode()).decode().rstrip("=")

    @classmethod
    def parse(cls, text: str, *, of: str, sort: str) -> "Cursor":
        """Parse a cursor of the list named ``of``, sorted by ``sort``.

        Raises:
            Invalid: on ``cursor``: the text is not a cursor, or belongs to another list or order.
        """
        try:
            padded = text.encode("ascii") + b"=" * (-len(text) % 4)
            found = json.loads(urlsafe_b64decode(padded)) if len(text) <= _LONGEST else None
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, list) or len(found) != _PARTS or not _is_cursor(*found) or found[0] != of:
            raise Invalid({"cursor": [_FOREIGN]})
        if found[1] != sort:
            raise Invalid({"cursor": [_OTHER_ORDER]})
        return cls(of=of, sort=sort, key=found[2], id=found[3], is_before=found[4])


def _is_cursor(of: object, sort: object, key: object, row_id: object, is_before: object) -> bool:
    """Return whether the parts of a cursor have the right types, and are values that a database can store."""
    return (
        isinstance(of, str)
        and isinstance(sort, str)
        and _is_stored(key)
        and isinstance(row_id, int | str)
        and _is_stored(row_id)
        and isinstance(is_before, bool)
    )


def _is_stored(value: object) -> bool:
    match value:
        case bool():
            return False
        case int():
            return -_LARGEST <= value < _LARGEST
        case float():
            return abs(value) < float("inf")
        case str():
            return "\0" not in value and value.encode("utf-8", "replace").decode() == value
    return False
