"""Failures as text."""

from repaircore.adapters.shipped.book import book
from repaircore.failure_text import error_text
from repaircore.predictions.errors import ProblemDoesNotFit


def test_text_of_a_failure_names_no_option_of_the_command_line() -> None:
    problem, other, *_ = book().problems

    assert error_text(ProblemDoesNotFit(problem, "It has none.", [other])) == "Error: It has none.\n"
