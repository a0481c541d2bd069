from collections.abc import Sequence

import pytest
from tests.threads import at_once

from repaircore.adapters.lookups.vin_catalog import VinCatalog
from repaircore.adapters.lookups.vpic_models import VpicKnownModels
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.catalog.model import EARLIEST


@pytest.fixture
def known(vin_catalog: VinCatalog) -> VpicKnownModels:
    return VpicKnownModels(vin_catalog, shipped_mechanics)


def test_models_have_the_years_of_their_patterns(known: VpicKnownModels) -> None:
    models = known.models("HONDA")

    assert "Accord" in models
    assert not any(first <= 2004 for first, _ in models["Ridgeline"])
    assert all(last is None or last >= EARLIEST for spans in models.values() for _, last in spans)


@pytest.mark.parametrize("make", ["Nobody", "", "%", "Honda' or 1=1 --"])
def test_unknown_make_has_no_models(known: VpicKnownModels, make: str) -> None:
    assert known.models(make) == {}
    assert list(known.trims(make, "Accord", 2003)) == []


@pytest.mark.parametrize("make", ["Harley-Davidson", "Wabash National", "Great Dane Trailers"])
def test_motorcycles_and_trailers_are_left_out(known: VpicKnownModels, make: str) -> None:
    assert known.models(make) == {}


@pytest.mark.parametrize(
    ("make", "model", "year", "some"),
    [
        ("Honda", "Accord", 2003, {"DX/DXVP", "LX", "EX", "EX-V6"}),
        ("honda", "ACCORD", 2003, {"LX"}),
        ("Chevrolet", "Silverado 1500", 2018, {"LT", "LTZ", "High Country"}),
        ("BMW", "X5", 2016, {"xDrive35i", "xDrive50i"}),
        ("Subaru", "Outback", 2020, {"Premium", "Onyx Edition"}),
    ],
)
def test_trims_have_patterns_in_common_with_the_model(
    known: VpicKnownModels, make: str, model: str, year: int, some: set[str]
) -> None:
    assert some <= set(known.trims(make, model, year))


def test_trims_of_another_model_are_not_listed(known: VpicKnownModels) -> None:
    assert not any(
        "Passenger" in trim or "Cargo" in trim for trim in known.trims("Chevrolet", "Silverado", 2018)
    )


@pytest.mark.parametrize(
    ("model", "year"), [("Ridgeline", 2003), ("Foo", 2003), ("", 2003), ("Accord", 1900)]
)
def test_nonexistent_model_has_no_trims(known: VpicKnownModels, model: str, year: int) -> None:
    assert list(known.trims("Honda", model, year)) == []


def test_threads_get_the_same_answers(known: VpicKnownModels) -> None:
    def ask() -> tuple[set[str], Sequence[str]]:
        return set(known.models("Toyota")), known.trims("Toyota", "Corolla", 2010)

    result = at_once(6, ask)

    assert all(answer == result[0] for answer in result)
