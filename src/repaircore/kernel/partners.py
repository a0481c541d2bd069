"""Who asks on the partner platform."""

from attrs import frozen

from repaircore.kernel.callers import Environment

__all__ = ["PartnerCaller"]


@frozen(kw_only=True)
class PartnerCaller:
    """The partner account on whose behalf a use case runs, in one environment.

    A partner reaches its own records of this environment; any other is, to it, one that never existed.
    """

    partner_id: int
    environment: Environment
