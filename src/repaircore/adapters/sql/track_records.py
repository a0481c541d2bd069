"""The track records of the models, in the database: one row for each environment."""

import sqlalchemy as sa
from sqlalchemy.engine import Connection
from typing_extensions import override

from repaircore.adapters.sql.engine.dialects import upsert
from repaircore.adapters.sql.schema.predictions import track_records
from repaircore.kernel.callers import Environment
from repaircore.predictions.ports import TrackRecords
from repaircore.predictions.track_record import NO_TRACKS, Track, Tracks
from repaircore.pricing.aggregation import TrackRecord


class SqlTrackRecords(TrackRecords):
    """The stored track records."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    @override
    def get(self, environment: Environment) -> Tracks:
        query = sa.select(track_records).where(track_records.c.environment == environment)
        row = self._connection.execute(query).one_or_none()
        if row is None:
            return NO_TRACKS
        return Tracks(
            model_a=Track(
                source=row.model_a_source,
                record=TrackRecord(bias=row.model_a_bias, spread=row.model_a_spread, pairs=row.model_a_pairs),
            ),
            model_b=Track(
                source=row.model_b_source,
                record=TrackRecord(bias=row.model_b_bias, spread=row.model_b_spread, pairs=row.model_b_pairs),
            ),
            correlation=row.correlation,
            flag_threshold=row.flag_threshold,
        )

    @override
    def save(self, environment: Environment, tracks: Tracks) -> None:
        columns = {
            "model_a_source": tracks.model_a.source,
            "model_a_bias": tracks.model_a.record.bias,
            "model_a_spread": tracks.model_a.record.spread,
            "model_a_pairs": tracks.model_a.record.pairs,
            "model_b_source": tracks.model_b.source,
            "model_b_bias": tracks.model_b.record.bias,
            "model_b_spread": tracks.model_b.record.spread,
            "model_b_pairs": tracks.model_b.record.pairs,
            "correlation": tracks.correlation,
            "flag_threshold": tracks.flag_threshold,
        }
        insert = upsert(self._connection, track_records).values(environment=environment, **columns)
        self._connection.execute(insert.on_conflict_do_update(index_elements=["environment"], set_=columns))
