"""Recall campaigns and the vehicles that they cover."""

from sqlalchemy import Column, ForeignKey, Integer, Text

from repaircore.adapters.sql.schema.metadata import THINGS, table

recall_campaigns = table(
    "recall_campaigns",
    Column("campaign", Text, primary_key=True, info=THINGS),  # 23V123000
    Column("summary", Text, info=THINGS),
    Column("consequence", Text, info=THINGS),
    Column("remedy", Text, info=THINGS),
    Column("park_it", Integer),
    Column("park_outside", Integer),
    Column("reported_on", Text, info=THINGS),
    Column("source", Text, nullable=False, info=THINGS),
)

recall_years = table(
    "recall_years",  # the years whose campaigns were all imported
    Column("year", Integer, primary_key=True, autoincrement=False),
)

recalled_vehicles = table(
    "recalled_vehicles",
    Column("make_key", Text, primary_key=True, info=THINGS),
    Column("year", Integer, primary_key=True, autoincrement=False),  # 0: no model year
    Column("model_key", Text, primary_key=True, info=THINGS),
    Column(
        "campaign", Text, ForeignKey("recall_campaigns.campaign"), primary_key=True, index=True, info=THINGS
    ),
    Column("make", Text, nullable=False, info=THINGS),
    Column("model", Text, nullable=False, info=THINGS),
    Column("component", Text, info=THINGS),
)
