"""A person's e-mail, phone number and VIN are found however they are written, and nobody else's are."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repaircore.persons.exported_marks import ERASED, PersonalMarks

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
def test_what_tells_of_the_person_is_found_and_struck(text: str) -> None:
    assert ADA.occur_in(text)
    struck = ADA.redact(text)
    assert not ADA.occur_in(struck)


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
def test_what_tells_of_others_is_left_alone(text: str) -> None:
    assert not ADA.occur_in(text)
    assert ADA.redact(text) == text


def test_of_a_vin_the_part_that_all_of_its_kind_share_is_left() -> None:
    assert ADA.redact(f"VIN {VIN}, bill to ada@example.com") == f"VIN 1HGCM82633A, bill to {ERASED}"
    assert ADA.redact("1hgcm-82633a-004352") == "1HGCM82633A"


def test_json_stays_json_and_keeps_the_rest() -> None:
    hidden = r'{"name":"\u0061da@example.com","n":[1.5,null,{"ada@example.com":"%61da@example.com x"}]}'
    assert json.loads(ADA.redact(hidden)) == {"name": ERASED, "n": [1.5, None, {ERASED: ERASED}]}


def test_figures_that_happen_to_be_the_number_are_no_phone() -> None:
    figures = '{"unit_price":5550100123,"more":[5550,100123]}'
    assert not ADA.occur_in(figures)
    assert ADA.redact(figures) == figures


@given(
    st.recursive(
        st.text() | st.integers() | st.none(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_json_without_them_says_the_same_afterwards(value: object) -> None:
    text = json.dumps([value])
    assert json.loads(ADA.redact(text)) == [value]


def test_bytes_are_searched_in_any_case() -> None:
    assert ADA.occur_in_bytes(b"\x00\x17ADA@example.com\x01")
    assert ADA.occur_in_bytes(b"..1hgcm82633a004352..")
    assert not ADA.occur_in_bytes(b"eve@example.com")


def test_nothing_is_found_of_nobody() -> None:
    assert not PersonalMarks(emails=frozenset()).occur_in("ada@example.com")


@given(st.text(), st.sampled_from(["ada@example.com", VIN, "555-010-0123", "ADA@EXAMPLE.COM"]), st.text())
def test_nothing_is_left_whatever_stands_around_it(before: str, mark: str, after: str) -> None:
    struck = ADA.redact(f"{before} {mark} {after}")
    assert not ADA.occur_in(struck)
    assert mark not in struck
