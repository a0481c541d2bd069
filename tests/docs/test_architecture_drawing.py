"""The drawing of the rings matches the import contracts."""

from tests.docs.architecture_drawing import drawing, rings
from tests.docs.examples import ROOT

DRAWN = ROOT / "docs" / "images" / "architecture.svg"


def test_drawing_is_current() -> None:
    assert DRAWN.read_text(encoding="utf-8") == drawing(), (
        "run: python -m tests.docs.architecture_drawing > docs/images/architecture.svg"
    )


def test_every_package_of_the_library_is_drawn_once() -> None:
    packages = {
        path.name.removesuffix(".py")
        for path in (ROOT / "src" / "repaircore").iterdir()
        if not path.name.startswith("_") and (path.is_dir() or path.suffix == ".py")
    }
    names = [name for ring in rings() for name in ring]

    assert sorted(names) == sorted((packages | {"repaircore_http", "repaircore_cli"}) - {"data", "version"})
