"""Masked numbers: by which a customer and whoever comes for them call each other, without seeing each other's phone.

docs/decisions/masked-numbers.md says when they are asked for and shown.
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
"""How long after the acceptance, or the time that was agreed on, a masked number is shown."""

NO_MASKED_PHONE: Final = "no_masked_phone"
"""The step of timelines that tells why there is no masked number, below ``reason``."""

_log = logging.getLogger(__name__)


class NoMaskedPhone(StrEnum):
    """Why there is no masked number."""

    REFUSED = "refused"
    """The gateway said that it has none."""
    UNAVAILABLE = "unavailable"
    """The gateway gave no usable answer in time."""
    NO_PHONE = "no_phone"
    """The customer or the provider has no phone."""


@frozen(kw_only=True)
class PhonePair:
    """A customer and a provider who call each other by a masked number until a time.

    ``key`` is the same whenever the number for one acceptance is asked for; ``provider`` is a driver, a business or a mechanic.
    """

    key: str
    environment: Environment
    customer: str
    provider: str
    until: datetime


class NumberMasking(Protocol):
    """Phone numbers that hide those of customers and providers from each other."""

    @property
    def hides_phones(self) -> bool:
        """Whether phones are hidden also where there is no such number."""

    def mask(self, pair: PhonePair) -> str | None:
        """Return the number by which the two reach each other, in E.164 form; None when it is refused.

        It takes a few seconds at most. Call it outside of a unit of work.

        Raises:
            Unavailable: there is no usable answer.
        """


@frozen(kw_only=True)
class MaskedPhones:
    """By which number two call each other: ``number`` until ``until``; without it by their own, unless ``hides_phones``.

    ``failure`` is why there is no number although one was asked for.
    """

    number: str | None = None
    until: datetime | None = None
    hides_phones: bool = False
    failure: NoMaskedPhone | None = None

    def as_of(self, at: datetime) -> "MaskedPhones":
        """Return the phones as of a time: after the end of the number both are hidden, as they were before."""
        if self.number is None or self.until is None or at < self.until:
            return self
        return evolve(self, number=None, hides_phones=True)

    def shown(self, phone: str | None) -> str | None:
        """Return the number by which the one whose own is ``phone`` is called by the other."""
        return self.number or (None if self.hides_phones else phone)


PHONES_SHOWN: Final = MaskedPhones()
"""Those of two whose numbers are not masked."""

PHONES_HIDDEN: Final = MaskedPhones(hides_phones=True)
"""Those of two who are to get a number, before they have it."""


def mask_phones(masking: NumberMasking, pair: PhonePair | None) -> MaskedPhones:
    """Return by which number a pair calls each other; a gateway that gives none delays nobody's help.

    ``pair`` is None where one of the two has no phone. Call it outside of a unit of work.
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
    """Return the step that tells why two have no masked number; none where they have one, or none was asked for."""
    if phones.failure is None:
        return []
    detail = {"reason": phones.failure.value, "phones": "hidden" if phones.hides_phones else "shown"}
    return [Step.within(status, NO_MASKED_PHONE, at=at, actor="system", detail=detail)]
