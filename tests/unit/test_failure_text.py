"""Failures as text."""

from repaircore.adapters.shipped.book import book
from repaircore.failure_text import error_text
from repaircore.predictions.errors import ProblemDoesNotFit


def test_error_text_names_no_command_line_option() -> None:
    problem, other, *_ = book().problems

    assert error_text(ProblemDoesNotFit(problem, "It has none.", [other])) == "Error: It has none.\n"
