"""Lists as sentences name them."""

from collections.abc import Sequence

# What stands in the way of removing a record.


def referring(**counts: int) -> str | None:
    """Say what refers to a record, from counts by kind; None when nothing does.

    ``transaction=12, vehicle=1`` is "12 transactions and 1 vehicle refer to it."
    """
    told = [f"{count:,} {kind if count == 1 else kind + 's'}" for kind, count in counts.items() if count]
    if not told:
        return None
    *first, last = told
    verb = "refers" if sum(counts.values()) == 1 else "refer"
    return f"{', '.join(first)} and {last} {verb} to it." if first else f"{last} {verb} to it."


# How figures are written in sentences.


_MINUS = "\N{MINUS SIGN}"


def money(amount: float) -> str:
    """Write cents as dollars: ``$1,234.00``."""
    return f"${amount / 100:,.2f}"


def percent(share: float) -> str:
    """Write a share as a whole percentage: ``40 %``."""
    return f"{100 * share:.0f} %"


def signed(change: float) -> str:
    """Write a relative change with its sign: ``+8 %``, ``-3 %``."""
    return f"{'+' if round(100 * change) >= 0 else _MINUS}{abs(100 * change):.0f} %"


def listed(words: Sequence[str], conjunction: str = "and") -> str:
    """Return words, of which there is at least one, as a sentence names them: ``a``, ``a and b``, ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {conjunction} {words[-1]}"
