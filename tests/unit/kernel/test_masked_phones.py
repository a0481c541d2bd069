import logging
from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve, frozen

from repaircore.kernel.callers import Environment
from repaircore.kernel.errors import Unavailable
from repaircore.kernel.masked_phones import (
    PHONES_HIDDEN,
    PHONES_SHOWN,
    MaskedPhones,
    NoMaskedPhone,
    PhonePair,
    mask_phones,
    phones_step,
)

UNTIL = datetime(2026, 1, 2, 12, tzinfo=UTC)
PAIR = PhonePair(
    key="R-1", environment=Environment.LIVE, customer="+13035550101", provider="+13035550102", until=UNTIL
)
NUMBER = "+13035550199"


@frozen
class Masking:
    """A gateway with one answer; None is a refusal."""

    answer: str | Exception | None
    hides_phones: bool = False

    def mask(self, pair: PhonePair) -> str | None:
        assert pair == PAIR
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


@pytest.mark.parametrize("hides", [False, True])
@pytest.mark.parametrize(
    ("answer", "pair", "number", "failure"),
    [
        (NUMBER, PAIR, NUMBER, None),
        (None, PAIR, None, NoMaskedPhone.REFUSED),
        (Unavailable("It is down."), PAIR, None, NoMaskedPhone.UNAVAILABLE),
        (NUMBER, None, None, NoMaskedPhone.NO_PHONE),
    ],
)
def test_mask_phones_returns_the_number_or_why_there_is_none(
    answer: str | Exception | None,
    pair: PhonePair | None,
    number: str | None,
    failure: NoMaskedPhone | None,
    *,
    hides: bool,
) -> None:
    found = mask_phones(Masking(answer, hides), pair)

    assert found == MaskedPhones(
        number=number, until=UNTIL if number else None, hides_phones=hides, failure=failure
    )
    assert [step.detail for step in phones_step(found, "accepted", at=UNTIL)] == (
        [] if failure is None else [{"reason": failure.value, "phones": "hidden" if hides else "shown"}]
    )


def test_failure_of_the_gateway_is_logged_with_the_pair(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        mask_phones(Masking(None), PAIR)
        mask_phones(Masking(Unavailable("It is down.")), PAIR)

    assert caplog.messages == ["There is no masked number for R-1: It is down."]


def test_masked_number_is_shown_until_its_end_and_then_no_phone() -> None:
    phones = MaskedPhones(number=NUMBER, until=UNTIL)

    assert phones.as_of(UNTIL - timedelta(seconds=1)).shown(PAIR.provider) == NUMBER
    assert phones.as_of(UNTIL).shown(PAIR.provider) is None
    assert PHONES_SHOWN.as_of(UNTIL).shown(PAIR.provider) == PAIR.provider
    assert PHONES_HIDDEN.as_of(UNTIL).shown(PAIR.provider) is None


@pytest.mark.parametrize(
    ("phones", "may"),
    [
        (PHONES_HIDDEN, True),
        (PHONES_SHOWN, False),
        (evolve(PHONES_HIDDEN, failure=NoMaskedPhone.UNAVAILABLE), True),
        (evolve(PHONES_HIDDEN, failure=NoMaskedPhone.REFUSED), False),
        (evolve(PHONES_HIDDEN, failure=NoMaskedPhone.NO_PHONE), False),
        (evolve(PHONES_HIDDEN, number=NUMBER), False),
    ],
)
def test_number_is_requested_again_only_where_phones_are_hidden_and_the_gateway_failed(
    phones: MaskedPhones, *, may: bool
) -> None:
    assert phones.may_get_number is may
