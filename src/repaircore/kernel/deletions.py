"""Deletions in small batches, so that other writers can get in between."""

from collections.abc import Callable


def delete_in_pieces(delete: Callable[[], int]) -> int:
    """Call ``delete``, which deletes one batch in its own transaction, until it deletes nothing; return the total."""
    deleted = 0
    while rows := delete():
        deleted += rows
    return deleted
