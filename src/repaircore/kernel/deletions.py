"""Deletions in small pieces, so that others write in between."""

from collections.abc import Callable


def delete_in_pieces(delete: Callable[[], int]) -> int:
    """Call a function that deletes a piece in a transaction of its own until nothing is left; return how many rows it deleted."""
    deleted = 0
    while rows := delete():
        deleted += rows
    return deleted
