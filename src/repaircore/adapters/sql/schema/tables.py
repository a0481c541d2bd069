"""The tables.

Times are microseconds since 1970 in UTC and money is cents, both whole numbers, so that SQLite and
PostgreSQL keep exactly the same values. SQLite's tables are STRICT.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects import sqlite

METADATA = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# SQLite counts rows in INTEGER and knows no BIGINT in strict tables; PostgreSQL's INTEGER ends at 2^31.
_Big = BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_Real = Float(53).with_variant(sqlite.REAL(), "sqlite")
_Environment = "environment IN ('test', 'live')"


def _table(name: str, *parts: Column[Any] | CheckConstraint | Index | UniqueConstraint) -> Table:
    counted = isinstance(parts[0], Column) and parts[0].autoincrement is True
    # A number is never given twice, also after its row is gone.
    return Table(name, METADATA, *parts, sqlite_strict=True, sqlite_autoincrement=counted)


def _where(condition: str) -> dict[str, Any]:
    """Index those rows only that a condition holds for."""
    return {"sqlite_where": text(condition), "postgresql_where": text(condition)}


def _id() -> Column[int]:
    return Column("id", _Big, primary_key=True, autoincrement=True)


users = _table(
    "users",
    _id(),
    Column("name", Text, nullable=False),
    Column("email", Text, nullable=False, unique=True),
    Column("password_hash", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("created_at", _Big, nullable=False),
    CheckConstraint("role IN ('user', 'admin')", name="role"),
)

sessions = _table(
    "sessions",
    Column("token_hash", LargeBinary, primary_key=True),
    Column("user_id", _Big, ForeignKey("users.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("created_at", _Big, nullable=False),
    Column("seen_at", _Big, nullable=False),
    Column("expires_at", _Big, nullable=False, index=True),
)

api_keys = _table(
    "api_keys",
    _id(),
    Column("user_id", _Big, ForeignKey("users.id", ondelete="CASCADE"), nullable=False, index=True),
    Column("name", Text, nullable=False),
    Column("environment", Text, nullable=False),
    Column("public_key", Text, nullable=False),
    Column("public_hash", LargeBinary, nullable=False, unique=True),
    Column("secret_hash", LargeBinary, nullable=False, unique=True),
    Column("secret_last4", Text, nullable=False),
    Column("created_at", _Big, nullable=False),
    Column("last_used_at", _Big),
    CheckConstraint(_Environment, name="environment"),
)

problems = _table(
    "problems",
    Column("id", _Big, primary_key=True, autoincrement=False),
    Column("parent_id", _Big, ForeignKey("problems.id"), index=True),
    Column("slug", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("book", Text),  # JSON of what the repair book says beside these; NULL for a main category
)

descriptions = _table(
    "descriptions",
    Column("environment", Text, primary_key=True),
    Column("problem_id", _Big, ForeignKey("problems.id"), primary_key=True, autoincrement=False),
    Column("edition", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("generated_by", Text, nullable=False),
    Column("generated_at", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
)

vehicles = _table(
    "vehicles",
    Column("id", Text, primary_key=True),
    Column("vin", Text),
    Column("vin11", Text, unique=True),  # null for a record of one whole VIN, which stands for no other
    Column("make", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("year", Integer, nullable=False),
    Column("trim", Text),
    Column("engine", Text),
    Column("powertrain", Text),
    Column("drive", Text),
    Column("body", Text),
    Column("source", Text, nullable=False),
    Column("created_at", _Big, nullable=False),
    Column("make_key", Text, nullable=False),
    Column("model_key", Text, nullable=False),
    Column("motor_vehicle_type", Text),
    Column("motor_vehicle_type_group", Text),
    Column("current_mileage", _Big),
    Column("version", _Big, nullable=False),
    Column("plate_no", Text),  # as an operator told it
    Column("facility_id", _Big, ForeignKey("facilities.id"), index=True),  # where it was first seen
    Column("plate_state", Text),
    Column("facts", Text),  # JSON of the mechanical facts; null where they were never looked up
    CheckConstraint("vin11 = substr(vin, 1, 11)", name="vin11"),
    CheckConstraint("current_mileage >= 0", name="current_mileage"),
    Index(None, "year", "make_key", "model_key"),
    Index(None, "make_key", "model_key", "year"),
    # A list has the newest first, and a search reads nothing but this.
    Index("uq_vehicles_whole_vin", "vin", unique=True, **_where("vin11 IS NULL AND vin IS NOT NULL")),
    Index("ix_vehicles_plate", "plate_state", "plate_no", **_where("plate_state IS NOT NULL")),
    Index("ix_vehicles_newest", "created_at", "id", "make_key", "model_key", "year", "vin", "plate_no"),
)

plates = _table(
    "plates",
    Column("environment", Text, primary_key=True),
    Column("state", Text, primary_key=True),
    Column("number", Text, primary_key=True),
    Column("vin", Text, nullable=False),
    Column("vehicle_id", Text, ForeignKey("vehicles.id"), nullable=False, index=True),
    Column("source", Text, nullable=False),
    Column("told_at", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    Index(None, "environment", "vin"),
)

catalog_entries = _table(
    "catalog_entries",
    Column("make_key", Text, primary_key=True),
    Column("year", Integer, primary_key=True, autoincrement=False),
    Column("published_key", Text, primary_key=True),
    Column("tenths", Integer, primary_key=True, autoincrement=False),  # of a liter; 0: none
    Column("cylinders", Integer, primary_key=True, autoincrement=False),  # 0: none
    Column("fuel", Text, primary_key=True),
    Column("drive", Text, primary_key=True),  # empty: not told
    Column("make", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("model_key", Text, nullable=False),
    Column("published", Text, nullable=False),
    Column("trim", Text),
    Column("body", Text),
    Index(None, "make_key", "model_key", "year"),
)

facilities = _table(
    "facilities",
    _id(),
    Column("name", Text, nullable=False),
    Column("city", Text),
    Column("state", Text),
    Column("zip_code", Text),
    Column("country", Text),
    Column("avg_labor_rate", _Big),
    Column("latitude", _Real),
    Column("longitude", _Real),
    Column("created_at", _Big, nullable=False),
    Column("version", _Big, nullable=False, server_default=text("1")),
    Column("sample_size", _Big, nullable=False, server_default=text("0")),  # invoices behind the rate
    Column("name_key", Text, nullable=False, server_default=text("''")),
    Column("city_key", Text),
    CheckConstraint("avg_labor_rate >= 0", name="avg_labor_rate"),
    Index(None, "state"),
    Index(None, "name_key"),
)

transactions = _table(
    "transactions",
    _id(),
    Column("environment", Text, nullable=False),
    Column("vehicle_id", Text, ForeignKey("vehicles.id"), nullable=False, index=True),
    Column("facility_id", _Big, ForeignKey("facilities.id")),
    Column("problem_id", _Big, ForeignKey("problems.id"), nullable=False),
    Column("prediction_id", _Big, ForeignKey("predictions.id")),  # the prediction that it answers
    Column("performed_on", Text, nullable=False),
    Column("mileage", _Big),
    Column("parts", Text, nullable=False),
    Column("labor_hours", _Real, nullable=False),
    Column("labor_rate", _Big, nullable=False),
    Column("parts_total", _Big, nullable=False),
    Column("labor_total", _Big, nullable=False),
    Column("total", _Big, nullable=False),
    Column("notes", Text),
    Column("evidence", Text),  # JSON of what it put into the cells; NULL: it taught nothing
    Column("review", Integer, nullable=False),
    Column("created_at", _Big, nullable=False),
    Column("make_key", Text, nullable=False, server_default=text("''")),  # its vehicle's
    Column("fingerprint", _Big),  # of a row of a file: the same row is recognized
    Column("version", _Big, nullable=False, server_default=text("1")),
    Column("car", _Big),  # tells the car from others that are built alike; NULL: its whole VIN was not told
    CheckConstraint(_Environment, name="environment"),
    CheckConstraint("total >= 0", name="total"),
    Index("ix_transactions_linked", "environment", "id", **_where("prediction_id IS NOT NULL")),
    Index(
        "uq_transactions_fingerprint",
        "fingerprint",
        "environment",
        unique=True,
        **_where("fingerprint IS NOT NULL"),
    ),
    # A list, the latest repair first, is one stretch of an index, whatever it is narrowed to; what else it may be
    # narrowed to stands there too, so that it is counted without looking at the rows.
    Index("ix_transactions_all", "environment", "performed_on", "id"),
    Index(
        "ix_transactions_problem",
        "problem_id",
        "environment",
        "performed_on",
        "id",
        "make_key",
        "facility_id",
    ),
    Index(
        "ix_transactions_facility",
        "facility_id",
        "environment",
        "performed_on",
        "id",
        "make_key",
        "problem_id",
    ),
    Index("ix_transactions_make", "make_key", "environment", "performed_on", "id"),
    # What was done to a car is read from the index alone.
    Index(
        "ix_transactions_car",
        "environment",
        "car",
        "performed_on",
        "problem_id",
        **_where("car IS NOT NULL"),
    ),
)

# What the invoices of a month add up to, of all and of each problem, make and facility: lists are counted and
# statistics told from a few of these rows, however many invoices there are.
transaction_sums = _table(
    "transaction_sums",
    Column("environment", Text, primary_key=True),
    Column("dimension", Text, primary_key=True),
    Column(
        "value", Text, primary_key=True
    ),  # the problem's id, the make's key, the facility's id; empty: all
    Column("month", Text, primary_key=True),  # 2026-01
    Column("n", _Big, nullable=False),
    Column("parts_total", _Big, nullable=False),
    Column("labor_total", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    CheckConstraint("dimension IN ('all', 'problem', 'make', 'facility')", name="dimension"),
    CheckConstraint("n >= 0", name="n"),
)

# How far the taking over of a file is: it goes on where it stopped.
imports = _table(
    "imports",
    _id(),
    Column("kind", Text, nullable=False),
    Column("environment", Text, nullable=False),
    Column("digest", Text, nullable=False),  # of what the file holds
    Column("file", Text, nullable=False),
    Column("read", _Big, nullable=False),
    Column("added", _Big, nullable=False),
    Column("known", _Big, nullable=False),
    Column("updated", _Big, nullable=False),
    Column("refused", _Big, nullable=False),
    Column("started_at", _Big, nullable=False),
    Column("finished_at", _Big),
    CheckConstraint(_Environment, name="environment"),
    Index(
        "uq_imports_unfinished", "kind", "environment", "digest", unique=True, **_where("finished_at IS NULL")
    ),
)

recall_campaigns = _table(
    "recall_campaigns",
    Column("campaign", Text, primary_key=True),  # 23V123000
    Column("summary", Text),
    Column("consequence", Text),
    Column("remedy", Text),
    Column("park_it", Integer),
    Column("park_outside", Integer),
    Column("reported_on", Text),
    Column("source", Text, nullable=False),
)

recall_years = _table(
    "recall_years",  # the years whose campaigns were imported whole
    Column("year", Integer, primary_key=True, autoincrement=False),
)

recalled_vehicles = _table(
    "recalled_vehicles",
    Column("make_key", Text, primary_key=True),
    Column("year", Integer, primary_key=True, autoincrement=False),  # 0: none is told
    Column("model_key", Text, primary_key=True),
    Column(
        "campaign",
        Text,
        ForeignKey("recall_campaigns.campaign"),
        primary_key=True,
        index=True,
    ),
    Column("make", Text, nullable=False),
    Column("model", Text, nullable=False),
    Column("component", Text),
)

cells = _table(
    "cells",
    Column("environment", Text, primary_key=True),
    Column("problem_id", _Big, primary_key=True, autoincrement=False),  # 0: what all problems share
    Column("kind", Text, primary_key=True),
    Column("level", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("w", _Big, nullable=False),
    Column("s", _Big, nullable=False),
    Column("q", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    CheckConstraint("w >= 0 AND q >= 0", name="sums"),
)

tallies = _table(
    "tallies",
    Column("environment", Text, primary_key=True),
    Column("problem_id", _Big, primary_key=True, autoincrement=False),  # 0: all problems
    Column("generation", Integer, primary_key=True),
    Column("counts", LargeBinary, nullable=False),
    CheckConstraint(_Environment, name="environment"),
)

variances = _table(
    "variances",
    Column("environment", Text, primary_key=True),
    Column("problem_id", _Big, primary_key=True, autoincrement=False),
    Column("within", _Real, nullable=False),
    Column("make", _Real, nullable=False),
    Column("model", _Real, nullable=False),
    Column("years", _Real, nullable=False),
    Column("center", _Big, nullable=False),
    Column("book", _Real, nullable=False, server_default=text("0")),
    Column("make_index", _Real, nullable=False, server_default=text("0")),
    Column("model_index", _Real, nullable=False, server_default=text("0")),
    Column("unit", _Real, nullable=False, server_default=text("0")),  # what errors are measured in
    Column("root", _Big, nullable=False, server_default=text("0")),
    CheckConstraint(_Environment, name="environment"),
)

priors = _table(
    "priors",
    Column("environment", Text, primary_key=True),
    Column("problem_id", _Big, primary_key=True, autoincrement=False),  # 0: what all problems share
    Column("weight", _Big, nullable=False),  # a cell counts as at most so many invoices
    *(Column(name, _Real, nullable=False) for name in ("within", "book", "make", "model", "years")),
    *(Column(name, _Real, nullable=False) for name in ("make_index", "model_index", "unit")),
    Column("center", _Big, nullable=False),
    Column("root", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    CheckConstraint("weight > 0", name="weight"),
)

prior_cells = _table(
    "prior_cells",
    Column("environment", Text, primary_key=True),
    Column("problem_id", _Big, primary_key=True, autoincrement=False),
    Column("kind", Text, primary_key=True),
    Column("level", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("w", _Big, nullable=False),
    Column("s", _Big, nullable=False),
    Column("q", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    CheckConstraint("w > 0 AND q >= 0", name="sums"),
)

book_changes = _table(
    "book_changes",
    Column("slug", Text, primary_key=True),
    Column("change", Text, nullable=False),
    Column("changed_at", _Big, nullable=False),
)

calibrations = _table(
    "calibrations",
    Column("environment", Text, primary_key=True),
    Column("alpha", _Big, nullable=False),  # the share of invoices outside the range, in grains
    Column("fitted", _Big, nullable=False, server_default=text("0")),  # invoices that the last refit rests on
    CheckConstraint(_Environment, name="environment"),
)

remembered = _table(
    "remembered",
    Column("id", Text, primary_key=True),
    Column("environment", Text, nullable=False),
    Column("vehicle_key", Text, nullable=False),
    Column("problem_id", _Big, ForeignKey("problems.id"), nullable=False),
    Column("zip_code", Text, nullable=False),
    Column("mileage_band", Integer, nullable=False),  # -1 when no mileage was told
    Column(
        "parts_tier", Text, nullable=False, server_default=text("''")
    ),  # "" when no grade of parts was chosen
    Column("computed_at", _Big, nullable=False),
    Column("expires_at", _Big, nullable=False, index=True),
    Column("figures", Text, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    Index(
        "uq_remembered_question",
        "environment",
        "vehicle_key",
        "problem_id",
        "zip_code",
        "mileage_band",
        "parts_tier",
        unique=True,
    ),
)

predictions = _table(
    "predictions",
    _id(),
    Column("session_id", Text, nullable=False, unique=True),
    Column("owner_id", _Big, nullable=False),  # the user's id; 0 is the installation itself
    Column("environment", Text, nullable=False),
    Column("remembered_id", Text, nullable=False),
    Column("vin", Text),
    Column("vehicle_id", Text, ForeignKey("vehicles.id"), nullable=False),
    Column("problem_id", _Big, ForeignKey("problems.id"), nullable=False),
    Column("zip_code", Text, nullable=False),
    Column("mileage", _Big),
    Column("red_flag", Integer, nullable=False),
    Column("red_flag_reason", Text),
    Column("match_percentage", _Real),
    Column("local_low", _Big, nullable=False),
    Column("local_average", _Big, nullable=False),
    Column("local_high", _Big, nullable=False),
    Column("model_a_source", Text, nullable=False),
    Column("model_a_average", _Big),
    Column("model_b_source", Text, nullable=False),
    Column("model_b_average", _Big),
    Column("ai_average", _Big),
    Column("email", Text),
    Column("created_at", _Big, nullable=False),
    Column("confidence", Integer),  # in percent; NULL: it was not kept
    Column("doubt", _Real),  # about our figure (variance of ln); NULL: no model's was compared with it
    CheckConstraint(_Environment, name="environment"),
    CheckConstraint("red_flag IN (0, 1)", name="red_flag"),
    UniqueConstraint("remembered_id", "owner_id"),
    # A list is one stretch of an index, newest last; red flags are few among many.
    Index(None, "environment", "id"),
    Index(None, "environment", "owner_id", "id"),
    Index("ix_predictions_flagged", "environment", "id", **_where("red_flag = 1")),
    Index("ix_predictions_flagged_of_owner", "environment", "owner_id", "id", **_where("red_flag = 1")),
)

feedback = _table(
    "feedback",
    _id(),
    Column("prediction_id", _Big, ForeignKey("predictions.id"), nullable=False),
    Column("user_id", _Big, nullable=False),  # 0 is the installation itself
    Column("rating", Text, nullable=False),
    Column("comment", Text),
    Column("created_at", _Big, nullable=False),
    CheckConstraint("rating IN ('good', 'wrong')", name="rating"),
    Index(None, "prediction_id", "user_id", "id"),
)

# How many of the latest ratings of each user call a repair's predictions good, and how many wrong.
opinions = _table(
    "opinions",
    Column("environment", Text, primary_key=True),
    Column("problem_id", _Big, primary_key=True, autoincrement=False),
    Column("good", _Big, nullable=False),
    Column("wrong", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    CheckConstraint("good >= 0 AND wrong >= 0", name="counts"),
)

# How the models did on predictions that an invoice answered: what the next aggregate weighs them by.
track_records = _table(
    "track_records",
    Column("environment", Text, primary_key=True),
    Column("model_a_source", Text),
    Column("model_a_bias", _Real, nullable=False),
    Column("model_a_spread", _Real, nullable=False),
    Column("model_a_pairs", _Big, nullable=False),
    Column("model_b_source", Text),
    Column("model_b_bias", _Real, nullable=False),
    Column("model_b_spread", _Real, nullable=False),
    Column("model_b_pairs", _Big, nullable=False),
    Column("correlation", _Real, nullable=False),
    Column("flag_threshold", _Real, nullable=False, server_default=text("1.45")),
    CheckConstraint(_Environment, name="environment"),
)

chat_sessions = _table(
    "chat_sessions",
    _id(),
    Column("session_id", Text, nullable=False, unique=True),
    Column("owner_id", _Big, nullable=False),  # the user's id; 0 is the installation itself
    Column("environment", Text, nullable=False),
    Column("email", Text),
    Column("status", Text, nullable=False),  # one that is idle for long has expired, by its times
    Column("step", Integer, nullable=False),
    Column("messages", Integer, nullable=False),
    Column("vin", Text),
    Column("vehicle_id", Text, ForeignKey("vehicles.id", ondelete="SET NULL"), index=True),
    Column("evidence", Text, nullable=False),  # JSON
    Column("question", Text),  # JSON of what waits for an answer
    Column("diagnosis", Text),  # JSON
    Column("started_at", _Big, nullable=False),
    Column("active_at", _Big, nullable=False),
    Column("version", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    CheckConstraint("status IN ('awaiting_answer', 'diagnosed', 'reset')", name="status"),
    Index(None, "environment", "id"),
    Index(None, "environment", "owner_id", "id"),
    # The quota asks when the last but so many of a user's was started.
    Index(None, "environment", "owner_id", "started_at"),
    Index("ix_chat_sessions_of_email", "environment", "email", "id", **_where("email IS NOT NULL")),
)

chat_messages = _table(
    "chat_messages",
    Column(
        "chat_id",
        _Big,
        ForeignKey("chat_sessions.id", ondelete="CASCADE"),
        primary_key=True,
        autoincrement=False,
    ),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("role", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("detail", Text),  # JSON: options, repairs, what was read, what is known of an image
    Column("created_at", _Big, nullable=False),
    CheckConstraint("role IN ('user', 'assistant')", name="role"),
)

questionnaire_categories = _table(
    "questionnaire_categories",
    Column("id", _Big, primary_key=True, autoincrement=False),
    Column("slug", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("description", Text, nullable=False),
    Column("icon", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("active", Integer, nullable=False),
    CheckConstraint("active IN (0, 1)", name="active"),
    # A retired category does not keep its slug from another one.
    Index("ix_questionnaire_categories_of_slug", "slug", unique=True, **_where("active = 1")),
)

questions = _table(
    "questions",
    Column("id", _Big, primary_key=True, autoincrement=False),
    Column("category_id", _Big, ForeignKey("questionnaire_categories.id"), nullable=False),
    Column("text", Text, nullable=False),
    Column("answer_type", Text, nullable=False),
    Column("options", Text, nullable=False),  # JSON: the answers, and what each says
    Column("position", Integer, nullable=False),
    Column("active", Integer, nullable=False),
    CheckConstraint("active IN (0, 1)", name="active"),
    CheckConstraint("answer_type IN ('single_choice', 'yes_no')", name="answer_type"),
    Index(None, "category_id", "position"),
)

submissions = _table(
    "submissions",
    _id(),
    Column("reference", Text, nullable=False, unique=True),
    Column("environment", Text, nullable=False),
    Column("user_id", _Big),  # NULL is somebody without an account
    # What was shown is kept as it was: later editions of the questionnaire change nothing of it.
    Column("category_slug", Text, nullable=False),
    Column("category_name", Text, nullable=False),
    Column("vehicle_id", Text),
    Column("vehicle_info", Text),
    Column("answers", Text, nullable=False),  # JSON
    Column("additional_notes", Text),
    Column("outcome", Text, nullable=False),  # JSON
    Column("created_at", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    Index(None, "category_slug", "id"),
)

diagnosis_cases = _table(
    "diagnosis_cases",
    _id(),
    Column("reference", Text, nullable=False, unique=True),
    Column("environment", Text, nullable=False),
    Column(
        "owner_id", _Big
    ),  # the user's id; 0 is the installation itself; NULL is somebody without an account
    Column("source", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("car", _Big),  # as of transactions; NULL: no VIN was given
    Column("suggested", Text, nullable=False),  # JSON: slugs of repairs
    Column("confidence", _Real, nullable=False),
    Column("repair", Text),  # the slug of the repair that it was; NULL while that is not known
    Column("confirmed_by", Text),
    Column("created_at", _Big, nullable=False),
    Column("confirmed_at", _Big),
    CheckConstraint(_Environment, name="environment"),
    CheckConstraint("source IN ('diagnosis', 'chat', 'questionnaire')", name="source"),
    CheckConstraint("confirmed_by IN ('operator', 'invoice')", name="confirmed_by"),
    Index("ix_diagnosis_cases_confirmed", "environment", "id", **_where("repair IS NOT NULL")),
    Index("ix_diagnosis_cases_waiting", "created_at", **_where("repair IS NULL")),
)

audit = _table(
    "audit",
    _id(),
    Column("at", _Big, nullable=False),
    Column("environment", Text, nullable=False),
    Column("user_id", _Big),  # NULL is the installation itself
    Column("key_id", _Big),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("before", Text),  # JSON
    Column("after", Text),
    CheckConstraint(_Environment, name="environment"),
)

computations = _table(
    "computations",
    Column("question", Text, primary_key=True),
    Column("owner", Text, nullable=False),
    Column("taken_at", _Big, nullable=False, index=True),
)

settings = _table(
    "settings",
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)

# Drivers who were sent to the provider of connected cars, and are awaited.
car_flows = _table(
    "car_flows",
    Column("id", Text, primary_key=True),
    Column("environment", Text, nullable=False),
    Column("owner_id", _Big, nullable=False),  # 0 is the installation itself
    Column("email", Text),
    Column("begun_at", _Big, nullable=False),
    Column("ends_at", _Big, nullable=False, index=True),
    CheckConstraint(_Environment, name="environment"),
)

# What drivers agreed to. Tokens are encrypted; NULL where the agreement was withdrawn.
car_connections = _table(
    "car_connections",
    Column("id", Text, primary_key=True),
    Column("environment", Text, nullable=False),
    Column("owner_id", _Big, nullable=False),  # 0 is the installation itself
    Column("email", Text),
    Column("standing", Text, nullable=False),
    Column("sealed", Text),
    Column("connected_at", _Big, nullable=False),
    Column("revoked_at", _Big),
    Column("refresh_until", _Big),  # whoever refreshes the tokens has the turn until then
    Column("version", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    CheckConstraint("standing IN ('active', 'revoked')", name="standing"),
    CheckConstraint("(standing = 'active') = (sealed IS NOT NULL)", name="sealed"),
    Index(None, "environment", "owner_id", "email"),
)

connected_cars = _table(
    "connected_cars",
    Column("environment", Text, primary_key=True),
    Column("owner_id", _Big, primary_key=True, autoincrement=False),
    Column("vin", Text, primary_key=True),
    Column(
        "connection_id",
        Text,
        ForeignKey("car_connections.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("connected_at", _Big, nullable=False),
    Column("synced_at", _Big),
    CheckConstraint(_Environment, name="environment"),
    Index(None, "environment", "vin"),
)

# Fleets: one car of one owner, what is told of it, and the recalls that were dealt with.
fleet_vehicles = _table(
    "fleet_vehicles",
    Column("id", Text, primary_key=True),
    Column("environment", Text, nullable=False),
    Column("owner_id", _Big, nullable=False),  # the user's id; 0 is the installation itself
    Column("vin", Text, nullable=False),
    Column("vehicle_id", Text, ForeignKey("vehicles.id"), nullable=False, index=True),
    Column("created_at", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    # One of a VIN. Several may have the same eleven characters: what an erased person's VINs are shortened to.
    Index(
        "uq_fleet_vehicles_vin", "environment", "owner_id", "vin", unique=True, **_where("length(vin) = 17")
    ),
    Index("ix_fleet_vehicles_vin", "environment", "owner_id", "vin"),
)

fleet_signals = _table(
    "fleet_signals",
    _id(),
    Column("fleet_vehicle_id", Text, ForeignKey("fleet_vehicles.id", ondelete="CASCADE"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("value", Text, nullable=False),  # JSON
    Column("source", Text, nullable=False),
    Column("at", _Big, nullable=False),
    CheckConstraint("source IN ('owner', 'connected_car')", name="source"),
    # The newest of each kind, and a page of all, are each one stretch of an index.
    Index("ix_fleet_signals_kind", "fleet_vehicle_id", "kind", "at", "id"),
    Index("ix_fleet_signals_all", "fleet_vehicle_id", "at", "id"),
)

fleet_recall_marks = _table(
    "fleet_recall_marks",
    Column("fleet_vehicle_id", Text, ForeignKey("fleet_vehicles.id", ondelete="CASCADE"), primary_key=True),
    Column("campaign", Text, primary_key=True),
    Column("dealt_with_at", _Big, nullable=False),
)

service_schedules = _table(
    "service_schedules",
    Column("id", Text, primary_key=True),
    Column("fleet_vehicle_id", Text, ForeignKey("fleet_vehicles.id", ondelete="CASCADE"), nullable=False),
    Column("problem_id", _Big, ForeignKey("problems.id")),
    Column("title", Text, nullable=False),
    Column("notes", Text),
    Column("due_on", Text),  # 2026-01-31: compared as text
    Column("due_mileage", _Big),
    Column("interval_months", _Big),
    Column("interval_miles", _Big),
    Column("stage", Text, nullable=False),  # upcoming, due and overdue follow from the day and the odometer
    Column("completed_on", Text),
    Column("completed_mileage", _Big),
    Column("created_at", _Big, nullable=False),
    Column("ended_at", _Big),
    Column("version", _Big, nullable=False),
    CheckConstraint("stage IN ('planned', 'completed', 'cancelled')", name="stage"),
    CheckConstraint("due_on IS NOT NULL OR due_mileage IS NOT NULL", name="due"),
    Index(None, "fleet_vehicle_id", "stage"),
)

# When repairs were foretold to be needed again.
lifecycle_predictions = _table(
    "lifecycle_predictions",
    _id(),
    Column("environment", Text, nullable=False),
    Column("owner_id", _Big, nullable=False),  # the user's id; 0 is the installation itself
    Column("vin", Text, nullable=False),
    Column("problem_id", _Big, ForeignKey("problems.id"), nullable=False),
    Column("mileage", _Big),
    Column("performed_on", Text),
    Column("answer", Text, nullable=False),  # JSON
    Column("created_at", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    Index(None, "environment", "id"),
    Index(None, "environment", "owner_id", "id"),
)

# The partner platform: accounts, their keys, and what they keep. A partner reaches what bears its number.
partners = _table(
    "partners",
    _id(),
    Column("name", Text, nullable=False, unique=True),
    Column("created_at", _Big, nullable=False),
    Column("suspended_at", _Big),
)

partner_keys = _table(
    "partner_keys",
    _id(),
    Column("partner_id", _Big, ForeignKey("partners.id"), nullable=False, index=True),
    Column("environment", Text, nullable=False),
    Column("public_key", Text, nullable=False),
    Column("public_hash", LargeBinary, nullable=False, unique=True),
    Column("secret_hash", LargeBinary, nullable=False, unique=True),
    Column("secret_last4", Text, nullable=False),
    Column("created_at", _Big, nullable=False),
    Column("revoked_at", _Big),  # from then on it opens no session; NULL counts without an end
    CheckConstraint(_Environment, name="environment"),
)

# The first answer to each idempotency key, byte for byte.
kept_replies = _table(
    "kept_replies",
    Column("partner_id", _Big, ForeignKey("partners.id"), primary_key=True, autoincrement=False),
    Column("environment", Text, primary_key=True),
    Column("key", Text, primary_key=True),
    Column("fingerprint", LargeBinary, nullable=False),
    Column("status", _Big),  # NULL within the transaction that claims the key
    Column("body", LargeBinary),
    Column("kept_at", _Big, nullable=False, index=True),
    CheckConstraint(_Environment, name="environment"),
)

customers = _table(
    "customers",
    _id(),
    Column("ref", Text, nullable=False, unique=True),
    Column("partner_id", _Big, ForeignKey("partners.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("first_name", Text, nullable=False),
    Column("last_name", Text, nullable=False),
    Column("email", Text),  # NULL, as what follows, of one who was erased
    Column("email_key", Text),  # case-folded
    Column("phone", Text),  # E.164
    Column("address", Text),
    Column("created_at", _Big, nullable=False),
    Column("updated_at", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    UniqueConstraint("partner_id", "environment", "email_key"),
    UniqueConstraint("partner_id", "environment", "phone"),
)

# The directory of mechanics, which operators fill.
mechanics = _table(
    "mechanics",
    _id(),
    Column("ref", Text, nullable=False, unique=True),
    Column("environment", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),  # what names are compared by
    Column("email", Text),
    Column("phone", Text),
    Column("address", Text),
    Column("city", Text),
    Column("state", Text, nullable=False),
    Column("zip_code", Text),
    Column("latitude", _Real),
    Column("longitude", _Real),
    Column("time_zone", Text, nullable=False),
    Column("slot_minutes", _Big, nullable=False),
    Column("capacity", _Big, nullable=False),  # appointments that begin at the same time
    Column("weekly", Text, nullable=False),  # JSON: the intervals of each day of the week, in local time
    Column("active", _Big, nullable=False),
    Column("created_at", _Big, nullable=False),
    Column("updated_at", _Big, nullable=False),
    Column("version", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    Index(None, "environment", "state", "id"),
    Index(None, "environment", "name_key"),
)

mechanic_services = _table(
    "mechanic_services",
    Column("mechanic_id", _Big, ForeignKey("mechanics.id", ondelete="CASCADE"), primary_key=True),
    Column("service", Text, primary_key=True),
)

mechanic_exceptions = _table(
    "mechanic_exceptions",
    Column("mechanic_id", _Big, ForeignKey("mechanics.id", ondelete="CASCADE"), primary_key=True),
    Column("day", Text, primary_key=True),  # 2026-12-24, local
    Column("intervals", Text, nullable=False),  # JSON; none: closed
)

appointments = _table(
    "appointments",
    _id(),
    Column("ref", Text, nullable=False, unique=True),
    Column("partner_id", _Big, ForeignKey("partners.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("mechanic_id", _Big, ForeignKey("mechanics.id"), nullable=False),
    Column("customer_id", _Big, ForeignKey("customers.id"), nullable=False, index=True),
    Column("starts_at", _Big, nullable=False),
    Column("ends_at", _Big, nullable=False),
    Column("local_date", Text, nullable=False),
    Column("local_time", Text, nullable=False),
    Column("status", Text, nullable=False),
    Column("pickup_step", Text, nullable=False),
    Column("description", Text),
    Column("partner_reference", Text),
    Column("session_id", Text),  # of the prediction that led to it
    Column("cancel_reason", Text),
    Column("bill", Text),  # JSON: the transaction that its invoice became, sums, and the estimate
    Column("notified_step", Text),
    Column("notified_at", _Big),
    Column("created_at", _Big, nullable=False),
    Column("updated_at", _Big, nullable=False),
    Column("version", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    CheckConstraint("status IN ('scheduled', 'completed', 'cancelled', 'no_show')", name="status"),
    Index(None, "partner_id", "environment", "id"),
    Index(None, "mechanic_id", "starts_at"),
)

# Taken places: a row for each five minutes of an appointment. The key lets one appointment have each place.
appointment_slots = _table(
    "appointment_slots",
    Column("mechanic_id", _Big, ForeignKey("mechanics.id"), primary_key=True, autoincrement=False),
    Column("starts_at", _Big, primary_key=True, autoincrement=False),
    Column("seat", _Big, primary_key=True, autoincrement=False),
    Column(
        "appointment_id", _Big, ForeignKey("appointments.id", ondelete="CASCADE"), nullable=False, index=True
    ),
)

# Mails that wait to be sent, and for a time those that were.
mails = _table(
    "mails",
    _id(),
    Column("recipient", Text, nullable=False),
    Column("recipient_key", Text, nullable=False, index=True),  # case-folded
    Column("subject", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("about", Text, nullable=False),  # the record's reference
    Column("state", Text, nullable=False),
    Column("attempts", _Big, nullable=False),
    Column(
        "due_at", _Big, nullable=False
    ),  # a mail in somebody's hands is due again when that one is given up
    Column("last_error", Text),
    Column("created_at", _Big, nullable=False),
    Column("ended_at", _Big),
    CheckConstraint("state IN ('pending', 'sent', 'dead')", name="state"),
    Index("ix_mails_due", "due_at", **_where("state = 'pending'")),
)

# What became of each record, by its reference.
timeline = _table(
    "timeline",
    _id(),
    Column("subject", Text, nullable=False),
    Column("at", _Big, nullable=False),
    Column("action", Text, nullable=False),
    Column("before", Text),
    Column("after", Text, nullable=False),
    Column("actor", Text, nullable=False),
    Column("detail", Text),  # JSON
    Index(None, "subject", "id"),
)

# Events, as they are delivered, and who subscribed to them.
events = _table(
    "events",
    Column("id", Text, primary_key=True),
    Column("partner_id", _Big, ForeignKey("partners.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("type", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("sequence", _Big, nullable=False),
    Column("payload", Text, nullable=False),  # JSON, byte for byte as it is signed
    Column("created_at", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    UniqueConstraint("subject", "sequence"),
    Index(None, "partner_id", "environment", "created_at"),
)

webhook_subscriptions = _table(
    "webhook_subscriptions",
    _id(),
    Column("ref", Text, nullable=False, unique=True),
    Column("partner_id", _Big, ForeignKey("partners.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("events", Text, nullable=False),  # JSON
    Column("description", Text),
    Column("active", _Big, nullable=False),
    Column("sealed", Text, nullable=False),  # the signing secret, encrypted
    Column("previous_sealed", Text),
    Column("previous_until", _Big),
    Column("last_delivery_at", _Big),
    Column("last_status", _Big),
    Column("failing_since", _Big),
    Column("disabled_reason", Text),
    Column("created_at", _Big, nullable=False),
    Column("updated_at", _Big, nullable=False),
    Column("version", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    Index(None, "partner_id", "environment", "id"),
)

webhook_deliveries = _table(
    "webhook_deliveries",
    _id(),
    Column("event_id", Text, ForeignKey("events.id"), nullable=False, index=True),
    Column(
        "subscription_id",
        _Big,
        ForeignKey("webhook_subscriptions.id", ondelete="CASCADE"),
        nullable=False,
    ),
    Column("state", Text, nullable=False),
    Column("attempts", _Big, nullable=False),
    Column("due_at", _Big, nullable=False),
    Column("holder", Text),  # who is delivering it, until then
    Column("held_until", _Big),
    Column("last_status", _Big),
    Column("last_error", Text),
    Column("delivered_at", _Big),
    Column("created_at", _Big, nullable=False),
    CheckConstraint("state IN ('pending', 'delivered', 'dead', 'dropped')", name="state"),
    Index("ix_webhook_deliveries_due", "subscription_id", "due_at", **_where("state = 'pending'")),
    Index(None, "subscription_id", "id"),
)

webhook_attempts = _table(
    "webhook_attempts",
    _id(),
    Column(
        "delivery_id",
        _Big,
        ForeignKey("webhook_deliveries.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("at", _Big, nullable=False),
    Column("status", _Big),
    Column("error", Text),
    Column("milliseconds", _Big, nullable=False),
)

# Whose turn it is to do what is done beside requests.
job_turns = _table(
    "job_turns",
    Column("name", Text, primary_key=True),
    Column("holder", Text),  # who does it now, until then
    Column("held_until", _Big),
    Column("done_at", _Big),
    Column("failure", Text),
)

# Payments, the books about them, and what the sandbox of the test environment holds.
_Amounts = "amount > 0 AND 0 <= refunded AND refunded <= captured AND captured <= amount"

UNDER_WAY = "state IN ('authorizing', 'capturing', 'voiding', 'refunding')"
"""Of payments: a step is being taken. Who asks for them says it in these words: an index of some rows serves no other."""

payments = _table(
    "payments",
    Column("id", Text, primary_key=True),
    Column("partner_id", _Big, ForeignKey("partners.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("subject", Text, nullable=False),
    Column("offer_ref", Text, nullable=False),
    Column("amount", _Big, nullable=False),
    Column("captured", _Big, nullable=False),
    Column("refunded", _Big, nullable=False),
    Column("moving", _Big),  # what the step under way takes or gives back
    Column("currency", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("gateway", Text, nullable=False),
    Column("gateway_ref", Text),
    Column("claim", Text),
    Column("payment_method", Text),
    Column("sandbox", Text),
    Column("reason", Text),
    Column("created_at", _Big, nullable=False),
    Column("updated_at", _Big, nullable=False),
    Column("version", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    CheckConstraint(
        "state IN ('authorizing', 'authorized', 'declined', 'capturing', 'captured', 'voiding', 'voided',"
        " 'refunding', 'refunded')",
        name="state",
    ),
    CheckConstraint("gateway IN ('sandbox', 'stripe')", name="gateway"),
    CheckConstraint(_Amounts, name="amount"),
    CheckConstraint("(moving IS NOT NULL) = (state IN ('capturing', 'refunding'))", name="moving"),
    # One charge for each subject, however many ask at once.
    Index(
        "uq_payments_living",
        "environment",
        "subject",
        unique=True,
        **_where("state NOT IN ('declined', 'voided')"),
    ),
    Index("ix_payments_under_way", "id", **_where(UNDER_WAY)),
    # With the id: SQLite would rather read a whole environment in the order that is asked for than sort one subject's.
    Index(None, "environment", "subject", "id"),
    Index(None, "environment", "id"),
    Index(None, "partner_id", "environment", "id"),
)

payment_entries = _table(
    "payment_entries",
    _id(),
    Column("payment_id", Text, ForeignKey("payments.id"), nullable=False),
    Column("at", _Big, nullable=False),
    Column("kind", Text, nullable=False),
    Column("account", Text, nullable=False),
    Column("cents", _Big, nullable=False),
    CheckConstraint("kind IN ('authorize', 'capture', 'refund', 'void')", name="kind"),
    CheckConstraint("account IN ('customer', 'held', 'partner_revenue')", name="account"),
    Index(None, "payment_id", "id"),
)

sandbox_charges = _table(
    "sandbox_charges",
    Column("ref", Text, primary_key=True),
    Column("key", Text, nullable=False, unique=True),
    Column("state", Text, nullable=False),
    Column("amount", _Big, nullable=False),
    Column("captured", _Big, nullable=False),
    Column("refunded", _Big, nullable=False),
    Column("sandbox", Text),
    Column("done", Text, nullable=False),  # JSON: what was asked, by key
    Column("created_at", _Big, nullable=False),
    CheckConstraint("state IN ('authorized', 'captured', 'canceled', 'declined')", name="state"),
    CheckConstraint(_Amounts, name="amount"),
)

# Who was admitted lately, shared by all machines. On PostgreSQL it is not logged: what a crash takes is over in a minute.
rate_windows = _table(
    "rate_windows",
    Column("name", LargeBinary, primary_key=True),  # a digest of the subject and the limit
    Column("log", LargeBinary, nullable=False),  # nanoseconds since 1970, eight bytes each, the oldest first
    Column("over_at", _Big, nullable=False, index=True),
)

ON_A_RIDE = (
    "environment = 'live' AND kind = 'ride' AND status IN ('accepted', 'driver_arrived', 'in_progress')"
)
"""Of rides: a driver is on it. Who asks for them says it in these words: an index of some rows serves no other."""

# Mobile rides and tow rides, and the offers to do them.
rides = _table(
    "rides",
    _id(),
    Column("ref", Text, nullable=False, unique=True),
    Column("kind", Text, nullable=False),
    Column("partner_id", _Big, ForeignKey("partners.id"), nullable=False),
    Column("environment", Text, nullable=False),
    Column("customer_id", _Big, ForeignKey("customers.id"), nullable=False, index=True),
    Column("status", Text, nullable=False),
    Column("service", Text, nullable=False),
    Column("pickup_latitude", _Real, nullable=False),
    Column("pickup_longitude", _Real, nullable=False),
    Column("dropoff_latitude", _Real, nullable=False),
    Column("dropoff_longitude", _Real, nullable=False),
    Column("pickup_address", Text),
    Column("dropoff_address", Text),
    Column("fare", Text, nullable=False),  # JSON: miles, and cents
    Column("vehicle", Text, nullable=False),  # JSON, as it was told
    Column("notes", Text),
    Column("reason", Text),
    Column("partner_reference", Text),
    Column("session_id", Text),  # of the prediction that led to it
    Column("payment_method", Text),  # the gateway's name for it
    Column("scenario", Text, nullable=False),
    Column("offer_id", _Big),
    Column("provider_ref", Text),
    Column("provider_name", Text),
    Column("eta_at", _Big),
    Column("accepted_at", _Big),
    Column("arrived_at", _Big),
    Column("started_at", _Big),
    Column("ended_at", _Big),
    Column("outcome", Text),
    Column("cancel_reason", Text),
    Column("cancel_note", Text),
    Column("fee", _Big),
    Column("linked_ref", Text),
    Column("bill", Text),  # JSON: the transaction that its invoice became, sums, and the estimate
    Column("rating", _Big),
    Column("comment", Text),
    Column("rated_at", _Big),
    Column("expires_at", _Big, nullable=False),
    Column("created_at", _Big, nullable=False),
    Column("updated_at", _Big, nullable=False),
    Column("version", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    CheckConstraint("kind IN ('ride', 'tow')", name="kind"),
    CheckConstraint(
        "status IN ('pending', 'accepted', 'driver_arrived', 'provider_arrived', 'in_progress', 'completed',"
        " 'cancelled', 'expired')",
        name="status",
    ),
    # A partner's list is one stretch of an index, of one status too.
    Index(None, "partner_id", "environment", "kind", "id"),
    Index(None, "partner_id", "environment", "kind", "status", "id"),
    Index("ix_rides_pending", "kind", "expires_at", **_where("status = 'pending'")),
    # A driver is on one ride at a time; a business has several trucks, and the sandbox's stand-ins are many.
    Index("uq_rides_driver", "provider_ref", unique=True, **_where(ON_A_RIDE)),
    # Where somebody was ever sent: who removes or erases them holds up every other writer meanwhile.
    Index("ix_rides_provider", "provider_ref", **_where("provider_ref IS NOT NULL")),
)

ride_offers = _table(
    "ride_offers",
    _id(),
    Column("ride_ref", Text, ForeignKey("rides.ref"), nullable=False),
    Column("provider_ref", Text, nullable=False),
    Column("provider_id", _Big, nullable=False),
    Column("provider_name", Text, nullable=False),
    Column("rating", _Real),
    Column("price", _Big, nullable=False),
    Column("distance_miles", _Real, nullable=False),
    Column("eta_minutes", _Big, nullable=False),
    Column("status", Text, nullable=False),
    Column("offered_at", _Big, nullable=False),
    Column("expires_at", _Big, nullable=False),
    Column("closed_at", _Big),
    CheckConstraint("status IN ('offered', 'accepted', 'declined', 'withdrawn', 'expired')", name="status"),
    Index(None, "ride_ref", "id"),
    Index(None, "provider_ref"),
    # One is accepted, whatever arrives at once.
    Index("uq_ride_offers_accepted", "ride_ref", unique=True, **_where("status = 'accepted'")),
)

# The directory of who comes to a vehicle, which operators fill.
drivers = _table(
    "drivers",
    _id(),
    Column("ref", Text, nullable=False, unique=True),
    Column("environment", Text, nullable=False),
    Column("identity", Text),  # the phone in E.164; of a stand-in of the sandbox a name that is its own
    Column("name", Text, nullable=False),
    Column("phone", Text),
    Column("services", Text, nullable=False),  # JSON
    Column("vehicle", Text),
    Column("latitude", _Real, nullable=False),
    Column("longitude", _Real, nullable=False),
    Column("radius_miles", _Real, nullable=False),
    Column("time_zone", Text, nullable=False),
    Column("weekly", Text),  # JSON, in local time; NULL: always
    Column("active", _Big, nullable=False),
    Column("sandbox", _Big, nullable=False),
    Column("rating_sum", _Big, nullable=False),
    Column("rating_count", _Big, nullable=False),
    Column("created_at", _Big, nullable=False),
    Column("updated_at", _Big, nullable=False),
    Column("version", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    CheckConstraint("sandbox = 0 OR environment = 'test'", name="sandbox"),
    UniqueConstraint("environment", "identity"),
    Index(None, "environment", "latitude"),
)

businesses = _table(
    "businesses",
    _id(),
    Column("ref", Text, nullable=False, unique=True),
    Column("environment", Text, nullable=False),
    Column("identity", Text),  # the phone in E.164; of a stand-in of the sandbox a name that is its own
    Column("name", Text, nullable=False),
    Column("phone", Text),
    Column("ride_types", Text, nullable=False),  # JSON
    Column("address", Text),
    Column("latitude", _Real, nullable=False),
    Column("longitude", _Real, nullable=False),
    Column("radius_miles", _Real, nullable=False),
    Column("time_zone", Text, nullable=False),
    Column("weekly", Text),  # JSON, in local time; NULL: always
    Column("active", _Big, nullable=False),
    Column("sandbox", _Big, nullable=False),
    Column("created_at", _Big, nullable=False),
    Column("updated_at", _Big, nullable=False),
    Column("version", _Big, nullable=False),
    CheckConstraint(_Environment, name="environment"),
    CheckConstraint("sandbox = 0 OR environment = 'test'", name="sandbox"),
    UniqueConstraint("environment", "identity"),
    Index(None, "environment", "latitude"),
)
