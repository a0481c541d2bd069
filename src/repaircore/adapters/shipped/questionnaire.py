"""The questionnaire, read from its files."""

import tomllib
from collections.abc import Collection
from typing import Any

from repaircore.adapters.shipped.edition import questionnaire_pages
from repaircore.questionnaire.document import read_document
from repaircore.questionnaire.model import QuestionCategory


def shipped_questionnaire(symptoms: Collection[str]) -> tuple[QuestionCategory, ...]:
    """Read the whole questionnaire.

    Raises:
        Invalid: a page is malformed (a contributor's mistake, which the tests find).
    """
    categories: list[Any] = []
    for page in questionnaire_pages():
        categories += tomllib.loads(page.read_text("utf-8"))["category"]
    return read_document({"category": categories}, symptoms)
