import pytest
from attrs import evolve
from tests.unit.diagnosis.shipped import shipped_knowledge

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.code_rows import CodeRows, numbered
from repaircore.adapters.shipped.codes import code_table, trouble_codes
from repaircore.adapters.shipped.makes import shipped_makes
from repaircore.adapters.shipped.vocabulary import lexicon, vocabulary
from repaircore.diagnosis.engine import diagnose
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.model import Clues
from repaircore.trouble_codes.meaning import CodeMeaning
from repaircore.trouble_codes.model import normalize_code
from repaircore.trouble_codes.structure import structure_of
from repaircore.trouble_codes.table import CodeTable

_TABLE = code_table()
_STANDARD = _TABLE.standard
_MAKERS = [one for one in _TABLE if one.makes]

_EVERYDAY = [
    "P0240",
    "P0410",
    "P0411",
    "P0846",
    "P2257",
    "P2262",
    "P207F",
    "P3000",
    "P1326",
    "P1259",
    "P1604",
    "P1235",
    "P055B",
    "C0035",
    "C0045",
    "C0050",
    "C0110",
    "C0265",
    "C0561",
    "C1201",
    "C1241",
    "B0051",
    "B0081",
    "B0100",
    "B1342",
    "B2799",
    "U0300",
    "U1000",
]


def test_everyday_codes_have_a_meaning() -> None:
    unknown = [code for code in _EVERYDAY if _TABLE.find(code) is None and not _TABLE.by_maker(code)]

    assert unknown == []


def test_table_has_the_documented_number_of_codes() -> None:
    assert len(_STANDARD) == 3194
    assert len(_MAKERS) == 623
    assert len({make for one in _MAKERS for make in one.makes}) >= 30


@pytest.mark.parametrize(
    ("code", "make", "title"),
    [
        ("P1259", "Honda", "Variable valve lift (VTEC) system"),
        ("C1201", "TOYOTA", "Engine control fault reported to the stability control"),
        ("C1201", "Kia", "Wheel speed sensor range, left front"),
        ("C0035", "chevrolet", "Wheel speed sensor, left front"),
        ("C0035", "Toyota", "Wheel speed sensor supply, right front"),
        ("P0420", "Ford", "Catalyst system efficiency below threshold, bank 1"),
        ("P0420", None, "Catalyst system efficiency below threshold, bank 1"),
    ],
)
def test_makers_meaning_of_a_code_overrides_the_standard(code: str, make: str | None, title: str) -> None:
    found = _TABLE.find(code, make)

    assert found is not None
    assert found.title == title


@pytest.mark.parametrize(("code", "make"), [("P1259", None), ("P1259", "Ford"), ("P1FFF", "Honda")])
def test_find_returns_none_for_an_unknown_code(code: str, make: str | None) -> None:
    assert _TABLE.find(code, make) is None


def test_code_with_two_meanings_for_one_make_is_refused() -> None:
    one = _TABLE.by_maker("P1259")[0]

    with pytest.raises(ValueError, match="two meanings for"):
        CodeTable((), (one, evolve(one, title="Another")))


def test_list_of_a_make_has_standard_codes_and_its_own() -> None:
    listed = {one.code: one.title for one in _TABLE.list("Kia")}

    assert listed.keys() > _STANDARD.keys()
    assert "bearing wear" in listed["P1326"]
    assert "P1259" not in listed
    assert list(listed) == sorted(listed)


def test_hand_written_pages_override_the_rows() -> None:
    assert _STANDARD["P0671"].title == "Glow plug of cylinder 1"
    assert _STANDARD["P0679"].title == "Cylinder 9 glow plug, circuit"


@pytest.mark.parametrize(
    ("first", "count", "last"),
    [
        ("P0247", 4, "P0250"),
        ("P00A9", 2, "P00AA"),
        ("P029A", 48, "P02C9"),
        ("P3401", 96, "P3496"),
        ("U0199", 7, "U0205"),
    ],
)
def test_codes_count_in_tens_until_the_standard_uses_letters(first: str, count: int, last: str) -> None:
    assert numbered(first, count)[-1] == last


def test_meanings_of_makers_are_well_formed() -> None:
    makes = {make.name for make in shipped_makes().values()}
    repairs = {problem.slug for problem in book().problems}
    systems = {category.slug for category in book().categories}
    for one in _MAKERS:
        assert normalize_code(one.code) == one.code
        assert set(one.makes) <= makes
        assert one.system in systems
        assert {cause.repair for cause in one.causes} <= repairs
        assert one.title[0].isalnum()
        assert not one.title.endswith(".")
        assert 40 <= len(one.meaning) <= 400
        assert one.meaning.endswith(".")


def test_makers_define_standard_codes_only_in_c0_and_b0() -> None:
    early = {one.code for one in _MAKERS if structure_of(one.code).standard}

    assert {code[:2] for code in early} <= {"C0", "B0"}


def test_titles_of_the_standard_are_unique() -> None:
    titles = [one.title for one in trouble_codes()]

    assert [title for title in titles if titles.count(title) > 1] == []


def test_makers_code_counts_only_in_the_diagnosis_of_its_make() -> None:
    knowledge = Knowledge(book().problems, vocabulary(), _TABLE, lexicon())

    honda = diagnose(knowledge, Clues(codes=("P1259",), make="Honda")).candidates[0]
    ford = diagnose(knowledge, Clues(codes=("P1259",), make="Ford")).candidates[0]

    assert honda.problem.slug == "vvt-solenoid"
    assert honda.reasons[0].text.startswith("Code P1259 (Variable valve lift (VTEC) system): 40%")
    assert ford.problem.slug != "vvt-solenoid"
    assert ford.reasons == ()


@pytest.mark.parametrize(
    ("code", "wheel"),
    [("C0035", "left front"), ("C0040", "right front"), ("C0045", "left rear"), ("C0050", "right rear")],
)
def test_diagnose_labels_a_makers_code_without_a_make(code: str, wheel: str) -> None:
    meaning = CodeMeaning(
        structure=structure_of(code), entry=_TABLE.find(code), by_maker=_TABLE.by_maker(code)
    )

    assert (
        f"But for Buick, Cadillac, Chevrolet, GMC, Hummer, Oldsmobile, Pontiac and Saturn it means: Wheel speed sensor, {wheel}."
        in (meaning.meaning)
    )


@pytest.mark.parametrize("code", ["C0040", "C0045", "C0050"])
def test_diagnosis_without_a_make_includes_meanings_of_makers(code: str) -> None:
    known = shipped_knowledge()
    found = diagnose(known, Clues(codes=(code,)))

    [sensor] = [one for one in found.candidates[:3] if one.problem.slug == "wheel-speed-sensor"]

    assert "as some makers use it" in sensor.reasons[0].text


def test_diagnosis_with_another_make_excludes_meanings_of_makers() -> None:
    found = diagnose(shipped_knowledge(), Clues(codes=("C0040",), make="Toyota"))

    assert "wheel-speed-sensor" not in {one.problem.slug for one in found.candidates[:3]}


def test_standard_code_has_only_the_meaning_of_the_standard() -> None:
    entry = _TABLE.find("P0420")

    assert entry is not None

    assert CodeMeaning(structure=structure_of("P0420"), entry=entry).meaning == entry.meaning


def test_codes_with_the_same_meaning_share_its_text() -> None:
    meanings = [code.meaning for code in CodeRows().standard()]

    assert len({id(meaning) for meaning in meanings}) == len({*meanings})
