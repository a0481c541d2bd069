"""Masked numbers: a customer and their provider can call each other without seeing each other's phone number.

docs/decisions/masked-numbers.md says when they are requested and shown.
"""

import logging
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final, Protocol

from attrs import evolve, frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.timeline import Step

MASKED_FOR: Final = timedelta(hours=24)
"""How long a masked number is shown after the acceptance, or after the agreed time."""

NO_MASKED_PHONE: Final = "no_masked_phone"
"""The timeline step for a missing masked number; its ``reason`` says why."""

_log = logging.getLogger(__name__)


class NoMaskedPhone(StrEnum):
    """Why there is no masked number."""

    REFUSED = "refused"
    """The gateway has no number to give."""
    UNAVAILABLE = "unavailable"
    """The gateway did not return a usable response in time."""
    NO_PHONE = "no_phone"
    """The customer or the provider has no phone."""


@frozen(kw_only=True)
class PhonePair:
    """A customer and a provider who share a masked number until a given time.

    ``key`` is the same each time a number is requested for one acceptance. ``provider`` is the phone of a driver, a
    business or a mechanic.
    """

    key: str
    environment: Environment
    customer: str
    provider: str
    until: datetime


class NumberMasking(Protocol):
    """A source of masked numbers, which hide the phones of customers and providers from each other."""

    @property
    def hides_phones(self) -> bool:
        """Whether phones are hidden even if there is no masked number."""

    def mask(self, pair: PhonePair) -> str | None:
        """Return the masked number of a pair in E.164 form, or None if the gateway refuses to assign one.

        It takes a few seconds at most. Call it outside of a unit of work.

        Raises:
            Unavailable: the gateway did not return a usable response.
        """


@frozen(kw_only=True)
class MaskedPhones:
    """A pair's masked number, which ends at ``until``.

    Without one, they see each other's phones, unless ``hides_phones``. ``failure`` is why there is no number although
    one was requested.
    """

    number: str | None = None
    until: datetime | None = None
    hides_phones: bool = False
    failure: NoMaskedPhone | None = None

    @property
    def may_get_number(self) -> bool:
        """Whether a number may still be requested: phones are hidden, and none was given, refused or impossible."""
        is_open = self.failure in {None, NoMaskedPhone.UNAVAILABLE}
        return self.number is None and self.hides_phones and is_open

    def as_of(self, at: datetime) -> "MaskedPhones":
        """Return the phones as of a time: once the masked number has ended, both phones stay hidden."""
        if self.number is None or self.until is None or at < self.until:
            return self
        return evolve(self, number=None, hides_phones=True)

    def shown(self, phone: str | None) -> str | None:
        """Return the number that the other side sees for ``phone``, or None if it is hidden."""
        return self.number or (None if self.hides_phones else phone)


PHONES_SHOWN: Final = MaskedPhones()
"""The phones of a pair without masking."""

PHONES_HIDDEN: Final = MaskedPhones(hides_phones=True)
"""The phones of a pair that has yet to get a masked number."""


def mask_phones(masking: NumberMasking, pair: PhonePair | None) -> MaskedPhones:
    """Return the phones of a pair; a failure of the gateway is logged, not raised.

    ``pair`` is None if one of the two has no phone. Call it outside of a unit of work.
    """
    if pair is None:
        return MaskedPhones(hides_phones=masking.hides_phones, failure=NoMaskedPhone.NO_PHONE)
    failure = NoMaskedPhone.REFUSED
    try:
        number = masking.mask(pair)
    except Unavailable as error:
        _log.warning("There is no masked number for %s: %s", pair.key, error.message)
        number, failure = None, NoMaskedPhone.UNAVAILABLE
    if number is None:
        return MaskedPhones(hides_phones=masking.hides_phones, failure=failure)
    return MaskedPhones(number=number, until=pair.until, hides_phones=masking.hides_phones)


def phones_step(phones: MaskedPhones, status: str, *, at: datetime) -> list[Step]:
    """Return the step that says why there is no masked number; empty if there is one or none was requested."""
    if phones.failure is None:
        return []
    detail = {"reason": phones.failure.value, "phones": "hidden" if phones.hides_phones else "shown"}
    return [Step.within(status, NO_MASKED_PHONE, at=at, actor="system", detail=detail)]
