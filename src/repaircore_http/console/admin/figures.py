"""Queues, and figures of requests and models."""

from collections.abc import Mapping
from typing import Final

from flask.typing import ResponseReturnValue

from repaircore_http.console.charts import Queue, duration_columns, queues
from repaircore_http.console.pages import Pages, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

figures = Pages("figures", auth=Auth.ADMIN)

_MOST_ROUTES: Final = 25


@figures.get("/admin/figures")
def index() -> ResponseReturnValue:
    """Show what waits in the queues, and what was requested since the server started."""
    gauges = {metric.name: dict(values) for metric, values in core().gauges.read()}
    service = core().figures.read(caller())
    return show(
        "admin/figures.html",
        is_up=gauges["database_up"][()] > 0,
        queues=_queues({name: values.get((), 0.0) for name, values in gauges.items()}),
        service=service,
        columns=() if service is None else duration_columns(service.durations),
        routes=() if service is None else service.routes[:_MOST_ROUTES],
        limit=_MOST_ROUTES,
    )


def _queues(gauges: Mapping[str, float]) -> list[Queue]:
    """Return the queues on one scale; none where the database does not answer."""
    if "mails_pending" not in gauges:
        return []
    return queues((
        ("Webhooks, due now", gauges["webhook_deliveries_due"], gauges["webhook_lag_seconds"]),
        ("Webhooks, due later", gauges["webhook_deliveries_pending"] - gauges["webhook_deliveries_due"], 0.0),
        ("Mails", gauges["mails_pending"], gauges["mail_lag_seconds"]),
        ("Payments in progress", gauges["payments_under_way"], gauges["payment_lag_seconds"]),
    ))  # fmt: skip
