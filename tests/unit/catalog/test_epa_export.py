"""An export of the catalog can be imported unchanged."""

import csv
import io

from hypothesis import given
from hypothesis import strategies as st

from repaircore.catalog.epa import read_lines, read_row
from repaircore.catalog.epa_export import HEAD, row_of
from repaircore.catalog.model import CatalogEntry, Engine, Fuel
from repaircore.kernel.traits import Body, Drive


@given(
    fuel=st.sampled_from(Fuel),
    drive=st.none() | st.sampled_from(Drive),
    body=st.none() | st.sampled_from(Body),
    tenths=st.none() | st.integers(1, 200),
    cylinders=st.none() | st.integers(1, 16),
)
def test_entry_round_trips(
    fuel: Fuel, drive: Drive | None, body: Body | None, tenths: int | None, cylinders: int | None
) -> None:
    engine = Engine(tenths=tenths, cylinders=cylinders, fuel=fuel)
    entry = CatalogEntry(
        make="Ford",
        model="F-150",
        published='F150, "Pickup"',
        year=2015,
        engine=engine,
        drive=drive,
        body=body,
    )
    text = io.StringIO()
    csv.writer(text).writerows([HEAD, row_of(entry)])
    (line,) = read_lines(io.StringIO(text.getvalue(), newline=""))
    row = read_row(line)

    assert (row.make, row.model, row.year) == ("Ford", 'F150, "Pickup"', 2015)
    assert (row.engine, row.drive, row.body) == (engine, drive, body)
