"""Remote models answer any server behavior with a short reason, in time."""

import gzip
from collections.abc import Callable
from time import monotonic
from typing import TypeAlias

import pytest

from repaircore.adapters.ai.chat_completions import ChatPriceModel
from repaircore.adapters.ai.messages import MessagesPriceModel
from repaircore.kernel.errors import Unavailable
from repaircore.predictions.ports import PriceModel
from repaircore.testing import upstream as server
from repaircore.testing.builders import a_question
from repaircore.testing.upstream import Answer, Behavior, Body, Drip, MisbehavingUpstream, Status, answer_body

KEY = "sk-very-secret-0123456789"
BUDGET = 0.4
GRACE = 2.0
"""Generous: this tests that an answer comes, not the speed of this machine."""

Build: TypeAlias = Callable[[str], PriceModel]
REMOTE: dict[str, Build] = {
    "chat completions": lambda url: ChatPriceModel.at(url, api_key=KEY, name="a-model"),
    "messages": lambda url: MessagesPriceModel.at(url, api_key=KEY, name="a-model"),
}

CASES: dict[str, tuple[Behavior, str]] = {
    "hang": (server.HANG, "no response within 0.4 s"),
    "drip": (server.DRIP, "no response within 0.4 s"),
    "dripping headers": (server.DRIPPING_HEADERS, "no response within 0.4 s"),
    "drip from the first byte": (Drip(at_once=0), "no response within 0.4 s"),
    "reset": (server.RESET, "the connection broke"),
    "an empty body": (Body(b""), "the response was not understood"),
    "html": (server.HTML, "the response was not understood"),
    "invalid UTF-8": (server.INVALID_UTF8, "the response was not understood"),
    "deep nesting": (server.DEEP, "the response was not understood"),
    "wrong shape": (server.WRONG_SHAPE, "the response was not understood"),
    "a list": (Body(b"[]"), "the response was not understood"),
    "null": (Body(b"null"), "the response was not understood"),
    "nothing said": (Body(b'{"choices": [], "content": []}'), "declined to answer"),
    "a refusal": (
        Body(b'{"choices": [{"message": {"content": null}}], "content": [{"type": "text", "text": "No."}]}'),
        "declined to answer",
    ),
    "negative": (server.NEGATIVE, "implausible figure"),
    "zero": (Answer(0), "implausible figure"),
    "absurdly dear": (Answer(1e12), "implausible figure"),
    "cents for dollars": (Answer(54_000), "implausible figure"),
    "words": (server.WORDS, "not a number"),
    "a number as text": (Answer('"540"'), "not a number"),
    "true": (Answer("true"), "not a number"),
    "null for a figure": (Answer("null"), "not a number"),
    "a list for a figure": (Answer("[540]"), "not a number"),
    "a gigabyte": (server.BIG_BODY, "the response was too long"),
    "redirect": (server.REDIRECT, "the response was a redirect, which is not followed"),
    "400": (Status(400), "unexpected status 400"),
    "401": (Status(401), "the credentials were rejected"),
    "404": (Status(404), "unexpected status 404"),
    "500": (Status(500), "unexpected status 500"),
    "204": (Status(204), "unexpected status 204"),
    "429": (Status(429, {"retry-after": "0"}), "rate limit exceeded"),
    "compressed": (
        Body(gzip.compress(answer_body("/v1/messages", "540")), {"content-encoding": "gzip"}),
        "the response was compressed, which is not supported",
    ),
}


RETRIED = {"the connection broke", "unexpected status 500", "rate limit exceeded"}


@pytest.fixture(params=REMOTE)
def build(request: pytest.FixtureRequest) -> Build:
    return REMOTE[request.param]


@pytest.mark.parametrize(("behavior", "reason"), CASES.values(), ids=CASES)
def test_misbehavior_gives_a_reason_in_time(behavior: Behavior, reason: str, build: Build) -> None:
    budget = BUDGET if reason.startswith("no response") else 5.0
    with MisbehavingUpstream(behavior) as upstream:
        before = monotonic()
        with pytest.raises(Unavailable) as failed:
            build(upstream.url).price(a_question(), seconds=budget)

        assert monotonic() - before < budget + GRACE
        assert upstream.requests() == (2 if reason in RETRIED else 1)

    assert failed.value.message == reason


# In chat completions the figure is JSON within a string, so only the inner document is broken.
@pytest.mark.parametrize("behavior", [server.NAN, Answer("Infinity"), Answer("[" * 50_000 + "]" * 50_000)])
def test_parse_price_rejects_other_values_than_numbers(behavior: Behavior, build: Build) -> None:
    with (
        MisbehavingUpstream(behavior) as upstream,
        pytest.raises(Unavailable, match=r"not (a number|understood)$"),
    ):
        build(upstream.url).price(a_question(), seconds=5)


def test_figure_too_large_for_a_number_is_refused(build: Build) -> None:
    with (
        MisbehavingUpstream(server.HUGE) as upstream,
        pytest.raises(Unavailable, match=r"not a number|not understood"),
    ):
        build(upstream.url).price(a_question(), seconds=5)


def test_model_without_a_server_has_a_reason(build: Build) -> None:
    with MisbehavingUpstream() as upstream:
        gone = upstream.url
    with pytest.raises(Unavailable, match=r"^no connection$"):
        build(gone).price(a_question(), seconds=5)


def test_redirect_does_not_take_the_key_elsewhere(build: Build) -> None:
    with MisbehavingUpstream() as elsewhere:
        with (
            MisbehavingUpstream(Status(307, {"location": elsewhere.url})) as upstream,
            pytest.raises(Unavailable),
        ):
            build(upstream.url).price(a_question(), seconds=5)

        assert elsewhere.requests() == 0


def test_repr_and_error_of_a_model_hide_its_key_and_url(build: Build) -> None:
    with MisbehavingUpstream(server.RESET) as upstream:
        model = build(upstream.url)
        with pytest.raises(Unavailable) as failed:
            model.price(a_question(), seconds=5)
    texts = repr(model) + repr(failed.value)

    assert KEY not in texts
    assert upstream.url not in texts
