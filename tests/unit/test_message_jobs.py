"""Background jobs send messages through exactly the configured channels."""

from pathlib import Path

import pytest

from repaircore.core import Core, build
from repaircore.external_settings import MailSettings, SmsSettings
from repaircore.kernel.callers import Environment
from repaircore.messages.model import Channel
from repaircore.settings import Settings

GATEWAY = SmsSettings(url="http://127.0.0.1:9")
TWILIO = SmsSettings(twilio_account_sid="AC1", twilio_auth_token="t", twilio_from="+13105550100")


def open_core(tmp_path: Path, mail: str | None = None, sms: SmsSettings | None = None) -> Core:
    return build(
        Settings(
            database_url=f"sqlite:///{tmp_path / 'x.db'}",
            mail=MailSettings(url=mail, sender="no-reply@repairs.example"),
            sms=SmsSettings() if sms is None else sms,
        )
    )


@pytest.mark.parametrize("server", [None, "smtp://127.0.0.1:9"])
def test_job_sends_emails_if_a_server_is_set(tmp_path: Path, server: str | None) -> None:
    core = open_core(tmp_path, mail=server)
    names = {job.name for job in core.jobs.jobs}

    assert ("messages.deliver_email" in names) is core.settings.mail.is_on
    assert (Channel.EMAIL in core.appointments.log.channels(Environment.LIVE)) is core.settings.mail.is_on
    assert (Channel.EMAIL in core.messages.channels) is core.settings.mail.is_on
    core.close()


@pytest.mark.parametrize("sms", [None, GATEWAY, TWILIO])
def test_job_sends_text_messages_if_a_gateway_is_set(tmp_path: Path, sms: SmsSettings | None) -> None:
    core = open_core(tmp_path, sms=sms)

    assert ("messages.deliver_sms" in {job.name for job in core.jobs.jobs}) is (sms is not None)
    assert (Channel.SMS in core.messages.channels) is (sms is not None)
    core.close()


def test_webhook_job_always_runs(tmp_path: Path) -> None:
    core = open_core(tmp_path)
    (job,) = [job for job in core.jobs.jobs if job.name == "messages.deliver_webhook"]

    assert job.run() == {"sent": 0, "postponed": 0, "dead": 0}
    core.close()
