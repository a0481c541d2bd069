"""How well VINs are decoded without network: ``python -m bench.decoding FILE``.

FILE is a CSV with the columns ``vin``, ``make`` (or ``brand``), ``year`` and perhaps ``model`` of vehicles whose make and year
are known otherwise. No such file comes with the project. It is not a benchmark: it times nothing.
"""

import csv
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from repaircore.adapters.lookups.vpic_local import VpicVinDecoder
from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.kernel.spelling import key, make_key
from repaircore.vehicle_facts.model import VehicleSpecs
from repaircore.vehicles.vin import normalize


def judged(rows: Iterable[Mapping[str, str]]) -> tuple[Counter[str], list[str]]:
    """Count what came out, and list the VINs that were not decoded right, with what was said of them."""
    decoder = VpicVinDecoder(lambda: datetime.now(UTC), shipped_mechanics)
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for row in rows:
        decoded = decoder.decode(normalize(row["vin"]))
        verdict = _verdict(decoded, row)
        counts["vins"] += 1
        counts[verdict] += 1
        if decoded is not None and row.get("model"):
            counts["model named alike"] += _alike(decoded.model, row["model"])
        if verdict != "right":
            said = "nothing" if decoded is None else decoded.display_name
            wrong.append(f"{row['vin']}: {_told(row)} {row.get('model', '')}, decoded as {said}")
    return counts, wrong


def _verdict(decoded: VehicleSpecs | None, row: Mapping[str, str]) -> str:
    if decoded is None:
        return "not known"
    right = make_key(decoded.make) == make_key(_make(row)) and decoded.year == int(row["year"])
    return "right" if right else "make or model year wrong"


def _alike(model: str, other: str) -> bool:
    """Tell whether one name stands in the other; sellers write "door" for any car."""
    return key(other) in key(model) or key(model) in key(other)


def _make(row: Mapping[str, str]) -> str:
    return row["make"] if "make" in row else row["brand"]


def _told(row: Mapping[str, str]) -> str:
    return f"{row['year']} {_make(row)}"


def main(path: Path) -> None:
    with path.open(encoding="utf-8", newline="") as file:
        counts, wrong = judged(csv.DictReader(file))
    for what in ("vins", "right", "make or model year wrong", "not known", "model named alike"):
        print(f"{what:26}{counts[what]:6}  {counts[what] / max(1, counts['vins']):6.1%}")
    print(*wrong, sep="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
