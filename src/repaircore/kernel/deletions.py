"""Deletions in small batches, so that other writers can get in between."""

from collections.abc import Callable


def delete_in_pieces(delete: Callable[[], int]) -> int:
    """Call ``delete``, which deletes one batch in its own transaction, until none is left; return the total deleted."""
    deleted = 0
    while rows := delete():
        deleted += rows
    return deleted
