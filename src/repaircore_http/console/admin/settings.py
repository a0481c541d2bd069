"""The settings in force, read-only."""

from flask.typing import ResponseReturnValue

from repaircore.checkup.model import SettingSource
from repaircore_http.console.pages import Pages, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

settings = Pages("settings", auth=Auth.ADMIN)


@settings.get("/admin/settings")
def index() -> ResponseReturnValue:
    """Show every setting, those that were set explicitly first."""
    values = core().checkup.list_settings(caller())
    return show(
        "admin/settings.html",
        chosen=[value for value in values if value.source is not SettingSource.DEFAULT],
        defaults=[value for value in values if value.source is SettingSource.DEFAULT],
    )
