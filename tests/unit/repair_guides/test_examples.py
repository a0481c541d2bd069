"""The example vehicles whose prices a guide shows."""

import pytest

from repaircore.core import Core
from repaircore.repair_guides.examples import EXAMPLES


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Return SQLite only: a guide stores nothing."""
    return sqlite_url


def test_guide_shows_spare_vehicles_only_if_the_repair_fits_none_of_the_others(core: Core) -> None:
    usual = [example.kind for example in EXAMPLES]
    shown = {
        slug: [(each.example.kind, each.job is not None) for each in core.repair_guides.get(slug).examples]
        for slug in ("brake-pads-front", "spark-plugs", "glow-plugs")
    }

    assert shown["brake-pads-front"] == [(kind, True) for kind in usual]
    assert shown["spark-plugs"] == [(kind, kind not in {"Diesel pickup", "Electric car"}) for kind in usual]
    assert shown["glow-plugs"] == [("Diesel pickup", True), *((kind, False) for kind in usual)]
