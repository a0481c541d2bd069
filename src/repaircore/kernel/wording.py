"""Lists as sentences name them."""

from collections.abc import Sequence

__all__ = ["listed"]


def listed(words: Sequence[str], conjunction: str = "and") -> str:
    """Return words, of which there is at least one, as a sentence names them: ``a``, ``a and b``, ``a, b and c``."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {conjunction} {words[-1]}"
