"""Every message to a person says who, what, where, when (with day and time zone), how to answer and how to stop.

Which messages there are is found in the code: a new one fails here until ``tests/written_messages.py`` has facts for it.
"""

import re

import pytest
from tests.written_messages import Written, builders, made_elsewhere, news, written

from repaircore.messages.model import Channel
from repaircore.messages.texts import is_sms

MESSAGES = list(written())
_TIME = re.compile(r"\b\d{1,2}:\d\d\b")
_TIME_WITH_ZONE = r"\b\d{1,2}:\d\d [AP]M (?:[A-Z]{3,4}|UTC[+-]\d\d)\b"
_TIME_WITH_DAY = re.compile(
    rf"\b[A-Z][a-z]+day, [A-Z][a-z]+ \d{{1,2}}(?:, \d{{4}})? at {_TIME_WITH_ZONE}"
    rf"|{_TIME_WITH_ZONE} on [A-Z][a-z]{{2}}, [A-Z][a-z]{{2}} \d{{1,2}}\b"
)

every_message = pytest.mark.parametrize(
    "message", MESSAGES, ids=[f"{each.name}, {each.channel}" for each in MESSAGES]
)


def test_every_builder_is_found_and_has_facts() -> None:
    customers, mechanics = news()
    named = {message.name.partition(" (")[0] for message in MESSAGES}

    assert named == builders().keys()
    assert len(named) >= 15
    for kind in (*customers, *mechanics):
        assert any(f"({kind})" in message.name for message in MESSAGES)


def test_no_message_is_written_elsewhere() -> None:
    assert made_elsewhere() == []


@every_message
def test_message_says_who_what_and_where(message: Written) -> None:
    text = message.text.casefold()

    assert message.who.casefold() in text
    assert message.what.casefold() in text
    assert (message.where or "").casefold() in text


@every_message
def test_message_names_times_with_their_zone_and_day(message: Written) -> None:
    assert len(_TIME.findall(message.text)) == len(_TIME_WITH_DAY.findall(message.text))
    assert bool(_TIME.search(message.text)) == message.has_time


@every_message
def test_message_says_how_to_answer_and_how_to_stop(message: Written) -> None:
    assert not message.answers or any(way in message.text for way in message.answers)
    assert ("stop" in message.text.casefold() or "no more" in message.text) == message.can_stop


@every_message
def test_message_fits_its_channel(message: Written) -> None:
    if message.channel is Channel.SMS:
        assert is_sms(message.text)
        assert message.subject == ""
        assert "..." not in message.text
    else:
        assert 0 < len(message.subject) < 80
        assert "{" not in message.subject + message.text
    # No punctuation follows a link, because phones would make it part of the link.
    assert not re.search(r"https://\S+[.,;:)](\s|$)", message.text)
