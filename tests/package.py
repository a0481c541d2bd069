"""``python -m tests.package FOLDER``: what was built is complete; with ``--release``, it may also be published.

Prints each point of the list with ``ok`` or with what is missing, and ends with status 1 when something is.
"""

import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from collections.abc import Callable, Iterator
from email.parser import Parser
from pathlib import Path
from typing import Final, TypeAlias

from repaircore.version import __version__

ROOT: Final = Path(__file__).parents[1]
_LINK: Final = re.compile(r"\]\(([^)\s]+)\)")
_RELEASED: Final = re.compile(r"## (\S+) \(?(20\d\d-\d\d-\d\d)?")

Point: TypeAlias = tuple[str, Callable[[], list[str]]]
"""What has to hold, and what finds where it does not."""


def points(folder: Path) -> Iterator[Point]:
    """List what holds for everything that is built."""
    yield "the version of the files is that of the source", lambda: _other_versions(folder)
    yield "links of the description lead to files of the project", lambda: _dead_links(folder)
    yield "the source distribution has every tracked file", lambda: _left_out(folder)
    yield "the wheel has the packages, with their data and types", lambda: _missing_in_wheel(folder)


def points_of_a_release() -> Iterator[Point]:
    """List what also holds for what is published."""
    yield "pyproject.toml has the repository's address", _no_address
    yield f"the changelog begins with {__version__} and its date", _undated
    yield f"the README lists what is in version {__version__.rpartition('.')[0]}", _old_readme
    yield "everything is committed", _uncommitted
    yield f"v{__version__} is not a tag yet", _tagged


def _wheel(folder: Path) -> Path:
    (wheel,) = folder.glob("*.whl")
    return wheel


def _sdist(folder: Path) -> Path:
    (sdist,) = folder.glob("*.tar.gz")
    return sdist


def _description(folder: Path) -> str:
    with zipfile.ZipFile(_wheel(folder)) as wheel:
        (name,) = [name for name in wheel.namelist() if name.endswith(".dist-info/METADATA")]
        return str(Parser().parsestr(wheel.read(name).decode()).get_payload())


def _other_versions(folder: Path) -> list[str]:
    return [path.name for path in (_wheel(folder), _sdist(folder)) if f"-{__version__}" not in path.name]


def _repository() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return str(project["tool"]["hatch"]["metadata"]["hooks"]["custom"]["repository"]).rstrip("/")


def _dead_links(folder: Path) -> list[str]:
    ours = re.compile(rf"{re.escape(_repository())}/(?:blob|raw)/v{re.escape(__version__)}/([^#]+)")
    links = _LINK.findall(_description(folder))
    paths = {link: ours.match(link) for link in links if not link.startswith("#")}
    return [
        link
        for link, found in paths.items()
        if not link.startswith("https://") or (found and not (ROOT / found[1]).exists())
    ]


def _git(*words: str) -> str:
    return subprocess.run(  # noqa: S603 - the words are ours
        ["git", *words],  # noqa: S607 - the git of whoever checked this out
        cwd=ROOT,
        capture_output=True,
        check=True,
        text=True,
    ).stdout


def _left_out(folder: Path) -> list[str]:
    if not (ROOT / ".git").exists():
        return []
    with tarfile.open(_sdist(folder)) as sdist:
        packed = {name.partition("/")[2] for name in sdist.getnames()}
    return sorted(set(filter(None, _git("ls-files", "-z").split("\0"))) - packed)


def _missing_in_wheel(folder: Path) -> list[str]:
    with zipfile.ZipFile(_wheel(folder)) as wheel:
        packed = set(wheel.namelist())
    source = ROOT / "src"
    wanted = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    return sorted(name for name in wanted - packed if ".egg-info/" not in name)


def _no_address() -> list[str]:
    return [] if _repository().startswith("https://") else [f"repository = {_repository()!r}"]


def _undated() -> list[str]:
    headings = [
        line
        for line in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("## ")
    ]
    found = _RELEASED.match(headings[0])
    return [] if found and found[1] == __version__ and found[2] else headings[:1]


def _old_readme() -> list[str]:
    minor = __version__.rpartition(".")[0]
    return (
        [] if f"Version {minor}:" in (ROOT / "README.md").read_text(encoding="utf-8") else ["What is in it"]
    )


def _uncommitted() -> list[str]:
    return _git("status", "--porcelain").splitlines()


def _tagged() -> list[str]:
    return _git("tag", "--list", f"v{__version__}").split()


def walk(checked: Iterator[Point]) -> bool:
    """Print each point and what is wrong with it; return whether all hold."""
    well = True
    for name, find in checked:
        wrong = find()
        well = well and not wrong
        print("ok     " if not wrong else "MISSING", name)  # noqa: T201 - it is a command
        for line in wrong[:20]:
            print("         ", line)  # noqa: T201 - it is a command
    return well


def _all_points(words: list[str]) -> Iterator[Point]:
    yield from points(Path(words[0]))
    if "--release" in words:
        yield from points_of_a_release()


if __name__ == "__main__":
    sys.exit(0 if walk(_all_points(sys.argv[1:])) else 1)
