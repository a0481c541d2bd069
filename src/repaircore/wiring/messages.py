"""Wiring of messages: the senders for each channel, and the jobs that deliver the messages."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Final

from repaircore.jobs.model import Job, Queue
from repaircore.messages.model import Channel
from repaircore.messages.service import Messages

if TYPE_CHECKING:
    from repaircore.core import Core
    from repaircore.messages.ports import Sender

_JOBS: Final = {
    Channel.EMAIL: ("Sends e-mails that are due.", timedelta(seconds=10), Queue.MAILS),
    Channel.SMS: ("Sends text messages that are due.", timedelta(seconds=5), Queue.TEXT_MESSAGES),
    Channel.WEBHOOK: (
        "Sends due webhooks to providers.",
        timedelta(seconds=5),
        Queue.PROVIDER_WEBHOOKS,
    ),
}


def messages(core: "Core") -> Messages:
    """Wire messages by e-mail, SMS and webhook."""
    senders = {
        Channel.EMAIL: _smtp(core),
        Channel.SMS: _sms(core),
        Channel.WEBHOOK: _webhooks(core),
    }
    return Messages(
        transaction=core.storage.transaction,
        read=core.storage.read,
        senders={channel: sender for channel, sender in senders.items() if sender is not None},
        clock=core.clock,
        days=core.settings.keep.messages,
    )


def delivery_jobs(core: "Core") -> Sequence[Job]:
    """List the delivery job for each enabled channel; each runs separately, so that no channel waits for another."""
    return [
        Job(
            name=f"messages.deliver_{channel}",
            help=words,
            run=partial(_deliver, core, channel),
            every=every,
            queues=frozenset({queue}),
        )
        for channel, (words, every, queue) in _JOBS.items()
        if channel in core.messages.channels
    ]


def _deliver(core: "Core", channel: Channel) -> Mapping[str, int]:
    done = core.messages.deliver_due(channel)
    return {"sent": done.sent, "postponed": done.postponed, "dead": done.dead}


def _smtp(core: "Core") -> "Sender | None":
    mail = core.settings.mail
    if mail.url is None or mail.sender is None:
        return None
    from repaircore.adapters.delivery.smtp import SmtpSender, SmtpServer

    return SmtpSender(server=SmtpServer.at(mail.url), sender=mail.sender)


def _sms(core: "Core") -> "Sender | None":
    sms = core.settings.sms
    if not sms.is_on:
        return None
    from repaircore.adapters.delivery.sms import HttpSms, TwilioSms

    if sms.url is not None:
        return HttpSms.at(sms.url, token=sms.token)
    return TwilioSms.at(
        sms.twilio_url,
        account=sms.twilio_account_sid or "",
        token=sms.twilio_auth_token or "",
        sender=sms.twilio_from or "",
    )


def _webhooks(core: "Core") -> "Sender":
    from repaircore.adapters.delivery.provider_webhooks import ProviderWebhooks

    # Only sending needs the installation's secret, which may have to be created first.
    return ProviderWebhooks.of(core.clock, lambda: core.webhook_secrets)
