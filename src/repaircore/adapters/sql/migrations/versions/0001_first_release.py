"""Create the tables of the first release."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")
_REAL = sa.Float(53).with_variant(sqlite.REAL(), "sqlite")


def upgrade() -> None:
    """Create every table."""
    op.create_table(
        "audit",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("at", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("user_id", _BIG, nullable=True),
        sa.Column("key_id", _BIG, nullable=True),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=True),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_audit_environment")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_audit")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "book_changes",
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("change", sa.Text(), nullable=False),
        sa.Column("changed_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("slug", name=op.f("pk_book_changes")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "businesses",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("phone", sa.Text(), nullable=True),
        sa.Column("ride_types", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("latitude", _REAL, nullable=False),
        sa.Column("longitude", _REAL, nullable=False),
        sa.Column("radius_miles", _REAL, nullable=False),
        sa.Column("time_zone", sa.Text(), nullable=False),
        sa.Column("weekly", sa.Text(), nullable=True),
        sa.Column("active", _BIG, nullable=False),
        sa.Column("sandbox", _BIG, nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_businesses_environment")),
        sa.CheckConstraint("sandbox = 0 OR environment = 'test'", name=op.f("ck_businesses_sandbox")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_businesses")),
        sa.UniqueConstraint("environment", "identity", name=op.f("uq_businesses_environment_identity")),
        sa.UniqueConstraint("ref", name=op.f("uq_businesses_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_businesses_environment_latitude"), "businesses", ["environment", "latitude"], unique=False
    )
    op.create_table(
        "calibrations",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("alpha", _BIG, nullable=False),
        sa.Column("fitted", _BIG, server_default=sa.text("0"), nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_calibrations_environment")),
        sa.PrimaryKeyConstraint("environment", name=op.f("pk_calibrations")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "car_connections",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("standing", sa.Text(), nullable=False),
        sa.Column("sealed", sa.Text(), nullable=True),
        sa.Column("connected_at", _BIG, nullable=False),
        sa.Column("revoked_at", _BIG, nullable=True),
        sa.Column("refresh_until", _BIG, nullable=True),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint(
            "(standing = 'active') = (sealed IS NOT NULL)", name=op.f("ck_car_connections_sealed")
        ),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_car_connections_environment")),
        sa.CheckConstraint("standing IN ('active', 'revoked')", name=op.f("ck_car_connections_standing")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_car_connections")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_car_connections_environment_owner_id_email"),
        "car_connections",
        ["environment", "owner_id", "email"],
        unique=False,
    )
    op.create_table(
        "car_flows",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("begun_at", _BIG, nullable=False),
        sa.Column("ends_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_car_flows_environment")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_car_flows")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_car_flows_ends_at"), "car_flows", ["ends_at"], unique=False)
    op.create_table(
        "catalog_entries",
        sa.Column("make_key", sa.Text(), nullable=False),
        sa.Column("year", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("published_key", sa.Text(), nullable=False),
        sa.Column("tenths", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("cylinders", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("fuel", sa.Text(), nullable=False),
        sa.Column("drive", sa.Text(), nullable=False),
        sa.Column("make", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("model_key", sa.Text(), nullable=False),
        sa.Column("published", sa.Text(), nullable=False),
        sa.Column("trim", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint(
            "make_key",
            "year",
            "published_key",
            "tenths",
            "cylinders",
            "fuel",
            "drive",
            name=op.f("pk_catalog_entries"),
        ),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_catalog_entries_make_key_model_key_year"),
        "catalog_entries",
        ["make_key", "model_key", "year"],
        unique=False,
    )
    op.create_table(
        "cells",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("w", _BIG, nullable=False),
        sa.Column("s", _BIG, nullable=False),
        sa.Column("q", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_cells_environment")),
        sa.CheckConstraint("w >= 0 AND q >= 0", name=op.f("ck_cells_sums")),
        sa.PrimaryKeyConstraint("environment", "problem_id", "kind", "level", "key", name=op.f("pk_cells")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "computations",
        sa.Column("question", sa.Text(), nullable=False),
        sa.Column("owner", sa.Text(), nullable=False),
        sa.Column("taken_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("question", name=op.f("pk_computations")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_computations_taken_at"), "computations", ["taken_at"], unique=False)
    op.create_table(
        "diagnosis_cases",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("car", _BIG, nullable=True),
        sa.Column("suggested", sa.Text(), nullable=False),
        sa.Column("confidence", _REAL, nullable=False),
        sa.Column("repair", sa.Text(), nullable=True),
        sa.Column("confirmed_by", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("confirmed_at", _BIG, nullable=True),
        sa.CheckConstraint(
            "confirmed_by IN ('operator', 'invoice')", name=op.f("ck_diagnosis_cases_confirmed_by")
        ),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_diagnosis_cases_environment")),
        sa.CheckConstraint(
            "source IN ('diagnosis', 'chat', 'questionnaire')", name=op.f("ck_diagnosis_cases_source")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_diagnosis_cases")),
        sa.UniqueConstraint("reference", name=op.f("uq_diagnosis_cases_reference")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_diagnosis_cases_confirmed",
        "diagnosis_cases",
        ["environment", "id"],
        unique=False,
        sqlite_where=sa.text("repair IS NOT NULL"),
        postgresql_where=sa.text("repair IS NOT NULL"),
    )
    op.create_index(
        "ix_diagnosis_cases_waiting",
        "diagnosis_cases",
        ["created_at"],
        unique=False,
        sqlite_where=sa.text("repair IS NULL"),
        postgresql_where=sa.text("repair IS NULL"),
    )
    op.create_table(
        "drivers",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("identity", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("phone", sa.Text(), nullable=True),
        sa.Column("services", sa.Text(), nullable=False),
        sa.Column("vehicle", sa.Text(), nullable=True),
        sa.Column("latitude", _REAL, nullable=False),
        sa.Column("longitude", _REAL, nullable=False),
        sa.Column("radius_miles", _REAL, nullable=False),
        sa.Column("time_zone", sa.Text(), nullable=False),
        sa.Column("weekly", sa.Text(), nullable=True),
        sa.Column("active", _BIG, nullable=False),
        sa.Column("sandbox", _BIG, nullable=False),
        sa.Column("rating_sum", _BIG, nullable=False),
        sa.Column("rating_count", _BIG, nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_drivers_environment")),
        sa.CheckConstraint("sandbox = 0 OR environment = 'test'", name=op.f("ck_drivers_sandbox")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_drivers")),
        sa.UniqueConstraint("environment", "identity", name=op.f("uq_drivers_environment_identity")),
        sa.UniqueConstraint("ref", name=op.f("uq_drivers_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_drivers_environment_latitude"), "drivers", ["environment", "latitude"], unique=False
    )
    op.create_table(
        "facilities",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("city", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=True),
        sa.Column("zip_code", sa.Text(), nullable=True),
        sa.Column("country", sa.Text(), nullable=True),
        sa.Column("avg_labor_rate", _BIG, nullable=True),
        sa.Column("latitude", _REAL, nullable=True),
        sa.Column("longitude", _REAL, nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("version", _BIG, server_default=sa.text("1"), nullable=False),
        sa.Column("sample_size", _BIG, server_default=sa.text("0"), nullable=False),
        sa.Column("name_key", sa.Text(), server_default="", nullable=False),
        sa.Column("city_key", sa.Text(), nullable=True),
        sa.CheckConstraint("avg_labor_rate >= 0", name=op.f("ck_facilities_avg_labor_rate")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_facilities")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_facilities_name_key"), "facilities", ["name_key"], unique=False)
    op.create_index(op.f("ix_facilities_state"), "facilities", ["state"], unique=False)
    op.create_table(
        "imports",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("digest", sa.Text(), nullable=False),
        sa.Column("file", sa.Text(), nullable=False),
        sa.Column("read", _BIG, nullable=False),
        sa.Column("added", _BIG, nullable=False),
        sa.Column("known", _BIG, nullable=False),
        sa.Column("updated", _BIG, nullable=False),
        sa.Column("refused", _BIG, nullable=False),
        sa.Column("started_at", _BIG, nullable=False),
        sa.Column("finished_at", _BIG, nullable=True),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_imports_environment")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_imports")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "uq_imports_unfinished",
        "imports",
        ["kind", "environment", "digest"],
        unique=True,
        sqlite_where=sa.text("finished_at IS NULL"),
        postgresql_where=sa.text("finished_at IS NULL"),
    )
    op.create_table(
        "job_leases",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("holder", sa.Text(), nullable=True),
        sa.Column("held_until", _BIG, nullable=True),
        sa.Column("done_at", _BIG, nullable=True),
        sa.Column("failure", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_job_leases")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "mails",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("recipient_key", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", _BIG, nullable=False),
        sa.Column("due_at", _BIG, nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("ended_at", _BIG, nullable=True),
        sa.CheckConstraint("state IN ('pending', 'sent', 'dead')", name=op.f("ck_mails_state")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mails")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_mails_due",
        "mails",
        ["due_at"],
        unique=False,
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_index(op.f("ix_mails_recipient_key"), "mails", ["recipient_key"], unique=False)
    op.create_table(
        "mechanics",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("name_key", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("phone", sa.Text(), nullable=True),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("city", sa.Text(), nullable=True),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("zip_code", sa.Text(), nullable=True),
        sa.Column("latitude", _REAL, nullable=True),
        sa.Column("longitude", _REAL, nullable=True),
        sa.Column("time_zone", sa.Text(), nullable=False),
        sa.Column("slot_minutes", _BIG, nullable=False),
        sa.Column("capacity", _BIG, nullable=False),
        sa.Column("weekly", sa.Text(), nullable=False),
        sa.Column("active", _BIG, nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_mechanics_environment")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_mechanics")),
        sa.UniqueConstraint("ref", name=op.f("uq_mechanics_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_mechanics_environment_name_key"), "mechanics", ["environment", "name_key"], unique=False
    )
    op.create_index(
        op.f("ix_mechanics_environment_state_id"), "mechanics", ["environment", "state", "id"], unique=False
    )
    op.create_table(
        "opinions",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("good", _BIG, nullable=False),
        sa.Column("wrong", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_opinions_environment")),
        sa.CheckConstraint("good >= 0 AND wrong >= 0", name=op.f("ck_opinions_counts")),
        sa.PrimaryKeyConstraint("environment", "problem_id", name=op.f("pk_opinions")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "partners",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("suspended_at", _BIG, nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_partners")),
        sa.UniqueConstraint("name", name=op.f("uq_partners_name")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "prior_cells",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("level", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("w", _BIG, nullable=False),
        sa.Column("s", _BIG, nullable=False),
        sa.Column("q", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_prior_cells_environment")),
        sa.CheckConstraint("w > 0 AND q >= 0", name=op.f("ck_prior_cells_sums")),
        sa.PrimaryKeyConstraint(
            "environment", "problem_id", "kind", "level", "key", name=op.f("pk_prior_cells")
        ),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "priors",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("weight", _BIG, nullable=False),
        sa.Column("within", _REAL, nullable=False),
        sa.Column("book", _REAL, nullable=False),
        sa.Column("make", _REAL, nullable=False),
        sa.Column("model", _REAL, nullable=False),
        sa.Column("years", _REAL, nullable=False),
        sa.Column("make_index", _REAL, nullable=False),
        sa.Column("model_index", _REAL, nullable=False),
        sa.Column("unit", _REAL, nullable=False),
        sa.Column("center", _BIG, nullable=False),
        sa.Column("root", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_priors_environment")),
        sa.CheckConstraint("weight > 0", name=op.f("ck_priors_weight")),
        sa.PrimaryKeyConstraint("environment", "problem_id", name=op.f("pk_priors")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "problems",
        sa.Column("id", _BIG, autoincrement=False, nullable=False),
        sa.Column("parent_id", _BIG, nullable=True),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("book", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["parent_id"], ["problems.id"], name=op.f("fk_problems_parent_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_problems")),
        sa.UniqueConstraint("slug", name=op.f("uq_problems_slug")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_problems_parent_id"), "problems", ["parent_id"], unique=False)
    op.create_table(
        "questionnaire_categories",
        sa.Column("id", _BIG, autoincrement=False, nullable=False),
        sa.Column("slug", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("icon", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("active", sa.Integer(), nullable=False),
        sa.CheckConstraint("active IN (0, 1)", name=op.f("ck_questionnaire_categories_active")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_questionnaire_categories")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_questionnaire_categories_of_slug",
        "questionnaire_categories",
        ["slug"],
        unique=True,
        sqlite_where=sa.text("active = 1"),
        postgresql_where=sa.text("active = 1"),
    )
    op.create_table(
        "rate_windows",
        sa.Column("name", sa.LargeBinary(), nullable=False),
        sa.Column("log", sa.LargeBinary(), nullable=False),
        sa.Column("over_at", _BIG, nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_rate_windows")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_rate_windows_over_at"), "rate_windows", ["over_at"], unique=False)
    op.create_table(
        "recall_campaigns",
        sa.Column("campaign", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=True),
        sa.Column("consequence", sa.Text(), nullable=True),
        sa.Column("remedy", sa.Text(), nullable=True),
        sa.Column("park_it", sa.Integer(), nullable=True),
        sa.Column("park_outside", sa.Integer(), nullable=True),
        sa.Column("reported_on", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("campaign", name=op.f("pk_recall_campaigns")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "recall_years",
        sa.Column("year", sa.Integer(), autoincrement=False, nullable=False),
        sa.PrimaryKeyConstraint("year", name=op.f("pk_recall_years")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "sandbox_charges",
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("amount", _BIG, nullable=False),
        sa.Column("captured", _BIG, nullable=False),
        sa.Column("refunded", _BIG, nullable=False),
        sa.Column("sandbox", sa.Text(), nullable=True),
        sa.Column("done", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint(
            "state IN ('authorized', 'captured', 'canceled', 'declined')",
            name=op.f("ck_sandbox_charges_state"),
        ),
        sa.CheckConstraint(
            "amount > 0 AND 0 <= refunded AND refunded <= captured AND captured <= amount",
            name=op.f("ck_sandbox_charges_amount"),
        ),
        sa.PrimaryKeyConstraint("ref", name=op.f("pk_sandbox_charges")),
        sa.UniqueConstraint("key", name=op.f("uq_sandbox_charges_key")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "settings",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_settings")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "submissions",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("reference", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("user_id", _BIG, nullable=True),
        sa.Column("category_slug", sa.Text(), nullable=False),
        sa.Column("category_name", sa.Text(), nullable=False),
        sa.Column("vehicle_id", sa.Text(), nullable=True),
        sa.Column("vehicle_info", sa.Text(), nullable=True),
        sa.Column("answers", sa.Text(), nullable=False),
        sa.Column("additional_notes", sa.Text(), nullable=True),
        sa.Column("outcome", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_submissions_environment")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_submissions")),
        sa.UniqueConstraint("reference", name=op.f("uq_submissions_reference")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_submissions_category_slug_id"), "submissions", ["category_slug", "id"], unique=False
    )
    op.create_table(
        "tallies",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("generation", sa.Integer(), nullable=False),
        sa.Column("counts", sa.LargeBinary(), nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_tallies_environment")),
        sa.PrimaryKeyConstraint("environment", "problem_id", "generation", name=op.f("pk_tallies")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "timeline",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("at", _BIG, nullable=False),
        sa.Column("action", sa.Text(), nullable=False),
        sa.Column("before", sa.Text(), nullable=True),
        sa.Column("after", sa.Text(), nullable=False),
        sa.Column("actor", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_timeline")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_timeline_subject_id"), "timeline", ["subject", "id"], unique=False)
    op.create_table(
        "track_records",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("model_a_source", sa.Text(), nullable=True),
        sa.Column("model_a_bias", _REAL, nullable=False),
        sa.Column("model_a_spread", _REAL, nullable=False),
        sa.Column("model_a_pairs", _BIG, nullable=False),
        sa.Column("model_b_source", sa.Text(), nullable=True),
        sa.Column("model_b_bias", _REAL, nullable=False),
        sa.Column("model_b_spread", _REAL, nullable=False),
        sa.Column("model_b_pairs", _BIG, nullable=False),
        sa.Column("correlation", _REAL, nullable=False),
        sa.Column("flag_threshold", _REAL, server_default=sa.text("1.45"), nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_track_records_environment")),
        sa.PrimaryKeyConstraint("environment", name=op.f("pk_track_records")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "transaction_sums",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("dimension", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("month", sa.Text(), nullable=False),
        sa.Column("n", _BIG, nullable=False),
        sa.Column("parts_total", _BIG, nullable=False),
        sa.Column("labor_total", _BIG, nullable=False),
        sa.CheckConstraint(
            "dimension IN ('all', 'problem', 'make', 'facility')", name=op.f("ck_transaction_sums_dimension")
        ),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_transaction_sums_environment")),
        sa.CheckConstraint("n >= 0", name=op.f("ck_transaction_sums_n")),
        sa.PrimaryKeyConstraint(
            "environment", "dimension", "value", "month", name=op.f("pk_transaction_sums")
        ),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "users",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("password_hash", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint("role IN ('user', 'admin')", name=op.f("ck_users_role")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_users")),
        sa.UniqueConstraint("email", name=op.f("uq_users_email")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "variances",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("within", _REAL, nullable=False),
        sa.Column("make", _REAL, nullable=False),
        sa.Column("model", _REAL, nullable=False),
        sa.Column("years", _REAL, nullable=False),
        sa.Column("center", _BIG, nullable=False),
        sa.Column("book", _REAL, server_default=sa.text("0"), nullable=False),
        sa.Column("make_index", _REAL, server_default=sa.text("0"), nullable=False),
        sa.Column("model_index", _REAL, server_default=sa.text("0"), nullable=False),
        sa.Column("unit", _REAL, server_default=sa.text("0"), nullable=False),
        sa.Column("root", _BIG, server_default=sa.text("0"), nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_variances_environment")),
        sa.PrimaryKeyConstraint("environment", "problem_id", name=op.f("pk_variances")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "api_keys",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("user_id", _BIG, nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("public_key", sa.Text(), nullable=False),
        sa.Column("public_hash", sa.LargeBinary(), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False),
        sa.Column("secret_last4", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("last_used_at", _BIG, nullable=True),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_api_keys_environment")),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_api_keys_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_api_keys")),
        sa.UniqueConstraint("public_hash", name=op.f("uq_api_keys_public_hash")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_api_keys_secret_hash")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_api_keys_user_id"), "api_keys", ["user_id"], unique=False)
    op.create_table(
        "connected_cars",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("vin", sa.Text(), nullable=False),
        sa.Column("connection_id", sa.Text(), nullable=False),
        sa.Column("connected_at", _BIG, nullable=False),
        sa.Column("synced_at", _BIG, nullable=True),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_connected_cars_environment")),
        sa.ForeignKeyConstraint(
            ["connection_id"],
            ["car_connections.id"],
            name=op.f("fk_connected_cars_connection_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("environment", "owner_id", "vin", name=op.f("pk_connected_cars")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_connected_cars_connection_id"), "connected_cars", ["connection_id"], unique=False
    )
    op.create_index(
        op.f("ix_connected_cars_environment_vin"), "connected_cars", ["environment", "vin"], unique=False
    )
    op.create_table(
        "customers",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("partner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("first_name", sa.Text(), nullable=False),
        sa.Column("last_name", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("email_key", sa.Text(), nullable=True),
        sa.Column("phone", sa.Text(), nullable=True),
        sa.Column("address", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_customers_environment")),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_customers_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_customers")),
        sa.UniqueConstraint(
            "partner_id",
            "environment",
            "email_key",
            name=op.f("uq_customers_partner_id_environment_email_key"),
        ),
        sa.UniqueConstraint(
            "partner_id", "environment", "phone", name=op.f("uq_customers_partner_id_environment_phone")
        ),
        sa.UniqueConstraint("ref", name=op.f("uq_customers_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_table(
        "descriptions",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("edition", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("generated_by", sa.Text(), nullable=False),
        sa.Column("generated_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_descriptions_environment")),
        sa.ForeignKeyConstraint(["problem_id"], ["problems.id"], name=op.f("fk_descriptions_problem_id")),
        sa.PrimaryKeyConstraint("environment", "problem_id", name=op.f("pk_descriptions")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "events",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("partner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("sequence", _BIG, nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_events_environment")),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_events_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_events")),
        sa.UniqueConstraint("subject", "sequence", name=op.f("uq_events_subject_sequence")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_events_partner_id_environment_created_at"),
        "events",
        ["partner_id", "environment", "created_at"],
        unique=False,
    )
    op.create_table(
        "idempotent_replies",
        sa.Column("partner_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(), nullable=False),
        sa.Column("status", _BIG, nullable=True),
        sa.Column("body", sa.LargeBinary(), nullable=True),
        sa.Column("stored_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_idempotent_replies_environment")),
        sa.ForeignKeyConstraint(
            ["partner_id"], ["partners.id"], name=op.f("fk_idempotent_replies_partner_id")
        ),
        sa.PrimaryKeyConstraint("partner_id", "environment", "key", name=op.f("pk_idempotent_replies")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_idempotent_replies_stored_at"), "idempotent_replies", ["stored_at"], unique=False
    )
    op.create_table(
        "lifecycle_predictions",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=False),
        sa.Column("vin", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, nullable=False),
        sa.Column("mileage", _BIG, nullable=True),
        sa.Column("performed_on", sa.Text(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint(
            "environment IN ('test', 'live')", name=op.f("ck_lifecycle_predictions_environment")
        ),
        sa.ForeignKeyConstraint(
            ["problem_id"], ["problems.id"], name=op.f("fk_lifecycle_predictions_problem_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_lifecycle_predictions")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_lifecycle_predictions_environment_id"),
        "lifecycle_predictions",
        ["environment", "id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_lifecycle_predictions_environment_owner_id_id"),
        "lifecycle_predictions",
        ["environment", "owner_id", "id"],
        unique=False,
    )
    op.create_table(
        "mechanic_exceptions",
        sa.Column("mechanic_id", _BIG, nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("intervals", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["mechanic_id"],
            ["mechanics.id"],
            name=op.f("fk_mechanic_exceptions_mechanic_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("mechanic_id", "day", name=op.f("pk_mechanic_exceptions")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "mechanic_services",
        sa.Column("mechanic_id", _BIG, nullable=False),
        sa.Column("service", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(
            ["mechanic_id"],
            ["mechanics.id"],
            name=op.f("fk_mechanic_services_mechanic_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("mechanic_id", "service", name=op.f("pk_mechanic_services")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "partner_keys",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("partner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("public_key", sa.Text(), nullable=False),
        sa.Column("public_hash", sa.LargeBinary(), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(), nullable=False),
        sa.Column("secret_last4", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("revoked_at", _BIG, nullable=True),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_partner_keys_environment")),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_partner_keys_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_partner_keys")),
        sa.UniqueConstraint("public_hash", name=op.f("uq_partner_keys_public_hash")),
        sa.UniqueConstraint("secret_hash", name=op.f("uq_partner_keys_secret_hash")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_partner_keys_partner_id"), "partner_keys", ["partner_id"], unique=False)
    op.create_table(
        "payments",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("partner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("subject", sa.Text(), nullable=False),
        sa.Column("offer_ref", sa.Text(), nullable=False),
        sa.Column("amount", _BIG, nullable=False),
        sa.Column("captured", _BIG, nullable=False),
        sa.Column("refunded", _BIG, nullable=False),
        sa.Column("moving", _BIG, nullable=True),
        sa.Column("currency", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("gateway", sa.Text(), nullable=False),
        sa.Column("gateway_ref", sa.Text(), nullable=True),
        sa.Column("claim", sa.Text(), nullable=True),
        sa.Column("payment_method", sa.Text(), nullable=True),
        sa.Column("sandbox", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint(
            "(moving IS NOT NULL) = (state IN ('capturing', 'refunding'))", name=op.f("ck_payments_moving")
        ),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_payments_environment")),
        sa.CheckConstraint("gateway IN ('sandbox', 'stripe')", name=op.f("ck_payments_gateway")),
        sa.CheckConstraint(
            "state IN ('authorizing', 'authorized', 'declined', 'capturing', 'captured', 'voiding', 'voided', 'refunding', 'refunded')",
            name=op.f("ck_payments_state"),
        ),
        sa.CheckConstraint(
            "amount > 0 AND 0 <= refunded AND refunded <= captured AND captured <= amount",
            name=op.f("ck_payments_amount"),
        ),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_payments_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payments")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_payments_environment_id"), "payments", ["environment", "id"], unique=False)
    op.create_index(
        op.f("ix_payments_environment_subject_id"), "payments", ["environment", "subject", "id"], unique=False
    )
    op.create_index(
        op.f("ix_payments_partner_id_environment_id"),
        "payments",
        ["partner_id", "environment", "id"],
        unique=False,
    )
    op.create_index(
        "ix_payments_under_way",
        "payments",
        ["id"],
        unique=False,
        sqlite_where=sa.text("state IN ('authorizing', 'capturing', 'voiding', 'refunding')"),
        postgresql_where=sa.text("state IN ('authorizing', 'capturing', 'voiding', 'refunding')"),
    )
    op.create_index(
        "uq_payments_living",
        "payments",
        ["environment", "subject"],
        unique=True,
        sqlite_where=sa.text("state NOT IN ('declined', 'voided')"),
        postgresql_where=sa.text("state NOT IN ('declined', 'voided')"),
    )
    op.create_table(
        "questions",
        sa.Column("id", _BIG, autoincrement=False, nullable=False),
        sa.Column("category_id", _BIG, nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("answer_type", sa.Text(), nullable=False),
        sa.Column("options", sa.Text(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("active", sa.Integer(), nullable=False),
        sa.CheckConstraint(
            "answer_type IN ('single_choice', 'yes_no')", name=op.f("ck_questions_answer_type")
        ),
        sa.CheckConstraint("active IN (0, 1)", name=op.f("ck_questions_active")),
        sa.ForeignKeyConstraint(
            ["category_id"], ["questionnaire_categories.id"], name=op.f("fk_questions_category_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_questions")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_questions_category_id_position"), "questions", ["category_id", "position"], unique=False
    )
    op.create_table(
        "recalled_vehicles",
        sa.Column("make_key", sa.Text(), nullable=False),
        sa.Column("year", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("model_key", sa.Text(), nullable=False),
        sa.Column("campaign", sa.Text(), nullable=False),
        sa.Column("make", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("component", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(
            ["campaign"], ["recall_campaigns.campaign"], name=op.f("fk_recalled_vehicles_campaign")
        ),
        sa.PrimaryKeyConstraint(
            "make_key", "year", "model_key", "campaign", name=op.f("pk_recalled_vehicles")
        ),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_recalled_vehicles_campaign"), "recalled_vehicles", ["campaign"], unique=False)
    op.create_table(
        "remembered",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("vehicle_key", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, nullable=False),
        sa.Column("zip_code", sa.Text(), nullable=False),
        sa.Column("mileage_band", sa.Integer(), nullable=False),
        sa.Column("parts_tier", sa.Text(), server_default="", nullable=False),
        sa.Column("computed_at", _BIG, nullable=False),
        sa.Column("expires_at", _BIG, nullable=False),
        sa.Column("figures", sa.Text(), nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_remembered_environment")),
        sa.ForeignKeyConstraint(["problem_id"], ["problems.id"], name=op.f("fk_remembered_problem_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_remembered")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_remembered_expires_at"), "remembered", ["expires_at"], unique=False)
    op.create_index(
        "uq_remembered_question",
        "remembered",
        ["environment", "vehicle_key", "problem_id", "zip_code", "mileage_band", "parts_tier"],
        unique=True,
    )
    op.create_table(
        "sessions",
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("user_id", _BIG, nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("seen_at", _BIG, nullable=False),
        sa.Column("expires_at", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["user_id"], ["users.id"], name=op.f("fk_sessions_user_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("token_hash", name=op.f("pk_sessions")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_sessions_expires_at"), "sessions", ["expires_at"], unique=False)
    op.create_index(op.f("ix_sessions_user_id"), "sessions", ["user_id"], unique=False)
    op.create_table(
        "vehicles",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("vin", sa.Text(), nullable=True),
        sa.Column("vin11", sa.Text(), nullable=True),
        sa.Column("make", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("year", sa.Integer(), nullable=False),
        sa.Column("trim", sa.Text(), nullable=True),
        sa.Column("engine", sa.Text(), nullable=True),
        sa.Column("powertrain", sa.Text(), nullable=True),
        sa.Column("drive", sa.Text(), nullable=True),
        sa.Column("body", sa.Text(), nullable=True),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("make_key", sa.Text(), nullable=False),
        sa.Column("model_key", sa.Text(), nullable=False),
        sa.Column("motor_vehicle_type", sa.Text(), nullable=True),
        sa.Column("motor_vehicle_type_group", sa.Text(), nullable=True),
        sa.Column("current_mileage", _BIG, nullable=True),
        sa.Column("version", _BIG, nullable=False),
        sa.Column("plate_no", sa.Text(), nullable=True),
        sa.Column("facility_id", _BIG, nullable=True),
        sa.Column("plate_state", sa.Text(), nullable=True),
        sa.Column("facts", sa.Text(), nullable=True),
        sa.CheckConstraint("current_mileage >= 0", name=op.f("ck_vehicles_current_mileage")),
        sa.CheckConstraint("vin11 = substr(vin, 1, 11)", name=op.f("ck_vehicles_vin11")),
        sa.ForeignKeyConstraint(["facility_id"], ["facilities.id"], name=op.f("fk_vehicles_facility_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vehicles")),
        sa.UniqueConstraint("vin11", name=op.f("uq_vehicles_vin11")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_vehicles_facility_id"), "vehicles", ["facility_id"], unique=False)
    op.create_index(
        op.f("ix_vehicles_make_key_model_key_year"),
        "vehicles",
        ["make_key", "model_key", "year"],
        unique=False,
    )
    op.create_index(
        "ix_vehicles_newest",
        "vehicles",
        ["created_at", "id", "make_key", "model_key", "year", "vin", "plate_no"],
        unique=False,
    )
    op.create_index(
        "ix_vehicles_plate",
        "vehicles",
        ["plate_state", "plate_no"],
        unique=False,
        sqlite_where=sa.text("plate_state IS NOT NULL"),
        postgresql_where=sa.text("plate_state IS NOT NULL"),
    )
    op.create_index(
        op.f("ix_vehicles_year_make_key_model_key"),
        "vehicles",
        ["year", "make_key", "model_key"],
        unique=False,
    )
    op.create_index(
        "uq_vehicles_whole_vin",
        "vehicles",
        ["vin"],
        unique=True,
        sqlite_where=sa.text("vin11 IS NULL AND vin IS NOT NULL"),
        postgresql_where=sa.text("vin11 IS NULL AND vin IS NOT NULL"),
    )
    op.create_table(
        "webhook_subscriptions",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("partner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("active", _BIG, nullable=False),
        sa.Column("sealed", sa.Text(), nullable=False),
        sa.Column("previous_sealed", sa.Text(), nullable=True),
        sa.Column("previous_until", _BIG, nullable=True),
        sa.Column("last_delivery_at", _BIG, nullable=True),
        sa.Column("last_status", _BIG, nullable=True),
        sa.Column("failing_since", _BIG, nullable=True),
        sa.Column("disabled_reason", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint(
            "environment IN ('test', 'live')", name=op.f("ck_webhook_subscriptions_environment")
        ),
        sa.ForeignKeyConstraint(
            ["partner_id"], ["partners.id"], name=op.f("fk_webhook_subscriptions_partner_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_subscriptions")),
        sa.UniqueConstraint("ref", name=op.f("uq_webhook_subscriptions_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_webhook_subscriptions_partner_id_environment_id"),
        "webhook_subscriptions",
        ["partner_id", "environment", "id"],
        unique=False,
    )
    op.create_table(
        "appointments",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("partner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("mechanic_id", _BIG, nullable=False),
        sa.Column("customer_id", _BIG, nullable=False),
        sa.Column("starts_at", _BIG, nullable=False),
        sa.Column("ends_at", _BIG, nullable=False),
        sa.Column("local_date", sa.Text(), nullable=False),
        sa.Column("local_time", sa.Text(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("pickup_step", sa.Text(), nullable=False),
        sa.Column("description", sa.Text(), nullable=True),
        sa.Column("partner_reference", sa.Text(), nullable=True),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("cancel_reason", sa.Text(), nullable=True),
        sa.Column("bill", sa.Text(), nullable=True),
        sa.Column("notified_step", sa.Text(), nullable=True),
        sa.Column("notified_at", _BIG, nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_appointments_environment")),
        sa.CheckConstraint(
            "status IN ('scheduled', 'completed', 'cancelled', 'no_show')",
            name=op.f("ck_appointments_status"),
        ),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name=op.f("fk_appointments_customer_id")),
        sa.ForeignKeyConstraint(["mechanic_id"], ["mechanics.id"], name=op.f("fk_appointments_mechanic_id")),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_appointments_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_appointments")),
        sa.UniqueConstraint("ref", name=op.f("uq_appointments_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_appointments_customer_id"), "appointments", ["customer_id"], unique=False)
    op.create_index(
        op.f("ix_appointments_mechanic_id_starts_at"),
        "appointments",
        ["mechanic_id", "starts_at"],
        unique=False,
    )
    op.create_index(
        op.f("ix_appointments_partner_id_environment_id"),
        "appointments",
        ["partner_id", "environment", "id"],
        unique=False,
    )
    op.create_table(
        "chat_sessions",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("step", sa.Integer(), nullable=False),
        sa.Column("messages", sa.Integer(), nullable=False),
        sa.Column("vin", sa.Text(), nullable=True),
        sa.Column("vehicle_id", sa.Text(), nullable=True),
        sa.Column("evidence", sa.Text(), nullable=False),
        sa.Column("question", sa.Text(), nullable=True),
        sa.Column("diagnosis", sa.Text(), nullable=True),
        sa.Column("started_at", _BIG, nullable=False),
        sa.Column("active_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_chat_sessions_environment")),
        sa.CheckConstraint(
            "status IN ('awaiting_answer', 'diagnosed', 'reset')", name=op.f("ck_chat_sessions_status")
        ),
        sa.ForeignKeyConstraint(
            ["vehicle_id"], ["vehicles.id"], name=op.f("fk_chat_sessions_vehicle_id"), ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_chat_sessions")),
        sa.UniqueConstraint("session_id", name=op.f("uq_chat_sessions_session_id")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_chat_sessions_environment_id"), "chat_sessions", ["environment", "id"], unique=False
    )
    op.create_index(
        op.f("ix_chat_sessions_environment_owner_id_id"),
        "chat_sessions",
        ["environment", "owner_id", "id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_chat_sessions_environment_owner_id_started_at"),
        "chat_sessions",
        ["environment", "owner_id", "started_at"],
        unique=False,
    )
    op.create_index(
        "ix_chat_sessions_of_email",
        "chat_sessions",
        ["environment", "email", "id"],
        unique=False,
        sqlite_where=sa.text("email IS NOT NULL"),
        postgresql_where=sa.text("email IS NOT NULL"),
    )
    op.create_index(op.f("ix_chat_sessions_vehicle_id"), "chat_sessions", ["vehicle_id"], unique=False)
    op.create_table(
        "fleet_vehicles",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=False),
        sa.Column("vin", sa.Text(), nullable=False),
        sa.Column("vehicle_id", sa.Text(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_fleet_vehicles_environment")),
        sa.ForeignKeyConstraint(["vehicle_id"], ["vehicles.id"], name=op.f("fk_fleet_vehicles_vehicle_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fleet_vehicles")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_fleet_vehicles_vehicle_id"), "fleet_vehicles", ["vehicle_id"], unique=False)
    op.create_index(
        "ix_fleet_vehicles_vin", "fleet_vehicles", ["environment", "owner_id", "vin"], unique=False
    )
    op.create_index(
        "uq_fleet_vehicles_vin",
        "fleet_vehicles",
        ["environment", "owner_id", "vin"],
        unique=True,
        sqlite_where=sa.text("length(vin) = 17"),
        postgresql_where=sa.text("length(vin) = 17"),
    )
    op.create_table(
        "payment_entries",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("payment_id", sa.Text(), nullable=False),
        sa.Column("at", _BIG, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("account", sa.Text(), nullable=False),
        sa.Column("cents", _BIG, nullable=False),
        sa.CheckConstraint(
            "account IN ('customer', 'held', 'partner_revenue')", name=op.f("ck_payment_entries_account")
        ),
        sa.CheckConstraint(
            "kind IN ('authorize', 'capture', 'refund', 'void')", name=op.f("ck_payment_entries_kind")
        ),
        sa.ForeignKeyConstraint(["payment_id"], ["payments.id"], name=op.f("fk_payment_entries_payment_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_payment_entries")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_payment_entries_payment_id_id"), "payment_entries", ["payment_id", "id"], unique=False
    )
    op.create_table(
        "plates",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("number", sa.Text(), nullable=False),
        sa.Column("vin", sa.Text(), nullable=False),
        sa.Column("vehicle_id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("reported_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_plates_environment")),
        sa.ForeignKeyConstraint(["vehicle_id"], ["vehicles.id"], name=op.f("fk_plates_vehicle_id")),
        sa.PrimaryKeyConstraint("environment", "state", "number", name=op.f("pk_plates")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_plates_environment_vin"), "plates", ["environment", "vin"], unique=False)
    op.create_index(op.f("ix_plates_vehicle_id"), "plates", ["vehicle_id"], unique=False)
    op.create_table(
        "predictions",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("session_id", sa.Text(), nullable=False),
        sa.Column("owner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("remembered_id", sa.Text(), nullable=False),
        sa.Column("vin", sa.Text(), nullable=True),
        sa.Column("vehicle_id", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, nullable=False),
        sa.Column("zip_code", sa.Text(), nullable=False),
        sa.Column("mileage", _BIG, nullable=True),
        sa.Column("red_flag", sa.Integer(), nullable=False),
        sa.Column("red_flag_reason", sa.Text(), nullable=True),
        sa.Column("match_percentage", _REAL, nullable=True),
        sa.Column("local_low", _BIG, nullable=False),
        sa.Column("local_average", _BIG, nullable=False),
        sa.Column("local_high", _BIG, nullable=False),
        sa.Column("model_a_source", sa.Text(), nullable=False),
        sa.Column("model_a_average", _BIG, nullable=True),
        sa.Column("model_b_source", sa.Text(), nullable=False),
        sa.Column("model_b_average", _BIG, nullable=True),
        sa.Column("ai_average", _BIG, nullable=True),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("confidence", sa.Integer(), nullable=True),
        sa.Column("doubt", _REAL, nullable=True),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_predictions_environment")),
        sa.CheckConstraint("red_flag IN (0, 1)", name=op.f("ck_predictions_red_flag")),
        sa.ForeignKeyConstraint(["problem_id"], ["problems.id"], name=op.f("fk_predictions_problem_id")),
        sa.ForeignKeyConstraint(["vehicle_id"], ["vehicles.id"], name=op.f("fk_predictions_vehicle_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_predictions")),
        sa.UniqueConstraint("remembered_id", "owner_id", name=op.f("uq_predictions_remembered_id_owner_id")),
        sa.UniqueConstraint("session_id", name=op.f("uq_predictions_session_id")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_predictions_environment_id"), "predictions", ["environment", "id"], unique=False)
    op.create_index(
        op.f("ix_predictions_environment_owner_id_id"),
        "predictions",
        ["environment", "owner_id", "id"],
        unique=False,
    )
    op.create_index(
        "ix_predictions_flagged",
        "predictions",
        ["environment", "id"],
        unique=False,
        sqlite_where=sa.text("red_flag = 1"),
        postgresql_where=sa.text("red_flag = 1"),
    )
    op.create_index(
        "ix_predictions_flagged_of_owner",
        "predictions",
        ["environment", "owner_id", "id"],
        unique=False,
        sqlite_where=sa.text("red_flag = 1"),
        postgresql_where=sa.text("red_flag = 1"),
    )
    op.create_table(
        "rides",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ref", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("partner_id", _BIG, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("customer_id", _BIG, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("service", sa.Text(), nullable=False),
        sa.Column("pickup_latitude", _REAL, nullable=False),
        sa.Column("pickup_longitude", _REAL, nullable=False),
        sa.Column("dropoff_latitude", _REAL, nullable=False),
        sa.Column("dropoff_longitude", _REAL, nullable=False),
        sa.Column("pickup_address", sa.Text(), nullable=True),
        sa.Column("dropoff_address", sa.Text(), nullable=True),
        sa.Column("fare", sa.Text(), nullable=False),
        sa.Column("vehicle", sa.Text(), nullable=False),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("reason", sa.Text(), nullable=True),
        sa.Column("partner_reference", sa.Text(), nullable=True),
        sa.Column("session_id", sa.Text(), nullable=True),
        sa.Column("payment_method", sa.Text(), nullable=True),
        sa.Column("scenario", sa.Text(), nullable=False),
        sa.Column("offer_id", _BIG, nullable=True),
        sa.Column("provider_ref", sa.Text(), nullable=True),
        sa.Column("provider_name", sa.Text(), nullable=True),
        sa.Column("eta_at", _BIG, nullable=True),
        sa.Column("accepted_at", _BIG, nullable=True),
        sa.Column("arrived_at", _BIG, nullable=True),
        sa.Column("started_at", _BIG, nullable=True),
        sa.Column("ended_at", _BIG, nullable=True),
        sa.Column("outcome", sa.Text(), nullable=True),
        sa.Column("cancel_reason", sa.Text(), nullable=True),
        sa.Column("cancel_note", sa.Text(), nullable=True),
        sa.Column("fee", _BIG, nullable=True),
        sa.Column("linked_ref", sa.Text(), nullable=True),
        sa.Column("bill", sa.Text(), nullable=True),
        sa.Column("rating", _BIG, nullable=True),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("rated_at", _BIG, nullable=True),
        sa.Column("expires_at", _BIG, nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("updated_at", _BIG, nullable=False),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_rides_environment")),
        sa.CheckConstraint("kind IN ('ride', 'tow')", name=op.f("ck_rides_kind")),
        sa.CheckConstraint(
            "status IN ('pending', 'accepted', 'driver_arrived', 'provider_arrived', 'in_progress', 'completed', 'cancelled', 'expired')",
            name=op.f("ck_rides_status"),
        ),
        sa.ForeignKeyConstraint(["customer_id"], ["customers.id"], name=op.f("fk_rides_customer_id")),
        sa.ForeignKeyConstraint(["partner_id"], ["partners.id"], name=op.f("fk_rides_partner_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_rides")),
        sa.UniqueConstraint("ref", name=op.f("uq_rides_ref")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_rides_customer_id"), "rides", ["customer_id"], unique=False)
    op.create_index(
        op.f("ix_rides_partner_id_environment_kind_id"),
        "rides",
        ["partner_id", "environment", "kind", "id"],
        unique=False,
    )
    op.create_index(
        op.f("ix_rides_partner_id_environment_kind_status_id"),
        "rides",
        ["partner_id", "environment", "kind", "status", "id"],
        unique=False,
    )
    op.create_index(
        "ix_rides_pending",
        "rides",
        ["kind", "expires_at"],
        unique=False,
        sqlite_where=sa.text("status = 'pending'"),
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.create_index(
        "ix_rides_provider",
        "rides",
        ["provider_ref"],
        unique=False,
        sqlite_where=sa.text("provider_ref IS NOT NULL"),
        postgresql_where=sa.text("provider_ref IS NOT NULL"),
    )
    op.create_index(
        "uq_rides_driver",
        "rides",
        ["provider_ref"],
        unique=True,
        sqlite_where=sa.text(
            "environment = 'live' AND kind = 'ride' AND status IN ('accepted', 'driver_arrived', 'in_progress')"
        ),
        postgresql_where=sa.text(
            "environment = 'live' AND kind = 'ride' AND status IN ('accepted', 'driver_arrived', 'in_progress')"
        ),
    )
    op.create_table(
        "webhook_deliveries",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("event_id", sa.Text(), nullable=False),
        sa.Column("subscription_id", _BIG, nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("attempts", _BIG, nullable=False),
        sa.Column("due_at", _BIG, nullable=False),
        sa.Column("holder", sa.Text(), nullable=True),
        sa.Column("held_until", _BIG, nullable=True),
        sa.Column("last_status", _BIG, nullable=True),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("delivered_at", _BIG, nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint(
            "state IN ('pending', 'delivered', 'dead', 'dropped')", name=op.f("ck_webhook_deliveries_state")
        ),
        sa.ForeignKeyConstraint(["event_id"], ["events.id"], name=op.f("fk_webhook_deliveries_event_id")),
        sa.ForeignKeyConstraint(
            ["subscription_id"],
            ["webhook_subscriptions.id"],
            name=op.f("fk_webhook_deliveries_subscription_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_deliveries")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_webhook_deliveries_due",
        "webhook_deliveries",
        ["subscription_id", "due_at"],
        unique=False,
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.create_index(op.f("ix_webhook_deliveries_event_id"), "webhook_deliveries", ["event_id"], unique=False)
    op.create_index(
        op.f("ix_webhook_deliveries_subscription_id_id"),
        "webhook_deliveries",
        ["subscription_id", "id"],
        unique=False,
    )
    op.create_table(
        "appointment_slots",
        sa.Column("mechanic_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("starts_at", _BIG, autoincrement=False, nullable=False),
        sa.Column("seat", _BIG, autoincrement=False, nullable=False),
        sa.Column("appointment_id", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["appointment_id"],
            ["appointments.id"],
            name=op.f("fk_appointment_slots_appointment_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["mechanic_id"], ["mechanics.id"], name=op.f("fk_appointment_slots_mechanic_id")
        ),
        sa.PrimaryKeyConstraint("mechanic_id", "starts_at", "seat", name=op.f("pk_appointment_slots")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_appointment_slots_appointment_id"), "appointment_slots", ["appointment_id"], unique=False
    )
    op.create_table(
        "chat_messages",
        sa.Column("chat_id", _BIG, autoincrement=False, nullable=False),
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint("role IN ('user', 'assistant')", name=op.f("ck_chat_messages_role")),
        sa.ForeignKeyConstraint(
            ["chat_id"], ["chat_sessions.id"], name=op.f("fk_chat_messages_chat_id"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("chat_id", "number", name=op.f("pk_chat_messages")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "feedback",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("prediction_id", _BIG, nullable=False),
        sa.Column("user_id", _BIG, nullable=False),
        sa.Column("rating", sa.Text(), nullable=False),
        sa.Column("comment", sa.Text(), nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.CheckConstraint("rating IN ('good', 'wrong')", name=op.f("ck_feedback_rating")),
        sa.ForeignKeyConstraint(
            ["prediction_id"], ["predictions.id"], name=op.f("fk_feedback_prediction_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_feedback")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_feedback_prediction_id_user_id_id"),
        "feedback",
        ["prediction_id", "user_id", "id"],
        unique=False,
    )
    op.create_table(
        "fleet_recall_marks",
        sa.Column("fleet_vehicle_id", sa.Text(), nullable=False),
        sa.Column("campaign", sa.Text(), nullable=False),
        sa.Column("dealt_with_at", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["fleet_vehicle_id"],
            ["fleet_vehicles.id"],
            name=op.f("fk_fleet_recall_marks_fleet_vehicle_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("fleet_vehicle_id", "campaign", name=op.f("pk_fleet_recall_marks")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "fleet_signals",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("fleet_vehicle_id", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("at", _BIG, nullable=False),
        sa.CheckConstraint("source IN ('owner', 'connected_car')", name=op.f("ck_fleet_signals_source")),
        sa.ForeignKeyConstraint(
            ["fleet_vehicle_id"],
            ["fleet_vehicles.id"],
            name=op.f("fk_fleet_signals_fleet_vehicle_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_fleet_signals")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("ix_fleet_signals_all", "fleet_signals", ["fleet_vehicle_id", "at", "id"], unique=False)
    op.create_index(
        "ix_fleet_signals_kind", "fleet_signals", ["fleet_vehicle_id", "kind", "at", "id"], unique=False
    )
    op.create_table(
        "ride_offers",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("ride_ref", sa.Text(), nullable=False),
        sa.Column("provider_ref", sa.Text(), nullable=False),
        sa.Column("provider_id", _BIG, nullable=False),
        sa.Column("provider_name", sa.Text(), nullable=False),
        sa.Column("rating", _REAL, nullable=True),
        sa.Column("price", _BIG, nullable=False),
        sa.Column("distance_miles", _REAL, nullable=False),
        sa.Column("eta_minutes", _BIG, nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("offered_at", _BIG, nullable=False),
        sa.Column("expires_at", _BIG, nullable=False),
        sa.Column("closed_at", _BIG, nullable=True),
        sa.CheckConstraint(
            "status IN ('offered', 'accepted', 'declined', 'withdrawn', 'expired')",
            name=op.f("ck_ride_offers_status"),
        ),
        sa.ForeignKeyConstraint(["ride_ref"], ["rides.ref"], name=op.f("fk_ride_offers_ride_ref")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ride_offers")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_ride_offers_provider_ref"), "ride_offers", ["provider_ref"], unique=False)
    op.create_index(op.f("ix_ride_offers_ride_ref_id"), "ride_offers", ["ride_ref", "id"], unique=False)
    op.create_index(
        "uq_ride_offers_accepted",
        "ride_offers",
        ["ride_ref"],
        unique=True,
        sqlite_where=sa.text("status = 'accepted'"),
        postgresql_where=sa.text("status = 'accepted'"),
    )
    op.create_table(
        "service_schedules",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("fleet_vehicle_id", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, nullable=True),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("due_on", sa.Text(), nullable=True),
        sa.Column("due_mileage", _BIG, nullable=True),
        sa.Column("interval_months", _BIG, nullable=True),
        sa.Column("interval_miles", _BIG, nullable=True),
        sa.Column("stage", sa.Text(), nullable=False),
        sa.Column("completed_on", sa.Text(), nullable=True),
        sa.Column("completed_mileage", _BIG, nullable=True),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("ended_at", _BIG, nullable=True),
        sa.Column("version", _BIG, nullable=False),
        sa.CheckConstraint(
            "stage IN ('planned', 'completed', 'cancelled')", name=op.f("ck_service_schedules_stage")
        ),
        sa.CheckConstraint(
            "due_on IS NOT NULL OR due_mileage IS NOT NULL", name=op.f("ck_service_schedules_due")
        ),
        sa.ForeignKeyConstraint(
            ["fleet_vehicle_id"],
            ["fleet_vehicles.id"],
            name=op.f("fk_service_schedules_fleet_vehicle_id"),
            ondelete="CASCADE",
        ),
        sa.ForeignKeyConstraint(
            ["problem_id"], ["problems.id"], name=op.f("fk_service_schedules_problem_id")
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_service_schedules")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_service_schedules_fleet_vehicle_id_stage"),
        "service_schedules",
        ["fleet_vehicle_id", "stage"],
        unique=False,
    )
    op.create_table(
        "transactions",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("vehicle_id", sa.Text(), nullable=False),
        sa.Column("facility_id", _BIG, nullable=True),
        sa.Column("problem_id", _BIG, nullable=False),
        sa.Column("prediction_id", _BIG, nullable=True),
        sa.Column("performed_on", sa.Text(), nullable=False),
        sa.Column("mileage", _BIG, nullable=True),
        sa.Column("parts", sa.Text(), nullable=False),
        sa.Column("labor_hours", _REAL, nullable=False),
        sa.Column("labor_rate", _BIG, nullable=False),
        sa.Column("parts_total", _BIG, nullable=False),
        sa.Column("labor_total", _BIG, nullable=False),
        sa.Column("total", _BIG, nullable=False),
        sa.Column("notes", sa.Text(), nullable=True),
        sa.Column("evidence", sa.Text(), nullable=True),
        sa.Column("review", sa.Integer(), nullable=False),
        sa.Column("created_at", _BIG, nullable=False),
        sa.Column("make_key", sa.Text(), server_default="", nullable=False),
        sa.Column("fingerprint", _BIG, nullable=True),
        sa.Column("version", _BIG, server_default=sa.text("1"), nullable=False),
        sa.Column("car", _BIG, nullable=True),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_transactions_environment")),
        sa.CheckConstraint("total >= 0", name=op.f("ck_transactions_total")),
        sa.ForeignKeyConstraint(["facility_id"], ["facilities.id"], name=op.f("fk_transactions_facility_id")),
        sa.ForeignKeyConstraint(
            ["prediction_id"], ["predictions.id"], name=op.f("fk_transactions_prediction_id")
        ),
        sa.ForeignKeyConstraint(["problem_id"], ["problems.id"], name=op.f("fk_transactions_problem_id")),
        sa.ForeignKeyConstraint(["vehicle_id"], ["vehicles.id"], name=op.f("fk_transactions_vehicle_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_transactions")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "ix_transactions_all", "transactions", ["environment", "performed_on", "id"], unique=False
    )
    op.create_index(
        "ix_transactions_car",
        "transactions",
        ["environment", "car", "performed_on", "problem_id"],
        unique=False,
        sqlite_where=sa.text("car IS NOT NULL"),
        postgresql_where=sa.text("car IS NOT NULL"),
    )
    op.create_index(
        "ix_transactions_facility",
        "transactions",
        ["facility_id", "environment", "performed_on", "id", "make_key", "problem_id"],
        unique=False,
    )
    op.create_index(
        "ix_transactions_linked",
        "transactions",
        ["environment", "id"],
        unique=False,
        sqlite_where=sa.text("prediction_id IS NOT NULL"),
        postgresql_where=sa.text("prediction_id IS NOT NULL"),
    )
    op.create_index(
        "ix_transactions_make",
        "transactions",
        ["make_key", "environment", "performed_on", "id"],
        unique=False,
    )
    op.create_index(
        "ix_transactions_problem",
        "transactions",
        ["problem_id", "environment", "performed_on", "id", "make_key", "facility_id"],
        unique=False,
    )
    op.create_index(op.f("ix_transactions_vehicle_id"), "transactions", ["vehicle_id"], unique=False)
    op.create_index(
        "uq_transactions_fingerprint",
        "transactions",
        ["fingerprint", "environment"],
        unique=True,
        sqlite_where=sa.text("fingerprint IS NOT NULL"),
        postgresql_where=sa.text("fingerprint IS NOT NULL"),
    )
    op.create_table(
        "webhook_attempts",
        sa.Column("id", _BIG, autoincrement=True, nullable=False),
        sa.Column("delivery_id", _BIG, nullable=False),
        sa.Column("at", _BIG, nullable=False),
        sa.Column("status", _BIG, nullable=True),
        sa.Column("error", sa.Text(), nullable=True),
        sa.Column("milliseconds", _BIG, nullable=False),
        sa.ForeignKeyConstraint(
            ["delivery_id"],
            ["webhook_deliveries.id"],
            name=op.f("fk_webhook_attempts_delivery_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_webhook_attempts")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_webhook_attempts_delivery_id"), "webhook_attempts", ["delivery_id"], unique=False
    )
    # ### end Alembic commands ###


def downgrade() -> None:
    """Drop every table."""
    op.drop_index(op.f("ix_webhook_attempts_delivery_id"), table_name="webhook_attempts")
    op.drop_table("webhook_attempts")
    op.drop_index(
        "uq_transactions_fingerprint",
        table_name="transactions",
        sqlite_where=sa.text("fingerprint IS NOT NULL"),
        postgresql_where=sa.text("fingerprint IS NOT NULL"),
    )
    op.drop_index(op.f("ix_transactions_vehicle_id"), table_name="transactions")
    op.drop_index("ix_transactions_problem", table_name="transactions")
    op.drop_index("ix_transactions_make", table_name="transactions")
    op.drop_index(
        "ix_transactions_linked",
        table_name="transactions",
        sqlite_where=sa.text("prediction_id IS NOT NULL"),
        postgresql_where=sa.text("prediction_id IS NOT NULL"),
    )
    op.drop_index("ix_transactions_facility", table_name="transactions")
    op.drop_index(
        "ix_transactions_car",
        table_name="transactions",
        sqlite_where=sa.text("car IS NOT NULL"),
        postgresql_where=sa.text("car IS NOT NULL"),
    )
    op.drop_index("ix_transactions_all", table_name="transactions")
    op.drop_table("transactions")
    op.drop_index(op.f("ix_service_schedules_fleet_vehicle_id_stage"), table_name="service_schedules")
    op.drop_table("service_schedules")
    op.drop_index(
        "uq_ride_offers_accepted",
        table_name="ride_offers",
        sqlite_where=sa.text("status = 'accepted'"),
        postgresql_where=sa.text("status = 'accepted'"),
    )
    op.drop_index(op.f("ix_ride_offers_ride_ref_id"), table_name="ride_offers")
    op.drop_index(op.f("ix_ride_offers_provider_ref"), table_name="ride_offers")
    op.drop_table("ride_offers")
    op.drop_index("ix_fleet_signals_kind", table_name="fleet_signals")
    op.drop_index("ix_fleet_signals_all", table_name="fleet_signals")
    op.drop_table("fleet_signals")
    op.drop_table("fleet_recall_marks")
    op.drop_index(op.f("ix_feedback_prediction_id_user_id_id"), table_name="feedback")
    op.drop_table("feedback")
    op.drop_table("chat_messages")
    op.drop_index(op.f("ix_appointment_slots_appointment_id"), table_name="appointment_slots")
    op.drop_table("appointment_slots")
    op.drop_index(op.f("ix_webhook_deliveries_subscription_id_id"), table_name="webhook_deliveries")
    op.drop_index(op.f("ix_webhook_deliveries_event_id"), table_name="webhook_deliveries")
    op.drop_index(
        "ix_webhook_deliveries_due",
        table_name="webhook_deliveries",
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.drop_table("webhook_deliveries")
    op.drop_index(
        "uq_rides_driver",
        table_name="rides",
        sqlite_where=sa.text(
            "environment = 'live' AND kind = 'ride' AND status IN ('accepted', 'driver_arrived', 'in_progress')"
        ),
        postgresql_where=sa.text(
            "environment = 'live' AND kind = 'ride' AND status IN ('accepted', 'driver_arrived', 'in_progress')"
        ),
    )
    op.drop_index(
        "ix_rides_provider",
        table_name="rides",
        sqlite_where=sa.text("provider_ref IS NOT NULL"),
        postgresql_where=sa.text("provider_ref IS NOT NULL"),
    )
    op.drop_index(
        "ix_rides_pending",
        table_name="rides",
        sqlite_where=sa.text("status = 'pending'"),
        postgresql_where=sa.text("status = 'pending'"),
    )
    op.drop_index(op.f("ix_rides_partner_id_environment_kind_status_id"), table_name="rides")
    op.drop_index(op.f("ix_rides_partner_id_environment_kind_id"), table_name="rides")
    op.drop_index(op.f("ix_rides_customer_id"), table_name="rides")
    op.drop_table("rides")
    op.drop_index(
        "ix_predictions_flagged_of_owner",
        table_name="predictions",
        sqlite_where=sa.text("red_flag = 1"),
        postgresql_where=sa.text("red_flag = 1"),
    )
    op.drop_index(
        "ix_predictions_flagged",
        table_name="predictions",
        sqlite_where=sa.text("red_flag = 1"),
        postgresql_where=sa.text("red_flag = 1"),
    )
    op.drop_index(op.f("ix_predictions_environment_owner_id_id"), table_name="predictions")
    op.drop_index(op.f("ix_predictions_environment_id"), table_name="predictions")
    op.drop_table("predictions")
    op.drop_index(op.f("ix_plates_vehicle_id"), table_name="plates")
    op.drop_index(op.f("ix_plates_environment_vin"), table_name="plates")
    op.drop_table("plates")
    op.drop_index(op.f("ix_payment_entries_payment_id_id"), table_name="payment_entries")
    op.drop_table("payment_entries")
    op.drop_index(
        "uq_fleet_vehicles_vin",
        table_name="fleet_vehicles",
        sqlite_where=sa.text("length(vin) = 17"),
        postgresql_where=sa.text("length(vin) = 17"),
    )
    op.drop_index("ix_fleet_vehicles_vin", table_name="fleet_vehicles")
    op.drop_index(op.f("ix_fleet_vehicles_vehicle_id"), table_name="fleet_vehicles")
    op.drop_table("fleet_vehicles")
    op.drop_index(op.f("ix_chat_sessions_vehicle_id"), table_name="chat_sessions")
    op.drop_index(
        "ix_chat_sessions_of_email",
        table_name="chat_sessions",
        sqlite_where=sa.text("email IS NOT NULL"),
        postgresql_where=sa.text("email IS NOT NULL"),
    )
    op.drop_index(op.f("ix_chat_sessions_environment_owner_id_started_at"), table_name="chat_sessions")
    op.drop_index(op.f("ix_chat_sessions_environment_owner_id_id"), table_name="chat_sessions")
    op.drop_index(op.f("ix_chat_sessions_environment_id"), table_name="chat_sessions")
    op.drop_table("chat_sessions")
    op.drop_index(op.f("ix_appointments_partner_id_environment_id"), table_name="appointments")
    op.drop_index(op.f("ix_appointments_mechanic_id_starts_at"), table_name="appointments")
    op.drop_index(op.f("ix_appointments_customer_id"), table_name="appointments")
    op.drop_table("appointments")
    op.drop_index(
        op.f("ix_webhook_subscriptions_partner_id_environment_id"), table_name="webhook_subscriptions"
    )
    op.drop_table("webhook_subscriptions")
    op.drop_index(
        "uq_vehicles_whole_vin",
        table_name="vehicles",
        sqlite_where=sa.text("vin11 IS NULL AND vin IS NOT NULL"),
        postgresql_where=sa.text("vin11 IS NULL AND vin IS NOT NULL"),
    )
    op.drop_index(op.f("ix_vehicles_year_make_key_model_key"), table_name="vehicles")
    op.drop_index(
        "ix_vehicles_plate",
        table_name="vehicles",
        sqlite_where=sa.text("plate_state IS NOT NULL"),
        postgresql_where=sa.text("plate_state IS NOT NULL"),
    )
    op.drop_index("ix_vehicles_newest", table_name="vehicles")
    op.drop_index(op.f("ix_vehicles_make_key_model_key_year"), table_name="vehicles")
    op.drop_index(op.f("ix_vehicles_facility_id"), table_name="vehicles")
    op.drop_table("vehicles")
    op.drop_index(op.f("ix_sessions_user_id"), table_name="sessions")
    op.drop_index(op.f("ix_sessions_expires_at"), table_name="sessions")
    op.drop_table("sessions")
    op.drop_index("uq_remembered_question", table_name="remembered")
    op.drop_index(op.f("ix_remembered_expires_at"), table_name="remembered")
    op.drop_table("remembered")
    op.drop_index(op.f("ix_recalled_vehicles_campaign"), table_name="recalled_vehicles")
    op.drop_table("recalled_vehicles")
    op.drop_index(op.f("ix_questions_category_id_position"), table_name="questions")
    op.drop_table("questions")
    op.drop_index(
        "uq_payments_living",
        table_name="payments",
        sqlite_where=sa.text("state NOT IN ('declined', 'voided')"),
        postgresql_where=sa.text("state NOT IN ('declined', 'voided')"),
    )
    op.drop_index(
        "ix_payments_under_way",
        table_name="payments",
        sqlite_where=sa.text("state IN ('authorizing', 'capturing', 'voiding', 'refunding')"),
        postgresql_where=sa.text("state IN ('authorizing', 'capturing', 'voiding', 'refunding')"),
    )
    op.drop_index(op.f("ix_payments_partner_id_environment_id"), table_name="payments")
    op.drop_index(op.f("ix_payments_environment_subject_id"), table_name="payments")
    op.drop_index(op.f("ix_payments_environment_id"), table_name="payments")
    op.drop_table("payments")
    op.drop_index(op.f("ix_partner_keys_partner_id"), table_name="partner_keys")
    op.drop_table("partner_keys")
    op.drop_table("mechanic_services")
    op.drop_table("mechanic_exceptions")
    op.drop_index(
        op.f("ix_lifecycle_predictions_environment_owner_id_id"), table_name="lifecycle_predictions"
    )
    op.drop_index(op.f("ix_lifecycle_predictions_environment_id"), table_name="lifecycle_predictions")
    op.drop_table("lifecycle_predictions")
    op.drop_index(op.f("ix_idempotent_replies_stored_at"), table_name="idempotent_replies")
    op.drop_table("idempotent_replies")
    op.drop_index(op.f("ix_events_partner_id_environment_created_at"), table_name="events")
    op.drop_table("events")
    op.drop_table("descriptions")
    op.drop_table("customers")
    op.drop_index(op.f("ix_connected_cars_environment_vin"), table_name="connected_cars")
    op.drop_index(op.f("ix_connected_cars_connection_id"), table_name="connected_cars")
    op.drop_table("connected_cars")
    op.drop_index(op.f("ix_api_keys_user_id"), table_name="api_keys")
    op.drop_table("api_keys")
    op.drop_table("variances")
    op.drop_table("users")
    op.drop_table("transaction_sums")
    op.drop_table("track_records")
    op.drop_index(op.f("ix_timeline_subject_id"), table_name="timeline")
    op.drop_table("timeline")
    op.drop_table("tallies")
    op.drop_index(op.f("ix_submissions_category_slug_id"), table_name="submissions")
    op.drop_table("submissions")
    op.drop_table("settings")
    op.drop_table("sandbox_charges")
    op.drop_table("recall_years")
    op.drop_table("recall_campaigns")
    op.drop_index(op.f("ix_rate_windows_over_at"), table_name="rate_windows")
    op.drop_table("rate_windows")
    op.drop_index(
        "ix_questionnaire_categories_of_slug",
        table_name="questionnaire_categories",
        sqlite_where=sa.text("active = 1"),
        postgresql_where=sa.text("active = 1"),
    )
    op.drop_table("questionnaire_categories")
    op.drop_index(op.f("ix_problems_parent_id"), table_name="problems")
    op.drop_table("problems")
    op.drop_table("priors")
    op.drop_table("prior_cells")
    op.drop_table("partners")
    op.drop_table("opinions")
    op.drop_index(op.f("ix_mechanics_environment_state_id"), table_name="mechanics")
    op.drop_index(op.f("ix_mechanics_environment_name_key"), table_name="mechanics")
    op.drop_table("mechanics")
    op.drop_index(op.f("ix_mails_recipient_key"), table_name="mails")
    op.drop_index(
        "ix_mails_due",
        table_name="mails",
        sqlite_where=sa.text("state = 'pending'"),
        postgresql_where=sa.text("state = 'pending'"),
    )
    op.drop_table("mails")
    op.drop_table("job_leases")
    op.drop_index(
        "uq_imports_unfinished",
        table_name="imports",
        sqlite_where=sa.text("finished_at IS NULL"),
        postgresql_where=sa.text("finished_at IS NULL"),
    )
    op.drop_table("imports")
    op.drop_index(op.f("ix_facilities_state"), table_name="facilities")
    op.drop_index(op.f("ix_facilities_name_key"), table_name="facilities")
    op.drop_table("facilities")
    op.drop_index(op.f("ix_drivers_environment_latitude"), table_name="drivers")
    op.drop_table("drivers")
    op.drop_index(
        "ix_diagnosis_cases_waiting",
        table_name="diagnosis_cases",
        sqlite_where=sa.text("repair IS NULL"),
        postgresql_where=sa.text("repair IS NULL"),
    )
    op.drop_index(
        "ix_diagnosis_cases_confirmed",
        table_name="diagnosis_cases",
        sqlite_where=sa.text("repair IS NOT NULL"),
        postgresql_where=sa.text("repair IS NOT NULL"),
    )
    op.drop_table("diagnosis_cases")
    op.drop_index(op.f("ix_computations_taken_at"), table_name="computations")
    op.drop_table("computations")
    op.drop_table("cells")
    op.drop_index(op.f("ix_catalog_entries_make_key_model_key_year"), table_name="catalog_entries")
    op.drop_table("catalog_entries")
    op.drop_index(op.f("ix_car_flows_ends_at"), table_name="car_flows")
    op.drop_table("car_flows")
    op.drop_index(op.f("ix_car_connections_environment_owner_id_email"), table_name="car_connections")
    op.drop_table("car_connections")
    op.drop_table("calibrations")
    op.drop_index(op.f("ix_businesses_environment_latitude"), table_name="businesses")
    op.drop_table("businesses")
    op.drop_table("book_changes")
    op.drop_table("audit")
    # ### end Alembic commands ###
