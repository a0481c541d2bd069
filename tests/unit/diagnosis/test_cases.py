"""Cases as owners describe them: the right repair must be among the first."""

import pytest
from bench.diagnostics import cases, share_right
from tests.unit.diagnosis.shipped import shipped_knowledge

from repaircore.diagnosis.engine import diagnose
from repaircore.diagnosis.questions import next_question
from repaircore.diagnosis.reading import read
from repaircore.kernel.traits import Traits

KNOWN = shipped_knowledge()
LISTS = {"diagnostic_cases": 150, "diagnostic_cases_held_out": 50, "diagnostic_cases_second_held_out": 50}


@pytest.mark.parametrize(("name", "least"), LISTS.items())
def test_case_lists_are_long_and_name_repairs_of_the_book(name: str, least: int) -> None:
    case_list = cases(name)

    assert len(case_list) >= least
    repairs = {slug for case in case_list for slug in case.repairs}

    assert repairs <= set(KNOWN.numbers)
    assert all(case.repairs and case.description for case in case_list)


def test_cases_cover_every_category() -> None:
    repairs = {slug for case in cases("diagnostic_cases") for slug in case.repairs}
    parents = {KNOWN.problems[KNOWN.numbers[slug]].parent.id for slug in repairs}

    assert parents == {problem.parent.id for problem in KNOWN.problems}


def test_no_case_is_listed_twice() -> None:
    texts = [case.description.casefold() for name in LISTS for case in cases(name)]

    assert len(set(texts)) == len(texts)


def test_diagnose_ranks_the_right_repair_among_three_in_85_percent() -> None:
    assert share_right("diagnostic_cases", KNOWN, 3) >= 0.85


@pytest.mark.parametrize(
    "text",
    [
        "help",
        "My car makes a noise.",
        "light on dashboard",
        "everything is fine",
        "my dog ate my homework",
        "车子坏了",
    ],
)
def test_diagnose_is_not_sure_of_a_vague_text(text: str) -> None:
    clues = read(text, KNOWN).clues(Traits())

    assert not diagnose(KNOWN, clues).enough
    assert next_question(KNOWN, clues) is not None
