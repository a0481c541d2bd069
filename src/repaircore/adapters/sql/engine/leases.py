"""Leases in the columns of a table."""

from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from repaircore.adapters.sql.engine.codec import micros
from repaircore.kernel.leases import latest_end


def is_free(
    held_until: "sa.ColumnElement[Any]", now: datetime, *, lasts: timedelta
) -> "sa.ColumnElement[bool]":
    """Return the condition that a column's lease is not in force, as ``kernel.leases.is_in_force`` defines it."""
    latest = latest_end(now, lasts)
    return sa.or_(held_until.is_(None), held_until <= micros(now), held_until > micros(latest))
