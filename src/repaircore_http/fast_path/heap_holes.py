"""Free blocks of Python's allocator, occupied before a process forks.

Python puts a new object into the first free block of its size, wherever that lies. After a fork, each of them lies in a page that is
shared, and is copied for some bytes. Once the blocks are occupied, new objects lie side by side in pages of their own.

Saves 8 MB of a server with two workers and jobs, whose processes go on sharing those pages (docs/explanation/processes.md).
Plain alternative: forking as it is, without ``occupy_free_blocks`` in ``repaircore_http.server``.
"""

from typing import Final

_ALIGNMENT: Final = 16
_LARGEST: Final = 512
"""The largest object that Python's allocator serves."""
_POOL: Final = 16 * 1024
"""Blocks of a size lie side by side in a pool; 4 kB before Python 3.10."""
_HEADER: Final = b"".__sizeof__()
_ENOUGH: Final = 2
"""One pool may have been in use only at its beginning."""
_MOST: Final = 4_000_000
"""Bytes that are occupied at most for each size, should the allocator be another one."""


def occupy_free_blocks() -> list[bytes]:
    """Return objects that occupy every free block, as long as they are kept."""
    kept: list[bytes] = []
    for size in range(_HEADER // _ALIGNMENT * _ALIGNMENT + _ALIGNMENT, _LARGEST + 1, _ALIGNMENT):
        kept += _occupied(size)
    return kept


def _occupied(size: int) -> list[bytes]:
    """Occupy blocks of a size until two pools in a row were wholly free: pools that are partly free are filled before."""
    kept: list[bytes] = []
    whole = _POOL // size - 2
    pools = in_a_row = last = 0
    while pools < _ENOUGH and len(kept) * size < _MOST:
        block = bytes(size - _HEADER)
        if id(block) == last + size:
            in_a_row += 1
        else:
            pools = pools + 1 if in_a_row >= whole else 0
            in_a_row = 0
        last = id(block)
        kept.append(block)
    return kept
