"""What an answer says."""

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
def test_one_word_is_a_verdict(text: str, verdict: Verdict) -> None:
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
def test_words_may_follow_a_verdict(text: str, verdict: Verdict, rest: str) -> None:
    assert parse_answer(text, OPTIONS) == ParsedAnswer(verdict, rest)


@pytest.mark.parametrize(
    "text",
    ["no noise at all", "not starting", "yesterday it stalled", "it squeals, no doubt", "...", "no\x0bnoise"],
)
def test_everything_else_is_left_to_be_read(text: str) -> None:
    assert parse_answer(text, OPTIONS) == ParsedAnswer(None, text)


def test_an_option_counts_before_any_usual_word() -> None:
    assert parse_answer("Unsure", ("unsure",)).verdict is Verdict.UNSURE
    assert parse_answer("skip", ("yes", "no")).verdict is Verdict.UNSURE
    assert [parse_answer(text).presence for text in ("yes", "no", "unsure", "what?")] == [
        True,
        False,
        None,
        None,
    ]


def test_long_texts_are_read_in_no_time() -> None:
    for text in ("no " * 700, "," * 2000, " " * 1999 + "x", "x" + " " * 1999, "-" * 1000 + " but " * 200):
        began = process_time()
        assert parse_answer(text, OPTIONS).verdict is None
        assert process_time() - began < 1  # a thousand times what it takes
