"""What the import of a file shows of its jobs before anything is saved."""

from io import BytesIO

from repaircore.core import Core
from repaircore.invoice_files.service import FileOutcome
from repaircore.job_matching.model import Outcome
from repaircore.kernel.callers import Environment
from repaircore.kernel.imports import ImportOptions, Upload

HEAD = "RO #,Closed,VIN,Concern,Labor Hrs,Labor $,Parts $,Shop\n"


def preview(core: Core, *texts: str) -> FileOutcome:
    rows = [f"{at},01/31/2025,1HGCM82633A004352,{text},1,100,100,Elm\n" for at, text in enumerate(texts)]
    content = BytesIO((HEAD + "".join(rows)).encode())
    upload = Upload(name="counter.csv", content=content, environment=Environment.LIVE)
    return core.invoice_files.import_file(upload, options=ImportOptions(dry_run=True))


def test_examples_of_an_outcome_have_different_texts(core: Core) -> None:
    gizmos = [f"custom gizmo {letter}" for letter in "ABCDEFGHIJKLMNOP"]

    found = preview(core, *(text for gizmo in gizmos for text in (gizmo, gizmo.upper())))

    texts = [one.job.text for one in found.examples[Outcome.UNMATCHED]]
    assert texts == gizmos[: len(texts)]
    assert len(texts) == len(found.preview) < len(gizmos)
    assert found.counts == {Outcome.UNMATCHED: 2 * len(gizmos)}


def test_jobs_are_counted_by_what_becomes_of_them(core: Core) -> None:
    found = preview(core, "LF CV axle", "frt brk pads", "custom gizmo", "installed trailer hitch")

    assert (found.rows, found.left_out, found.unknown_shops, found.waiting) == (4, 1, 3, 0)
    assert found.counts == {Outcome.SURE: 2, Outcome.UNMATCHED: 1}
    assert [one.job.text for one in found.examples[None]] == ["installed trailer hitch"]
    assert [one.job.text for one in found.preview] == [
        "LF CV axle",
        "frt brk pads",
        "custom gizmo",
        "installed trailer hitch",
    ]
