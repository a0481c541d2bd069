"""Predictions, their cached figures, feedback, and the models' accuracy."""

from sqlalchemy import CheckConstraint, Column, ForeignKey, Index, Integer, Text, UniqueConstraint, text

from repaircore.adapters.sql.schema.metadata import (
    PERSON,
    PROSE,
    THINGS,
    Big,
    Real,
    environment_check,
    row_id,
    table,
    where,
)

remembered = table(
    "remembered",
    Column("id", Text, primary_key=True, info=THINGS),
    Column("environment", Text, nullable=False, info=THINGS),
    Column("vehicle_key", Text, nullable=False, info=THINGS),
    Column("problem_id", Big, ForeignKey("problems.id"), nullable=False),
    Column("zip_code", Text, nullable=False, info=THINGS),
    Column("mileage_band", Integer, nullable=False),  # -1 without a mileage
    Column("parts_tier", Text, nullable=False, server_default=text("''"), info=THINGS),  # "" without a choice
    Column("computed_at", Big, nullable=False),
    Column("expires_at", Big, nullable=False, index=True),
    Column("figures", Text, nullable=False, info=PROSE),
    environment_check(),
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

predictions = table(
    "predictions",
    row_id(),
    Column("session_id", Text, nullable=False, unique=True, info=PERSON),
    Column("owner_id", Big, nullable=False),  # the user's id; 0 is the installation itself
    Column("environment", Text, nullable=False, info=THINGS),
    Column("remembered_id", Text, nullable=False, info=THINGS),
    Column("vin", Text, info=PERSON),
    Column("vehicle_id", Text, ForeignKey("vehicles.id"), nullable=False, info=THINGS),
    Column("problem_id", Big, ForeignKey("problems.id"), nullable=False),
    Column("zip_code", Text, nullable=False, info=PERSON),
    Column("mileage", Big),
    Column("red_flag", Integer, nullable=False),
    Column("red_flag_reason", Text, info=THINGS),
    Column("match_percentage", Real),
    Column("local_low", Big, nullable=False),
    Column("local_average", Big, nullable=False),
    Column("local_high", Big, nullable=False),
    Column("model_a_source", Text, nullable=False, info=THINGS),
    Column("model_a_average", Big),
    Column("model_b_source", Text, nullable=False, info=THINGS),
    Column("model_b_average", Big),
    Column("ai_average", Big),
    Column("email", Text, info=PERSON),
    Column("created_at", Big, nullable=False),
    Column("confidence", Integer),  # in percent; NULL: not stored
    Column("doubt", Real),  # the variance of ln of the local price; NULL: not compared with a model
    environment_check(),
    CheckConstraint("red_flag IN (0, 1)", name="red_flag"),
    UniqueConstraint("remembered_id", "owner_id"),
    # A list is one range of an index, newest last; red flags are rare.
    Index(None, "environment", "id"),
    Index(None, "environment", "owner_id", "id"),
    Index("ix_predictions_flagged", "environment", "id", **where("red_flag = 1")),
    Index("ix_predictions_flagged_of_owner", "environment", "owner_id", "id", **where("red_flag = 1")),
)

feedback = table(
    "feedback",
    row_id(),
    Column("prediction_id", Big, ForeignKey("predictions.id"), nullable=False),
    Column("user_id", Big, nullable=False),  # 0 is the installation itself
    Column("rating", Text, nullable=False, info=PERSON),
    Column("comment", Text, info=PERSON),
    Column("created_at", Big, nullable=False),
    CheckConstraint("rating IN ('good', 'wrong')", name="rating"),
    Index(None, "prediction_id", "user_id", "id"),
)

# How many of the latest ratings of each user call a repair's predictions good, and how many wrong.
opinions = table(
    "opinions",
    Column("environment", Text, primary_key=True, info=THINGS),
    Column("problem_id", Big, primary_key=True, autoincrement=False),
    Column("good", Big, nullable=False),
    Column("wrong", Big, nullable=False),
    environment_check(),
    CheckConstraint("good >= 0 AND wrong >= 0", name="counts"),
)

# The accuracy of the models on predictions with an invoice, which weights the next aggregates.
track_records = table(
    "track_records",
    Column("environment", Text, primary_key=True, info=THINGS),
    Column("model_a_source", Text, info=THINGS),
    Column("model_a_bias", Real, nullable=False),
    Column("model_a_spread", Real, nullable=False),
    Column("model_a_pairs", Big, nullable=False),
    Column("model_b_source", Text, info=THINGS),
    Column("model_b_bias", Real, nullable=False),
    Column("model_b_spread", Real, nullable=False),
    Column("model_b_pairs", Big, nullable=False),
    Column("correlation", Real, nullable=False),
    Column("flag_threshold", Real, nullable=False, server_default=text("1.45")),
    environment_check(),
)

computations = table(
    "computations",
    Column("question", Text, primary_key=True, info=THINGS),
    Column("owner", Text, nullable=False, info=THINGS),
    Column("taken_at", Big, nullable=False, index=True),
)
