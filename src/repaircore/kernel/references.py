"""What stands in the way of removing a record."""

__all__ = ["referring"]


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
