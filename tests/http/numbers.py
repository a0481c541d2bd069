"""A gateway of masked numbers over HTTP, in front of the whole service."""

from attrs import evolve, frozen
from typing_extensions import override

from repaircore.adapters.delivery.number_masking import HttpNumberMasking
from repaircore.core import Core
from repaircore.json_text import encode
from repaircore.kernel.callers import Environment
from repaircore.kernel.masked_phones import NumberMasking, PhonePair
from repaircore.testing.upstream import HANG, RESET, Behavior, Body, MisbehavingUpstream, Status

PATH = "/numbers"
NUMBER = "+13105550100"
GIVES: Behavior = Body(encode({"number": NUMBER}))
FAILING: dict[str, tuple[Behavior, str]] = {
    "refuses": (Status(409), "refused"),
    "hangs": (HANG, "unavailable"),
    "resets": (RESET, "unavailable"),
    "is down": (Status(503), "unavailable"),
}
"""Gateways that give no number, each with the reason that timelines tell."""


@frozen(kw_only=True)
class _AsLive(NumberMasking):
    """Asks the gateway for pairs of the test environment, too."""

    masking: HttpNumberMasking

    @property
    @override
    def hides_phones(self) -> bool:
        return self.masking.hides_phones

    @override
    def mask(self, pair: PhonePair) -> str | None:
        return self.masking.mask(evolve(pair, environment=Environment.LIVE))


def with_gateway(core: Core, upstream: MisbehavingUpstream, *, hides_phones: bool = False) -> Core:
    """Return a core whose numbers are masked by the gateway at a server, which has a third of a second."""
    masking = _AsLive(
        masking=HttpNumberMasking.at(
            upstream.url + PATH, token=None, hides_phones=hides_phones, seconds=1 / 3
        )
    )
    return core.replacing(
        rides=evolve(core.rides, masking=masking),
        tows=evolve(core.tows, masking=masking),
        appointments=evolve(core.appointments, masks_phones=True),
        mechanic_responses=evolve(core.mechanic_responses, masking=masking),
    )
