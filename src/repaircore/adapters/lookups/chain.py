"""VIN decoders that are tried in order."""

import logging
from collections.abc import Callable, Sequence
from typing import TypeAlias

from attrs import frozen
from typing_extensions import override

from repaircore.kernel.errors import Unavailable
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.ports import VinDecoder

_log = logging.getLogger("repaircore.lookups")

Report: TypeAlias = Callable[[str, Unavailable], None]
"""Report that the decoder for a source failed, and how."""


def log_failure(source: str, failure: Unavailable) -> None:
    """Log the failure of a decoder, without the VIN."""
    _log.warning("VIN decoder %s is unavailable: %s", source, failure.message)


@frozen
class DecoderChain(VinDecoder):
    """Decoders, tried in order: the first result counts, and failures before it are reported."""

    decoders: Sequence[VinDecoder]
    report: Report = log_failure

    @property
    @override
    def source(self) -> str:
        return "+".join(decoder.source for decoder in self.decoders)

    @override
    def decode(self, vin: str) -> VehicleSpecs | None:
        """Return the first result of the decoders, or None if none of them knows the VIN.

        Raises:
            Unavailable: none knew the VIN, but at least one that might have known it failed.
        """
        failure: Unavailable | None = None
        for decoder in self.decoders:
            try:
                answer = decoder.decode(vin)
            except Unavailable as unavailable:
                self.report(decoder.source, unavailable)
                failure = unavailable
                continue
            if answer is not None:
                return answer
        if failure is not None:
            raise failure
        return None
