"""A unit of work: one database transaction, and each slice's repositories in it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Generic, TypeVar

from sqlalchemy.engine import Connection

from repaircore.adapters.fast_path.driver import Row
from repaircore.adapters.sql.accounts import SqlApiKeys, SqlSessions, SqlUsers
from repaircore.adapters.sql.appointments import SqlAppointments, SqlHolds
from repaircore.adapters.sql.audit import SqlAudit
from repaircore.adapters.sql.batches import SqlBatches
from repaircore.adapters.sql.catalog import SqlCatalog
from repaircore.adapters.sql.chats import SqlChats
from repaircore.adapters.sql.connected_cars import SqlCars, SqlConnections, SqlFlows, SqlRefreshLeases
from repaircore.adapters.sql.customers import SqlCustomers
from repaircore.adapters.sql.deliveries import SqlDeliveries
from repaircore.adapters.sql.diagnosis_cases import SqlCases, SqlWordModels
from repaircore.adapters.sql.dispatch import SqlDispatchRequests, SqlProviderKeys
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.estimate_links import SqlEstimateLinks
from repaircore.adapters.sql.evidence import SqlEvidence, SqlTrackRecords
from repaircore.adapters.sql.facilities import SqlFacilities, SqlLaborBills
from repaircore.adapters.sql.fits import SqlFits
from repaircore.adapters.sql.fleet_vehicles import SqlFleetVehicles, SqlSignals
from repaircore.adapters.sql.garage import SqlGarage
from repaircore.adapters.sql.garage_outlooks import SqlGarageOutlooks
from repaircore.adapters.sql.garage_reminders import SqlGarageReminders
from repaircore.adapters.sql.idempotency import SqlIdempotentReplies
from repaircore.adapters.sql.imports import SqlImports
from repaircore.adapters.sql.invoice_drafts import SqlInvoiceDrafts
from repaircore.adapters.sql.invoice_files import SqlInvoiceFiles
from repaircore.adapters.sql.job_leases import SqlJobLeases
from repaircore.adapters.sql.job_processes import SqlJobProcesses
from repaircore.adapters.sql.lifecycle_predictions import SqlLifecyclePredictions, SqlPastRepairs
from repaircore.adapters.sql.mechanics import SqlMechanics, SqlSeats
from repaircore.adapters.sql.messages import SqlMessages
from repaircore.adapters.sql.old_records import SqlOldRecords
from repaircore.adapters.sql.outbox import SqlOutbox
from repaircore.adapters.sql.partners import SqlPartnerKeys, SqlPartnerMembers, SqlPartners
from repaircore.adapters.sql.passwords import SqlPasswordResets, SqlResetRequests
from repaircore.adapters.sql.past_predictions import SqlPastPredictions
from repaircore.adapters.sql.payments import SqlPayments, SqlSandboxCharges
from repaircore.adapters.sql.persons import SqlPersonalData
from repaircore.adapters.sql.predictions import SqlAdjustment, SqlAnswers, SqlPredictions, SqlRatings
from repaircore.adapters.sql.priors import SqlPriors
from repaircore.adapters.sql.problems import (
    SqlBookChanges,
    SqlDescriptions,
    SqlProblemInvoices,
    SqlProblems,
    SqlSamples,
)
from repaircore.adapters.sql.proofs import SqlProofs
from repaircore.adapters.sql.providers import SqlBusinesses, SqlDrivers
from repaircore.adapters.sql.questionnaire import SqlQuestionnaire, SqlSubmissions
from repaircore.adapters.sql.recalls import SqlRecallMarks, SqlRecalls
from repaircore.adapters.sql.rides import SqlOffers, SqlRides
from repaircore.adapters.sql.service_schedules import SqlServiceSchedules
from repaircore.adapters.sql.settings import SqlSettings
from repaircore.adapters.sql.shared_quotes import SqlSharedQuotes
from repaircore.adapters.sql.shops import SqlShops
from repaircore.adapters.sql.statements import SqlStatements
from repaircore.adapters.sql.subscriptions import SqlSubscriptions
from repaircore.adapters.sql.tasks import SqlTaskFiles, SqlTasks
from repaircore.adapters.sql.timelines import SqlTimelines
from repaircore.adapters.sql.tracking import SqlTrackingLinks
from repaircore.adapters.sql.transaction_sums import SqlTransactionSums
from repaircore.adapters.sql.transactions import SqlLessons, SqlTransactions
from repaircore.adapters.sql.vehicle_bills import SqlVehicleBills
from repaircore.adapters.sql.vehicle_list import SqlVehicleList
from repaircore.adapters.sql.vehicles import SqlPlates, SqlVehicles
from repaircore.adapters.sql.visit_links import SqlVisitLinks
from repaircore.adapters.sql.visits import SqlVisits

T = TypeVar("T")


class Part(Generic[T]):
    """A repository of a unit of work, created on first access."""

    def __init__(self, make: Callable[[Connection], T]) -> None:
        self._make = make

    def __set_name__(self, _work: type, name: str) -> None:
        self._name = name

    def __get__(self, work: "SqlWork", _kind: type) -> T:
        part = self._make(work.connection)
        work.__dict__[self._name] = part  # takes precedence over this descriptor from now on
        return part


def _batches(connection: Connection) -> SqlBatches:
    if connection.dialect.name == "sqlite":
        from repaircore.adapters.sql.batches_sqlite import SqliteBatches  # noqa: PLC0415 - only on SQLite

        return SqliteBatches(connection)
    from repaircore.adapters.sql.batches_postgres import PostgresBatches  # noqa: PLC0415 - needs psycopg

    return PostgresBatches(connection)


class SqlWork:
    """A transaction with the repositories of every slice."""

    # accounts
    users = Part(SqlUsers)
    sessions = Part(SqlSessions)
    api_keys = Part(SqlApiKeys)
    reset_requests = Part(SqlResetRequests)
    password_resets = Part(SqlPasswordResets)
    audit = Part(SqlAudit)
    settings = Part(SqlSettings)

    # vehicles
    vehicles = Part(SqlVehicles)
    vehicle_list = Part(SqlVehicleList)
    plates = Part(SqlPlates)
    catalog = Part(SqlCatalog)
    facilities = Part(SqlFacilities)
    labor_bills = Part(SqlLaborBills)
    shops = Part(SqlShops)

    # problems
    problems = Part(SqlProblems)
    book_changes = Part(SqlBookChanges)
    descriptions = Part(SqlDescriptions)
    samples = Part(SqlSamples)
    problem_invoices = Part(SqlProblemInvoices)

    # transactions
    transactions = Part(SqlTransactions)
    transaction_sums = Part(SqlTransactionSums)
    lessons = Part(SqlLessons)
    batches = Part(_batches)
    imports = Part(SqlImports)
    invoice_files = Part(SqlInvoiceFiles)
    invoice_drafts = Part(SqlInvoiceDrafts)

    # predictions
    predictions = Part(SqlPredictions)
    past_predictions = Part(SqlPastPredictions)
    answers = Part(SqlAnswers)
    ratings = Part(SqlRatings)
    adjustment = Part(lambda connection: SqlAdjustment(SqlSettings(connection)))
    evidence = Part(SqlEvidence)
    priors = Part(SqlPriors)
    fits = Part(SqlFits)
    track_records = Part(SqlTrackRecords)
    visits = Part(SqlVisits)
    visit_links = Part(SqlVisitLinks)
    shared_quotes = Part(SqlSharedQuotes)
    estimate_links = Part(SqlEstimateLinks)

    # diagnosis
    chats = Part(SqlChats)
    questionnaire = Part(SqlQuestionnaire)
    submissions = Part(SqlSubmissions)
    cases = Part(SqlCases)
    word_models = Part(lambda connection: SqlWordModels(SqlSettings(connection)))

    # fleet
    fleet_vehicles = Part(SqlFleetVehicles)
    signals = Part(SqlSignals)
    service_schedules = Part(SqlServiceSchedules)
    recalls = Part(SqlRecalls)
    recall_marks = Part(SqlRecallMarks)
    past_repairs = Part(SqlPastRepairs)
    lifecycle_predictions = Part(SqlLifecyclePredictions)
    car_flows = Part(SqlFlows)
    car_connections = Part(SqlConnections)
    connected_cars = Part(SqlCars)
    refresh_leases = Part(SqlRefreshLeases)
    garage = Part(SqlGarage)
    garage_outlooks = Part(SqlGarageOutlooks)
    garage_reminders = Part(SqlGarageReminders)
    vehicle_bills = Part(SqlVehicleBills)

    # partners
    partners = Part(SqlPartners)
    partner_keys = Part(SqlPartnerKeys)
    partner_members = Part(SqlPartnerMembers)
    idempotent_replies = Part(SqlIdempotentReplies)
    customers = Part(SqlCustomers)
    mechanics = Part(SqlMechanics)
    seats = Part(SqlSeats)
    appointments = Part(SqlAppointments)
    holds = Part(SqlHolds)
    outbox = Part(SqlOutbox)
    subscriptions = Part(SqlSubscriptions)
    deliveries = Part(SqlDeliveries)

    # roadside
    rides = Part(SqlRides)
    offers = Part(SqlOffers)
    drivers = Part(SqlDrivers)
    businesses = Part(SqlBusinesses)
    payments = Part(SqlPayments)
    sandbox_charges = Part(SqlSandboxCharges)
    statements = Part(SqlStatements)
    timelines = Part(SqlTimelines)
    dispatch_requests = Part(SqlDispatchRequests)
    provider_keys = Part(SqlProviderKeys)
    proofs = Part(SqlProofs)
    tracking_links = Part(SqlTrackingLinks)

    # operations
    messages = Part(SqlMessages)
    old_records = Part(SqlOldRecords)
    job_leases = Part(SqlJobLeases)
    job_processes = Part(SqlJobProcesses)
    tasks = Part(SqlTasks)
    task_files = Part(SqlTaskFiles)
    personal_data = Part(SqlPersonalData)

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def fetch_one(self, sql: str, values: Row) -> Row | None:
        """Return the first row of a constant statement with ``?`` placeholders, or None if there is none."""
        if self.connection.dialect.paramstyle != "qmark":
            sql = sql.replace("?", "%s")
        row: Row | None = self.connection.exec_driver_sql(sql, tuple(values)).first()
        return row

    def savepoint(self) -> AbstractContextManager[object]:
        """Open a savepoint, which is rolled back when the block raises."""
        return self.connection.begin_nested()


@contextmanager
def open_work(database: Database, *, write: bool) -> Iterator[SqlWork]:
    """Open a unit of work, which is committed unless the block raises."""
    with database.transaction(write=write) as connection:
        yield SqlWork(connection)
