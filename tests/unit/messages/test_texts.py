"""SMS texts: their alphabet, replaced characters and truncation."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.kernel.callers import Environment
from repaircore.messages.model import Channel, NewMessage
from repaircore.messages.texts import LONGEST, gsm_length, is_sms, sms_text


@pytest.mark.parametrize(
    ("text", "length"),
    [("", 0), ("Hi @ Müller's\n", 14), ("€", 2), ("[a]", 5), ("ł", None), ("😀", None), ("’", None)],
)
def test_gsm_length_counts_characters_of_the_alphabet(text: str, length: int | None) -> None:
    assert gsm_length(text) == length


def test_is_sms_accepts_up_to_the_maximum_length() -> None:
    assert is_sms("a" * LONGEST)
    assert is_sms("€" * (LONGEST // 2))
    assert not is_sms("a" * (LONGEST + 1))
    assert not is_sms("€" * (LONGEST // 2) + "a")
    assert not is_sms("")


@pytest.mark.parametrize(
    ("text", "respelled"),
    [
        ("Łukasz’s “tow” – now…", 'Lukasz\'s "tow" - now...'),
        ("Çelik, Müller", "Çelik, Müller"),
        ("Žižka", "Zizka"),
        ("\N{DEVANAGARI LETTER KA}1", "?1"),
        ("½", "?"),
    ],
)
def test_sms_text_replaces_characters_outside_the_alphabet(text: str, respelled: str) -> None:
    assert sms_text(text) == respelled


def test_sms_text_cuts_the_text_and_never_its_ending() -> None:
    ending = " Answer: https://repairs.example/jobs/a1b2"

    text = sms_text("word " * 100, ending=ending)

    assert text.endswith("..." + ending)
    assert gsm_length(text) == LONGEST - len(" ")  # no space before the dots


def test_sms_text_refuses_an_ending_that_is_too_long() -> None:
    with pytest.raises(ValueError, match="ending"):
        sms_text("", ending="x" * (LONGEST + 1))


@given(st.text(max_size=500), st.text(max_size=30))
def test_sms_text_is_always_an_sms_or_empty(text: str, ending: str) -> None:
    sms = sms_text(text, ending=ending)

    assert is_sms(sms) or sms == ""


@pytest.mark.parametrize("body", ["", "x" * (LONGEST + 1), "Привет"])
def test_message_by_sms_must_be_an_sms(body: str) -> None:
    with pytest.raises(ValueError, match="GSM"):
        NewMessage(
            channel=Channel.SMS,
            environment=Environment.LIVE,
            recipient="+15550100123",
            subject="",
            body=body,
            about="rid_1",
        )


def test_message_by_webhook_must_have_a_secret() -> None:
    with pytest.raises(ValueError, match="secret"):
        NewMessage(
            channel=Channel.WEBHOOK,
            environment=Environment.LIVE,
            recipient="https://tow.example.com",
            subject="",
            body="{}",
            about="rid_1",
        )
