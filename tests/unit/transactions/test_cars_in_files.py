"""The car of each row of an invoice file, on both databases."""

from io import BytesIO

import sqlalchemy as sa

from repaircore.adapters.sql.schema.transactions import transactions
from repaircore.core import Core
from repaircore.kernel.imports import Upload
from repaircore.transactions.car_numbers import car_of

FILE = """vin,problem,date,labor_hours,labor_rate
1HGCM82633A004352,brake-pads-front,2025-03-14,1,150
1hgcm826-33A004352,brake-pads-front,2025-11-14,1,150
1HGCM82633A,brake-pads-front,2025-03-15,1,150
"""


def test_row_with_a_full_vin_has_a_car(core: Core) -> None:
    result = core.invoice_imports.import_file(Upload(name="file.csv", content=BytesIO(FILE.encode())))

    assert (result.added, result.rejected) == (3, 0)
    with core.storage.database.transaction(write=False) as connection:
        found = connection.execute(sa.select(transactions.c.car).order_by(transactions.c.performed_on))

        assert list(found.scalars()) == [car_of("1HGCM82633A004352"), None, car_of("1HGCM82633A004352")]
