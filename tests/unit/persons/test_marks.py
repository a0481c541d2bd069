"""A person's email, phone number and VIN are found in any spelling, and nobody else's are."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.persons.exported_marks import ERASED, PersonalMarks, phone_digits

VIN = "1HGCM82633A004352"
ADA = PersonalMarks(emails={"ada@example.com"}, phones={"5550100123"}, vins={VIN})


@pytest.mark.parametrize(
    "text",
    [
        "ada@example.com",
        "Write to ADA@Example.COM.",
        "<mailto:ada@example.com>",
        "Ada's is 'ada@example.com'",
        r'{"email": "ada@example.com"}',
        r'{"email": "\u0061da\u0040example.com"}',
        r'"{\"email\": \"\\u0041DA@example.com\"}"',
        "ada%40example.com",
        "ada%2540example.com",
        "ada&#64;example.com",
        "ada&commat;example.com",
        "ada\u00ad@exam\u200bple.com",
        "ａｄａ＠ｅｘａｍｐｌｅ．ｃｏｍ",
        r'{"note":"\tada@example.com\nfoo"}',
        "call 555-010-0123 at noon",
        "(555) 010.0123",
        "+1 555 010 0123",
        "15550100123",
        VIN,
        VIN.lower(),
        "1HG CM8-2633A 004352",
        r"\u0031HGCM82633A004352",
        f"the{VIN}car",
        "１ＨＧＣＭ８２６３３Ａ００４３５２",
    ],
)
def test_identifiers_of_the_person_are_found_and_redacted(text: str) -> None:
    assert ADA.occur_in(text)
    redacted = ADA.redact(text)
    assert not ADA.occur_in(redacted)


@pytest.mark.parametrize(
    "text",
    [
        "nevada@example.com",
        "ada@example.com.au",
        "x.ada@example.com",
        "ada+x@example.org",
        "ada@example.community",
        "ada at example.com",
        "45550100123",
        "55501001234",
        "1HGCM82633A",
        "1HGCM82633A004353",
        "",
    ],
)
def test_identifiers_of_others_are_left_alone(text: str) -> None:
    assert not ADA.occur_in(text)
    assert ADA.redact(text) == text


def test_redacted_vin_keeps_the_part_shared_by_its_model() -> None:
    assert ADA.redact(f"VIN {VIN}, bill to ada@example.com") == f"VIN 1HGCM82633A, bill to {ERASED}"
    assert ADA.redact("1hgcm-82633a-004352") == "1HGCM82633A"


def test_redacted_json_is_valid_and_otherwise_the_same() -> None:
    hidden = r'{"name":"\u0061da@example.com","n":[1.5,null,{"ada@example.com":"%61da@example.com x"}]}'
    assert json.loads(ADA.redact(hidden)) == {"name": ERASED, "n": [1.5, None, {ERASED: ERASED}]}


def test_amounts_with_the_digits_of_the_phone_number_are_left_alone() -> None:
    figures = '{"unit_price":5550100123,"more":[5550,100123]}'
    assert not ADA.occur_in(figures)
    assert ADA.redact(figures) == figures


@given(
    st.recursive(
        st.text() | st.integers() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_json_without_identifiers_stays_the_same(value: object) -> None:
    text = json.dumps([value])
    assert json.loads(ADA.redact(text)) == [value]


def test_bytes_are_searched_in_any_case() -> None:
    assert ADA.occur_in_bytes(b"\x00\x17ADA@example.com\x01")
    assert ADA.occur_in_bytes(b"..1hgcm82633a004352..")
    assert not ADA.occur_in_bytes(b"eve@example.com")


def test_person_without_identifiers_matches_nothing() -> None:
    assert not PersonalMarks(emails=frozenset()).occur_in("ada@example.com")


@given(st.text(), st.sampled_from(["ada@example.com", VIN, "555-010-0123", "ADA@EXAMPLE.COM"]), st.text())
def test_identifiers_are_redacted_in_any_surroundings(before: str, mark: str, after: str) -> None:
    redacted = ADA.redact(f"{before} {mark} {after}")
    assert not ADA.occur_in(redacted)
    assert mark not in redacted


@pytest.mark.parametrize(
    ("phone", "digits"),
    [
        ("+1 (555) 010-0123", "5550100123"),
        ("555.010.0123", "5550100123"),
        ("25550100123", "25550100123"),
        ("155501001", "155501001"),
        ("+49 30 1234567", "49301234567"),
    ],
)
def test_phone_is_stored_without_the_code_of_north_america(phone: str, digits: str) -> None:
    assert phone_digits(phone) == digits
