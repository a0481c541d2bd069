"""Wiring of operations: backups, checkup, readiness, metrics, personal data and jobs."""

import os
import socket
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
from repaircore.adapters.sql.job_processes import SqlQueuedWork, WriteStamp
from repaircore.adapters.sql.queues import SqlQueues
from repaircore.backups.service import Backups
from repaircore.checkup.figures import Figures
from repaircore.checkup.gauges import Gauges
from repaircore.checkup.readiness import Readiness
from repaircore.checkup.service import Checkup
from repaircore.jobs.model import Job, Queue
from repaircore.jobs.service import BackgroundWorker, Jobs
from repaircore.kernel.callers import LOCAL, Environment
from repaircore.kernel.metrics import Meter, NullMeter
from repaircore.messages.model import Channel
from repaircore.persons.service import Persons
from repaircore.settings import PREFIX
from repaircore.version import __version__
from repaircore.wiring.extras import requiring_extra
from repaircore.wiring.messages import delivery_jobs
from repaircore.wiring.rate_limits import window_stores

if TYPE_CHECKING:
    from repaircore.adapters.metrics.prometheus import PrometheusMeter
    from repaircore.core import Core


def backups(core: "Core") -> Backups:
    """Wire backups and restores."""
    return Backups(
        vault=SqlVault(lambda: core.storage.database),
        archives=ZipArchives(core.settings.state),
        transaction=core.storage.transaction,
        read=core.storage.read,
        version=__version__,
        head=HEAD,
        machine=socket.gethostname(),
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
        unreadable_secrets=lambda: core.webhook_operations.count_unreadable_secrets(),
        clock=core.clock,
    )


def readiness(core: "Core") -> Readiness:
    """Wire the readiness check of the installation."""
    database = SqlDatabaseHealth(core.storage)
    file = database.file
    return Readiness(
        database_obstacles=core.ready,
        database=database,
        machine=LocalMachine(),
        folders=[core.settings.state, *([] if file is None else [file.parent])],
        windows=lambda: window_stores(core),
        unreadable_secrets=lambda: core.webhook_operations.count_unreadable_secrets(),
        clock=core.clock,
        timer=time.monotonic,
    )


def gauges(core: "Core") -> Gauges:
    """Wire the queue gauges."""
    reader = SqlQueues(lambda: core.storage.database)
    return Gauges(reader=reader, version=__version__, clock=core.clock, timer=time.monotonic)


def figures(core: "Core") -> Figures:
    """Wire the figures about requests and models."""
    return Figures(samples=lambda: None if core.prometheus is None else core.prometheus.samples())


def meter(core: "Core") -> Meter:
    """Wire the event meter, which does nothing unless metrics are enabled.

    Raises:
        Invalid: metrics are enabled, and the Prometheus client is not installed.
    """
    return NullMeter() if core.prometheus is None else core.prometheus


def prometheus(core: "Core") -> "PrometheusMeter | None":
    """Wire the Prometheus meter, or return None if metrics are disabled."""
    if not core.settings.metrics:
        return None
    with requiring_extra(PREFIX + "METRICS", package="prometheus_client", extra="metrics"):
        from repaircore.adapters.metrics.prometheus import PrometheusMeter

    return PrometheusMeter()


def share_metrics(core: "Core", *, reset: bool, standalone: bool) -> None:
    """Share metrics between the processes on this machine; call this before anything is measured."""
    from repaircore.adapters.metrics.shared import share, share_standalone

    folder = core.settings.state / "metrics"
    if standalone:
        share_standalone(folder)
    else:
        share(folder, reset=reset)


def metrics_page(core: "Core", prometheus: "PrometheusMeter") -> tuple[str, bytes]:
    """Return the content type, and all metrics in the Prometheus text format."""
    from repaircore.adapters.metrics.prometheus import CONTENT_TYPE

    return CONTENT_TYPE, prometheus.text(core.gauges.read())


def jobs(core: "Core") -> Jobs:
    """Wire background jobs."""
    return Jobs(
        transaction=core.storage.transaction,
        read=core.storage.read,
        jobs=_jobs(core),
        # There are two task workers, so that a batch of estimates does not wait for an import.
        workers=(
            BackgroundWorker(work=core.dispatcher.run, queue=Queue.DELIVERIES),
            BackgroundWorker(work=core.task_worker.run, queue=Queue.TASKS),
            BackgroundWorker(work=core.task_worker.run, queue=Queue.TASKS),
        ),
        queues=SqlQueuedWork(core.storage.driver),
        stamp=WriteStamp(core.storage),
        holder=this_process,
        is_alive=is_alive,
        clock=core.clock,
        timer=time.monotonic,
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
            help="Deletes old events and their delivery attempts.",
            run=_count("rows", lambda: core.webhook_operations.prune()),
            at=later,
        ),
        Job(
            name="replies.prune",
            help="Deletes stored responses of expired idempotency keys.",
            run=_count("replies", lambda: core.idempotency.prune()),
            every=timedelta(hours=1),
        ),
        # Old messages may remain after a channel is turned off.
        Job(
            name="messages.prune",
            help="Deletes old messages.",
            run=_count("messages", lambda: core.messages.prune()),
            at=later,
        ),
        Job(
            name="shared_quotes.prune",
            help="Deletes shared quotes whose links have ended.",
            run=_count("quotes", lambda: core.shared_quotes.prune()),
            at=later,
        ),
        Job(
            name="invoice_drafts.prune",
            help="Deletes expired invoice drafts.",
            run=_count("drafts", lambda: core.invoice_drafts.prune()),
            at=later,
        ),
        Job(
            name="shared_estimates.prune",
            help="Deletes expired links to estimates.",
            run=_count("links", lambda: core.shared_estimates.prune()),
            at=later,
        ),
        Job(
            name="proofs.prune",
            help="Deletes old photos and signatures of jobs.",
            run=_count("pictures", lambda: core.proofs.prune()),
            at=later,
        ),
        Job(
            name="tasks.prune",
            help="Deletes old tasks, with the files that they have written.",
            run=lambda: _prune_tasks(core),
            at=later,
        ),
        Job(
            name="records.prune",
            help="Deletes records that are older than the settings allow.",
            run=lambda: core.retention.prune(),
            at=later,
        ),
        Job(
            name="garage.refresh",
            help="Computes what garage vehicles need and cost.",
            run=_count("vehicles", lambda: core.garage_outlooks.refresh_all()),
            at=later,
        ),
        Job(
            name="garage.remind",
            help="Reminds owners of services that are due.",
            run=lambda: _remind(core),
            at=time_of_day(5),
        ),
        Job(
            name="appointments.remind",
            help="Gets masked numbers for tomorrow's appointments that no mechanic has answered, and reminds customers of upcoming appointments.",
            run=lambda: _remind_of_appointments(core),
            every=timedelta(minutes=1),
        ),
        Job(
            name="appointments.prune_holds",
            help="Deletes holds that have expired.",
            run=_count("holds", lambda: core.holds.prune()),
            every=timedelta(hours=1),
        ),
        *_mail_jobs(core),
        *delivery_jobs(core),
        Job(
            name="rides.expire",
            help="Ends ride requests and offers that nobody accepted in time.",
            run=lambda: _expire_rides(core),
            every=timedelta(seconds=5),
            queues=frozenset({Queue.PENDING_RIDES}),
        ),
        Job(
            name="rides.ask_others",
            help="Offers rides to further providers.",
            run=lambda: _ask_others(core),
            every=timedelta(seconds=5),
            queues=frozenset({Queue.PENDING_RIDES, Queue.DISPATCH_REQUESTS}),
        ),
        Job(
            name="payments.reconcile",
            help="Finishes or undoes payments that were interrupted.",
            run=lambda: _reconcile(core),
            every=timedelta(seconds=15),
            queues=frozenset({Queue.PAYMENTS}),
        ),
    )


def _mail_jobs(core: "Core") -> Sequence[Job]:
    if Channel.EMAIL not in core.messages.channels:
        return ()
    return (
        Job(
            name="passwords.mail_links",
            help="E-mails links to users who forgot their password.",
            run=_count("mails", lambda: core.passwords.mail_links()),
            every=timedelta(seconds=5),
            queues=frozenset({Queue.RESET_REQUESTS}),
        ),
    )


def _count(name: str, act: Callable[[], int]) -> Callable[[], Mapping[str, int]]:
    return lambda: {name: act()}


def _remind_of_appointments(core: "Core") -> Mapping[str, int]:
    # Mask numbers first, because reminders include them. If masking fails, reminders are still sent.
    try:
        numbers = core.mechanic_responses.mask_due()
    finally:
        reminders = core.appointment_reminders.send()
    return {"numbers": numbers, "reminders": reminders}


def _refit(core: "Core") -> Mapping[str, int]:
    return {
        environment.value: core.refits.refit(evolve(LOCAL, environment=environment)).invoices
        for environment in Environment
    }


def _prune_tasks(core: "Core") -> Mapping[str, int]:
    core.backups.delete_stored(days=core.settings.task_days)
    return {"tasks": core.tasks.prune()}


def _expire_rides(core: "Core") -> Mapping[str, int]:
    return {"rides": core.rides.expire_due(), "tows": core.tows.expire_due()}


def _ask_others(core: "Core") -> Mapping[str, int]:
    offered = {"rides": core.rides.ask_others(), "tows": core.tows.ask_others()}
    return {**offered, **core.dispatch.run()}


def _reconcile(core: "Core") -> Mapping[str, int]:
    done = core.payment_reconciliation.reconcile()
    return {
        "finished": done.finished,
        "undone": done.undone,
        "waiting": done.waiting,
        "stuck": len(done.stuck),
    }


def _remind(core: "Core") -> Mapping[str, int]:
    done = core.garage_reminders.send()
    return {"services": done.services, "mails": done.mails}
