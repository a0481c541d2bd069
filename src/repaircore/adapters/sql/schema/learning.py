"""Tables of learned data: cells, error tallies, variances, imported priors, and calibrations."""

from sqlalchemy import CheckConstraint, Column, Integer, LargeBinary, Text, text

from repaircore.adapters.sql.schema.metadata import PROSE, THINGS, Big, Real, environment_check, table

cells = table(
    "cells",
    Column("environment", Text, primary_key=True, info=THINGS),
    Column("problem_id", Big, primary_key=True, autoincrement=False),  # 0: all problems
    Column("kind", Text, primary_key=True, info=THINGS),
    Column("level", Text, primary_key=True, info=THINGS),
    Column("key", Text, primary_key=True, info=PROSE),
    Column("w", Big, nullable=False),
    Column("s", Big, nullable=False),
    Column("q", Big, nullable=False),
    environment_check(),
    CheckConstraint("w >= 0 AND q >= 0", name="sums"),
)

tallies = table(
    "tallies",
    Column("environment", Text, primary_key=True, info=THINGS),
    Column("problem_id", Big, primary_key=True, autoincrement=False),  # 0: all problems
    Column("generation", Integer, primary_key=True),
    Column("counts", LargeBinary, nullable=False, info=THINGS),
    environment_check(),
)

variances = table(
    "variances",
    Column("environment", Text, primary_key=True, info=THINGS),
    Column("problem_id", Big, primary_key=True, autoincrement=False),
    Column("within", Real, nullable=False),
    Column("make", Real, nullable=False),
    Column("model", Real, nullable=False),
    Column("years", Real, nullable=False),
    Column("center", Big, nullable=False),
    Column("book", Real, nullable=False, server_default=text("0")),
    Column("make_index", Real, nullable=False, server_default=text("0")),
    Column("model_index", Real, nullable=False, server_default=text("0")),
    Column("unit", Real, nullable=False, server_default=text("0")),  # the unit of errors
    Column("root", Big, nullable=False, server_default=text("0")),
    environment_check(),
)

priors = table(
    "priors",
    Column("environment", Text, primary_key=True, info=THINGS),
    Column("problem_id", Big, primary_key=True, autoincrement=False),  # 0: all problems
    Column("weight", Big, nullable=False),  # the most invoices that a cell counts as
    *(Column(name, Real, nullable=False) for name in ("within", "book", "make", "model", "years")),
    *(Column(name, Real, nullable=False) for name in ("make_index", "model_index", "unit")),
    Column("center", Big, nullable=False),
    Column("root", Big, nullable=False),
    environment_check(),
    CheckConstraint("weight > 0", name="weight"),
)

prior_cells = table(
    "prior_cells",
    Column("environment", Text, primary_key=True, info=THINGS),
    Column("problem_id", Big, primary_key=True, autoincrement=False),
    Column("kind", Text, primary_key=True, info=THINGS),
    Column("level", Text, primary_key=True, info=THINGS),
    Column("key", Text, primary_key=True, info=THINGS),
    Column("w", Big, nullable=False),
    Column("s", Big, nullable=False),
    Column("q", Big, nullable=False),
    environment_check(),
    CheckConstraint("w > 0 AND q >= 0", name="sums"),
)

calibrations = table(
    "calibrations",
    Column("environment", Text, primary_key=True, info=THINGS),
    Column("alpha", Big, nullable=False),  # the share of invoices outside the range, in grains
    Column("fitted", Big, nullable=False, server_default=text("0")),  # invoices of the last refit
    environment_check(),
)
