"""A unit of work on the database: one transaction, and every slice's part of it."""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cached_property

from sqlalchemy.engine import Connection

from repaircore.adapters.sql.accounts import SqlApiKeys, SqlSessions, SqlUsers
from repaircore.adapters.sql.appointments import SqlAppointments
from repaircore.adapters.sql.audit import SqlAudit
from repaircore.adapters.sql.batches import SqlBatches
from repaircore.adapters.sql.businesses import SqlBusinesses
from repaircore.adapters.sql.cached_answers import SqlAnswers
from repaircore.adapters.sql.catalog import SqlCatalog
from repaircore.adapters.sql.chats import SqlChats
from repaircore.adapters.sql.connected_cars import SqlCars, SqlConnections, SqlFlows, SqlRefreshTurns
from repaircore.adapters.sql.customers import SqlCustomers
from repaircore.adapters.sql.deliveries import SqlDeliveries
from repaircore.adapters.sql.diagnosis_cases import SqlCases, SqlWordModels
from repaircore.adapters.sql.drivers import SqlDrivers
from repaircore.adapters.sql.engine.database import Database
from repaircore.adapters.sql.estimates import SqlAdjustment, SqlEvidence, SqlPredictions
from repaircore.adapters.sql.facilities import SqlFacilities, SqlLaborBills
from repaircore.adapters.sql.fits import SqlFits
from repaircore.adapters.sql.fleet_vehicles import SqlFleetVehicles
from repaircore.adapters.sql.history import SqlPastPredictions
from repaircore.adapters.sql.imports import SqlImports
from repaircore.adapters.sql.job_turns import SqlJobTurns
from repaircore.adapters.sql.kept_replies import SqlKeptReplies
from repaircore.adapters.sql.lifecycle_predictions import SqlLifecyclePredictions
from repaircore.adapters.sql.mails import SqlMails
from repaircore.adapters.sql.mechanics import SqlMechanics, SqlSeats
from repaircore.adapters.sql.outbox import SqlOutbox
from repaircore.adapters.sql.partners import SqlPartnerKeys, SqlPartners
from repaircore.adapters.sql.past_repairs import SqlPastRepairs
from repaircore.adapters.sql.payments import SqlPayments, SqlSandboxCharges
from repaircore.adapters.sql.persons import SqlPersonalData
from repaircore.adapters.sql.plates import SqlPlates
from repaircore.adapters.sql.priors import SqlPriors
from repaircore.adapters.sql.problem_invoices import SqlProblemInvoices
from repaircore.adapters.sql.problems import SqlBookChanges, SqlDescriptions, SqlProblems, SqlSamples
from repaircore.adapters.sql.questionnaire import SqlQuestionnaire
from repaircore.adapters.sql.ratings import SqlRatings
from repaircore.adapters.sql.recall_marks import SqlRecallMarks
from repaircore.adapters.sql.recalls import SqlRecalls
from repaircore.adapters.sql.rides import SqlOffers, SqlRides
from repaircore.adapters.sql.service_schedules import SqlServiceSchedules
from repaircore.adapters.sql.settings import SqlSettings
from repaircore.adapters.sql.signals import SqlSignals
from repaircore.adapters.sql.submissions import SqlSubmissions
from repaircore.adapters.sql.subscriptions import SqlSubscriptions
from repaircore.adapters.sql.timelines import SqlTimelines
from repaircore.adapters.sql.track_records import SqlTrackRecords
from repaircore.adapters.sql.transaction_sums import SqlTransactionSums
from repaircore.adapters.sql.transactions import SqlLessons, SqlTransactions
from repaircore.adapters.sql.vehicle_list import SqlVehicleList
from repaircore.adapters.sql.vehicles import SqlVehicles


class SqlWork:
    """The parts, each made when it is first asked for."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def part(self) -> AbstractContextManager[object]:
        """Undo what is written inside when it raises, and only that."""
        return self._connection.begin_nested()

    @cached_property
    def users(self) -> SqlUsers:
        """The kept users."""
        return SqlUsers(self._connection)

    @cached_property
    def sessions(self) -> SqlSessions:
        """The kept management sessions."""
        return SqlSessions(self._connection)

    @cached_property
    def api_keys(self) -> SqlApiKeys:
        """The kept API keys."""
        return SqlApiKeys(self._connection)

    @cached_property
    def vehicles(self) -> SqlVehicles:
        """The kept vehicles."""
        return SqlVehicles(self._connection)

    @cached_property
    def vehicle_list(self) -> SqlVehicleList:
        """The kept vehicles as a whole."""
        return SqlVehicleList(self._connection)

    @cached_property
    def answers(self) -> SqlAnswers:
        """What is remembered of them."""
        return SqlAnswers(self._connection)

    @cached_property
    def plates(self) -> SqlPlates:
        """The kept plates."""
        return SqlPlates(self._connection)

    @cached_property
    def catalog(self) -> SqlCatalog:
        """The imported part of the catalog."""
        return SqlCatalog(self._connection)

    @cached_property
    def problems(self) -> SqlProblems:
        """The kept repair book."""
        return SqlProblems(self._connection)

    @cached_property
    def book_changes(self) -> SqlBookChanges:
        """The installation's own changes of the repair book."""
        return SqlBookChanges(self._connection)

    @cached_property
    def descriptions(self) -> SqlDescriptions:
        """What was written about repairs."""
        return SqlDescriptions(self._connection)

    @cached_property
    def samples(self) -> SqlSamples:
        """How much was seen of each repair."""
        return SqlSamples(self._connection)

    @cached_property
    def problem_invoices(self) -> SqlProblemInvoices:
        """What was invoiced of each repair."""
        return SqlProblemInvoices(self._connection)

    @cached_property
    def facilities(self) -> SqlFacilities:
        """The kept shops."""
        return SqlFacilities(self._connection)

    @cached_property
    def labor_bills(self) -> SqlLaborBills:
        """What invoices tell of labor."""
        return SqlLaborBills(self._connection)

    @cached_property
    def transactions(self) -> SqlTransactions:
        """The kept invoices."""
        return SqlTransactions(self._connection)

    @cached_property
    def transaction_sums(self) -> SqlTransactionSums:
        """What the invoices of each month come to."""
        return SqlTransactionSums(self._connection)

    @cached_property
    def lessons(self) -> SqlLessons:
        """The sums that the invoices add up to."""
        return SqlLessons(self._connection)

    @cached_property
    def evidence(self) -> SqlEvidence:
        """What the history says."""
        return SqlEvidence(self._connection)

    @cached_property
    def priors(self) -> SqlPriors:
        """What was taken over from another installation."""
        return SqlPriors(self._connection)

    @cached_property
    def fits(self) -> SqlFits:
        """What refits found."""
        return SqlFits(self._connection)

    @cached_property
    def predictions(self) -> SqlPredictions:
        """The kept answers."""
        return SqlPredictions(self._connection)

    @cached_property
    def past_predictions(self) -> SqlPastPredictions:
        """Everything that was ever asked."""
        return SqlPastPredictions(self._connection)

    @cached_property
    def ratings(self) -> SqlRatings:
        """What users said of it."""
        return SqlRatings(self._connection)

    @cached_property
    def recalls(self) -> SqlRecalls:
        """The kept recalls."""
        return SqlRecalls(self._connection)

    @cached_property
    def recall_marks(self) -> SqlRecallMarks:
        """Which of them owners have had dealt with."""
        return SqlRecallMarks(self._connection)

    @cached_property
    def fleet_vehicles(self) -> SqlFleetVehicles:
        """The kept fleet vehicles."""
        return SqlFleetVehicles(self._connection)

    @cached_property
    def signals(self) -> SqlSignals:
        """What was told of them."""
        return SqlSignals(self._connection)

    @cached_property
    def service_schedules(self) -> SqlServiceSchedules:
        """What is to be done on them, and when."""
        return SqlServiceSchedules(self._connection)

    @cached_property
    def past_repairs(self) -> SqlPastRepairs:
        """The invoices, car by car."""
        return SqlPastRepairs(self._connection)

    @cached_property
    def lifecycle_predictions(self) -> SqlLifecyclePredictions:
        """When repairs were foretold to return."""
        return SqlLifecyclePredictions(self._connection)

    @cached_property
    def track_records(self) -> SqlTrackRecords:
        """How the models did."""
        return SqlTrackRecords(self._connection)

    @cached_property
    def chats(self) -> SqlChats:
        """The kept conversations."""
        return SqlChats(self._connection)

    @cached_property
    def adjustment(self) -> SqlAdjustment:
        """The operator's price adjustment."""
        return SqlAdjustment(self.settings)

    @cached_property
    def questionnaire(self) -> SqlQuestionnaire:
        """The kept questionnaire."""
        return SqlQuestionnaire(self._connection)

    @cached_property
    def cases(self) -> SqlCases:
        """The cases of diagnoses."""
        return SqlCases(self._connection)

    @cached_property
    def word_models(self) -> SqlWordModels:
        """The word model that the installation has learned."""
        return SqlWordModels(self.settings)

    @cached_property
    def submissions(self) -> SqlSubmissions:
        """The kept submissions."""
        return SqlSubmissions(self._connection)

    @cached_property
    def audit(self) -> SqlAudit:
        """What was changed by whom."""
        return SqlAudit(self._connection)

    @cached_property
    def car_flows(self) -> SqlFlows:
        """Drivers who are awaited."""
        return SqlFlows(self._connection)

    @cached_property
    def car_connections(self) -> SqlConnections:
        """What drivers agreed to."""
        return SqlConnections(self._connection)

    @cached_property
    def connected_cars(self) -> SqlCars:
        """Which cars that is about."""
        return SqlCars(self._connection)

    @cached_property
    def refresh_turns(self) -> SqlRefreshTurns:
        """Whose turn it is to refresh tokens."""
        return SqlRefreshTurns(self._connection)

    @cached_property
    def payments(self) -> SqlPayments:
        """The kept payments, and the books about them."""
        return SqlPayments(self._connection)

    @cached_property
    def sandbox_charges(self) -> SqlSandboxCharges:
        """What the sandbox of the test environment holds."""
        return SqlSandboxCharges(self._connection)

    @cached_property
    def batches(self) -> SqlBatches:
        """The invoices and all that they add up to, many at a time."""
        if self._connection.dialect.name == "sqlite":
            from repaircore.adapters.sql.batches_sqlite import SqliteBatches  # noqa: PLC0415 - one of the two

            return SqliteBatches(self._connection)
        from repaircore.adapters.sql.batches_postgres import PostgresBatches  # noqa: PLC0415 - needs psycopg

        return PostgresBatches(self._connection)

    @cached_property
    def imports(self) -> SqlImports:
        """How far files are taken over."""
        return SqlImports(self._connection)

    @cached_property
    def personal_data(self) -> SqlPersonalData:
        """Everything, looked at for one person."""
        return SqlPersonalData(self._connection)

    @cached_property
    def partners(self) -> SqlPartners:
        """The kept partners."""
        return SqlPartners(self._connection)

    @cached_property
    def partner_keys(self) -> SqlPartnerKeys:
        """The kept keys of partners."""
        return SqlPartnerKeys(self._connection)

    @cached_property
    def kept_replies(self) -> SqlKeptReplies:
        """The replies to idempotency keys."""
        return SqlKeptReplies(self._connection)

    @cached_property
    def customers(self) -> SqlCustomers:
        """The people for whom partners order."""
        return SqlCustomers(self._connection)

    @cached_property
    def rides(self) -> SqlRides:
        """The kept rides."""
        return SqlRides(self._connection)

    @cached_property
    def offers(self) -> SqlOffers:
        """The offers to do them."""
        return SqlOffers(self._connection)

    @cached_property
    def mechanics(self) -> SqlMechanics:
        """The kept mechanics."""
        return SqlMechanics(self._connection)

    @cached_property
    def seats(self) -> SqlSeats:
        """The places that appointments take."""
        return SqlSeats(self._connection)

    @cached_property
    def appointments(self) -> SqlAppointments:
        """The kept appointments."""
        return SqlAppointments(self._connection)

    @cached_property
    def mails(self) -> SqlMails:
        """The kept mails."""
        return SqlMails(self._connection)

    @cached_property
    def drivers(self) -> SqlDrivers:
        """Drivers who come to a vehicle."""
        return SqlDrivers(self._connection)

    @cached_property
    def businesses(self) -> SqlBusinesses:
        """Towing businesses."""
        return SqlBusinesses(self._connection)

    @cached_property
    def outbox(self) -> SqlOutbox:
        """What happened, for whoever subscribed to it."""
        return SqlOutbox(self._connection)

    @cached_property
    def subscriptions(self) -> SqlSubscriptions:
        """Who wants to be told."""
        return SqlSubscriptions(self._connection)

    @cached_property
    def deliveries(self) -> SqlDeliveries:
        """What they are told."""
        return SqlDeliveries(self._connection)

    @cached_property
    def job_turns(self) -> SqlJobTurns:
        """Whose turn it is to do what is done beside requests."""
        return SqlJobTurns(self._connection)

    @cached_property
    def timelines(self) -> SqlTimelines:
        """What became of records."""
        return SqlTimelines(self._connection)

    @cached_property
    def settings(self) -> SqlSettings:
        """The kept settings."""
        return SqlSettings(self._connection)


@contextmanager
def open_work(database: Database, *, write: bool) -> Iterator[SqlWork]:
    """Open a unit of work: kept when the block ends well, undone when it raises."""
    with database.transaction(write=write) as connection:
        yield SqlWork(connection)
