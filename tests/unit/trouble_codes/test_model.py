from collections import Counter

import pytest

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.codes import trouble_codes
from repaircore.trouble_codes.model import TroubleCode, codes_in, normalize_code
from repaircore.trouble_codes.structure import structure_of

_CODES = trouble_codes()


@pytest.mark.parametrize("text", ["P0420", "p0420", " p 0420 ", "P-0420", "PO420", "p0 42 0\n"])
def test_normalize_code_accepts_any_spelling(text: str) -> None:
    assert normalize_code(text) == "P0420"


@pytest.mark.parametrize(
    "text", ["", "P042", "P04200", "X0420", "P4420", "P0G20", "0420", "P０420", "P0420" + " " * 20]
)
def test_normalize_code_rejects_other_texts(text: str) -> None:
    assert normalize_code(text) is None


def test_codes_in_finds_the_codes_of_a_text() -> None:
    assert codes_in("it shows p0301, P-0420 and PO301") == ("P0301", "P0420")


def test_each_code_is_in_its_standard_form_and_listed_once() -> None:
    codes = [one.code for one in _CODES]

    assert codes == sorted(set(codes))
    assert all(normalize_code(code) == code for code in codes)


def test_every_code_of_the_table_means_the_same_for_every_make() -> None:
    assert [one.code for one in _CODES if not structure_of(one.code).standard] == []


def test_every_cause_is_a_repair_of_the_book() -> None:
    repairs = {problem.slug for problem in book().problems}

    assert {cause.repair for one in _CODES for cause in one.causes} - repairs == set()


def test_every_system_is_a_category_of_the_book() -> None:
    assert {one.system for one in _CODES} - {category.slug for category in book().categories} == set()


def test_there_are_codes_of_every_area() -> None:
    counts = Counter(one.code[0] for one in _CODES)

    assert sum(counts.values()) >= 300
    assert counts.keys() == set("PCBU")


def test_likelihoods_of_the_causes_of_a_code_are_valid_shares() -> None:
    assert [
        one.code for one in _CODES if not _are_valid_shares([cause.likelihood for cause in one.causes])
    ] == []


def _are_valid_shares(shares: list[float]) -> bool:
    return shares == sorted(shares, reverse=True) and min(shares) > 0 and 0.2 <= sum(shares) <= 1


def test_texts_of_codes_are_well_written() -> None:
    assert [one.code for one in _CODES if not _is_well_written(one)] == []


def _is_well_written(one: TroubleCode) -> bool:
    return (
        "{}" not in one.title + one.meaning
        and one.title[0].isupper()
        and not one.title.endswith(".")
        and one.meaning[0].isupper()
        and one.meaning.endswith(".")
        and 40 <= len(one.meaning) <= 400
    )
