"""Importing and finding recalls on both databases."""

from io import BytesIO
from pathlib import Path

import pytest

from repaircore.core import Core
from repaircore.kernel.imports import ImportOptions, ImportResult, Upload
from repaircore.recalls.campaign_years import CampaignCoverage
from repaircore.recalls.errors import RecallSourceUnavailable

FLAT = Path(__file__).parents[2] / "data" / "flat_rcl_made_up.txt"


def import_recalls(core: Core, content: bytes) -> ImportResult:
    return core.recalls.import_file(Upload(name="FLAT_RCL.txt", content=BytesIO(content)))


def test_import_file_adds_once_and_updates_changes(core: Core) -> None:
    content = FLAT.read_bytes()
    first = import_recalls(core, content)
    assert (first.read, first.added, first.updated, first.unchanged) == (6, 5, 1, 0)
    again = import_recalls(core, content)
    assert (again.added, again.updated, again.unchanged) == (0, 0, 6)
    newer = import_recalls(core, content.replace(b"Dealers will inspect", b"Dealers replace"))
    assert (newer.added, newer.updated, newer.unchanged) == (0, 1, 5)
    (result,) = core.recalls.of("chevrolet", "Silverado 1500", 2019)

    campaign = result.campaign
    assert (campaign.remedy, campaign.park_it, campaign.park_outside) == (
        "Dealers replace the cable.",
        True,
        True,
    )


def test_import_file_of_a_list_keeps_known_texts(core: Core) -> None:
    import_recalls(core, FLAT.read_bytes())
    before = list(core.recalls.all())
    result = import_recalls(
        core, b"NHTSA ID,MAKE,MODEL,MODEL YEAR,SUMMARY\n24V902,Chevrolet,Silverado,2019,Letter\n"
    )

    assert (result.added, result.updated, result.unchanged) == (0, 0, 1)
    assert list(core.recalls.all()) == before


def test_import_file_merges_components_and_find_matches_names(core: Core) -> None:
    import_recalls(core, FLAT.read_bytes())
    accord, hybrid = core.recalls.of("Honda", "Accord", 2019)

    assert accord.vehicle.component == "ENGINE; FUEL SYSTEM, GASOLINE:DELIVERY:FUEL PUMP"
    assert hybrid.vehicle.model == "Accord Hybrid"
    assert core.recalls.of("Honda", "Civic", 2019) == []


def test_import_file_covers_the_years_from_its_first_campaign_to_its_last(core: Core) -> None:
    import_recalls(core, FLAT.read_bytes())

    years = core.recalls.find("Honda", "Accord", 2019).years

    assert years.needed[:7] == years.covered
    assert years.covered == tuple(range(2018, 2025))
    assert years.coverage is (CampaignCoverage.PARTIAL if years.needed[-1] > 2024 else CampaignCoverage.FULL)


def test_find_returns_a_matching_campaign_of_any_year(core: Core) -> None:
    import_recalls(core, b"NHTSA ID,MAKE,MODEL,MODEL YEAR,SUMMARY\n12V902,Honda,Accord,2019,Letter\n")

    found = core.recalls.find("Honda", "Accord", 2019)

    assert [recall.campaign.campaign for recall in found.recalls] == ["12V902000"]
    assert found.years.coverage is CampaignCoverage.PARTIAL
    assert not found.years.covered


def test_find_fails_for_a_vehicle_newer_than_the_covered_years(core: Core) -> None:
    import_recalls(core, b"NHTSA ID,MAKE,MODEL,MODEL YEAR,SUMMARY\n12V902,Honda,Accord,2011,Letter\n")

    assert len(core.recalls.of("Honda", "Accord", 2011)) == 1
    with pytest.raises(
        RecallSourceUnavailable, match=r"campaigns of 2012\. A 2019 vehicle needs those from 2018"
    ):
        core.recalls.of("Honda", "Accord", 2019)


def test_import_file_of_an_excerpt_or_a_dry_run_covers_no_year(core: Core) -> None:
    def delivery() -> Upload:
        return Upload(name="FLAT_RCL.txt", content=BytesIO(FLAT.read_bytes()))

    core.recalls.import_file(delivery(), is_excerpt=True)
    core.recalls.import_file(delivery(), ImportOptions(dry_run=True))

    assert core.recalls.of("Honda", "Accord", 2019)
    with pytest.raises(RecallSourceUnavailable):
        core.recalls.of("Honda", "Civic", 2019)


def test_find_without_imported_recalls_fails(core: Core) -> None:
    with pytest.raises(RecallSourceUnavailable):
        core.recalls.of("Honda", "Accord", 2019)
