"""Release the memory of the mapped VIN data after a VIN is decoded.

The package's library is a file of a hundred megabytes that is mapped and read at random. Each VIN loads up to 17 MB,
and after a few hundred VINs, a worker seems to use 60 MB more, which is in the page cache anyway. Releasing it costs
nothing but a minor page fault later.
"""

from functools import cache
from typing import Final

from repaircore.mapped_pages import MappedPages

_LIBRARY: Final = "_ultravin"


def release_vin_pages() -> None:
    """Return the memory pages of the VIN data to the system; do nothing if the system lists no mappings."""
    _vin_pages().release()


@cache
def _vin_pages() -> MappedPages:
    return MappedPages.of(_LIBRARY)
