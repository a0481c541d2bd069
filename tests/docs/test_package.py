"""The project page on a package index, and the dependencies."""

import re
import tomllib
from importlib import import_module
from typing import Any, Final

import pytest
from tests.docs.examples import ROOT

PROJECT: Final[dict[str, Any]] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
    "project"
]
_NAME: Final = re.compile(r"[\w-]+")
_PAGE: Final = ROOT / "docs" / "decisions" / "dependencies.md"
_TESTS_ONLY: Final = {"test"}


def _names(requirements: list[str]) -> set[str]:
    return {found[0] for found in map(_NAME.match, requirements) if found}


def _rows(page: str, *, first: str) -> dict[str, str]:
    table = page.partition(f"| {first} |")[2].partition("\n\n")[0]
    return {line.split("|")[1].strip(" `"): line.split("|")[2] for line in table.splitlines()[2:]}


def test_page_of_dependencies_lists_exactly_the_dependencies() -> None:
    rows = _rows(_PAGE.read_text(encoding="utf-8"), first="package")

    assert rows.keys() == _names(PROJECT["dependencies"])


def test_page_of_dependencies_lists_every_extra_with_its_packages() -> None:
    extras = {
        name: _names(wanted)
        for name, wanted in PROJECT["optional-dependencies"].items()
        if name not in _TESTS_ONLY
    }
    rows = _rows(_PAGE.read_text(encoding="utf-8"), first="extra")

    assert {name: set(re.findall(r"`([\w-]+)`", packages)) for name, packages in rows.items()} == extras


def test_every_supported_python_is_classified_and_tested() -> None:
    named = {
        line.rpartition(" ")[2]
        for line in PROJECT["classifiers"]
        if re.fullmatch(r"Programming Language :: Python :: 3\.\d+", line)
    }
    bounds = re.fullmatch(r">=3\.(\d+),<3\.(\d+)", PROJECT["requires-python"])
    assert bounds is not None
    tried = re.findall(r"@nox\.session\(python=\[(.*)\]\)", (ROOT / "noxfile.py").read_text(encoding="utf-8"))

    assert named == {f"3.{minor}" for minor in range(int(bounds[1]), int(bounds[2]))}
    assert set(tried[0].replace('"', "").split(", ")) == named


def test_links_and_images_of_the_readme_point_to_the_release_on_an_index() -> None:
    pytest.importorskip("hatchling")
    absolute = import_module("hatch_build").absolute
    page = "[a](pages/a.md#b) ![c](pages/c.png) [d](https://d.example/e) [f](#g) <http://127.0.0.1:8000>"

    assert absolute(page, "https://r.example/p", "1.2.0") == (
        "[a](https://r.example/p/blob/v1.2.0/pages/a.md#b) ![c](https://r.example/p/raw/v1.2.0/pages/c.png) "
        "[d](https://d.example/e) [f](#g) <http://127.0.0.1:8000>"
    )


def test_readme_without_a_repository_has_only_the_text_of_its_links() -> None:
    pytest.importorskip("hatchling")
    absolute = import_module("hatch_build").absolute
    page = "[a](pages/a.md#b) ![c](pages/c.png) [d](https://d.example/e) [f](#g)"

    assert absolute(page, "", "1.2.0") == "a c [d](https://d.example/e) [f](#g)"


@pytest.mark.parametrize("repository", ["", "https://r.example/p/"])
def test_project_has_addresses_only_with_a_repository(repository: str) -> None:
    pytest.importorskip("hatchling")
    metadata: dict[str, Any] = {"version": "1.2.0"}
    import_module("hatch_build").ProjectMetadata(str(ROOT), {"repository": repository}).update(metadata)

    assert metadata["urls"].get("Changelog") == (
        "https://r.example/p/blob/v1.2.0/CHANGELOG.md" if repository else None
    )
    assert ("](docs/" in metadata["readme"]["text"]) is False


def test_no_link_of_the_readme_stays_relative() -> None:
    pytest.importorskip("hatchling")
    page = import_module("hatch_build").absolute(
        (ROOT / "README.md").read_text(encoding="utf-8"), "https://r.example/p", "1.2.0"
    )

    assert [link for link in re.findall(r"\]\(([^)]+)\)", page) if not link.startswith("https://")] == []
