"""What operators need: invoices that are listed and counted quickly, files that are taken over, vehicles' plates."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

from repaircore.kernel.spelling import key

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_BIG = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")

_MAKES = (
    "UPDATE transactions SET make_key ="
    " (SELECT make_key FROM vehicles WHERE vehicles.id = transactions.vehicle_id)"
)
_SUMS = (
    "INSERT INTO transaction_sums (environment, dimension, value, month, n, parts_total, labor_total)"
    " SELECT environment, '{dimension}', {value}, substr(performed_on, 1, 7), count(*),"
    " sum(parts_total), sum(labor_total) FROM transactions WHERE {value} IS NOT NULL"
    " GROUP BY 1, 3, 4"
)
_DIMENSIONS = {
    "all": "''",
    "problem": "CAST(problem_id AS TEXT)",
    "make": "make_key",
    "facility": "CAST(facility_id AS TEXT)",
}


def upgrade() -> None:
    """Add columns, indexes and sums, and fill them from what is there."""
    _add_columns()
    op.execute(_MAKES)
    _spell_facilities()
    _index()
    _create_sums()
    for dimension, value in _DIMENSIONS.items():
        op.execute(_SUMS.format(dimension=dimension, value=value))
    _create_imports()
    _create_recalls()


def _add_columns() -> None:
    op.add_column("vehicles", sa.Column("plate_no", sa.Text()))
    # SQLite takes a reference only together with its column.
    op.execute(
        f"ALTER TABLE vehicles ADD COLUMN facility_id {_kind_of_id()}"
        " CONSTRAINT fk_vehicles_facility_id REFERENCES facilities (id)"
    )
    op.add_column("facilities", sa.Column("version", _BIG, nullable=False, server_default=sa.text("1")))
    op.add_column("facilities", sa.Column("sample_size", _BIG, nullable=False, server_default=sa.text("0")))
    op.add_column(
        "facilities", sa.Column("name_key", sa.Text(), nullable=False, server_default=sa.text("''"))
    )
    op.add_column("facilities", sa.Column("city_key", sa.Text()))
    op.add_column(
        "transactions", sa.Column("make_key", sa.Text(), nullable=False, server_default=sa.text("''"))
    )
    op.add_column("transactions", sa.Column("fingerprint", _BIG))
    op.add_column("transactions", sa.Column("version", _BIG, nullable=False, server_default=sa.text("1")))


def _kind_of_id() -> str:
    return "INTEGER" if op.get_bind().dialect.name == "sqlite" else "BIGINT"


def _spell_facilities() -> None:
    facilities = sa.table("facilities", *map(sa.column, ("id", "name", "name_key", "city", "city_key")))
    connection = op.get_bind()
    for facility_id, name, city in connection.execute(
        sa.select(facilities.c.id, facilities.c.name, facilities.c.city)
    ).all():
        spelled = {"name_key": key(name), "city_key": None if city is None else key(city)}
        connection.execute(sa.update(facilities).where(facilities.c.id == facility_id).values(**spelled))


def _index() -> None:
    op.create_index("ix_facilities_name_key", "facilities", ["name_key"])
    op.create_index("ix_vehicles_facility_id", "vehicles", ["facility_id"])
    op.create_index("ix_vehicles_make_key_model_key_year", "vehicles", ["make_key", "model_key", "year"])
    op.create_index(
        "ix_vehicles_newest",
        "vehicles",
        ["created_at", "id", "make_key", "model_key", "year", "vin", "plate_no"],
    )
    op.drop_index("ix_transactions_facility_id", "transactions")
    op.drop_index("ix_transactions_problem_id", "transactions")
    told = sa.text("fingerprint IS NOT NULL")
    op.create_index(
        "uq_transactions_fingerprint",
        "transactions",
        ["fingerprint", "environment"],
        unique=True,
        sqlite_where=told,
        postgresql_where=told,
    )
    op.create_index("ix_transactions_all", "transactions", ["environment", "performed_on", "id"])
    place = ["environment", "performed_on", "id"]
    op.create_index(
        "ix_transactions_problem", "transactions", ["problem_id", *place, "make_key", "facility_id"]
    )
    op.create_index(
        "ix_transactions_facility", "transactions", ["facility_id", *place, "make_key", "problem_id"]
    )
    op.create_index("ix_transactions_make", "transactions", ["make_key", *place])


def _create_sums() -> None:
    op.create_table(
        "transaction_sums",
        sa.Column("environment", sa.Text(), nullable=False),
        sa.Column("dimension", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.Column("month", sa.Text(), nullable=False),
        sa.Column("n", _BIG, nullable=False),
        sa.Column("parts_total", _BIG, nullable=False),
        sa.Column("labor_total", _BIG, nullable=False),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_transaction_sums_environment")),
        sa.CheckConstraint(
            "dimension IN ('all', 'problem', 'make', 'facility')",
            name=op.f("ck_transaction_sums_dimension"),
        ),
        sa.CheckConstraint("n >= 0", name=op.f("ck_transaction_sums_n")),
        sa.PrimaryKeyConstraint(
            "environment", "dimension", "value", "month", name=op.f("pk_transaction_sums")
        ),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )


def _create_imports() -> None:
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
        sa.Column("finished_at", _BIG),
        sa.CheckConstraint("environment IN ('test', 'live')", name=op.f("ck_imports_environment")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_imports")),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    unfinished = sa.text("finished_at IS NULL")
    op.create_index(
        "uq_imports_unfinished",
        "imports",
        ["kind", "environment", "digest"],
        unique=True,
        sqlite_where=unfinished,
        postgresql_where=unfinished,
    )


def _create_recalls() -> None:
    op.create_table(
        "recall_campaigns",
        sa.Column("campaign", sa.Text(), nullable=False),
        sa.Column("summary", sa.Text()),
        sa.Column("consequence", sa.Text()),
        sa.Column("remedy", sa.Text()),
        sa.Column("park_it", sa.Integer()),
        sa.Column("park_outside", sa.Integer()),
        sa.Column("reported_on", sa.Text()),
        sa.Column("source", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("campaign", name=op.f("pk_recall_campaigns")),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_table(
        "recalled_vehicles",
        sa.Column("make_key", sa.Text(), nullable=False),
        sa.Column("year", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("model_key", sa.Text(), nullable=False),
        sa.Column("campaign", sa.Text(), nullable=False),
        sa.Column("make", sa.Text(), nullable=False),
        sa.Column("model", sa.Text(), nullable=False),
        sa.Column("component", sa.Text()),
        sa.ForeignKeyConstraint(
            ["campaign"], ["recall_campaigns.campaign"], name=op.f("fk_recalled_vehicles_campaign")
        ),
        sa.PrimaryKeyConstraint(
            "make_key", "year", "model_key", "campaign", name=op.f("pk_recalled_vehicles")
        ),
        sqlite_autoincrement=False,
        sqlite_strict=True,
    )
    op.create_index("ix_recalled_vehicles_campaign", "recalled_vehicles", ["campaign"])


def downgrade() -> None:
    """Take all of it away; what was told in it is lost."""
    op.drop_table("recalled_vehicles")
    op.drop_table("recall_campaigns")
    op.drop_table("imports")
    op.drop_table("transaction_sums")
    for name in ("make", "facility", "problem", "all"):
        op.drop_index(f"ix_transactions_{name}", "transactions")
    op.drop_index("uq_transactions_fingerprint", "transactions")
    op.create_index("ix_transactions_problem_id", "transactions", ["problem_id"])
    op.create_index("ix_transactions_facility_id", "transactions", ["facility_id"])
    op.drop_index("ix_vehicles_newest", "vehicles")
    op.drop_index("ix_vehicles_make_key_model_key_year", "vehicles")
    op.drop_index("ix_vehicles_facility_id", "vehicles")
    op.drop_index("ix_facilities_name_key", "facilities")
    for table, column in (
        ("transactions", "version"),
        ("transactions", "fingerprint"),
        ("transactions", "make_key"),
        ("facilities", "city_key"),
        ("facilities", "name_key"),
        ("facilities", "sample_size"),
        ("facilities", "version"),
        ("vehicles", "facility_id"),
        ("vehicles", "plate_no"),
    ):
        op.drop_column(table, column)
