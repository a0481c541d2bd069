"""The first schema: accounts, the repair book, vehicles, their catalog, facilities, past repairs, predictions."""

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
        "calibrations",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("alpha", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_calibrations_environment")),
        sa.PrimaryKeyConstraint("environment", name=op.f("pk_calibrations")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
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
        sa.CheckConstraint("avg_labor_rate >= 0", name=op.f("ck_facilities_avg_labor_rate")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_facilities")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_facilities_state"), "facilities", ["state"], unique=False)
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
        "settings",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("pk_settings")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
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
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_track_records_environment")),
        sa.PrimaryKeyConstraint("environment", name=op.f("pk_track_records")),
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
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_variances_environment")),
        sa.PrimaryKeyConstraint("environment", "problem_id", name=op.f("pk_variances")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
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
        sa.CheckConstraint("vin11 = substr(vin, 1, 11)", name=op.f("ck_vehicles_vin11")),
        sa.CheckConstraint("current_mileage >= 0", name=op.f("ck_vehicles_current_mileage")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_vehicles")),
        sa.UniqueConstraint("vin11", name=op.f("uq_vehicles_vin11")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(
        op.f("ix_vehicles_year_make_key_model_key"),
        "vehicles",
        ["year", "make_key", "model_key"],
        unique=False,
    )
    op.create_table(
        "plates",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("number", sa.Text(), nullable=False),
        sa.Column("vin", sa.Text(), nullable=False),
        sa.Column("vehicle_id", sa.Text(), nullable=False),
        sa.Column("source", sa.Text(), nullable=False),
        sa.Column("told_at", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_plates_environment")),
        sa.ForeignKeyConstraint(["vehicle_id"], ["vehicles.id"], name=op.f("fk_plates_vehicle_id")),
        sa.PrimaryKeyConstraint("environment", "state", "number", name=op.f("pk_plates")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index(op.f("ix_plates_environment_vin"), "plates", ["environment", "vin"], unique=False)
    op.create_index(op.f("ix_plates_vehicle_id"), "plates", ["vehicle_id"], unique=False)
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
        "remembered",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("vehicle_key", sa.Text(), nullable=False),
        sa.Column("problem_id", _BIG, nullable=False),
        sa.Column("zip_code", sa.Text(), nullable=False),
        sa.Column("mileage_band", sa.Integer(), nullable=False),
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
        ["environment", "vehicle_key", "problem_id", "zip_code", "mileage_band"],
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
    op.create_index(op.f("ix_transactions_facility_id"), "transactions", ["facility_id"], unique=False)
    op.create_index(
        "ix_transactions_linked",
        "transactions",
        ["environment", "id"],
        unique=False,
        sqlite_where=sa.text("prediction_id IS NOT NULL"),
        postgresql_where=sa.text("prediction_id IS NOT NULL"),
    )
    op.create_index(op.f("ix_transactions_problem_id"), "transactions", ["problem_id"], unique=False)
    op.create_index(op.f("ix_transactions_vehicle_id"), "transactions", ["vehicle_id"], unique=False)


def downgrade() -> None:
    """Drop every table."""
    op.drop_index(op.f("ix_transactions_vehicle_id"), table_name="transactions")
    op.drop_index(op.f("ix_transactions_problem_id"), table_name="transactions")
    op.drop_index("ix_transactions_linked", table_name="transactions")
    op.drop_index(op.f("ix_transactions_facility_id"), table_name="transactions")
    op.drop_table("transactions")
    op.drop_index(op.f("ix_sessions_user_id"), table_name="sessions")
    op.drop_index(op.f("ix_sessions_expires_at"), table_name="sessions")
    op.drop_table("sessions")
    op.drop_index("uq_remembered_question", table_name="remembered")
    op.drop_index(op.f("ix_remembered_expires_at"), table_name="remembered")
    op.drop_table("remembered")
    op.drop_index(op.f("ix_feedback_prediction_id_user_id_id"), table_name="feedback")
    op.drop_table("feedback")
    op.drop_index("ix_predictions_flagged_of_owner", table_name="predictions")
    op.drop_index("ix_predictions_flagged", table_name="predictions")
    op.drop_index(op.f("ix_predictions_environment_owner_id_id"), table_name="predictions")
    op.drop_index(op.f("ix_predictions_environment_id"), table_name="predictions")
    op.drop_table("predictions")
    op.drop_index(op.f("ix_api_keys_user_id"), table_name="api_keys")
    op.drop_table("api_keys")
    op.drop_index(op.f("ix_plates_vehicle_id"), table_name="plates")
    op.drop_index(op.f("ix_plates_environment_vin"), table_name="plates")
    op.drop_table("plates")
    op.drop_index(op.f("ix_vehicles_year_make_key_model_key"), table_name="vehicles")
    op.drop_table("vehicles")
    op.drop_table("variances")
    op.drop_table("users")
    op.drop_table("track_records")
    op.drop_table("tallies")
    op.drop_table("settings")
    op.drop_table("descriptions")
    op.drop_index(op.f("ix_problems_parent_id"), table_name="problems")
    op.drop_table("problems")
    op.drop_table("opinions")
    op.drop_index(op.f("ix_facilities_state"), table_name="facilities")
    op.drop_table("facilities")
    op.drop_index(op.f("ix_computations_taken_at"), table_name="computations")
    op.drop_table("computations")
    op.drop_table("cells")
    op.drop_index(op.f("ix_catalog_entries_make_key_model_key_year"), table_name="catalog_entries")
    op.drop_table("catalog_entries")
    op.drop_table("calibrations")
    op.drop_table("audit")
