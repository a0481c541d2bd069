"""Gathering the patterns of the VIN data, for one model: all of them would take many minutes."""

from collections import defaultdict

import ultravin

from repaircore.adapters.lookups import vin_patterns

F250 = "[DSB7][FWX]2[AB]"
MODEL_VIN, ENGINE_VIN = "1FT7F2AA2JA111111", "1FTAF2AT3JA111111"


def gathered() -> "vin_patterns._Schema":
    """Gather the facts of two VINs: one that names the model, and one that names only the engine."""
    found: defaultdict[int, vin_patterns._Schema] = defaultdict(vin_patterns._Schema)
    vin_patterns._gather(found, [(MODEL_VIN, 2018), (ENGINE_VIN, 2018)])
    vin_patterns._gather(found, vin_patterns._rebuilt(found, [MODEL_VIN, ENGINE_VIN]))
    return next(schema for schema in found.values() if F250 in schema.models["F-250"])


def test_year_code_of_a_vin_may_mean_two_years() -> None:
    assert vin_patterns._possible_years(ENGINE_VIN, latest=2027) == [1988, 2018]
    assert vin_patterns._possible_years("1FT7F2AA2XA111111", latest=2027) == [1999]


def test_engine_without_a_model_is_paired_with_one() -> None:
    assert ultravin.decode(ENGINE_VIN)["model_year"] == 1988
    assert "*[FWX][23][A-H]T" in gathered().others


def test_variants_of_a_model_have_its_engines() -> None:
    rows = [one.row for one in vin_patterns._variants(gathered(), MODEL_VIN, [2018])]

    assert {row.get("DisplacementL") for row in rows} == {None, "6.7"}
    assert {row["Model"] for row in rows} == {"F-250"}
