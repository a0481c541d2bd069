"""Mails are sent beside requests where a server is set, and only there."""

from pathlib import Path

import pytest

from repaircore.core import Core, build
from repaircore.settings import MailSettings, Settings


@pytest.fixture(params=[None, "smtp://127.0.0.1:9"])
def core(request: pytest.FixtureRequest, tmp_path: Path) -> Core:
    mail = MailSettings(url=request.param, sender="no-reply@repairs.example")
    return build(Settings(database_url=f"sqlite:///{tmp_path / 'x.db'}", mail=mail))


def test_job_sends_mails_where_a_server_is_set(core: Core) -> None:
    names = {job.name for job in core.jobs.jobs}

    assert ("mails.deliver" in names) is core.settings.mail.is_on is core.appointments.sends_mails
    core.close()
