"""Metadata: a partner's own key-value pairs for a record, stored and returned unchanged."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, TypeAlias

from attrs import frozen

from repaircore.kernel.rules import Described

MOST_KEYS: Final = 20
LONGEST_KEY: Final = 40
LONGEST_VALUE: Final = 500


@frozen
class FewTexts:
    """Requires at most 20 pairs: printable keys of 1 to 40 characters, and values of up to 500, without NUL."""

    def broken_by(self, value: Mapping[str, Any]) -> str | None:
        """Return the predicate that ``value`` breaks, or None if it is valid."""
        if len(value) > MOST_KEYS:
            return f"must not have more than {MOST_KEYS} keys"
        if not all(key.strip() and len(key) <= LONGEST_KEY and key.isprintable() for key in value):
            return f"must have keys of 1 to {LONGEST_KEY} printable characters"
        if any(len(text) > LONGEST_VALUE or "\0" in text for text in value.values()):
            return f"must have values of at most {LONGEST_VALUE} characters, without NUL characters"
        return None


Metadata: TypeAlias = Annotated[
    dict[str, str],
    FewTexts(),
    Described(
        f"Up to {MOST_KEYS} key-value pairs of your own, returned unchanged.",
        maxProperties=MOST_KEYS,
    ),
]
