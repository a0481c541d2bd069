"""One image reader for all tests: its child process loads text recognition once."""

from collections.abc import Iterator

import pytest

from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.adapters.imaging.reader import ChildVinReader


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChildVinReader]:
    made = ChildVinReader(ImageLimit(tmp_path_factory.mktemp("limit")), seconds=120)
    yield made
    made.close()
