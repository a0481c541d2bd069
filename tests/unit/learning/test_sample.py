"""Made-up invoices: the same seed always gives the same rows, so that they can be compared."""

from datetime import date

from repaircore.book.model import Fits, PartNeed, Recurrence, Wear
from repaircore.kernel.traits import Powertrain
from repaircore.learning.sample import Sample
from repaircore.pricing.price_index import PriceIndex
from repaircore.testing.builders import a_problem
from repaircore.vehicle_facts.model import Factors

BRAKES = a_problem(recurrence=Recurrence(miles=12_000, months=12, kind=Wear.WEAR))
OFTEN = a_problem(
    id=102,
    slug="oil-change",
    labor_hours=0.05,
    parts=(
        PartNeed(name="Oil", quantity=5, price=8_00),
        PartNeed(name="Filter", quantity=1, price=9_00),
        PartNeed(name="Washer", quantity=1, price=40),
        PartNeed(name="Cap", quantity=1, price=5_00),
        PartNeed(name="A fifth part, which has no columns", quantity=1, price=5_00),
    ),
    recurrence=Recurrence(miles=5_000, months=3, kind=Wear.WEAR),
)
ELECTRIC = a_problem(id=103, slug="ev-battery", fits=Fits(powertrains=frozenset({Powertrain.ELECTRIC})))
SAMPLE = Sample(
    problems=(BRAKES, OFTEN, ELECTRIC),
    factors_of=lambda about: Factors(labor=1.1, parts=0.9, year=about.year),
    prices=PriceIndex(
        first=date(2023, 1, 1), values=tuple(100 + number / 4 for number in range(36)), source="a test"
    ),
    national_rate=140_00,
)


ROWS = (
    "2C3CDXCT9KH136758,,,,oil-change,2023-01-02,47492,Oil,5.90,5,Filter,7.75,1,Washer,1.00,1,Cap,3.70,1,41.95,0.1,182.00,60.15,MU-3-000001,made up",
    ",2018,Toyota,Highlander,oil-change,2023-03-21,68602,Oil,6.76,5,Filter,7.38,1,Washer,1.00,1,Cap,3.35,1,45.53,0.1,111.00,56.63,MU-3-000002,made up",
    "1HGCM82623A863576,,,,oil-change,2023-06-07,287275,Oil,2.99,5,Filter,5.57,1,Washer,1.00,1,Cap,2.91,1,24.43,0.1,165.00,40.93,MU-3-000003,made up",
    ",2005,Honda,Accord,oil-change,2023-08-24,223016,Oil,4.68,5,Filter,6.35,1,Washer,1.00,1,Cap,4.41,1,35.16,0.1,166.00,51.76,MU-3-000004,made up",
    ",2005,Volkswagen,Jetta,oil-change,2023-11-10,253391,Oil,6.55,5,Filter,6.64,1,Washer,1.00,1,Cap,3.36,1,43.75,0.1,127.00,56.45,MU-3-000005,made up",
    "1FTEW1E55KF505415,,,,oil-change,2024-01-28,61516,Oil,8.71,5,Filter,8.16,1,Washer,1.00,1,Cap,4.65,1,57.36,0.1,134.00,70.76,MU-3-000006,made up",
    ",2013,Hyundai,Elantra,oil-change,2024-04-15,158891,Oil,6.99,5,Filter,8.73,1,Washer,1.00,1,Cap,4.37,1,49.05,0.1,115.00,60.55,MU-3-000007,made up",
    "5NPD84LF8HH305777,,,,oil-change,2024-07-02,90741,Oil,8.57,5,Filter,7.34,1,Washer,1.00,1,Cap,4.87,1,56.06,0.1,136.00,69.66,MU-3-000008,made up",
    ",2007,Chevrolet,Malibu,oil-change,2024-09-18,133899,Oil,8.17,5,Filter,6.94,1,Washer,1.00,1,Cap,4.97,1,53.76,0.1,137.00,67.46,MU-3-000009,made up",
    "5NPD84LF8HH608137,,,,oil-change,2024-12-05,97099,Oil,5.53,5,Filter,8.91,1,Washer,1.00,1,Cap,5.97,1,43.53,0.1,158.00,59.33,MU-3-000010,made up",
    ",2002,Honda,Accord,oil-change,2025-02-22,230898,Oil,4.23,5,Filter,5.05,1,Washer,1.00,1,Cap,1.70,1,28.90,0.1,159.00,44.80,MU-3-000011,made up",
    "5NPD84LF4HH109965,,,,oil-change,2025-05-11,90397,Oil,6.87,5,Filter,7.42,1,Washer,1.00,1,Cap,6.13,1,48.90,0.1,139.00,62.80,MU-3-000012,made up",
    ",2020,Honda,Accord,oil-change,2025-07-28,34728,Oil,8.89,5,Filter,8.78,1,Washer,1.00,1,Cap,5.37,1,59.60,0.1,140.00,73.60,MU-3-000013,made up",
    "1FTEW1E56KF035556,,,,oil-change,2025-10-14,74041,Oil,6.07,5,Filter,11.47,1,Washer,1.00,1,Cap,5.35,1,48.17,0.1,155.00,63.67,MU-3-000014,made up",
)


def test_rows_of_a_seed_are_the_recorded_ones() -> None:
    found = [",".join(map(str, row)) for row in SAMPLE.rows(14, 3)]

    assert found == [*ROWS]
    assert {len(row) for row in SAMPLE.rows(14, 3)} == {len(SAMPLE.head)} == {25}


def test_no_rows_can_be_made_up() -> None:
    assert [*SAMPLE.rows(0, 3)] == []


def test_repairs_that_recur_sooner_are_more_frequent() -> None:
    slugs = [row[4] for row in SAMPLE.rows(2_000, 1)]

    # Everything below six months counts as six: (12 / 6) ** 1.5.
    assert 2.5 < slugs.count("oil-change") / slugs.count("front-brake-pads") < 3.2
    assert "ev-battery" not in slugs
