"""Parsing of answers to questions."""

from time import process_time

import pytest

from repaircore.complaints.answers import ParsedAnswer, Verdict, parse_answer

OPTIONS = ("yes", "no", "unsure")


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        *(
            (text, Verdict.YES)
            for text in ("yes", "YES!", " Yeah. ", "y", "Yup", "it does", "Of course", "Sometimes")
        ),
        *(
            (text, Verdict.NO)
            for text in ("no", "No.", "nope", "n", "Not really", "it doesn't", "I don't think so")
        ),
        *(
            (text, Verdict.UNSURE)
            for text in ("unsure", "not sure", "I don't know", "maybe?", "idk", "can't tell")
        ),
    ],
)
def test_parse_answer_reads_a_verdict_in_one_word(text: str, verdict: Verdict) -> None:
    assert parse_answer(text, OPTIONS) == ParsedAnswer(verdict, "")


@pytest.mark.parametrize(
    ("text", "verdict", "rest"),
    [
        ("No, but it squeals", Verdict.NO, "but it squeals"),
        ("yes: only when it is cold", Verdict.YES, "only when it is cold"),
        ("Yes and the wheel gets hot", Verdict.YES, "and the wheel gets hot"),
        ("not sure - it may leak", Verdict.UNSURE, "it may leak"),
        ("sometimes when it rains", Verdict.YES, "when it rains"),
        ("Yes it squeals", Verdict.YES, "it squeals"),
        ("no the light is off", Verdict.NO, "the light is off"),
    ],
)
def test_parse_answer_returns_the_text_after_a_verdict(text: str, verdict: Verdict, rest: str) -> None:
    assert parse_answer(text, OPTIONS) == ParsedAnswer(verdict, rest)


@pytest.mark.parametrize(
    "text",
    ["no noise at all", "not starting", "yesterday it stalled", "it squeals, no doubt", "...", "no\x0bnoise"],
)
def test_parse_answer_returns_other_text_unread(text: str) -> None:
    assert parse_answer(text, OPTIONS) == ParsedAnswer(None, text)


def test_parse_answer_prefers_the_options() -> None:
    assert parse_answer("Unsure", ("unsure",)).verdict is Verdict.UNSURE
    assert parse_answer("skip", ("yes", "no")).verdict is Verdict.UNSURE
    assert [parse_answer(text).presence for text in ("yes", "no", "unsure", "what?")] == [
        True,
        False,
        None,
        None,
    ]


def test_parse_answer_is_fast_on_long_texts() -> None:
    for text in ("no " * 700, "," * 2000, " " * 1999 + "x", "x" + " " * 1999, "-" * 1000 + " but " * 200):
        started = process_time()

        assert parse_answer(text, OPTIONS).verdict is None
        assert process_time() - started < 1  # a thousand times what it takes
