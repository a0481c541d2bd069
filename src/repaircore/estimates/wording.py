"""How figures are written in sentences."""

__all__ = ["money", "percent", "signed"]

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
