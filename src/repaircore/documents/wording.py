"""The words that documents use for parts tiers, and for customers' answers to lines."""

from collections.abc import Mapping
from typing import Final

from repaircore.pricing.model import PartsTier
from repaircore.visits.model import Choice

DECISIONS: Final[Mapping[Choice, str]] = {
    Choice.APPROVED: "Approved",
    Choice.DECLINED: "Declined",
    Choice.ASKED: "Question",
}

TIERS: Final[Mapping[PartsTier, str]] = {tier: f"{tier.label} parts" for tier in PartsTier}
