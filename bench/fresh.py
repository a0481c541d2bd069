"""Diagnoses of fresh texts: totals for a file of labeled complaints, and for one of labeled sentences.

Run from the root of the repository: ``python -m bench.fresh --texts FILE [--sentences FILE]``. The texts are JSON, a line each, with
``title``, ``text``, ``repairs`` (slugs of the book, any of them counts as right), ``dangers`` and ``perhaps`` (dangers that may be
meant). The sentences are CSV with ``dangers`` and ``text``. Only totals are printed, so that nothing can be tuned on them.
"""

import argparse
import csv
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.diagnostics import knowledge, unlearned
from bench.strangers import Labeled, rankers, share, summary, warned
from bench.table import tell
from repaircore.diagnosis.knowledge import Knowledge
from repaircore.diagnosis.reading import danger_phrases, read


def fresh_texts(path: Path) -> list[Labeled]:
    """Read labeled complaints."""
    with path.open(encoding="utf-8") as file:
        return [
            Labeled(
                text=". ".join(filter(None, (entry["title"], entry["text"]))),
                title=entry["title"],
                half="fresh",
                repairs=frozenset(entry["repairs"]),
                dangers=frozenset(entry["dangers"]),
                perhaps=frozenset(entry["perhaps"]),
            )
            for entry in map(json.loads, file)
        ]


def _sentences(path: Path, known: Knowledge) -> Iterator[str]:
    with path.open(newline="", encoding="utf-8") as file:
        lines = [(frozenset(row["dangers"].split()), row["text"]) for row in csv.DictReader(file)]
    both = [(dangers, warned(read(text, known))) for dangers, text in lines]
    alone = [(dangers, frozenset(danger_phrases(text, known).asserted)) for dangers, text in lines]
    for name, results in (("by both witnesses", both), ("by phrases alone", alone)):
        real = sum(len(dangers) for dangers, _ in results)
        met = sum(len(dangers & found) for dangers, found in results)
        harmless = [bool(found) for dangers, found in results if not dangers]
        yield (
            f"sentences, {name}: reported that are real {share(met, real)}; "
            f"harmless ones warned of {share(sum(harmless), len(harmless))}"
        )
    yield f"sentences: missed or false, by danger {dict(_wrong(both))}"


def _wrong(results: Sequence[tuple[frozenset[str], frozenset[str]]]) -> Counter[str]:
    return Counter(danger for dangers, found in results for danger in dangers ^ found)


def _phrases(cases: Sequence[Labeled], known: Knowledge) -> Iterator[str]:
    results = [(case, frozenset(danger_phrases(case.text, known).asserted)) for case in cases]
    real, met = (
        sum(len(case.dangers) for case in cases),
        sum(len(case.dangers & found) for case, found in results),
    )
    false = sum(bool(found - case.dangers - case.perhaps) for case, found in results)
    yield f"  by phrases alone: dangers reported that are real {share(met, real)}; texts with a false one {share(false, len(cases))}"


def main() -> None:
    """Print the totals."""
    parser = argparse.ArgumentParser(description="Score diagnoses of fresh texts.")
    parser.add_argument("--texts", type=Path, required=True)
    parser.add_argument("--sentences", type=Path)
    arguments = parser.parse_args()
    known = knowledge()
    cases = fresh_texts(arguments.texts)
    labeled = [case for case in cases if case.repairs]
    tell(f"fresh texts: {len(cases)}, of which {len(labeled)} are labeled with a repair")
    for line in summary(labeled, cases, known, rankers(known, unlearned())):
        tell(line)
    for line in _phrases(cases, known):
        tell(line)
    if arguments.sentences is not None:
        for line in _sentences(arguments.sentences, known):
            tell(line)


if __name__ == "__main__":
    main()
