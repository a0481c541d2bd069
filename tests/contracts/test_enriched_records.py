"""Vehicle records from before facts were stored are enriched by the next lookup, on both databases."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Final

import pytest
import sqlalchemy as sa

from repaircore.adapters.sql.engine.codec import micros
from repaircore.adapters.sql.schema.vehicles import vehicles
from repaircore.core import Core
from repaircore.kernel.facts import VehicleFacts
from repaircore.kernel.spelling import key, make_key
from repaircore.predictions.model import PredictBySpecs, PredictByVin
from repaircore.vehicles.model import Vehicle

VIN: Final = "1FT7W2BT5JEC12345"
STORED_AT: Final = datetime(2025, 1, 2, tzinfo=UTC)
OLD: Final = "0189f7ea-0000-7000-8000-000000000001"
ASK: Final = PredictByVin(vin=VIN, zip_code="90210", problem_identifier="brake-pads-front")
SPECS: Final = PredictBySpecs(
    year=2018, make="Ford", model="F-250", zip_code="90210", problem_identifier="brake-pads-front"
)
PLATE: Final = ("7ABC123", "CA")


def insert_old_record(database_url: str, *, vin: str | None) -> None:
    """Insert a vehicle without facts, as older versions did."""
    values = {
        "id": OLD,
        "vin": vin,
        "vin11": vin if vin and len(vin) == 11 else None,
        "make": "Ford",
        "model": "F-250",
        "year": 2018,
        "source": "vpic",
        "created_at": micros(STORED_AT),
        "make_key": make_key("Ford"),
        "model_key": key("F-250"),
        "version": 1,
    }
    if vin and len(vin) == 17:
        values |= {"plate_no": PLATE[0], "plate_state": PLATE[1]}
    engine = sa.create_engine(database_url)
    with engine.begin() as connection:
        connection.execute(sa.insert(vehicles).values(values))
    engine.dispose()


def stored_facts(database_url: str) -> list[tuple[str, str | None]]:
    """Return the ids and facts of all rows."""
    engine = sa.create_engine(database_url)
    with engine.begin() as connection:
        rows = connection.execute(sa.select(vehicles.c.id, vehicles.c.facts)).all()
    engine.dispose()
    return [(row.id, row.facts) for row in rows]


def lookup(core: Core) -> VehicleFacts:
    return core.lookups.find_by_vin(VIN).vehicle.specs.facts


def plate(core: Core) -> VehicleFacts:
    return core.lookups.find_by_plate(*PLATE).vehicle.specs.facts


def prediction(core: Core) -> VehicleFacts:
    return core.predictions.predict(ASK).figures.vehicle.facts


def specs(core: Core) -> VehicleFacts:
    return core.predictions.predict_by_specs(SPECS).figures.vehicle.facts


def decode(core: Core) -> VehicleFacts:
    return core.vehicles.decode(VIN).facts


@pytest.mark.parametrize("length", [11, 17])
@pytest.mark.parametrize("look", [lookup, prediction])
def test_record_of_a_vin_is_enriched_by_the_next_lookup(
    core: Core, database_url: str, look: Callable[[Core], VehicleFacts], length: int
) -> None:
    insert_old_record(database_url, vin=VIN[:length])

    facts = look(core)

    assert [engine.family for engine in facts.engines] == ["6.7 Power Stroke"]
    ((vehicle_id, stored),) = stored_facts(database_url)

    assert vehicle_id == OLD
    assert stored is not None
    assert "6.7 Power Stroke" in stored


def test_record_found_by_plate_is_enriched(core: Core, database_url: str) -> None:
    insert_old_record(database_url, vin=VIN)

    facts = plate(core)

    assert [engine.family for engine in facts.engines] == ["6.7 Power Stroke"]
    assert [stored is not None for _, stored in stored_facts(database_url)] == [True]


def test_record_of_specs_is_enriched_with_all_possible_engines(core: Core, database_url: str) -> None:
    insert_old_record(database_url, vin=None)

    facts = specs(core)

    assert {engine.displacement for engine in facts.engines} == {6.2, 6.7}
    assert [(one, stored is not None) for one, stored in stored_facts(database_url)] == [(OLD, True)]


def test_decode_has_facts_and_leaves_the_record_alone(core: Core, database_url: str) -> None:
    insert_old_record(database_url, vin=VIN)

    assert [engine.family for engine in decode(core).engines] == ["6.7 Power Stroke"]
    assert stored_facts(database_url) == [(OLD, None)]


def test_record_is_enriched_once(core: Core, database_url: str) -> None:
    insert_old_record(database_url, vin=VIN)

    first: Vehicle = core.lookups.find_by_vin(VIN).vehicle

    assert core.lookups.find_by_vin(VIN).vehicle == first
    assert first.version == 2
