"""How SQLite finds what statements ask for: a full scan of a growing table is reported.

A database that was never analyzed has no statistics, so a plan follows from the statement and the indexes alone: what
is said of an empty database holds of a full one.
"""

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import FrameType
from typing import Any, Final
from unittest.mock import patch

import sqlalchemy as sa
from attrs import frozen
from sqlalchemy.engine import Engine

import repaircore
from repaircore.adapters.fast_path.driver import SqliteDriver
from repaircore.adapters.sql.schema.metadata import METADATA

STEADY: Final = frozenset({
    "calibrations", "catalog_entries", "cells", "facilities", "import_sources", "imports", "invoice_lines", "job_leases", "job_processes", "prior_cells", "priors", "problems",
    "book_changes", "questionnaire_categories", "questions", "recall_campaigns", "recalled_vehicles", "repair_decisions", "settings", "tallies",
    "track_records", "variances",
    # Directories, and who has an account: operators fill them.
    "businesses", "drivers", "mechanic_exceptions", "mechanic_languages", "mechanic_services", "mechanics", "partner_keys", "partner_members", "partners", "provider_keys", "users",
    # Ended ones go after some days.
    "task_files", "tasks",
    # A partner has a few; events go to all of them.
    "webhook_subscriptions",
})  # fmt: skip
"""Tables that are as large as what an operator or a file brought, however much is asked and ordered."""

FEW: Final = frozenset({
    "ix_appointments_remind_at",
    "ix_dispatch_requests_active", "ix_messages_dead", "ix_messages_due", "ix_payments_under_way", "ix_predictions_flagged", "ix_predictions_flagged_of_owner", "ix_reset_requests_email",
    "ix_rides_pending", "ix_tasks_open", "ix_webhook_deliveries_due", "uq_rides_driver",
})  # fmt: skip
"""Indexes of what is not over yet, or is rare: whoever looks through one sees few rows."""

SHARED: Final = frozenset(
    {"active", "environment", "kind", "owner_id", "partner_id", "stage", "state", "status", "type"}
)
"""Columns by which a search finds a large part of a table."""

EXEMPT: Final[Mapping[str, str]] = {
    "adapters/sql/batches:SqlBatches.most_parts": "an operator's export reads every invoice; rare",
    "adapters/sql/batches:SqlBatches.exported": "an operator's export reads every invoice; rare",
    "adapters/sql/engine/consistency:": "a deep check reads everything",
    "adapters/sql/engine/restore:": "a backup fills everything",
    "adapters/sql/erasure:": "a person is looked for wherever they may be mentioned; rare",
    "adapters/sql/migrations/": "a revision may rewrite tables",
    "adapters/sql/persons:": "a person is looked for wherever they may be mentioned; rare",
    "adapters/sql/priors:SqlPriors.repaired": "an operator's export reads every invoice; rare",
    "adapters/sql/schema/migrate:": "a schema is looked at as a whole",
    "adapters/sql/engine/snapshot:": "a backup reads everything",
    "adapters/sql/engine/backup:": "a backup looks whether anything is there",
    "adapters/sql/vehicle_list:": "an operator's list, read from covering indexes: bench/vehicle_list.py has its cost",
    # By function.
    "adapters/sql/passwords:SqlResetRequests.take": "the oldest by the key, and no more than asked for",
    "adapters/sql/diagnosis_cases:SqlCases.list_confirmed": "the newest by the key, and no more than asked for",
    "adapters/sql/diagnosis_cases:SqlCases.count": "an operator asks how many there are; rare",
    "adapters/sql/diagnosis_cases:SqlCases.list_unconfirmed": "once a day, what no invoice followed in two months, from an index",
    "adapters/sql/predictions:SqlAnswers.forget_at": "an operator states what a shop takes an hour; rare",
    "adapters/sql/predictions:SqlAnswers.zip_codes": "an operator states what a shop takes an hour; rare",
    "adapters/sql/appointments:SqlAppointments._list_unmasked": "those without a number, by the range of an index",
    "adapters/sql/appointments:SqlAppointments.list_page": "a partner's own appointments, on which a filter is tried; everybody's for an operator",
    "adapters/sql/old_records:SqlOldRecords.delete": "the oldest by the key, and no more than asked for",
    "adapters/sql/audit:SqlAudit.list_newest": "an operator's log, the newest by the key",
    "adapters/sql/audit:SqlAudit.page": "an operator's log, as a filter selects it; rare",
    "adapters/sql/audit:SqlAudit.list_matching": "an operator's log, as a filter selects it; rare",
    "adapters/sql/audit:SqlAudit.list_actions": "an operator's log: which actions there are; rare",
    "adapters/sql/chats:SqlChats.page": "of one status, counted row by row: an index of it would cost every message",
    "adapters/sql/engine/health:SqlDatabaseHealth.asked_providers": "a checkup's question, once each time an operator looks",
    "adapters/sql/engine/health:SqlDatabaseHealth.stale_rides": "a checkup's question, once each time an operator looks",
    "adapters/sql/engine/health:SqlDatabaseHealth.newest_write": "the newest by the key; the cache's times once in a checkup",
    "adapters/sql/connected_cars:SqlCars.list_connections": "an owner's own cars; everybody's for an operator",
    "adapters/sql/connected_cars:SqlConnections.add": "an owner's own cars",
    "adapters/sql/garage:": "an owner's own vehicles, of which there are at most 5,000: bench/garage.py has the cost of a list",
    "adapters/sql/garage_outlooks:": "an owner's own vehicles, added up; once a night everybody's outdated ones",
    "adapters/sql/garage_history:GarageHistory.default_zips": "the few owners of some vehicles",
    "adapters/sql/garage_reminders:SqlGarageReminders.list_owners": "once a night, the services that are due, in an index",
    "adapters/sql/garage_reminders:SqlGarageReminders.settings": "one row, by its whole key",
    "adapters/sql/garage_reminders:SqlGarageReminders._due": "once a night, an owner's own services that are due",
    "adapters/sql/outdated_outlooks:outdate_all": "an owner's own vehicles, when the ZIP code of the garage changes",
    "adapters/sql/shared_quotes:SqlSharedQuotes.list_for": "an owner's own links, which end after a month",
    "adapters/sql/estimate_links:SqlEstimateLinks.list_for": "an owner's own links, which end after a month",
    "adapters/sql/connected_cars:SqlConnections.list_sealed": "a change of the secret reads every sealed token",
    "adapters/sql/deliveries:SqlDeliveries._delete_oldest": "once a day, and no more of the oldest than may go at once",
    "adapters/sql/deliveries:SqlDeliveries._replay": "an operator tells of a stretch of time again",
    "adapters/sql/deliveries:SqlDeliveries.list_attempts": "an operator's list of the latest attempts, read from their end",
    "adapters/sql/deliveries:SqlDeliveries.delete_old": "once a day: of each subject the last event stays for its number",
    "adapters/sql/deliveries:SqlDeliveries.replay_between": "an operator tells of a stretch of time again",
    "adapters/sql/messages:SqlMessages.prune": "once a day, over what a month of messages is",
    "adapters/sql/messages:SqlMessages.list_newest": "an operator's list, the newest by the key, as a filter selects it; rare",
    "adapters/sql/proofs:SqlProofs.delete_pictures": "once a day, no more of the oldest than may go at once, in an index of those that are stored",
    "adapters/sql/statements:SqlStatements.list_earnings": "a partner's own payments, once a month",
    "adapters/sql/partners:SqlPartners.find_or_add": "a partner is added by an operator; rare",
    "adapters/sql/invoice_files:SqlInvoiceFiles.transactions_of": "an operator undoes an import: the transactions are passed once, along the key",
    "adapters/sql/lifecycle_predictions:SqlPastRepairs._trails": "what follows on what: every car is passed, in a covering index, for a sample",
    "adapters/sql/payments:SqlPayments.list_page": "an operator's list at the command line; a subject's is a search",
    "adapters/sql/problems:SqlProblems.store_entries": "an edition of the repair book is read in once",
    "adapters/sql/engine/references:count_references": "an operator removes something that predictions may refer to; rare",
    "adapters/sql/customers:SqlCustomers.list_page": "a partner's own customers, which a filter is tried on",
    "adapters/sql/rides:SqlRides.list_page": "a partner's own rides, which a filter is tried on",
    "adapters/sql/rides:SqlRides.list_page_for_operator": "an operator's list at the command line, counted in a covering index",
    "adapters/sql/recalls:SqlRecalls.covered_years": "a row for each year since 1966",
    "adapters/sql/service_schedules:SqlServiceSchedules.page": "it sorts an owner's whole fleet by urgency",
    "adapters/sql/questionnaire:SqlSubmissions.list_newest": "the newest by the key, and no more than asked for",
    "adapters/sql/transaction_sums:_counted": "the days of a month that is not meant whole",
    "adapters/sql/past_predictions:SqlPastPredictions._search": "of an owner's own history, which their filter is tried on",
    "adapters/sql/vehicles:SqlPlates.has_any": "the first of an index, and no more",
    "adapters/sql/invoice_drafts:SqlInvoiceDrafts.page": "an owner's own drafts, which end after a month",
    "adapters/sql/invoice_drafts:SqlInvoiceDrafts.find_same": "an owner's own drafts, which end after a month",
    "adapters/sql/visits:SqlVisits.page": "an owner's own visits; everybody's for an operator",
    "adapters/sql/vehicles:SqlVehicles.delete": "an operator removes a vehicle that predictions may refer to; rare",
}
"""Who may look through a table that grows, and why. A function counts with what it calls."""

_STEP: Final = re.compile(
    r"(?P<how>SCAN|SEARCH) (?P<name>\w+)(?: USING (?P<by>.*?INDEX|INTEGER PRIMARY KEY)(?: (?P<index>\w+))?)?"
    r"(?: \((?P<terms>.*)\))?"
)
_ALIAS: Final = re.compile(r"(\w+) AS (\w+)", re.IGNORECASE)
_RANGE_OF_TIME: Final = re.compile(r"\w+_at<\?")
_PLANNED: Final = re.compile(r"SELECT|WITH|UPDATE|DELETE|INSERT.*\bSELECT\b", re.IGNORECASE | re.DOTALL)
_PACKAGE: Final = Path(repaircore.__file__).parent
_CARRIERS: Final = frozenset(
    {_PACKAGE / "adapters/sql/engine/database.py", _PACKAGE / "adapters/fast_path/driver.py"}
)


@frozen
class Fault:
    """A statement that looks through a table: who asks, the step, and the statement."""

    asker: str
    step: str
    sql: str


def faults(sql: str, plan: Sequence[str]) -> list[str]:
    """Give the steps of a plan that read more of a growing table than what is asked for."""
    aliases = {alias: name for name, alias in _ALIAS.findall(sql) if name in METADATA.tables}
    steps = ((step, _STEP.match(step)) for step in plan)
    is_sorted = any(step.startswith("USE TEMP B-TREE FOR") for step in plan)
    verb = sql.split(maxsplit=1)[0].upper()
    ends_early = "LIMIT" in sql.upper() and not is_sorted and verb in {"SELECT", "WITH"}
    return [
        step
        for step, found in steps
        if found is not None
        and _grows(aliases.get(found["name"], found["name"]))
        and not _finds_few(
            found, ends_early=ends_early, counts="count(" in sql.lower(), goes=verb == "DELETE"
        )
    ]


def _grows(table: str | Any) -> bool:
    return table in METADATA.tables and table not in STEADY


def _finds_few(step: "re.Match[str]", *, ends_early: bool, counts: bool, goes: bool) -> bool:
    if step["index"] in FEW:
        return True
    if step["how"] == "SCAN" or "AUTOMATIC" in (step["by"] or ""):
        return False
    named = re.findall(r"(\w+)=\?", step["terms"] or "")
    if not SHARED.issuperset(named):
        return True
    # Of many rows, a few are read, or they are counted in an index alone.
    if named and (ends_early or (counts and step["by"] == "COVERING INDEX")):
        return True
    return goes and bool(_RANGE_OF_TIME.search(step["terms"] or ""))  # all that is found is removed


_TESTS, _ELSEWHERE = "(tests)", "(elsewhere)"

_known: Final = set[str]()
"""Statements that were looked at and are sound."""


@contextmanager
def watched() -> Iterator[list[Fault]]:
    """Explain every statement that the product asks a SQLite database meanwhile, and collect what is not sound."""
    found: list[Fault] = []

    def look(connection: Any, sql: str, values: Any) -> None:
        if sql in _known or not _PLANNED.match(sql.lstrip()):
            return
        askers = _askers(sys._getframe(2))
        if not askers or any(asker.startswith(exempt) for asker in askers for exempt in EXEMPT):
            return
        plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values)]
        wrong = faults(sql, plan)
        found.extend(Fault(askers[0], step, sql) for step in wrong)
        if not wrong:
            _known.add(sql)

    def executed(connection: Any, _cursor: Any, sql: str, values: Any, _context: Any, many: Any) -> None:
        if connection.dialect.name == "sqlite":
            look(connection.connection.driver_connection, sql, values[0] if many else values)

    execute = SqliteDriver._execute

    def executed_by_driver(self: SqliteDriver, sql: str, values: Any) -> Any:
        cursor = execute(self, sql, values)
        look(cursor.connection, sql, values)
        return cursor

    sa.event.listen(Engine, "after_cursor_execute", executed)
    try:
        with patch.object(SqliteDriver, "_execute", executed_by_driver):
            yield found
    finally:
        sa.event.remove(Engine, "after_cursor_execute", executed)


def _askers(frame: FrameType | None) -> list[str]:
    """Name the functions of the product that led to a statement, the innermost first; none when a test asks itself."""
    names: list[str] = []
    while frame is not None:
        place = _place(frame.f_code.co_filename)
        if place == _TESTS and not names:
            return []
        if place not in {_TESTS, _ELSEWHERE}:
            names.append(f"{place}:{frame.f_code.co_qualname}")
        frame = frame.f_back
    return names


@cache
def _place(filename: str) -> str:
    """Return the module of the product in a file, or ``_TESTS``, or ``_ELSEWHERE``: frames are walked for each new statement."""
    path = Path(filename)
    if path.is_relative_to(_PACKAGE):
        return _ELSEWHERE if path in _CARRIERS else str(path.relative_to(_PACKAGE).with_suffix(""))
    return _TESTS if "tests" in path.parts else _ELSEWHERE
