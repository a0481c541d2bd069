"""The steps of an import in the console, with the background tasks that they start."""

import io

from tests.http.visitors import Page, Visitor
from werkzeug.test import TestResponse

from repaircore.core import Core


def upload(
    admin: Visitor, content: str | bytes, *, name: str = "invoices.csv", source: str = ""
) -> TestResponse:
    """Upload a file."""
    admin.get("/console/admin/import")
    data = content.encode() if isinstance(content, str) else content
    return admin.post("/console/admin/import", {"source": source, "file": (io.BytesIO(data), name)})


def check(
    admin: Visitor, core: Core, content: str | bytes, *, name: str = "invoices.csv", source: str = ""
) -> str:
    """Upload a file, finish its check, and return the check's address."""
    answer = upload(admin, content, name=name, source=source)
    assert answer.status_code == 303, answer.text
    core.task_worker.run_due()
    return str(answer.headers["Location"])


def import_checked(admin: Visitor, core: Core, address: str) -> Page:
    """Finish the import of a checked file, and return the page of the import."""
    admin.get(address)
    answer = admin.post(f"{address}/start")
    assert answer.status_code == 303, answer.text
    core.task_worker.run_due()
    return admin.page(answer.headers["Location"])


def import_file(admin: Visitor, core: Core, content: str | bytes, *, source: str = "") -> Page:
    """Upload, check and import a file."""
    return import_checked(admin, core, check(admin, core, content, source=source))
