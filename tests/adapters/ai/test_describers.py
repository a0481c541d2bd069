"""The contract of describers, and the requests of a remote one."""

import json
from collections.abc import Callable, Iterator
from time import monotonic
from typing import TypeAlias

import pytest

from repaircore.adapters.ai import build_describer
from repaircore.adapters.ai.plain_text import LONGEST, SHORTEST
from repaircore.adapters.shipped.book import book, symptoms
from repaircore.external_settings import ModelSettings
from repaircore.kernel.errors import Unavailable
from repaircore.problems.ports import Describer
from repaircore.testing import upstream as server
from repaircore.testing.builders import a_problem
from repaircore.testing.describers import ScriptedDescriber
from repaircore.testing.upstream import Behavior, Body, MisbehavingUpstream, Status

TEXT = "The pads press on the rotor and slow the car. They wear down; replace them when they squeal."
KEY = "sk-very-secret-0123456789"
BUDGET = 0.4
GRACE = 2.0
"""Generous: this tests that an answer comes, not the speed of this machine."""

Build: TypeAlias = Callable[[str], Describer]


def remote(kind: str) -> Build:
    return lambda url: build_describer(
        ModelSettings(kind=kind, url=url, api_key=KEY, name="a-model"), symptoms()
    )


def answering(kind: str, answer: str) -> Behavior:
    """Answer with any structured document in the format of the protocol."""
    if kind == "anthropic":
        block = f'{{"type": "tool_use", "name": "report_description", "input": {answer}}}'
        return Body(f'{{"content": [{block}]}}'.encode())
    return Body(f'{{"choices": [{{"message": {{"content": {json.dumps(answer)}}}}}]}}'.encode())


def saying(kind: str, text: str) -> Behavior:
    return answering(kind, json.dumps({"description": text}))


PATHS = {"openai": "/v1/chat/completions", "anthropic": "/v1/messages"}
kinds = pytest.mark.parametrize("kind", PATHS)


@pytest.fixture(params=["offline", "scripted", *PATHS])
def describer(request: pytest.FixtureRequest, upstream: MisbehavingUpstream) -> Iterator[Describer]:
    if request.param in PATHS:
        upstream.behave(PATHS[request.param], saying(request.param, TEXT))
        yield remote(request.param)(upstream.url)
    elif request.param == "scripted":
        yield ScriptedDescriber(TEXT)
    else:
        yield build_describer(ModelSettings(), symptoms())


def test_every_repair_of_the_book_has_a_plain_text(describer: Describer) -> None:
    some = book().problems if describer.source == "offline" else book().problems[::40]
    for problem in some:
        text = describer.describe(problem, seconds=5)

        assert SHORTEST <= len(text) <= LONGEST
        assert text == " ".join(text.split())
        assert not set("<>*`#|$\n") & set(text)


def test_source_is_one_word(describer: Describer) -> None:
    assert describer.source.isalpha()


def test_book_describer_returns_the_text_of_the_book() -> None:
    text = build_describer(ModelSettings(), {"squeaking-when-braking": "ABS squeaks"}).describe(
        a_problem(), seconds=1
    )

    assert text == (
        "The front pads are worn and are replaced. What owners notice: ABS squeaks. It should be done within the "
        "next few weeks. Until then, drive gently, and only as far as a shop. A shop books about 1.5 hours of labor "
        "on a mid-size car. It typically needs to be done again after 40,000 miles or 48 months."
    )


# Requests


@kinds
def test_describer_sends_the_book_and_nothing_else(kind: str, upstream: MisbehavingUpstream) -> None:
    upstream.behave(PATHS[kind], saying(kind, TEXT))
    describer = remote(kind)(upstream.url)

    assert (describer.source, describer.describe(a_problem(), seconds=5)) == (kind, TEXT)
    (sent,) = upstream.received(PATHS[kind])
    facts = json.loads(sent.document["messages"][-1]["content"])

    assert facts == {
        "repair": "Brakes > Front brake pads",
        "book": "The front pads are worn and are replaced.",
        "symptoms": [],
        "parts": ["Front brake pad set", "Front brake rotor"],
        "labor_hours": 1.5,
        "urgency": "soon",
        "safe_to_drive": "short",
    }
    assert sent.document["model"] == "a-model"


# Answers


@kinds
@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (f"# Brakes\n\n**{TEXT}**", f"Brakes {TEXT}"),
        (f"<p onclick='x'>{TEXT}</p><script>", TEXT),
        (f"- {TEXT}\n- Ask `the shop` for it.\n2. Done.", f"{TEXT} Ask the shop for it. Done."),
        (f"{TEXT}\x00\u202e\x1b[31m", f"{TEXT} 31m"),
        (f"See [the pads](javascript:1). {TEXT}", f"See the pads. {TEXT}"),
        (f"  {TEXT}\r\n\t ", TEXT),
        ("Les plaquettes freinent la voiture à l’aide du disque — remplacées, usées.", None),
    ],
)
def test_markup_is_stripped(
    kind: str, markup: str, expected: str | None, upstream: MisbehavingUpstream
) -> None:
    upstream.behave(PATHS[kind], saying(kind, markup))

    assert remote(kind)(upstream.url).describe(a_problem(), seconds=5) == (expected or markup)


REFUSED: dict[str, tuple[str, str]] = {
    "short": ('{"description": "Pads."}', "the text was too short or mostly symbols"),
    "long": (json.dumps({"description": "pads " * 400}), "the text was too long"),
    "endless": (json.dumps({"description": "pads " * 5000}), "the text was too long"),
    "symbols": (
        json.dumps({"description": "\u2603\u2744\u2602" * 50 + TEXT}),
        "the text was too short or mostly symbols",
    ),
    "a link": (
        json.dumps({"description": TEXT + " See https://evil.test/x"}),
        "the text contains a link or an e-mail address",
    ),
    "a site": (
        json.dumps({"description": TEXT + " Buy at parts-shop.com."}),
        "the text contains a link or an e-mail address",
    ),
    "an e-mail": (
        json.dumps({"description": TEXT + " Ask me@evil.test."}),
        "the text contains a link or an e-mail address",
    ),
    "a price": (json.dumps({"description": TEXT + " It costs $99."}), "the text contains a price"),
    "a number": ('{"description": 5}', "not a string"),
    "null": ('{"description": null}', "not a string"),
    "a list": ("[]", "not a string"),
    "nothing": ("{}", "not a string"),
}


@kinds
@pytest.mark.parametrize("case", REFUSED)
def test_plain_rejects_unusable_texts(kind: str, case: str, upstream: MisbehavingUpstream) -> None:
    answer, reason = REFUSED[case]
    upstream.behave(PATHS[kind], answering(kind, answer))
    with pytest.raises(Unavailable) as refused:
        remote(kind)(upstream.url).describe(a_problem(), seconds=5)

    assert refused.value.message == reason


@kinds
@pytest.mark.parametrize(
    "behavior",
    [
        server.HANG,
        server.DRIP,
        server.RESET,
        server.HTML,
        server.DEEP,
        server.BIG_BODY,
        server.REDIRECT,
        Status(500),
    ],
    ids=["hang", "drip", "reset", "html", "deep", "a gigabyte", "redirect", "500"],
)
def test_misbehaving_server_gives_a_short_reason_in_time(
    kind: str, behavior: Behavior, upstream: MisbehavingUpstream
) -> None:
    upstream.behave(PATHS[kind], behavior)
    start = monotonic()
    with pytest.raises(Unavailable) as refused:
        remote(kind)(upstream.url).describe(a_problem(), seconds=BUDGET)

    assert monotonic() - start < BUDGET + GRACE
    assert KEY not in refused.value.message
    assert upstream.url not in refused.value.message
