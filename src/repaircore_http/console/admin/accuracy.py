"""The accuracy of estimates, compared with the invoices that refer to them."""

from flask.typing import ResponseReturnValue

from repaircore_http.console.charts import reliability, scatter
from repaircore_http.console.pages import Pages, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

accuracy = Pages("accuracy", auth=Auth.ADMIN)


@accuracy.get("/admin/accuracy")
def index() -> ResponseReturnValue:
    """Show the accuracy report with its charts."""
    report = core().accuracy.report(caller())
    return show(
        "admin/accuracy.html",
        report=report,
        drawn=scatter(report.answered),
        steps=reliability(report.reliability),
    )
