"""Wiring of operations: backups, checkup, readiness, metrics, personal data, mails and jobs."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import time as time_of_day
from datetime import timedelta
from typing import TYPE_CHECKING

from attrs import evolve

from repaircore.adapters.archive.zipped import ZipArchives
from repaircore.adapters.machine.local import LocalMachine
from repaircore.adapters.shipped.edition import questionnaire_edition
from repaircore.adapters.sql.claims import is_alive, this_process
from repaircore.adapters.sql.engine.backup import SqlVault
from repaircore.adapters.sql.engine.health import SqlDatabaseHealth
from repaircore.adapters.sql.engine.storage import HEAD
from repaircore.adapters.sql.queues import SqlQueues
from repaircore.backups.service import Backups
from repaircore.checkup.figures import Figures
from repaircore.checkup.gauges import Gauges
from repaircore.checkup.readiness import Readiness
from repaircore.checkup.service import Checkup
from repaircore.jobs.model import Job
from repaircore.jobs.service import Jobs
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.kernel.metrics import Meter, NullMeter
from repaircore.mails.service import Mails
from repaircore.persons.service import Persons
from repaircore.settings import PREFIX
from repaircore.version import __version__
from repaircore.wiring.extras import requiring_extra
from repaircore.wiring.rate_limits import window_stores

if TYPE_CHECKING:
    from repaircore.adapters.metrics.prometheus import PrometheusMeter
    from repaircore.core import Core
    from repaircore.mails.ports import Mailer


def backups(core: "Core") -> Backups:
    """Wire backups and restores."""
    return Backups(
        vault=SqlVault(lambda: core.storage.database),
        archives=ZipArchives(core.settings.state),
        transaction=core.storage.transaction,
        read=core.storage.read,
        version=__version__,
        head=HEAD,
        upgrade=core.upgrade,
        clock=core.clock,
    )


def persons(core: "Core") -> Persons:
    """Wire exports and erasures of personal data."""
    return Persons(
        transaction=core.storage.transaction,
        read=core.storage.read,
        sweep=core.storage.sweep,
        clock=core.clock,
    )


def checkup(core: "Core") -> Checkup:
    """Wire the checkup of the installation."""
    return Checkup(
        settings=core.settings,
        environ=os.environ,
        database=SqlDatabaseHealth(core.storage),
        machine=LocalMachine(),
        book_edition=lambda: core.book_edition,
        questionnaire_edition=questionnaire_edition,
        vin_data=lambda: (core.catalog_rebuild.month, core.catalog_rebuild.catalog_month),
        prepare=core.prepare_parts,
        windows=lambda: window_stores(core),
        clock=core.clock,
    )


def readiness(core: "Core") -> Readiness:
    """Wire the readiness of the installation."""
    database = SqlDatabaseHealth(core.storage)
    file = database.file
    return Readiness(
        database_obstacles=core.ready,
        database=database,
        machine=LocalMachine(),
        folders=[core.settings.state, *([] if file is None else [file.parent])],
        windows=lambda: window_stores(core),
        clock=core.clock,
        timer=time.monotonic,
    )


def gauges(core: "Core") -> Gauges:
    """Wire the gauges of the queues."""
    reader = SqlQueues(lambda: core.storage.database)
    return Gauges(reader=reader, version=__version__, clock=core.clock, timer=time.monotonic)


def figures(core: "Core") -> Figures:
    """Wire the figures of requests and models."""
    return Figures(samples=lambda: None if core.prometheus is None else core.prometheus.samples())


def meter(core: "Core") -> Meter:
    """Wire the meter of events; a null one unless metrics are enabled.

    Raises:
        Invalid: metrics are enabled, and the Prometheus client is not installed.
    """
    return NullMeter() if core.prometheus is None else core.prometheus


def prometheus(core: "Core") -> "PrometheusMeter | None":
    """Wire the Prometheus meter; None unless metrics are enabled."""
    if not core.settings.metrics:
        return None
    with requiring_extra(PREFIX + "METRICS", package="prometheus_client", extra="metrics"):
        from repaircore.adapters.metrics.prometheus import PrometheusMeter

    return PrometheusMeter()


def share_metrics(core: "Core", *, reset: bool, standalone: bool) -> None:
    """Share the metrics of this machine's processes; call it before anything is measured."""
    from repaircore.adapters.metrics.shared import share, share_standalone

    folder = core.settings.state / "metrics"
    if standalone:
        share_standalone(folder)
    else:
        share(folder, reset=reset)


def metrics_page(core: "Core", prometheus: "PrometheusMeter") -> tuple[str, bytes]:
    """Return the content type and the text of all metrics in Prometheus' format."""
    from repaircore.adapters.metrics.prometheus import CONTENT_TYPE

    return CONTENT_TYPE, prometheus.text(core.gauges.read())


def mails(core: "Core") -> Mails:
    """Wire mails to customers."""
    return Mails(transaction=core.storage.transaction, mailer=_mailer(core), clock=core.clock)


def _mailer(core: "Core") -> "Mailer | None":
    mail = core.settings.mail
    if mail.url is None or mail.sender is None:
        return None
    from repaircore.adapters.delivery.mail import SmtpMailer, SmtpServer

    return SmtpMailer(server=SmtpServer.at(mail.url), sender=mail.sender)


def jobs(core: "Core") -> Jobs:
    """Wire background jobs."""
    return Jobs(
        transaction=core.storage.transaction,
        read=core.storage.read,
        jobs=_jobs(core),
        workers=(core.dispatcher.run,),
        holder=this_process,
        is_alive=is_alive,
        clock=core.clock,
    )


def _jobs(core: "Core") -> Sequence[Job]:
    """List the jobs, each of which runs in one process at a time."""
    night, later = time_of_day(3), time_of_day(4)
    return (
        Job(
            name="estimates.refit",
            help="Fits the estimates to all invoices.",
            run=lambda: _refit(core),
            at=night,
        ),
        Job(
            name="diagnostics.learn",
            help="Learns from the invoices that followed diagnoses.",
            run=lambda: core.outcomes.learn(),
            at=night,
        ),
        Job(
            name="webhooks.prune",
            help="Deletes old events and attempts to deliver them.",
            run=_count("rows", lambda: core.webhook_operations.prune()),
            at=later,
        ),
        Job(
            name="replies.prune",
            help="Deletes stored responses of idempotency keys that have expired.",
            run=_count("replies", lambda: core.idempotency.prune()),
            every=timedelta(hours=1),
        ),
        # Old mails may remain where mails were switched off.
        Job(
            name="mails.prune",
            help="Deletes old mails.",
            run=_count("mails", lambda: core.mails.prune()),
            at=later,
        ),
        Job(
            name="shared_quotes.prune",
            help="Deletes shared quotes whose links have ended.",
            run=_count("quotes", lambda: core.shared_quotes.prune()),
            at=later,
        ),
        Job(
            name="shared_estimates.prune",
            help="Deletes links to estimates that have ended.",
            run=_count("links", lambda: core.shared_estimates.prune()),
            at=later,
        ),
        *_mail_jobs(core),
        Job(
            name="rides.expire",
            help="Ends ride requests and offers that nobody accepted in time.",
            run=lambda: _expire_rides(core),
            every=timedelta(seconds=5),
        ),
        Job(
            name="rides.ask_others",
            help="Offers rides to further providers.",
            run=lambda: _ask_others(core),
            every=timedelta(seconds=5),
        ),
        Job(
            name="payments.reconcile",
            help="Finishes or undoes payments that were interrupted.",
            run=lambda: _reconcile(core),
            every=timedelta(seconds=15),
        ),
    )


def _mail_jobs(core: "Core") -> Sequence[Job]:
    if not core.mails.is_on:
        return ()
    return (
        Job(
            name="passwords.mail_links",
            help="Mails links to those who forgot their password.",
            run=_count("mails", lambda: core.passwords.mail_links()),
            every=timedelta(seconds=5),
        ),
        Job(
            name="mails.deliver",
            help="Sends mails that are due.",
            run=lambda: _deliver_mails(core),
            every=timedelta(seconds=10),
        ),
    )


def _count(name: str, act: Callable[[], int]) -> Callable[[], Mapping[str, int]]:
    return lambda: {name: act()}


def _refit(core: "Core") -> Mapping[str, int]:
    return {
        environment.value: core.refits.refit(evolve(LOCAL, environment=environment)).invoices
        for environment in Environment
    }


def _expire_rides(core: "Core") -> Mapping[str, int]:
    return {"rides": core.rides.expire_due(), "tows": core.tows.expire_due()}


def _ask_others(core: "Core") -> Mapping[str, int]:
    return {"rides": core.rides.ask_others(), "tows": core.tows.ask_others()}


def _reconcile(core: "Core") -> Mapping[str, int]:
    done = core.payment_reconciliation.reconcile()
    return {
        "finished": done.finished,
        "undone": done.undone,
        "waiting": done.waiting,
        "stuck": len(done.stuck),
    }


def _deliver_mails(core: "Core") -> Mapping[str, int]:
    done = core.mails.deliver_due()
    return {"sent": done.sent, "postponed": done.postponed, "dead": done.dead}
