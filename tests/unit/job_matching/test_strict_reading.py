import pytest

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.job_names import job_names
from repaircore.job_matching.phrase_book import PhraseBook
from repaircore.job_matching.strict_reading import OTHER_WORDS, SEVERAL, Reading, StrictReader

READER = StrictReader(PhraseBook(book().problems, job_names()))


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("R exh manifold cracked w/ bolts", "exhaust-manifold"),
        ("RF CV axle shaft replaced - boot torn", "cv-axle"),
        ("exhaust manifold w/ studs", "exhaust-manifold"),
    ],
)
def test_work_that_another_repair_includes_is_not_named_apart(text: str, slug: str) -> None:
    found = READER.read(text)

    assert (found.slug, found.named, found.reason) == (slug, (slug,), None)


@pytest.mark.parametrize(
    ("text", "reading"),
    [
        ("alternator", Reading(slug="alternator", named=("alternator",))),
        (
            "alternator, starter",
            Reading(named=("alternator", "starter-motor"), reason=SEVERAL, are_several=True),
        ),
        (
            "water pump gasket",
            Reading(named=("water-pump",), reason=OTHER_WORDS.format(words="gasket"), is_other_thing=True),
        ),
        ("brake job", Reading()),
    ],
)
def test_text_is_read_only_if_it_names_one_repair_and_nothing_else(text: str, reading: Reading) -> None:
    assert READER.read(text) == reading
