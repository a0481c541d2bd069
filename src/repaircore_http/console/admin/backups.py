"""Backups: when the last ones were made, and a new one to download."""

from collections.abc import Iterator
from datetime import datetime
from os import SEEK_END
from typing import BinaryIO, Final

from flask import Response
from flask.typing import ResponseReturnValue

from repaircore.kernel.callers import require_operator
from repaircore_http.clients import client_address
from repaircore_http.console.admin.users import Confirmed
from repaircore_http.console.forms import filled
from repaircore_http.console.pages import Pages, go, show
from repaircore_http.core import core
from repaircore_http.guards import Auth, caller

backups = Pages("backups", auth=Auth.ADMIN)

_LISTED: Final = 5
_AT_ONCE: Final = 256 * 1024


@backups.get("/admin/backups")
def index() -> ResponseReturnValue:
    """Show the last backups, and the form for a new one."""
    return show("admin/backups.html", made=core().backups.list_made(caller(), limit=_LISTED))


@backups.post("/admin/backups", again=index)
def download() -> Response:
    """Make a backup and send it; it is not stored on the server."""
    require_operator(caller())
    _confirm()
    made = core().backups.make_for(caller())
    return backup_answer(made.content, made_at=made.manifest.created_at)


@backups.post("/admin/backups/later", again=index)
def later() -> Response:
    """Make a backup in the background."""
    require_operator(caller())
    _confirm()
    return go("tasks.detail", task_id=core().task_starts.back_up(caller()).id)


def backup_answer(content: BinaryIO, *, made_at: datetime) -> Response:
    """Return a response that downloads a backup; ``content`` is closed after it is sent."""
    answer = Response(_chunks(content), content_type="application/zip")
    answer.call_on_close(content.close)
    answer.content_length = content.seek(0, SEEK_END)
    content.seek(0)
    answer.headers["Content-Disposition"] = f'attachment; filename="repaircore-{made_at:%Y-%m-%d-%H%M}.zip"'
    return answer


def _confirm() -> None:
    core().passwords.confirm(filled(Confirmed).current_password, caller(), address=client_address())


def _chunks(content: BinaryIO) -> Iterator[bytes]:
    while chunk := content.read(_AT_ONCE):
        yield chunk
