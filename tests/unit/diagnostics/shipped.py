"""What the package ships for a diagnosis, made ready once."""

from functools import cache

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.codes import trouble_codes
from repaircore.adapters.shipped.lexicon import lexicon
from repaircore.adapters.shipped.vocabulary import vocabulary
from repaircore.diagnostics.knowledge import Knowledge

__all__ = ["shipped_knowledge"]


@cache
def shipped_knowledge() -> Knowledge:
    return Knowledge(book().problems, vocabulary(), trouble_codes(), lexicon())
