"""The word model that the package ships, and how it is made again."""

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from typing import Final

from repaircore.adapters.shipped.complaints import complaints, repair_groups, seen_repairs, stated_chances
from repaircore.book.model import Problem
from repaircore.word_model.model import NO_WORDS, WordModel
from repaircore.word_model.training import Example, Trained, accuracy, book_examples, calibrated, train
from repaircore.word_model.weights_text import dump, load

_FILE: Final = "word_weights.tsv"


@cache
def word_model() -> WordModel:
    """Return the shipped model, read once in a process; one that knows nothing when there is none.

    Raises:
        ValueError: the file is not as it should be (a contributor's mistake; the tests find it).
    """
    file = files("repaircore.data") / _FILE
    return load(file.read_text("utf-8")) if file.is_file() else NO_WORDS


def trained_again(problems: Iterable[Problem], symptoms: Mapping[str, str]) -> Trained:
    """Train a model on the shipped complaints and the book, and calibrate it on the complaints that are held out."""
    groups = repair_groups()
    listed = list(complaints())
    own = [Example(one.text, one.group) for one in listed if not one.held_out]
    held_out = [Example(one.text, one.group) for one in listed if one.held_out]
    slugs = [one.slug for one in groups.listed]
    model = train(
        [*own, *book_examples(problems, groups, symptoms)],
        slugs,
        seen=seen_repairs(),
        stated=stated_chances(),
    )
    model = calibrated(model, held_out)
    return Trained(
        text=dump(model),
        examples=len(own),
        held_out=len(held_out),
        first=accuracy(model, held_out, first=1)[0],
        third=accuracy(model, held_out, first=3)[0],
    )
