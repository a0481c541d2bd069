"""Trains the line model: ``python -m bench line_weights FILE`` writes the weights that the product ships, bit for bit.

It learns from the lines of tests/data/job_lines/tuning, from the made-up exports that the rules were written with, and from the names of
repairs; never from lines that are held apart. The features are words as the matcher spells them out, so the weights are trained again where
the vocabulary has changed: ``python -m bench line_weights src/repaircore/data/line_weights.tsv``.
"""

import argparse
import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

from bench.job_lines import files_of
from bench.shop_exports.made_up import SEEN, TUNED, texts, texts_of
from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.job_names import written_job_names
from repaircore.job_matching.job_words import one_term
from repaircore.job_matching.learned import LearnedReader
from repaircore.job_matching.phrase_book import PhraseBook
from repaircore.line_model.model import NO_OPINION, NO_WORK, OTHER_WORK, SEVERAL
from repaircore.line_model.training import Example, train
from repaircore.line_model.weights_text import dump

_OF_A_NAME: Final = 0.5
"""A name of a repair counts half: it is no line that anybody wrote."""


def main(arguments: Sequence[str]) -> None:
    """Train the model and write it."""
    parser = argparse.ArgumentParser(prog="python -m bench line_weights", description=__doc__)
    parser.add_argument("file", type=Path, help="where to write the weights")
    parser.add_argument(
        "--without", nargs="*", default=(), metavar="NAME", help="files of lines to leave out, to count them"
    )
    given = parser.parse_args(arguments)
    found = list(examples(given.without))
    model = train(found)
    given.file.write_text(dump(model, digest(found)), encoding="utf-8")
    print(f"{len(found):,} lines and names, {len(model.weights):,} features, saved to {given.file}")


def examples(without: Sequence[str] = ()) -> Iterator[Example]:
    """Yield what the model learns from, in a fixed order, without some files of lines."""
    reader = LearnedReader(PhraseBook(book().problems, written_job_names()), NO_OPINION)
    for text, meaning, weight in _labeled(without):
        yield Example(reader.line(one_term(text)), meaning, weight)


def digest(found: Sequence[Example]) -> str:
    """Return a digest of what a model learns from: all lines as the matcher spells them out, with meanings and weights."""
    hashed = hashlib.sha256()
    for example in found:
        line = example.line
        hashed.update(
            repr(
                (line.done, sorted(line.words), sorted(line.context), example.meaning, example.weight)
            ).encode()
        )
    return hashed.hexdigest()


def _labeled(without: Sequence[str]) -> Iterator[tuple[str, str, float]]:
    for file in files_of("tuning"):
        if file.stem in without:
            continue
        yield from ((text, _meaning(truth), 1.0) for text, truth in texts_of(file))
    for name in (*TUNED, *SEEN):
        # There "none" is whatever the book has no repair of.
        yield from (
            (text, OTHER_WORK if truth == NO_WORK else _meaning(truth), 1.0) for text, truth in texts(name)
        )
    for problem in book().problems:
        yield problem.name, problem.slug, 1.0
    names = written_job_names()
    for slug, phrases in names.names.items():
        yield from ((phrase, slug, _OF_A_NAME) for phrase in phrases)
    yield from ((phrase, OTHER_WORK, _OF_A_NAME) for phrase in names.other)


def _meaning(truth: str) -> str:
    return SEVERAL if ", " in truth else truth
