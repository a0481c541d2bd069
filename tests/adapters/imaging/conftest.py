"""A reader of images, one for all tests: its child loads text recognition once."""

from collections.abc import Iterator

import pytest

from repaircore.adapters.imaging.gate import ImageGate
from repaircore.adapters.imaging.reader import ChildVinReader


@pytest.fixture(scope="session")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ChildVinReader]:
    made = ChildVinReader(ImageGate(tmp_path_factory.mktemp("gate")), seconds=120)
    yield made
    made.close()
