"""Memory use of the VIN data."""

import re
from datetime import UTC, datetime
from pathlib import Path

from repaircore.adapters.lookups.vpic_local import VpicVinDecoder
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.mapped_pages import MappedPages, constant_ranges, release_library_pages

SMAPS = """\
7f00-7f80 r--p 00000000 08:01 11 /lib/data.so
Rss:                 960 kB
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd mr mw me
7f80-7f90 r-xp 00080000 08:01 11 /lib/data.so
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd ex mr mw me
7f90-7fa0 r--p 00090000 08:01 11 /lib/data.so
Anonymous:           324 kB
Swap:                  0 kB
VmFlags: rd mr mw me ac
7fa0-7fb0 r--p 000a0000 08:01 11 /lib/data.so
Anonymous:             0 kB
Swap:                324 kB
VmFlags: rd mr mw me ac
7fb0-7fc0 r--p 00000000 08:01 12 /lib/other.so
Anonymous:             0 kB
Swap:                  0 kB
VmFlags: rd mr mw me
7fc0-7fd0 rw-p 00000000 00:00 0
Anonymous:             4 kB
Swap:                  0 kB
VmFlags: rd wr mr mw me ac
"""


def resident_kilobytes(library: str) -> int:
    blocks = re.split(r"\n(?=[0-9a-f]+-[0-9a-f]+ )", Path("/proc/self/smaps").read_text(encoding="utf-8"))
    sizes = (re.search(r"^Rss:\s+(\d+)", block, re.MULTILINE) for block in blocks if library in block)
    return sum(int(size[1]) for size in sizes if size is not None)


def test_only_unmodified_pages_are_released() -> None:
    assert constant_ranges(SMAPS.splitlines(), "data.so") == [(0x7F00, 0x80), (0x7F80, 0x10)]


def test_libraries_work_after_releasing_their_pages() -> None:
    before = resident_kilobytes(".so")
    release_library_pages()

    assert resident_kilobytes(".so") < before
    assert (
        VpicVinDecoder(lambda: datetime.now(UTC), shipped_mechanics).decode("5YJ3E1EA7KF317000") is not None
    )


def test_decoding_keeps_little_of_the_data_in_memory() -> None:
    decoder = VpicVinDecoder(lambda: datetime.now(UTC), shipped_mechanics)
    for serial in range(200_000, 200_040):
        assert decoder.decode(f"1FTFW1E50JKC{serial % 100_000:05}") is not None
    MappedPages.of("_ultravin").release()

    assert 0 < resident_kilobytes("_ultravin") < 8_000
    assert decoder.decode("5YJ3E1EA7KF317000") is not None
