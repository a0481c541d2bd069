"""The names of repairs on shops' invoices, from the shipped file."""

import tomllib
from functools import cache
from importlib.resources import files
from typing import Final

from repaircore.job_matching.model import JobNames

_CATEGORY: Final = "category"
_OTHER: Final = "other"


@cache
def job_names() -> JobNames:
    """Read ``data/job_names.toml``, once per process."""
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
