"""Links and references in the documentation lead to things that exist."""

import re
import subprocess
from pathlib import Path

import pytest
from tests.docs.examples import ROOT, pages

_LINK = re.compile(r"\]\(([^)\s]+)\)")
_MENTION = re.compile(r"\bdocs/[\w/-]+\.(?:md|csv)\b")
_HEADING = re.compile(r"^#+ +(.+)$", re.MULTILINE)
_PAGES = [ROOT / "CHANGELOG.md", *pages()]


def _anchors(page: Path) -> set[str]:
    headings = _HEADING.findall(page.read_text(encoding="utf-8"))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _broken(page: Path) -> list[str]:
    broken = []
    for link in _LINK.findall(page.read_text(encoding="utf-8")):
        if link.startswith(("http://", "https://", "mailto:")):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in _anchors(target)):
            broken.append(link)
    return broken


def _sources() -> list[Path]:
    return [path for folder in ("src", "bench", "tests") for path in (ROOT / folder).rglob("*.py")]


@pytest.mark.parametrize("page", _PAGES, ids=[str(page.relative_to(ROOT)) for page in _PAGES])
def test_every_relative_link_has_a_target(page: Path) -> None:
    assert _broken(page) == []


def test_every_page_named_in_the_code_exists() -> None:
    named = {
        (mention, str(path.relative_to(ROOT)))
        for path in _sources()
        for mention in _MENTION.findall(path.read_text(encoding="utf-8"))
    }
    assert [pair for pair in sorted(named) if not (ROOT / pair[0]).is_file()] == []


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    listed = set(_LINK.findall((folder / "README.md").read_text(encoding="utf-8")))
    assert {path.name for path in folder.glob("*.md")} - {"README.md"} <= listed


def test_every_page_can_be_reached_from_the_readme() -> None:
    reached: set[Path] = set()
    waiting = [ROOT / "README.md"]
    while waiting:
        page = waiting.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        links = _LINK.findall(page.read_text(encoding="utf-8"))
        waiting += [
            (page.parent / link.partition("#")[0]).resolve()
            for link in links
            if not link.startswith(("http", "#"))
        ]
    assert set(_PAGES) - reached == set()


def test_no_tracked_file_names_paths_of_a_development_machine() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    listed = subprocess.run(
        ["git", "ls-files", "-z"],  # noqa: S607 - the git of the user
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    # Written so that this file does not match itself.
    machine = re.compile(
        rb"(?<![\w.])/" + rb"(?:home|root|Users|work|opt/(?!repaircore/)\w+)/[\w.]|find-" + rb"links"
    )
    found = [
        name
        for name in listed.split("\0")
        if name and (ROOT / name).is_file() and machine.search((ROOT / name).read_bytes())
    ]
    assert found == []


def test_every_module_named_in_the_architecture_page_exists() -> None:
    text = (ROOT / "docs" / "explanation" / "architecture.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:repaircore\w*|tests)/[\w/]*(?:\.py)?)`", text))
    assert len(named) > 20
    assert [
        path for path in sorted(named) if not any((ROOT / top / path).exists() for top in ("", "src"))
    ] == []
