"""Records that were kept before their facts were known."""

from attrs import evolve

from repaircore.kernel.spelling import key, make_key
from repaircore.vehicle_facts.model import VehicleSpecs


def enrich(kept: VehicleSpecs, known: VehicleSpecs) -> VehicleSpecs:
    """Return a record's vehicle with what is known of it today; nothing that was known before is replaced."""
    return evolve(
        kept,
        trim=kept.trim or known.trim,
        engine=kept.engine or known.engine,
        powertrain=kept.powertrain or known.powertrain,
        drive=kept.drive or known.drive,
        body=kept.body or known.body,
        facts=known.facts,
    )


def is_same_model(one: VehicleSpecs, other: VehicleSpecs) -> bool:
    """Return whether two are of the same year, make and model, case and punctuation aside."""
    return (one.year, make_key(one.make), key(one.model)) == (
        other.year,
        make_key(other.make),
        key(other.model),
    )
