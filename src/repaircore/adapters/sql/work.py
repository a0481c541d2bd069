"""A unit of work on the database: one transaction, and every slice's part of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property

from sqlalchemy.engine import Connection

from repaircore.adapters.sql.accounts import SqlApiKeys, SqlSessions, SqlUsers
from repaircore.adapters.sql.audit import SqlAudit
from repaircore.adapters.sql.catalog import SqlCatalog
from repaircore.adapters.sql.connected_cars import SqlCars, SqlConnections, SqlFlows, SqlRefreshTurns
from repaircore.adapters.sql.database import Database
from repaircore.adapters.sql.estimates import SqlAdjustment, SqlEvidence, SqlPredictions
from repaircore.adapters.sql.facilities import SqlFacilities
from repaircore.adapters.sql.history import SqlPastPredictions
from repaircore.adapters.sql.plates import SqlPlates
from repaircore.adapters.sql.problems import SqlDescriptions, SqlProblems, SqlSamples
from repaircore.adapters.sql.ratings import SqlRatings
from repaircore.adapters.sql.settings import SqlSettings
from repaircore.adapters.sql.track_records import SqlTrackRecords
from repaircore.adapters.sql.transactions import SqlLessons, SqlTransactions
from repaircore.adapters.sql.vehicles import SqlVehicles

__all__ = ["SqlWork", "begin"]


class SqlWork:
    """The parts, each made when it is first asked for."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

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
    def descriptions(self) -> SqlDescriptions:
        """What was written about repairs."""
        return SqlDescriptions(self._connection)

    @cached_property
    def samples(self) -> SqlSamples:
        """How much was seen of each repair."""
        return SqlSamples(self._connection)

    @cached_property
    def facilities(self) -> SqlFacilities:
        """The kept shops."""
        return SqlFacilities(self._connection)

    @cached_property
    def transactions(self) -> SqlTransactions:
        """The kept invoices."""
        return SqlTransactions(self._connection)

    @cached_property
    def lessons(self) -> SqlLessons:
        """The sums that the invoices add up to."""
        return SqlLessons(self._connection)

    @cached_property
    def evidence(self) -> SqlEvidence:
        """What the history says."""
        return SqlEvidence(self._connection)

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
    def track_records(self) -> SqlTrackRecords:
        """How the models did."""
        return SqlTrackRecords(self._connection)

    @cached_property
    def adjustment(self) -> SqlAdjustment:
        """The operator's price adjustment."""
        return SqlAdjustment(self.settings)

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
    def settings(self) -> SqlSettings:
        """The kept settings."""
        return SqlSettings(self._connection)


@contextmanager
def begin(database: Database, *, write: bool) -> Iterator[SqlWork]:
    """Open a unit of work: kept when the block ends well, undone when it raises."""
    with database.begin(write=write) as connection:
        yield SqlWork(connection)
