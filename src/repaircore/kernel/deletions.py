"""Deletions in small batches, so that other writers can get in between."""

from collections.abc import Callable


def delete_in_pieces(delete: Callable[[], int]) -> int:
    """Call ``delete``, which deletes a batch in its own transaction, until nothing is left; return the total number."""
    deleted = 0
    while rows := delete():
        deleted += rows
    return deleted
