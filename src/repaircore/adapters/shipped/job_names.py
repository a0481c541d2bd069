"""The names of repairs on shops' invoices, from the shipped file."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

from attrs import evolve

from repaircore.job_matching.model import JobNames
from repaircore.line_model.model import NO_OPINION, LineModel
from repaircore.line_model.weights_text import load

_WEIGHTS: Final = "line_weights.tsv"
_CATEGORY: Final = "category"
_OTHER: Final = "other"


@cache
def job_names() -> JobNames:
    """Read ``data/job_names.toml`` and ``data/line_weights.tsv``, once per process."""
    return evolve(written_job_names(), learned=line_model())


def written_job_names() -> JobNames:
    """Read ``data/job_names.toml``, without the model that was trained on labeled lines."""
    page = tomllib.loads((files("repaircore") / "data" / "job_names.toml").read_text("utf-8"))
    categories, other = page.pop(_CATEGORY), page.pop(_OTHER)
    return JobNames(
        names={slug: tuple(entry["names"]) for slug, entry in page.items()},
        included={
            **categories,
            **{slug: entry["included"] for slug, entry in page.items() if "included" in entry},
        },
        other=tuple(other["names"]),
    )


def line_model() -> LineModel:
    """Return the shipped line model, or one without opinions if none is shipped.

    Raises:
        ValueError: the file is malformed (a contributor's mistake, which the tests find).
    """
    text = line_weights_text()
    return load(text) if text else NO_OPINION


def line_weights_text() -> str:
    """Return the text of ``data/line_weights.tsv``, or "" if it is not shipped."""
    file = files("repaircore.data") / _WEIGHTS
    return file.read_text("utf-8") if file.is_file() else ""
