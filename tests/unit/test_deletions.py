"""Deletions in small batches."""

from repaircore.kernel.deletions import delete_in_pieces


def test_batches_are_deleted_until_nothing_is_left() -> None:
    pieces = [250, 250, 3, 0, 250]

    assert delete_in_pieces(lambda: pieces.pop(0)) == 503
    assert pieces == [250]
