"""Quote checks in the browser, without an account: read, corrected, shared, and what is wrong said beside its field."""

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
    """Give one database: what a page shows does not depend on it."""
    return sqlite_url


@frozen
class ScriptedReader(DocumentReader):
    """Reads these lines in every file, or refuses it in these words."""

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
    fresh = Visitor(app.test_client())
    fresh.get("/quote")
    return fresh


@pytest.fixture
def nobody(core: Core) -> Visitor:
    return _visitor(core)


def _line(**cells: str) -> dict[str, str]:
    return {f"line_{name}": cells.get(name, "") for name in _COLUMNS}


def lines_sent(*lines: Mapping[str, str]) -> dict[str, Any]:
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


def test_pasted_quote_gets_its_verdict_and_its_lines_at_once(nobody: Visitor) -> None:
    answer = nobody.post("/quote", {**CAR, "text": TEXT})

    page = Page(answer.text)
    assert answer.status_code == 200
    assert "2003 Honda Accord" in page.words
    assert _values(answer, "line_words") == [row[0] for row in papers.QUOTE]
    assert _values(answer, "line_total") == [row[4].removeprefix("$") for row in papers.QUOTE]
    assert page.words.index("Line by line") < page.words.index("The lines as we read them")


@pytest.mark.parametrize("has_account", [False, True])
def test_check_stores_nothing(core: Core, nobody: Visitor, *, has_account: bool) -> None:
    who = visitor(serve_core(core).test_client(), "Ada") if has_account else nobody
    who.get("/quote")  # notes that the session was used

    with unwritten(core.storage.url):
        pasted = who.post("/quote", {**CAR, "text": TEXT})
        table = who.post("/quote/lines", {**CAR, **lines_sent(PADS, TAX)})

    assert (pasted.status_code, table.status_code) == (200, 200)


def test_example_in_the_empty_form_is_read_as_it_stands_and_its_tax_is_fair(nobody: Visitor) -> None:
    found = re.search(r'placeholder="([^"]+)"', nobody.get("/quote").text)
    assert found is not None

    answer = nobody.post("/quote", {**CAR, "text": html.unescape(found[1])})

    assert _values(answer, "line_parts_total") == ["289.00", "", "", ""]
    assert _values(answer, "line_total") == ["579.00", "89.99", "28.75", "55.81"]
    tax = (
        Page(answer.text).words.rpartition("Line by line")[2].partition("Tax")[2].partition("Ask the shop")[0]
    )
    assert "Fair" in tax[: tax.index("Sales tax")]


def test_parts_of_a_lump_sum_stay_unknown(nobody: Visitor) -> None:
    text = "Front brake pads and rotors 2.0 h 579.00\nSales tax 22.00"

    answer = nobody.post("/quote", {**CAR, "text": text})

    assert _values(answer, "line_parts_total") == ["", ""]
    assert "an hour your posted rate" not in answer.text
    assert "$22.00 more" not in answer.text
    assert "Very high" not in Page(answer.text).words


def test_lines_that_were_not_read_are_listed_until_the_quote_is_checked_anew(nobody: Visitor) -> None:
    text = "Oil change 89.99\nCoolant flush 189.99 not today\nTax 7.20"

    answer = nobody.post("/quote", {**CAR, "text": text})
    again = nobody.post(
        "/quote/lines", {**CAR, **lines_sent(PADS, TAX), "unread": _values(answer, "unread"), "add": "1"}
    )

    for page in (answer, again):
        assert "Coolant flush 189.99 not today" in Page(page.text).words
        assert _values(page, "unread") == ["Coolant flush 189.99 not today"]
    assert "Not read" not in nobody.post("/quote", {**CAR, "text": TEXT}).text


def test_file_is_read_as_pasted_text_is(nobody: Visitor) -> None:
    pasted = nobody.post("/quote", {**CAR, "text": TEXT})

    uploaded = nobody.post("/quote", _upload())

    assert uploaded.status_code == 200
    assert _values(uploaded, "line_words") == _values(pasted, "line_words")


def test_vin_and_zip_code_may_stand_in_the_quote(nobody: Visitor) -> None:
    text = f"Ada's Auto, Beverly Hills, CA 90210\nVIN {papers.VIN}\n{TEXT}"

    answer = nobody.post("/quote", {"text": text})

    assert answer.status_code == 200
    assert _values(answer, "vin") == [papers.VIN]
    assert _values(answer, "zip_code") == ["90210"]


def test_vehicle_may_be_given_without_vin(nobody: Visitor) -> None:
    car = {"year": "2015", "make": "Toyota", "model": "Camry", "engine": "2.5L", "zip_code": "10001"}

    answer = nobody.post("/quote", {**car, "text": TEXT})

    assert answer.status_code == 200
    assert "2015 Toyota Camry" in Page(answer.text).words
    assert _values(answer, "year") == ["2015"]


def test_typed_vehicle_is_preferred_to_that_of_the_quote(nobody: Visitor) -> None:
    car = {"year": "2015", "make": "Toyota", "model": "Camry", "engine": "2.5L", "zip_code": "10001"}

    answer = nobody.post("/quote", {**car, "text": f"VIN {papers.VIN}\n{TEXT}"})

    assert "2015 Toyota Camry" in Page(answer.text).words


def test_engine_that_was_never_sold_is_chosen_from_a_list(nobody: Visitor) -> None:
    car = {"year": "2015", "make": "Toyota", "model": "Camry", "engine": "9.9L", "zip_code": "10001"}

    answer = nobody.post("/quote", {**car, "text": TEXT})
    engines = _values(answer, "chosen_engine")
    chosen = {"chosen_engine": engines[0], "engine_chosen_for": _values(answer, "engine_chosen_for")[0]}
    again = nobody.post("/quote", {**car, **chosen, "text": TEXT})

    assert answer.status_code == 422
    assert len(engines) > 1
    assert again.status_code == 200


def test_corrected_lines_are_checked_again(nobody: Visitor) -> None:
    cheap = nobody.post("/quote/lines", {**CAR, **lines_sent(PADS)})
    dear = nobody.post("/quote/lines", {**CAR, **lines_sent({**PADS, "line_total": "$2,790.00"})})

    assert "Very high" not in Page(cheap.text).words.partition("The lines as we read them")[0]
    assert "Very high" in Page(dear.text).words


def test_lines_can_be_removed_and_added(nobody: Visitor) -> None:
    fewer = nobody.post("/quote/lines", {**CAR, **lines_sent(PADS, TAX), "remove": "0"})
    more = nobody.post("/quote/lines", {**CAR, **lines_sent(PADS, TAX), "add": "1"})

    assert _values(fewer, "line_words") == ["Sales tax"]
    assert _values(more, "line_words") == ["Front brake pads", "Sales tax", ""]
    assert more.status_code == 200


def test_repair_of_a_line_can_be_chosen(nobody: Visitor) -> None:
    line = {**PADS, "line_words": "Work up front", "line_repair": "brake-pads-front"}

    answer = nobody.post("/quote/lines", {**CAR, **lines_sent(line)})

    assert "compared with Front Brake Pads" in Page(answer.text).words
    assert re.search(r'<option value="brake-pads-front" selected>', answer.text)


def test_unclear_line_offers_its_repairs_and_one_press_corrects_it(nobody: Visitor) -> None:
    vague = _line(words="Brake pads", kind="repair", total="279.00")
    first = nobody.post("/quote/lines", {**CAR, **lines_sent(TAX, vague)})

    offered = [tag["value"] for name, tag in Page(first.text).tags if tag.get("name") == "choose"]
    assert offered[:2] == ["1 brake-pads-front", "1 brake-pads-rear"]
    assert first.text.index("Which one?") < first.text.index("The lines as we read them")

    pressed = [
        tag for name, tag in Page(first.text).tags if name == "button" and tag.get("form") == "quote-lines"
    ]
    assert "name" not in pressed[0], "Enter would choose a repair"

    chosen = nobody.post("/quote/lines", {**CAR, **lines_sent(TAX, vague), "choose": offered[0]})

    assert "compared with Front Brake Pads" in Page(chosen.text).words
    assert "Which one?" not in chosen.text


@pytest.mark.parametrize("choice", ["", "1", "9 brake-pads-front", "x y", "-1 brake-pads-front"])
def test_choice_for_no_line_changes_nothing(nobody: Visitor, choice: str) -> None:
    answer = nobody.post("/quote/lines", {**CAR, **lines_sent(TAX, PADS), "choose": choice})

    assert answer.status_code == 200
    assert "compared with Front Brake Pads" in Page(answer.text).words


def test_line_that_is_charged_twice_is_to_question_on_the_page(nobody: Visitor) -> None:
    answer = nobody.post("/quote/lines", {**CAR, **lines_sent(PADS, PADS)})

    assert "Front Brake Pads are on this quote twice: they should be charged once." in Page(answer.text).words
    assert "1 line to question: $279" in Page(answer.text).words


def test_sums_that_do_not_meet_are_shown(nobody: Visitor) -> None:
    wrong = TEXT.replace("$1,478.77", "$1,578.77")

    answer = nobody.post("/quote", {**CAR, "text": wrong})
    corrected = nobody.post(
        "/quote/lines",
        {**CAR, **lines_sent({**PADS, "line_total": "1478.77"}), "stated_total": "1478.77"},
    )

    assert "$1,578.77" in Page(answer.text).words
    assert "sums do not meet" in Page(answer.text).words
    assert "sums do not meet" not in Page(corrected.text).words


# What is wrong


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
def test_error_is_beside_its_field_and_nothing_typed_is_lost(nobody: Visitor, case: str) -> None:
    typed, error = WRONG[case]

    answer = nobody.post("/quote", typed)

    page = Page(answer.text)
    assert answer.status_code == 422
    assert error in page.ids
    for name in ("vin", "zip_code", "year", "make", "model"):
        assert page.value(name) == typed.get(name, "")
    assert html.escape(typed.get("text", ""), quote=False) in answer.text


def test_refused_file_is_explained_and_nothing_typed_is_lost(core: Core) -> None:
    nobody = _visitor(core, refusal="The PDF is protected.")

    answer = nobody.post("/quote", _upload(year="2015"))

    assert answer.status_code == 422
    assert "The PDF is protected." in Page(answer.text).words
    assert _values(answer, "vin") == [papers.VIN]
    assert _values(answer, "year") == ["2015"]


@pytest.mark.parametrize("more", [1, 200 * 1024])
def test_file_that_is_too_large_loses_nothing_that_was_typed(nobody: Visitor, more: int) -> None:
    texts = {"form_token": nobody.token, **CAR, "year": "2015"}
    parts = [
        f'--fence\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{text}\r\n'
        for name, text in texts.items()
    ]
    file = '--fence\r\nContent-Disposition: form-data; name="file"; filename="quote.pdf"\r\n\r\n'
    body = "".join([*parts, file]).encode() + b"x" * (MAX_DOCUMENT_BYTES + more) + b"\r\n--fence--\r\n"

    answer = nobody.client.post(
        "/quote",
        data=body,
        content_type="multipart/form-data; boundary=fence",
        headers={"Sec-Fetch-Site": "same-origin"},
    )

    assert answer.status_code == 422
    assert "10 MB" in Page(answer.text).words
    assert _values(answer, "vin") == [papers.VIN]
    assert _values(answer, "year") == ["2015"]


def test_text_of_a_file_is_kept_when_the_vehicle_is_wrong(nobody: Visitor) -> None:
    answer = nobody.post("/quote", {**_upload(), "vin": "1HGCM82"})

    assert answer.status_code == 422
    assert TEXT in html.unescape(answer.text)


def test_text_and_file_together_are_refused(nobody: Visitor) -> None:
    answer = nobody.post("/quote", _upload(text="Front brake pads $279.00"))

    assert answer.status_code == 422
    assert "file-error1" in Page(answer.text).ids
    assert "Front brake pads $279.00" in answer.text


def test_format_that_is_not_installed_is_not_offered(core: Core) -> None:
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
def test_error_of_a_line_is_beside_its_cell_and_nothing_typed_is_lost(nobody: Visitor, case: str) -> None:
    wrong, error = WRONG_LINES[case]
    line = {**PADS, **wrong}

    answer = nobody.post("/quote/lines", {**CAR, **lines_sent(line, TAX)})

    assert answer.status_code == 422
    assert error in Page(answer.text).ids
    assert _values(answer, "line_words") == [line["line_words"], "Sales tax"]
    assert _values(answer, "line_total") == [line["line_total"], "20.00"]


def test_table_that_is_incomplete_or_too_long_is_refused(nobody: Visitor) -> None:
    ragged = {**lines_sent(PADS, TAX), "line_total": ["279.00"]}

    for table in (ragged, lines_sent(*[PADS] * 51), {}):
        answer = nobody.post("/quote/lines", {**CAR, **table})
        assert answer.status_code == 422


@pytest.mark.parametrize("text", ["\ud800", "a\x00b", "💥 $12.00", "\u202e $12.00", "$" * 500, "-" * 19_000])
def test_odd_text_is_no_failure_of_ours(nobody: Visitor, text: str) -> None:
    body = {**CAR, "text": text.encode("utf-8", "surrogatepass")}

    answer = nobody.post("/quote", body)

    assert answer.status_code in {200, 400, 422}


EVIL = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>"


def test_texts_are_shown_as_texts(nobody: Visitor) -> None:
    line = {**PADS, "line_words": f"Brakes {EVIL}"}
    answers = [
        nobody.post("/quote", {**CAR, "text": f"{EVIL} brake pads $279.00"}),
        nobody.post("/quote", {"make": EVIL, "model": EVIL, "year": "2015", "engine": EVIL, "text": TEXT}),
        nobody.post("/quote/lines", {**CAR, **lines_sent(line)}),
        nobody.post("/quote/lines", {**CAR, **lines_sent({**line, "line_total": EVIL, "line_parts": EVIL})}),
        nobody.post("/quote/lines", {**CAR, **lines_sent(line), "stated_total": EVIL}),
    ]
    address, deletion = _links(nobody.post("/quote/share", {**CAR, **lines_sent(line)}))

    for answer in (*answers, nobody.get(address), nobody.get(deletion)):
        assert "<script>alert" not in answer.text
        assert "<img" not in answer.text


# Who may check how much


def test_visitors_without_account_are_counted_by_address(open_core: OpenCore) -> None:
    core = open_core(public_requests_per_minute=2)
    nobody = _visitor(core)
    ada = visitor(nobody.client.application.test_client(), "Ada")
    ada.get("/quote")

    tries = [nobody.post("/quote", {**CAR, "text": TEXT}) for _ in range(3)]
    others = [ada.post("/quote", {**CAR, "text": TEXT}).status_code for _ in range(3)]

    assert [answer.status_code for answer in tries] == [200, 200, 429]
    assert TEXT in html.unescape(tries[2].text)
    assert others == [200] * 3


def test_closed_pages_are_not_there(open_core: OpenCore) -> None:
    app = serve_core(open_core(public_pages=False))

    assert app.test_client().get("/quote").status_code == 404


# Sharing


@pytest.fixture
def shared(nobody: Visitor) -> tuple[str, str]:
    return _links(nobody.post("/quote/share", {**CAR, **lines_sent(PADS, TAX)}))


def test_shared_page_shows_the_result_and_nothing_of_the_car(
    nobody: Visitor, shared: tuple[str, str]
) -> None:
    answer = nobody.get(shared[0])

    page = Page(answer.text)
    assert answer.status_code == 200
    assert "2003 Honda Accord" in page.words
    assert "Front brake pads" in page.words
    assert papers.VIN not in answer.text
    assert "90210" not in answer.text
    assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
    assert not page.actions


def test_words_that_name_a_car_or_a_person_are_not_shared(nobody: Visitor) -> None:
    words = f"Brakes {papers.VIN} plate: 8ABC123 ada@example.org"

    address, _ = _links(nobody.post("/quote/share", {**CAR, **lines_sent({**PADS, "line_words": words})}))

    shown = nobody.get(address).text
    for secret in (papers.VIN, "8ABC123", "ada@example.org"):
        assert secret not in shown


def test_guessed_changed_and_odd_links_are_not_found(nobody: Visitor, shared: tuple[str, str]) -> None:
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

    assert [nobody.get(path).status_code for path in odd] == [404] * len(odd)
    assert nobody.get("/quote/delete/" + address.rsplit("/", 1)[1]).status_code == 404


def test_link_ends(nobody: Visitor, shared: tuple[str, str], clock: FrozenClock) -> None:
    clock.advance(LIFETIME - timedelta(seconds=1))
    before = [nobody.get(path).status_code for path in shared]

    clock.advance(timedelta(seconds=1))

    gone = nobody.get(shared[0])
    never = nobody.get("/quote/" + "0" * 33)
    assert before == [200, 200]
    assert [nobody.get(path).status_code for path in shared] == [404, 404]
    assert Page(gone.text).words == Page(never.text).words


def test_link_is_deleted_by_its_secret_link(nobody: Visitor, shared: tuple[str, str]) -> None:
    nobody.get(shared[1])

    answer = nobody.post(shared[1], follow=True)

    assert "The link was deleted." in Page(answer.text).words
    assert [nobody.get(path).status_code for path in shared] == [404, 404]


def test_account_deletes_its_own_link_alone(nobody: Visitor) -> None:
    app = nobody.client.application
    ada, eve = visitor(app.test_client(), "Ada"), visitor(app.test_client(), "Eve")
    ada.get("/quote")
    address, _ = _links(ada.post("/quote/share", {**CAR, **lines_sent(PADS)}))

    for other in (eve, nobody):
        assert f"{address}/delete" not in Page(other.get(address).text).actions
        other.get("/quote")
        assert other.post(f"{address}/delete").status_code == 404
    assert f"{address}/delete" in Page(ada.get(address).text).actions
    assert ada.post(f"{address}/delete").status_code == 303
    assert nobody.get(address).status_code == 404


def test_link_leads_to_the_public_address(open_core: OpenCore) -> None:
    nobody = _visitor(open_core(public_url="https://shop.example.com/"))
    nobody.base = "https://localhost"
    nobody.get("/quote")

    answer = nobody.post("/quote/share", {**CAR, **lines_sent(PADS)})

    assert re.search(r"https://shop\.example\.com/quote/[0-9A-Za-z]{33}", answer.text)
