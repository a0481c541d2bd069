"""The public diagnosis page."""

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any, BinaryIO
from urllib.parse import parse_qs, urlsplit

import pytest
from attrs import evolve
from tests import photos
from tests.conftest import OpenCore
from tests.http.people import ACCORD
from tests.http.visitors import Page, Visitor, visitor
from tests.writes import unwritten
from typing_extensions import override

from repaircore.chat.ports import LightReader
from repaircore.core import Core
from repaircore_http.service import serve_core

CIVIC: Mapping[str, str] = {"year": "2015", "make": "Honda", "model": "Civic", "zip_code": "60614"}
SQUEAL = {"words": "squeals when I brake"}


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: nothing is stored."""
    return sqlite_url


@pytest.fixture
def guest(core: Core) -> Visitor:
    user = Visitor(serve_core(core).test_client())
    user.get("/diagnose")
    return user


def diagnose(guest: Visitor, **fields: Any) -> Page:
    answer = guest.post("/diagnose", fields)
    assert answer.status_code == 200, answer.text
    return Page(answer.text)


def earlier_answers(page: Page) -> Sequence[str]:
    """Return the earlier answers in the form of the question."""
    return [
        field["value"] for field in page.fields if field.get("name") == "answers" and field["tag"] == "input"
    ]


def answer_choices(guest: Visitor, **fields: Any) -> Sequence[str]:
    answer = guest.post("/diagnose", fields)
    return re.findall(r'<button type="submit"[^>]*name="answers" value="([^"]+)"', answer.text)


def test_ranking_has_reasons_prices_and_links(guest: Visitor) -> None:
    page = diagnose(guest, **SQUEAL, **CIVIC)

    assert "Likely repairs Front Brake Pads" in page.words
    assert "of the vehicles that need this show it" in page.words
    assert re.search(r"About \$\d+ near you, usually \$\d+ to \$\d+", page.words)
    assert "/repairs/brake-pads-front" in page.actions
    assert "Why we ask: Yes points to" in page.words


@pytest.mark.parametrize("has_account", [False, True])
def test_diagnosis_stores_nothing(core: Core, guest: Visitor, *, has_account: bool) -> None:
    user = visitor(serve_core(core).test_client(), "Ada") if has_account else guest
    user.get("/diagnose")  # records the session's use

    with unwritten(core.storage.url):
        answers = answer_choices(user, **SQUEAL, **CIVIC)
        page = diagnose(user, **SQUEAL, **CIVIC, answers=answers[:1])

    assert earlier_answers(page) == answers[:1]
    assert "Likely repairs" in page.words


def test_price_without_a_place_is_nationwide(guest: Visitor) -> None:
    assert "Usually $150 to $380 nationwide" in diagnose(guest, **SQUEAL).words


def test_danger_is_shown_first(guest: Visitor) -> None:
    answer = guest.post("/diagnose", {"words": "brake pedal goes to the floor", **CIVIC})
    text = answer.text

    assert text.index("Stop driving") < text.index("Likely repairs")
    assert "The brakes may fail: do not drive." in text
    assert 'role="alert"' in text
    assert "Only to a shop" not in Page(text).words


def test_questions_come_one_by_one_and_answers_can_be_changed(guest: Visitor) -> None:
    first = answer_choices(guest, **SQUEAL)
    page = diagnose(guest, **SQUEAL, answers=[first[0]])
    selected = [fields["value"] for tag, fields in page.tags if tag == "option" and "selected" in fields]

    assert [choice.partition(":")[2] for choice in first] == ["yes", "no", "unsure"]
    assert earlier_answers(page)[0] == first[0]
    assert selected == [first[0]]
    assert "question 2 of at most 8" in page.words


def test_questions_end_and_never_repeat(guest: Visitor) -> None:
    answers: list[str] = []
    for _ in range(10):
        choices = answer_choices(guest, words="it makes a noise", answers=answers)
        if not choices:
            break
        assert choices[2] not in answers
        answers.append(choices[2])

    assert 0 < len(answers) <= 8


def test_questions_stop_on_request(guest: Visitor) -> None:
    page = diagnose(guest, **SQUEAL, stop="yes")

    assert "Why we ask" not in page.words
    assert "Ask me more" in page.words


def test_codes_are_explained_by_make(guest: Visitor) -> None:
    alone = diagnose(guest, codes="P0420").words
    honda = diagnose(guest, codes="P1259", **CIVIC).words

    assert "P0420 Catalyst system efficiency below threshold, bank 1" in alone
    assert "Catalytic Converter (60%)" in alone
    assert "VTEC" in honda


def test_links_fill_in_the_form_and_compute_nothing(open_core: OpenCore) -> None:
    guest = Visitor(serve_core(open_core(public_requests_per_minute=1)).test_client())
    for _ in range(3):
        page = guest.page("/diagnose?codes=P0420&words=it+shakes")

    assert page.value("codes") == "P0420"
    assert "it shakes" in page.words


def test_meaningless_words_are_admitted(guest: Visitor) -> None:
    words = diagnose(guest, words="jkxqz vvwq").words

    assert "Nothing in the description points to a repair" in words
    assert "Likely repairs" not in words


def test_every_bad_field_is_reported_at_once(guest: Visitor) -> None:
    answer = guest.post(
        "/diagnose",
        {"codes": "P0420, oops", "zip_code": "1", "year": "x", "mileage": "many", "make": "Honda"},
    )
    words = Page(answer.text).words

    assert answer.status_code == 422
    for text in (
        "“oops” is not a trouble code",
        "5 digits or ZIP+4",
        "year field",
        "mileage field",
        "Model is missing",
    ):
        assert text in words, text
    assert Page(guest.post("/diagnose", {}).text).words.count("Describe what is wrong") == 2


@pytest.mark.parametrize(
    "odd",
    [
        "x" * 20_000,
        "\N{GRINNING FACE}" * 500,
        "'\"></textarea><script>alert(1)</script>",
        "\N{RIGHT-TO-LEFT OVERRIDE}olleh",
        "9" * 400,
        " \t\r\n ",
        "a\x00b",
    ],
    ids=range(7),
)
def test_odd_input_causes_no_server_error(guest: Visitor, odd: str) -> None:
    for name in (
        "words",
        "codes",
        "year",
        "make",
        "model",
        "engine",
        "vin",
        "zip_code",
        "mileage",
        "answers",
        "stop",
    ):
        answer = guest.post("/diagnose", {**SQUEAL, name: odd})

        assert answer.status_code in {200, 400, 422}, name
        assert "<script>alert" not in answer.text


def test_lone_surrogate_causes_no_server_error(guest: Visitor) -> None:
    for text in (b"%ED%A0%80%ED%A0%80", b"\xed\xa0\x80\xed\xa0\x80"):
        body = b"form_token=" + guest.token.encode() + b"&words=" + text + b"&answers=" + text
        answer = guest.client.post(
            "/diagnose",
            data=body,
            content_type="application/x-www-form-urlencoded",
            headers={"Sec-Fetch-Site": "same-origin"},
        )
        assert answer.status_code in {200, 400, 403, 422}


def test_many_answers_are_accepted(guest: Visitor) -> None:
    answer = guest.post("/diagnose", {**SQUEAL, "answers": ["brake-squeal:yes"] * 90})

    assert answer.status_code == 200


def test_vin_is_in_no_link_and_is_not_stored(guest: Visitor, core: Core) -> None:
    answer = guest.post("/diagnose", {**SQUEAL, "vin": ACCORD, "zip_code": "90210"})

    assert answer.status_code == 200
    assert ACCORD not in " ".join(re.findall(r'(?:href|action)="([^"]*)"', answer.text))
    assert core.outcomes.accuracy().cases == 0
    assert core.stored_vehicles.page().total == 0


def test_diagnoses_without_an_account_are_limited(open_core: OpenCore) -> None:
    guest = Visitor(serve_core(open_core(public_requests_per_minute=2)).test_client())
    guest.get("/diagnose")
    answers = [guest.post("/diagnose", SQUEAL) for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert int(answers[-1].headers["Retry-After"]) >= 1
    assert "squeals when I brake" in Page(answers[-1].text).words


class _Lights(LightReader):
    """Sees the given lights in every photo."""

    def __init__(self, *seen: str) -> None:
        self._seen = seen

    @override
    def read(self, image: bytes, *, lights: Mapping[str, str]) -> Sequence[str]:
        return self._seen


def _guest_with_reader(core: Core, *seen: str) -> Visitor:
    """Return a guest where a model sees some lights in every photo."""
    reader = _Lights(*seen)
    chats = evolve(core.chats, photos=evolve(core.chats.photos, lights=lambda: reader))
    user = Visitor(serve_core(core.replacing(light_reader=reader, chats=chats)).test_client())
    user.get("/diagnose")
    return user


def _photo() -> tuple[BinaryIO, str]:
    return io.BytesIO(photos.png(photos.code("QR", ACCORD))), "lights.png"


def test_photo_is_offered_only_where_a_model_reads_it(core: Core, guest: Visitor) -> None:
    with_reader = _guest_with_reader(core)

    assert "Photo of the warning lights" not in guest.page("/diagnose").words
    assert "Photo of the warning lights" in with_reader.page("/diagnose").words


def test_light_in_a_photo_counts_as_an_answer(core: Core) -> None:
    page = diagnose(_guest_with_reader(core, "oil-pressure-light"), words="the engine ticks", image=_photo())

    assert "Stop driving" in page.words
    assert "oil-pressure-light:yes" in " ".join(
        fields.get("value", "") for tag, fields in page.tags if tag == "option"
    )


def test_photo_without_a_light_is_admitted(core: Core) -> None:
    assert (
        "We did not recognize any warning lights"
        in diagnose(_guest_with_reader(core), words="the engine ticks", image=_photo()).words
    )


def _visit_links(page: Page) -> Sequence[Mapping[str, Sequence[str]]]:
    addresses = (fields.get("href") or "" for tag, fields in page.tags if tag == "a")
    return [
        parse_qs(urlsplit(address).query)
        for address in addresses
        if urlsplit(address).path == "/console/visits/new"
    ]


def test_visit_is_offered_only_to_users(core: Core, guest: Visitor) -> None:
    assert _visit_links(diagnose(guest, **SQUEAL, **CIVIC)) == []

    user = visitor(serve_core(core).test_client(), "Ada")
    user.get("/diagnose")
    links = _visit_links(diagnose(user, **SQUEAL, **CIVIC, engine="1.8"))

    assert links[0] == {
        "year": ["2015"],
        "make": ["Honda"],
        "model": ["Civic"],
        "engine": ["1.8"],
        "zip": ["60614"],
        "problem": ["brake-pads-front"],
    }
    assert len(links) > 1


def test_visit_with_a_vin_is_started_by_a_form(core: Core) -> None:
    user = visitor(serve_core(core).test_client(), "Ada")
    user.get("/diagnose")
    page = diagnose(user, **SQUEAL, vin=ACCORD)

    assert all(ACCORD not in (fields.get("href") or "") for _, fields in page.tags)
    sent = {
        "vin": page.value("vin"),
        "lines.0.problem_identifier": page.value("lines.0.problem_identifier"),
        "step": "start",
    }
    form = Page(user.post("/console/visits/new", sent).text)
    assert (form.value("vin"), form.value("lines.0.problem_identifier")) == (ACCORD, "brake-pads-front")
