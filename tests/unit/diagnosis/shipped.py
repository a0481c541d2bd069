"""The shipped knowledge for diagnoses, built once."""

from functools import cache

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.codes import code_table
from repaircore.adapters.shipped.complaints import repair_groups, word_model
from repaircore.adapters.shipped.dangers import danger_model
from repaircore.adapters.shipped.vocabulary import lexicon, vocabulary
from repaircore.diagnosis.knowledge import Knowledge


@cache
def shipped_knowledge() -> Knowledge:
    return Knowledge(
        book().problems,
        vocabulary(),
        code_table(),
        lexicon(),
        groups=repair_groups(),
        word_model=word_model(),
        danger_model=danger_model(),
    )
