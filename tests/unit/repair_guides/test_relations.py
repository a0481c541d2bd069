from attrs import evolve

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.codes import code_table
from repaircore.book.model import Problem, Symptom, Wear
from repaircore.repair_guides.relations import codes_by_repair, list_alike, list_before, similarity
from repaircore.testing.builders import a_problem


def problem_with(number: int, **shares: float) -> Problem:
    symptoms = tuple(Symptom(slug=slug, share=share) for slug, share in shares.items())
    return a_problem(id=number, slug=f"repair-{number}", symptoms=symptoms, followups=())


def test_similarity_is_one_for_the_same_symptoms_and_zero_for_none_in_common() -> None:
    squeal, clunk = problem_with(1, squeal=0.5), problem_with(2, clunk=0.5)

    assert round(similarity(squeal, problem_with(3, squeal=0.9)), 6) == 1
    assert similarity(squeal, clunk) == 0
    assert similarity(problem_with(4), squeal) == 0


def test_similar_repairs_are_sorted_and_exclude_the_repair_itself() -> None:
    one = problem_with(1, squeal=0.5, shake=0.5)
    close, closer, far = (
        problem_with(2, squeal=0.5),
        problem_with(3, squeal=0.4, shake=0.5),
        problem_with(4, clunk=1.0),
    )

    assert [other.id for other in list_alike(one, [one, close, closer, far])] == [3, 2]


def test_scheduled_service_is_similar_to_no_repair() -> None:
    one, other = problem_with(1, squeal=0.5), problem_with(2, squeal=0.5)
    planned = evolve(other, recurrence=evolve(other.recurrence, kind=Wear.SCHEDULE))

    assert list_alike(one, [planned]) == []


def test_repairs_before_are_those_with_it_as_a_followup() -> None:
    one = problem_with(1)
    before = evolve(problem_with(2), followups=("repair-1",))

    assert list_before(one, [one, before, problem_with(3)]) == [before]


def test_codes_of_a_repair_list_the_makers_codes_last() -> None:
    naming = codes_by_repair(code_table())["catalytic-converter"]

    assert naming[0].code == "P0420"
    assert [not each.makes for each in naming] == sorted((not each.makes for each in naming), reverse=True)


def test_every_code_lists_repairs_of_the_book() -> None:
    slugs = {problem.slug for problem in book().problems}

    assert codes_by_repair(code_table()).keys() <= slugs
