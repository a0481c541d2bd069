"""Quote checks in the browser, without an account: reading, correcting, sharing, and errors beside their fields."""

import html
import io
import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit

import pytest
from attrs import field, frozen
from tests import papers
from tests.conftest import OpenCore
from tests.http.visitors import Page, Visitor, visitor
from tests.writes import unwritten
from typing_extensions import override
from werkzeug.test import TestResponse

from repaircore.core import Core
from repaircore.kernel.errors import Invalid
from repaircore.shared_quotes.model import LIFETIME
from repaircore.testing.clock import FrozenClock
from repaircore.text_extraction.model import DocumentFormat
from repaircore.text_extraction.ports import DocumentReader
from repaircore.text_extraction.service import MAX_DOCUMENT_BYTES
from repaircore_http.service import serve_core

TEXT = "\n".join(papers.LINES)
CAR = {"vin": papers.VIN, "zip_code": "90210"}
_COLUMNS = ("words", "kind", "repair", "parts", "parts_total", "labor_hours", "labor_rate", "total")


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """Use SQLite only: the pages do not depend on the database."""
    return sqlite_url


@frozen
class ScriptedReader(DocumentReader):
    """Reads the same lines in every file, or rejects it."""

    lines: tuple[str, ...] = papers.LINES
    refusal: str | None = None
    formats: tuple[DocumentFormat, ...] = field(default=tuple(DocumentFormat))

    @override
    def read_lines(self, file: Any) -> tuple[str, ...]:
        if self.refusal is not None:
            raise Invalid({"file": [self.refusal]})
        return self.lines


def _visitor(core: Core, **reader: Any) -> Visitor:
    app = serve_core(core.replacing(document_reader=ScriptedReader(**reader)))
    result = Visitor(app.test_client())
    result.get("/quote")
    return result


@pytest.fixture
def guest(core: Core) -> Visitor:
    return _visitor(core)


def _line(**cells: str) -> dict[str, str]:
    return {f"line_{name}": cells.get(name, "") for name in _COLUMNS}


def line_fields(*lines: Mapping[str, str]) -> dict[str, Any]:
    return {name: [line[name] for line in lines] for name in _line()}


PADS = _line(words="Front brake pads", kind="repair", total="279.00")
TAX = _line(words="Sales tax", kind="tax", total="20.00")


def _upload(**texts: str) -> dict[str, Any]:
    return {**CAR, **texts, "file": (io.BytesIO(b"%PDF-1.7"), "quote.pdf")}


def _links(answer: TestResponse) -> tuple[str, str]:
    found = [urlsplit(link).path for link in re.findall(r'<a class="mono" href="([^"]+)"', answer.text)]
    assert len(found) == 2, answer.text
    return found[0], found[1]


def _values(answer: TestResponse, name: str) -> list[str]:
    return [cell.get("value", "") for cell in Page(answer.text).fields if cell.get("name") == name]


# Reading and checking


def test_pasted_quote_gets_a_verdict_and_its_lines(guest: Visitor) -> None:
    answer = guest.post("/quote", {**CAR, "text": TEXT})

    page = Page(answer.text)
    assert answer.status_code == 200
    assert "2003 Honda Accord" in page.words
    assert _values(answer, "line_words") == [row[0] for row in papers.QUOTE]
    assert _values(answer, "line_total") == [row[4].removeprefix("$") for row in papers.QUOTE]
    assert page.words.index("Line by line") < page.words.index("The lines as we read them")


@pytest.mark.parametrize("has_account", [False, True])
def test_check_stores_nothing(core: Core, guest: Visitor, *, has_account: bool) -> None:
    user = visitor(serve_core(core).test_client(), "Ada") if has_account else guest
    user.get("/quote")  # records the session's use

    with unwritten(core.storage.url):
        pasted = user.post("/quote", {**CAR, "text": TEXT})
        table = user.post("/quote/lines", {**CAR, **line_fields(PADS, TAX)})

    assert (pasted.status_code, table.status_code) == (200, 200)


def test_example_of_the_empty_form_is_read_with_a_fair_tax(guest: Visitor) -> None:
    found = re.search(r'placeholder="([^"]+)"', guest.get("/quote").text)
    assert found is not None

    answer = guest.post("/quote", {**CAR, "text": html.unescape(found[1])})

    assert _values(answer, "line_parts_total") == ["289.00", "", "", ""]
    assert _values(answer, "line_total") == ["579.00", "89.99", "28.75", "55.81"]
    tax = (
        Page(answer.text).words.rpartition("Line by line")[2].partition("Tax")[2].partition("Ask the shop")[0]
    )
    assert "Fair" in tax[: tax.index("Sales tax")]


def test_parts_in_a_lump_sum_stay_unknown(guest: Visitor) -> None:
    text = "Front brake pads and rotors 2.0 h 579.00\nSales tax 22.00"

    answer = guest.post("/quote", {**CAR, "text": text})

    assert _values(answer, "line_parts_total") == ["", ""]
    assert "an hour your posted rate" not in answer.text
    assert "$22.00 more" not in answer.text
    assert "Very high" not in Page(answer.text).words


def test_unread_lines_are_listed_until_a_new_quote_is_checked(guest: Visitor) -> None:
    text = "Oil change 89.99\nCoolant flush 189.99 not today\nTax 7.20"

    answer = guest.post("/quote", {**CAR, "text": text})
    again = guest.post(
        "/quote/lines", {**CAR, **line_fields(PADS, TAX), "unread": _values(answer, "unread"), "add": "1"}
    )

    for page in (answer, again):
        assert "Coolant flush 189.99 not today" in Page(page.text).words
        assert _values(page, "unread") == ["Coolant flush 189.99 not today"]
    assert "Lines that we could not read" not in guest.post("/quote", {**CAR, "text": TEXT}).text


def test_file_is_read_like_pasted_text(guest: Visitor) -> None:
    pasted = guest.post("/quote", {**CAR, "text": TEXT})

    uploaded = guest.post("/quote", _upload())

    assert uploaded.status_code == 200
    assert _values(uploaded, "line_words") == _values(pasted, "line_words")


def test_vin_and_zip_code_are_read_from_the_quote(guest: Visitor) -> None:
    text = f"Ada's Auto, Beverly Hills, CA 90210\nVIN {papers.VIN}\n{TEXT}"

    answer = guest.post("/quote", {"text": text})

    assert answer.status_code == 200
    assert _values(answer, "vin") == [papers.VIN]
    assert _values(answer, "zip_code") == ["90210"]


def test_vehicle_can_be_given_without_a_vin(guest: Visitor) -> None:
    car = {"year": "2015", "make": "Toyota", "model": "Camry", "engine": "2.5L", "zip_code": "10001"}

    answer = guest.post("/quote", {**car, "text": TEXT})

    assert answer.status_code == 200
    assert "2015 Toyota Camry" in Page(answer.text).words
    assert _values(answer, "year") == ["2015"]


def test_typed_vehicle_overrides_that_of_the_quote(guest: Visitor) -> None:
    car = {"year": "2015", "make": "Toyota", "model": "Camry", "engine": "2.5L", "zip_code": "10001"}

    answer = guest.post("/quote", {**car, "text": f"VIN {papers.VIN}\n{TEXT}"})

    assert "2015 Toyota Camry" in Page(answer.text).words


def test_unknown_engine_can_be_chosen_from_a_list(guest: Visitor) -> None:
    car = {"year": "2015", "make": "Toyota", "model": "Camry", "engine": "9.9L", "zip_code": "10001"}

    answer = guest.post("/quote", {**car, "text": TEXT})
    engines = _values(answer, "chosen_engine")
    chosen = {"chosen_engine": engines[0], "engine_chosen_for": _values(answer, "engine_chosen_for")[0]}
    again = guest.post("/quote", {**car, **chosen, "text": TEXT})

    assert answer.status_code == 422
    assert len(engines) > 1
    assert again.status_code == 200


def test_corrected_lines_are_checked_again(guest: Visitor) -> None:
    cheap = guest.post("/quote/lines", {**CAR, **line_fields(PADS)})
    dear = guest.post("/quote/lines", {**CAR, **line_fields({**PADS, "line_total": "$2,790.00"})})

    assert "Very high" not in Page(cheap.text).words.partition("The lines as we read them")[0]
    assert "Very high" in Page(dear.text).words


def test_lines_can_be_removed_and_added(guest: Visitor) -> None:
    fewer = guest.post("/quote/lines", {**CAR, **line_fields(PADS, TAX), "remove": "0"})
    more = guest.post("/quote/lines", {**CAR, **line_fields(PADS, TAX), "add": "1"})

    assert _values(fewer, "line_words") == ["Sales tax"]
    assert _values(more, "line_words") == ["Front brake pads", "Sales tax", ""]
    assert more.status_code == 200


def test_most_lines_are_kept_whatever_button_is_pressed(guest: Visitor) -> None:
    lines = [{**PADS, "line_words": f"Front brake pads {number}"} for number in range(50)]
    empty = dict.fromkeys(PADS, "")

    full = guest.post("/quote/lines", {**CAR, **line_fields(*lines), "add": "1"})
    with_empty = guest.post("/quote/lines", {**CAR, **line_fields(*lines, empty)})
    over = guest.post("/quote/lines", {**CAR, **line_fields(*lines, PADS)})

    assert (full.status_code, with_empty.status_code, over.status_code) == (200, 200, 422)
    assert 'name="add"' not in with_empty.text
    assert len(_values(with_empty, "line_words")) == 50
    assert len(_values(over, "line_words")) == 51
    assert "at most 50 lines" in Page(over.text).words


def test_repair_of_a_line_can_be_chosen(guest: Visitor) -> None:
    line = {**PADS, "line_words": "Work up front", "line_repair": "brake-pads-front"}

    answer = guest.post("/quote/lines", {**CAR, **line_fields(line)})

    assert "compared with Front Brake Pads" in Page(answer.text).words
    assert re.search(r'<option value="brake-pads-front" selected>', answer.text)


def test_unclear_line_offers_repairs_to_choose(guest: Visitor) -> None:
    vague = _line(words="Brake pads", kind="repair", total="279.00")
    first = guest.post("/quote/lines", {**CAR, **line_fields(TAX, vague)})

    choices = [tag["value"] for name, tag in Page(first.text).tags if tag.get("name") == "choose"]
    assert choices[:2] == ["1 brake-pads-front", "1 brake-pads-rear"]
    assert first.text.index("Which one?") < first.text.index("The lines as we read them")

    buttons = [
        tag for name, tag in Page(first.text).tags if name == "button" and tag.get("form") == "quote-lines"
    ]
    assert "name" not in buttons[0], "Enter would choose a repair"

    chosen = guest.post("/quote/lines", {**CAR, **line_fields(TAX, vague), "choose": choices[0]})

    assert "compared with Front Brake Pads" in Page(chosen.text).words
    assert "Which one?" not in chosen.text


@pytest.mark.parametrize("choice", ["", "1", "9 brake-pads-front", "x y", "-1 brake-pads-front"])
def test_choice_for_no_line_changes_nothing(guest: Visitor, choice: str) -> None:
    answer = guest.post("/quote/lines", {**CAR, **line_fields(TAX, PADS), "choose": choice})

    assert answer.status_code == 200
    assert "compared with Front Brake Pads" in Page(answer.text).words


def test_line_charged_twice_is_questioned(guest: Visitor) -> None:
    answer = guest.post("/quote/lines", {**CAR, **line_fields(PADS, PADS)})

    assert (
        "Front Brake Pads are on this quote twice: they should be charged only once."
        in Page(answer.text).words
    )
    assert "1 line to question: $279" in Page(answer.text).words


def test_wrong_sums_are_shown(guest: Visitor) -> None:
    wrong = TEXT.replace("$1,478.77", "$1,578.77")

    answer = guest.post("/quote", {**CAR, "text": wrong})
    corrected = guest.post(
        "/quote/lines",
        {**CAR, **line_fields({**PADS, "line_total": "1478.77"}), "stated_total": "1478.77"},
    )

    assert "$1,578.77" in Page(answer.text).words
    assert "sums do not match" in Page(answer.text).words
    assert "sums do not match" not in Page(corrected.text).words


# Errors


WRONG: dict[str, tuple[dict[str, str], str]] = {
    "nothing": ({}, "text-error1"),
    "no vehicle": ({"zip_code": "90210", "text": TEXT}, "vin-error1"),
    "odd VIN": ({**CAR, "vin": "1HGCM82", "text": TEXT}, "vin-error1"),
    "no ZIP code": ({"vin": papers.VIN, "text": TEXT}, "zip_code-error1"),
    "odd ZIP code": ({**CAR, "zip_code": "00000", "text": TEXT}, "zip_code-error1"),
    "no prices": ({**CAR, "text": "The brakes are bad."}, "text-error1"),
    "too long": ({**CAR, "text": "x" * 20_001}, "text-error1"),
    "odd year": (
        {"zip_code": "90210", "year": "MMXV", "make": "Ford", "model": "F-150", "text": TEXT},
        "year-error1",
    ),
    "no model": ({"zip_code": "90210", "year": "2015", "make": "Ford", "text": TEXT}, "model-error1"),
}


@pytest.mark.parametrize("case", WRONG)
def test_error_is_beside_its_field_and_typed_values_are_kept(guest: Visitor, case: str) -> None:
    typed, error = WRONG[case]

    answer = guest.post("/quote", typed)

    page = Page(answer.text)
    assert answer.status_code == 422
    assert error in page.ids
    for name in ("vin", "zip_code", "year", "make", "model"):
        assert page.value(name) == typed.get(name, "")
    assert html.escape(typed.get("text", ""), quote=False) in answer.text


def test_rejected_file_is_explained_and_typed_values_are_kept(core: Core) -> None:
    guest = _visitor(core, refusal="The PDF is encrypted.")

    answer = guest.post("/quote", _upload(year="2015"))

    assert answer.status_code == 422
    assert "The PDF is encrypted." in Page(answer.text).words
    assert _values(answer, "vin") == [papers.VIN]
    assert _values(answer, "year") == ["2015"]


@pytest.mark.parametrize("more", [1, 200 * 1024])
def test_too_large_file_keeps_typed_values(guest: Visitor, more: int) -> None:
    texts = {"form_token": guest.token, **CAR, "year": "2015"}
    parts = [
        f'--fence\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'
        for name, text in texts.items()
    ]
    file = '--fence\r\nContent-Disposition: form-data; name="file"; filename="quote.pdf"\r\n\r\n'
    body = "".join([*parts, file]).encode() + b"x" * (MAX_DOCUMENT_BYTES + more) + b"\r\n--fence--\r\n"

    answer = guest.client.post(
        "/quote",
        data=body,
        content_type="multipart/form-data; boundary=fence",
        headers={"Sec-Fetch-Site": "same-origin"},
    )

    assert answer.status_code == 422
    assert "10 MB" in Page(answer.text).words
    assert _values(answer, "vin") == [papers.VIN]
    assert _values(answer, "year") == ["2015"]


def test_text_of_a_file_is_kept_when_the_vehicle_is_wrong(guest: Visitor) -> None:
    answer = guest.post("/quote", {**_upload(), "vin": "1HGCM82"})

    assert answer.status_code == 422
    assert TEXT in html.unescape(answer.text)


def test_text_and_file_together_are_rejected(guest: Visitor) -> None:
    answer = guest.post("/quote", _upload(text="Front brake pads $279.00"))

    assert answer.status_code == 422
    assert "file-error1" in Page(answer.text).ids
    assert "Front brake pads $279.00" in answer.text


def test_unavailable_format_is_not_offered(core: Core) -> None:
    bare = _visitor(core, formats=()).get("/quote")
    photos = _visitor(core, formats=(DocumentFormat.PHOTO,)).get("/quote")

    assert 'type="file"' not in bare.text
    assert "Or a photo of it" in Page(photos.text).words
    assert "application/pdf" not in photos.text


WRONG_LINES: dict[str, tuple[dict[str, str], str]] = {
    "no total": ({"line_total": ""}, "line-0-total-error1"),
    "odd total": ({"line_total": "a lot"}, "line-0-total-error1"),
    "huge total": ({"line_total": "9" * 400}, "line-0-total-error1"),
    "not a number": ({"line_total": "nan"}, "line-0-total-error1"),
    "endless": ({"line_labor_hours": "inf"}, "line-0-labor_hours-error1"),
    "odd kind": ({"line_kind": "gift"}, "line-0-kind-error1"),
    "odd repair": ({"line_repair": "no-such-repair"}, "line-0-repair-error1"),
    "no words": ({"line_words": ""}, "line-0-repair-error1"),
    "long words": ({"line_words": "x" * 201}, "line-0-words-error1"),
    "parts above the total": ({"line_parts_total": "280"}, "line-0-parts_total-error1"),
    "hours below nothing": ({"line_labor_hours": "-1"}, "line-0-labor_hours-error1"),
}


@pytest.mark.parametrize("case", WRONG_LINES)
def test_line_error_is_beside_its_cell_and_typed_values_are_kept(guest: Visitor, case: str) -> None:
    wrong, error = WRONG_LINES[case]
    line = {**PADS, **wrong}

    answer = guest.post("/quote/lines", {**CAR, **line_fields(line, TAX)})

    assert answer.status_code == 422
    assert error in Page(answer.text).ids
    assert _values(answer, "line_words") == [line["line_words"], "Sales tax"]
    assert _values(answer, "line_total") == [line["line_total"], "20.00"]


def test_incomplete_or_too_long_table_is_rejected(guest: Visitor) -> None:
    ragged = {**line_fields(PADS, TAX), "line_total": ["279.00"]}

    for table in (ragged, line_fields(*[PADS] * 51), {}):
        answer = guest.post("/quote/lines", {**CAR, **table})
        assert answer.status_code == 422


@pytest.mark.parametrize("text", ["\ud800", "a\x00b", "💥 $12.00", "\u202e $12.00", "$" * 500, "-" * 19_000])
def test_odd_text_causes_no_server_error(guest: Visitor, text: str) -> None:
    body = {**CAR, "text": text.encode("utf-8", "surrogatepass")}

    answer = guest.post("/quote", body)

    assert answer.status_code in {200, 400, 422}


EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


def test_text_is_escaped(guest: Visitor) -> None:
    line = {**PADS, "line_words": f"Brakes {EVIL}"}
    answers = [
        guest.post("/quote", {**CAR, "text": f"{EVIL} brake pads $279.00"}),
        guest.post("/quote", {"make": EVIL, "model": EVIL, "year": "2015", "engine": EVIL, "text": TEXT}),
        guest.post("/quote/lines", {**CAR, **line_fields(line)}),
        guest.post("/quote/lines", {**CAR, **line_fields({**line, "line_total": EVIL, "line_parts": EVIL})}),
        guest.post("/quote/lines", {**CAR, **line_fields(line), "stated_total": EVIL}),
    ]
    address, deletion = _links(guest.post("/quote/share", {**CAR, **line_fields(line)}))

    for answer in (*answers, guest.get(address), guest.get(deletion)):
        assert "<script>alert" not in answer.text
        assert "<img" not in answer.text


# Limits


def test_visitors_without_an_account_are_limited_by_address(open_core: OpenCore) -> None:
    core = open_core(public_requests_per_minute=2)
    guest = _visitor(core)
    ada = visitor(guest.client.application.test_client(), "Ada")
    ada.get("/quote")

    answers = [guest.post("/quote", {**CAR, "text": TEXT}) for _ in range(3)]
    others = [ada.post("/quote", {**CAR, "text": TEXT}).status_code for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert TEXT in html.unescape(answers[2].text)
    assert others == [200] * 3


def test_closed_pages_are_not_found(open_core: OpenCore) -> None:
    app = serve_core(open_core(public_pages=False))

    assert app.test_client().get("/quote").status_code == 404


# Sharing


@pytest.fixture
def shared(guest: Visitor) -> tuple[str, str]:
    return _links(guest.post("/quote/share", {**CAR, **line_fields(PADS, TAX)}))


def test_shared_page_shows_the_result_without_vin_and_zip_code(
    guest: Visitor, shared: tuple[str, str]
) -> None:
    answer = guest.get(shared[0])

    page = Page(answer.text)
    assert answer.status_code == 200
    assert "2003 Honda Accord" in page.words
    assert "Front brake pads" in page.words
    assert papers.VIN not in answer.text
    assert "90210" not in answer.text
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert not page.actions


def test_identifying_words_are_not_shared(guest: Visitor) -> None:
    words = f"Brakes {papers.VIN} plate: 8ABC123 ada@example.org"

    address, _ = _links(guest.post("/quote/share", {**CAR, **line_fields({**PADS, "line_words": words})}))

    shown = guest.get(address).text
    for secret in (papers.VIN, "8ABC123", "ada@example.org"):
        assert secret not in shown


def test_invalid_links_are_not_found(guest: Visitor, shared: tuple[str, str]) -> None:
    address, deletion = shared
    swapped = address[:-1] + ("a" if address[-1] != "a" else "b")
    odd = [
        "/quote/x",
        f"{address}/",
        swapped,
        "/quote/" + deletion.rsplit("/", 1)[1],
        "/quote/%ff",
        "/quote/%00",
    ]

    assert [guest.get(path).status_code for path in odd] == [404] * len(odd)
    assert guest.get("/quote/delete/" + address.rsplit("/", 1)[1]).status_code == 404


def test_link_expires(guest: Visitor, shared: tuple[str, str], clock: FrozenClock) -> None:
    clock.advance(LIFETIME - timedelta(seconds=1))
    before = [guest.get(path).status_code for path in shared]

    clock.advance(timedelta(seconds=1))

    expired = guest.get(shared[0])
    never = guest.get("/quote/" + "0" * 33)
    assert before == [200, 200]
    assert [guest.get(path).status_code for path in shared] == [404, 404]
    assert Page(expired.text).words == Page(never.text).words


def test_link_is_deleted_with_its_deletion_link(guest: Visitor, shared: tuple[str, str]) -> None:
    guest.get(shared[1])

    answer = guest.post(shared[1], follow=True)

    assert "The link was deleted." in Page(answer.text).words
    assert [guest.get(path).status_code for path in shared] == [404, 404]


def test_account_deletes_only_its_own_link(guest: Visitor) -> None:
    app = guest.client.application
    ada, eve = visitor(app.test_client(), "Ada"), visitor(app.test_client(), "Eve")
    ada.get("/quote")
    address, _ = _links(ada.post("/quote/share", {**CAR, **line_fields(PADS)}))

    for other in (eve, guest):
        assert f"{address}/delete" not in Page(other.get(address).text).actions
        other.get("/quote")
        assert other.post(f"{address}/delete").status_code == 404
    assert f"{address}/delete" in Page(ada.get(address).text).actions
    assert ada.post(f"{address}/delete").status_code == 303
    assert guest.get(address).status_code == 404


def test_link_uses_the_public_url(open_core: OpenCore) -> None:
    guest = _visitor(open_core(public_url="https://shop.example.com/"))
    guest.base = "https://localhost"
    guest.get("/quote")

    answer = guest.post("/quote/share", {**CAR, **line_fields(PADS)})

    assert re.search(r"https://shop\.example\.com/quote/[0-9A-Za-z]{33}", answer.text)
