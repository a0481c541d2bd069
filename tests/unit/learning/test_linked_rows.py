"""Rows of a file that name the prediction that led to them."""

from tests.unit.learning.test_importing import ROW, csv_file, import_invoices

from repaircore.core import Core
from repaircore.kernel.callers import LOCAL
from repaircore.predictions.model import PredictByVin


def test_linked_rows_score_the_models_again(core: Core) -> None:
    query = PredictByVin(vin=ROW["vin"], zip_code="90210", problem_identifier=ROW["problem"])
    session_id = str(core.predictions.predict(query).session_id)
    pairs = []
    for rows in (
        [{**ROW, "invoice": 1}],
        [{**ROW, "invoice": 2}, {**ROW, "invoice": 3, "session_id": session_id}],
    ):
        import_invoices(core, csv_file(rows))
        with core.storage.read() as work:
            pairs.append(work.track_records.get(LOCAL.environment).model_a.record.pairs)

    assert pairs == [0, 1]
