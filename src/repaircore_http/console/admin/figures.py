"""Figures about queues, requests and models."""

from collections.abc import Mapping
from typing import Final

from flask.typing import ResponseReturnValue

from repaircore.messages.model import Channel
from repaircore_http.console.charts import Queue, duration_columns, queues
from repaircore_http.console.pages import Pages, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

figures = Pages("figures", auth=Auth.ADMIN)

_MOST_ROUTES: Final = 25
_CHANNELS: Final = {
    Channel.EMAIL: "E-mails",
    Channel.SMS: "Text messages",
    Channel.WEBHOOK: "Webhooks to providers",
}


@figures.get("/admin/figures")
def index() -> ResponseReturnValue:
    """Show what is waiting in the queues, and figures about the requests since the server started."""
    gauges = {metric.name: dict(values) for metric, values in core().gauges.read()}
    service = core().figures.read(caller())
    return show(
        "admin/figures.html",
        is_up=gauges["database_up"][()] > 0,
        queues=_queues(gauges),
        service=service,
        columns=() if service is None else duration_columns(service.durations),
        routes=() if service is None else service.routes[:_MOST_ROUTES],
        limit=_MOST_ROUTES,
    )


def _queues(gauges: Mapping[str, Mapping[tuple[str, ...], float]]) -> list[Queue]:
    """Return the queues on one scale, or an empty list if the database is not responding."""
    if "messages_pending" not in gauges:
        return []
    single = {name: values.get((), 0.0) for name, values in gauges.items()}
    pending, lags = gauges["messages_pending"], gauges["message_lag_seconds"]
    return queues((
        ("Webhooks, due now", single["webhook_deliveries_due"], single["webhook_lag_seconds"]),
        ("Webhooks, due later", single["webhook_deliveries_pending"] - single["webhook_deliveries_due"], 0.0),
        *((words, pending[channel,], lags[channel,]) for channel, words in _CHANNELS.items()),
        ("Payments in progress", single["payments_under_way"], single["payment_lag_seconds"]),
    ))  # fmt: skip
