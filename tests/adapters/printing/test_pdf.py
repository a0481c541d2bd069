"""The text layer of PDF documents, including unusual texts and many lines."""

import io
from datetime import UTC, date, datetime

import pytest
from attrs import evolve
from PIL import Image
from pypdf import PdfReader

from repaircore.adapters.printing.glyphs import in_glyphs
from repaircore.adapters.printing.pdf import PdfRenderer
from repaircore.documents.model import Amount, Document, DocumentLine, Letterhead
from repaircore.shops.model import Logo

LINE = DocumentLine(
    key="1",
    title="Front Brake Pads",
    notes=("Aftermarket parts",),
    hours="1.2",
    rate=145_00,
    labor=174_00,
    parts=98_50,
    amount=272_50,
)
ESTIMATE = Document(
    title="Estimate",
    number="V-20260131-7KXM4P",
    issued_on=date(2026, 1, 31),
    created_at=datetime(2026, 1, 31, 9, tzinfo=UTC),
    valid_until=date(2026, 3, 2),
    shop=Letterhead(
        name="Ada's Garage", address=("1 Main St", "Springfield, IL"), contact=("(217) 555-0142",)
    ),
    customer=("Grace Hopper", "grace@example.com"),
    vehicle=("2003 Honda Accord", "VIN 1HGCM82633A004352"),
    lines=(LINE,),
    sums=(Amount(label="Parts", amount=98_50), Amount(label="Discount", amount=-10_00)),
    savings=(Amount(label="Done in one visit", amount=40_00),),
    total=262_50,
    low=200_00,
    high=330_00,
    notes="Second note.",
    terms="Payment is due on pickup.",
    link="https://shop.example.com/v/abc",
)


def pages(document: Document) -> list[str]:
    reader = PdfReader(io.BytesIO(PdfRenderer().render(document)))
    return [" ".join(page.extract_text().split()) for page in reader.pages]


def test_render_shows_everything_on_one_letter_page() -> None:
    reader = PdfReader(io.BytesIO(PdfRenderer().render(ESTIMATE)))

    (text,) = pages(ESTIMATE)
    for part in (
        *("ESTIMATE", "V-20260131-7KXM4P", "January 31, 2026", "March 2, 2026", "Ada's Garage", "1 Main St"),
        *("Grace Hopper", "2003 Honda Accord", "1HGCM82633A004352", "Front Brake Pads", "Aftermarket parts"),
        *("1.2", "$145.00", "$174.00", "$98.50", "$272.50", "−$10.00", "$262.50", "$200.00 – $330.00"),
        *("you save $40.00", "Second note.", "Payment is due on pickup.", "https://shop.example.com/v/abc"),
    ):
        assert part in text, part
    assert tuple(map(float, reader.pages[0].mediabox[2:])) == (612, 792)


def test_render_is_the_same_for_the_same_document() -> None:
    assert PdfRenderer().render(ESTIMATE) == PdfRenderer().render(ESTIMATE)


def test_render_repeats_the_column_names_on_each_page_of_lines() -> None:
    many = evolve(ESTIMATE, lines=tuple(evolve(LINE, title=f"Line number {n}") for n in range(1, 201)))

    found = pages(many)

    assert all(f"Line number {n} " in " ".join(found) for n in range(1, 201))
    assert [text.count("Description") for text in found[:-1]] == [1] * (len(found) - 1)
    assert f"Page 2 of {len(found)}" in found[1]


def test_render_has_an_invoice_without_range_validity_and_link() -> None:
    (text,) = pages(evolve(ESTIMATE, title="Invoice", valid_until=None, low=None, high=None, link=None))

    assert "INVOICE" in text
    assert not [word for word in ("Valid until", "RANGE", "signature", "https:") if word in text]


def test_render_draws_the_logo() -> None:
    png = io.BytesIO()
    Image.new("RGBA", (600, 100), (200, 10, 10, 128)).save(png, "PNG")

    document = evolve(ESTIMATE, logo=Logo(png=png.getvalue(), width=600, height=100))

    assert len(PdfReader(io.BytesIO(PdfRenderer().render(document))).pages[0].images) == 1


@pytest.mark.parametrize(
    "odd",
    [
        "Café Zoë – 5 × “pads” €½",
        "🚗🔧 brakes",
        "王小明",
        "مرحبا بالعالم",
        "<b>bold</b> **bold** __x__ {nb} \\n (])",
        "x" * 20_000,
        "a\u200db\ufe0f\u0301",
        "\n\n\nlines\n\n",
        "",
        " ",
    ],
)
def test_render_accepts_any_text_anywhere(odd: str) -> None:
    document = evolve(
        ESTIMATE,
        number=odd[:80],
        shop=Letterhead(name=odd[:500], address=(odd[:300],), contact=(odd[:100],)),
        customer=(odd[:300],),
        vehicle=(odd[:300],),
        lines=(evolve(LINE, title=odd[:2_000], notes=(odd[:300],)),),
        sums=(Amount(label=odd[:2_000], amount=1),),
        savings=(Amount(label=odd[:300], amount=1),),
        notes=odd,
        terms=odd,
    )

    assert pages(document)


def test_latin_text_is_in_the_text_layer_as_written() -> None:
    (text,) = pages(evolve(ESTIMATE, notes="Café Zoë – 5 × “pads” €½ <b>bold</b> **bold**"))

    assert "Café Zoë – 5 × “pads” €½ <b>bold</b> **bold**" in text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Zoë", "Zoë"),
        ("Zoe\u0308", "Zoë"),
        ("Łódź", "�ódz"),
        ("ﬁne", "fine"),
        ("a🚗b", "a�b"),
        ("👩‍👩‍👧 👍🏽 ❤️", "� � �"),
        ("김王", "��"),
        ("นี้", "�"),
        ("1\u20112", "1-2"),
        ("a\u2003b", "a b"),
        ("a\nb", "a\nb"),
    ],
)
def test_in_glyphs_uses_known_code_points(text: str, expected: str) -> None:
    known = {*range(0x20, 0x7F), *range(0xA0, 0x100)}

    assert in_glyphs(text, known) == expected


@pytest.mark.parametrize(
    "name",
    [
        "Łukasz Żółć",
        "Nguyễn Thị Bích Ngọc",
        "Дмитро Їжакевич",
        "Ελένη Παπαδοπούλου",
        "Dvořák",
        "Şükrü Işık",
    ],
)
def test_names_in_latin_greek_and_cyrillic_are_printed(name: str) -> None:
    (text,) = pages(evolve(ESTIMATE, customer=(name,), shop=evolve(ESTIMATE.shop, name=name)))

    assert text.count(name) >= 2


def test_characters_missing_in_the_font_are_shown_as_missing() -> None:
    (text,) = pages(evolve(ESTIMATE, customer=("王小明 🚗",), notes="Call 👩‍🔧 first"))

    assert "��� �" in text
    assert "Call � first" in text


def test_lookalike_letters_are_replaced() -> None:
    (text,) = pages(evolve(ESTIMATE, customer=("Kaʻiulani",)))

    assert "Ka‘iulani" in text
