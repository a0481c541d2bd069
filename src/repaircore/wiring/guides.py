"""Wiring of repair guides."""

from typing import TYPE_CHECKING

from repaircore.adapters.shipped.codes import code_table
from repaircore.adapters.shipped.vocabulary import vocabulary
from repaircore.repair_guides.service import RepairGuides

if TYPE_CHECKING:
    from repaircore.core import Core


def repair_guides(core: "Core") -> RepairGuides:
    """Wire repair guides."""
    return RepairGuides(
        read=core.storage.read,
        computation=lambda: core.computation,
        vehicles=lambda: core.vehicles,
        sequences=lambda: core.repair_sequences,
        paid=core.price_histories.distribution,
        codes=code_table,
        symptoms=lambda: vocabulary().symptoms,
        clock=core.clock,
    )
