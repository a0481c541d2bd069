"""Models that were trims of others in earlier years, in the shipped catalog."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from repaircore.core import Core
from repaircore.kernel.engine_names import engine_name
from repaircore.settings import Settings
from repaircore.vehicles.matching import Match


@pytest.fixture(scope="module")
def core(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Core]:
    folder: Path = tmp_path_factory.mktemp("once")
    opened = Core(Settings.from_env({"REPAIRCORE_DATABASE_URL": f"sqlite:///{folder / 'own.db'}"}))
    opened.upgrade()
    yield opened
    opened.close()


def _find(core: Core, year: int, make: str, model: str) -> Match:
    return core.vehicles.find_match(year=year, make=make, model=model, trim=None, engine=None)


def _engines(core: Core, year: int, make: str, model: str) -> list[str]:
    return [engine_name(one) for one in _find(core, year, make, model).vehicle.specs.facts.engines]


@pytest.mark.parametrize("year", [2009, 2013, 2014])
@pytest.mark.parametrize("model", ["WRX", "Impreza WRX", "WRX STI"])
def test_wrx_as_an_impreza_trim_has_the_engine_of_its_year(core: Core, year: int, model: str) -> None:
    assert _engines(core, year, "Subaru", model) == ["2.5L H4 turbo (EJ25 Turbo)"]
    assert _find(core, year, "Subaru", model).vehicle.specs.model == "Impreza"


def test_wrx_as_its_own_model_has_its_own_engines(core: Core) -> None:
    assert "2.0L H4 turbo (FA20 Turbo)" in _engines(core, 2015, "Subaru", "WRX")
    assert "2.0L H4 (FB20)" in _engines(core, 2013, "Subaru", "Impreza")


def test_trim_of_several_models_matches_none_of_them(core: Core) -> None:
    assert core.catalog.list_engines_as_trim(2006, "Chevrolet", "SS") == ()
    assert {one.model for one in core.catalog.list_engines_as_trim(2006, "Chevrolet", "Impala SS")} == {
        "Impala"
    }


def test_engines_of_both_adjacent_years_are_possible_where_they_changed(core: Core) -> None:
    before, after = (_engines(core, year, "Volvo", "S60") for year in (2009, 2011))
    between = _engines(core, 2010, "Volvo", "S60")

    assert not {*before} & {*after}
    assert {*between} == {*before, *after}
    assert {*core.vehicles.possible_engines(2010, "Volvo", "S60")} >= {before[0], after[0]}
    assert core.vehicles.possible_engines(2013, "Chevrolet", "Colorado") == ()


def test_pickup_without_trims_in_its_vins_lists_them(core: Core) -> None:
    assert {"XL", "XLT", "Lariat", "King Ranch", "Platinum", "Raptor"} <= {
        *core.catalog.list_trims("Ford", "F-150", 2018)
    }
    assert "Limited" not in core.catalog.list_trims("Ford", "F-150", 2015)
    assert {"XL", "XLT", "Lariat"} <= {*core.catalog.list_trims("Ford", "F-250", 2012)}
