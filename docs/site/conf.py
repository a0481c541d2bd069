"""The documentation as a site: ``nox -s site``.

The pages are those that a forge shows; nothing is written for the site alone. The navigation is what the page of each
folder (README.md) links to, in that order, and then whatever else lies in the folder.
"""

import re
from pathlib import Path

from sphinx.application import Sphinx

HERE = Path(__file__).parent

project = "repaircore"
author = "The repaircore authors"
extensions = ["myst_parser", "sphinx_copybutton"]
root_doc = "index"
suppress_warnings = ["misc.highlighting_failure"]  # a console session is not all shell

myst_heading_anchors = 3
smartquotes = False  # two dashes are two dashes
html_theme = "furo"
html_title = "repaircore"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_copyright = False
html_show_sphinx = False
html_copy_source = False
html_permalinks_icon = "#"
pygments_style = "friendly"
pygments_dark_style = "monokai"
highlight_language = "none"
copybutton_prompt_text = "$ "
copybutton_line_continuation_character = "\\"

TOP = (
    *("tutorial", "why", "howto/README", "reference/README", "explanation/README", "lifecycles/README"),
    *("decisions/README", "glossary", "README <site/about>", "site/contributing", "site/changes"),
)
OUTSIDE = {"README.md": "about", "CONTRIBUTING.md": "contributing", "CHANGELOG.md": "changes"}
BESIDE = re.compile(r"\]\(([\w-]+)\.md\)")
DIAGRAM = re.compile(r"```mermaid\nstateDiagram-v2\n(.*?)```", re.DOTALL)
ARROW = re.compile(r"(\w+) --> (\w+)(?:: (\w+))?")


def _read(app: Sphinx, page: str, text: list[str]) -> None:
    """Make of a page for a forge one for the site."""
    folder, _, name = page.rpartition("/")
    if folder == "site":
        text[0] = _from_outside(name)
        return
    told = _within(DIAGRAM.sub(_table, text[0]), up="../" * page.count("/"))
    if page == app.config.root_doc:
        told += _contents(TOP)
    elif name == "README":
        told += _contents(_beside(HERE.parent / folder, told))
    text[0] = told


def _from_outside(name: str) -> str:
    """Give a page that lies above the folder, its links leading from here."""
    source = next(outside for outside, here in OUTSIDE.items() if here == name)
    text = (HERE.parents[1] / source).read_text(encoding="utf-8").replace("](docs/", "](../")
    for outside, here in OUTSIDE.items():
        text = text.replace(f"]({outside}", f"]({here}.md")
    return text.replace("](LICENSE)", "](../../LICENSE)")


def _within(text: str, *, up: str) -> str:
    """Lead links out of the folder to the pages that stand for them here."""
    for outside, here in OUTSIDE.items():
        text = re.sub(
            rf"\]\({re.escape(up)}\.\./{re.escape(outside)}(#[^)]*)?\)", rf"]({up}site/{here}.md\1)", text
        )
    return text


def _beside(folder: Path, text: str) -> tuple[str, ...]:
    """List the pages of a folder: those that its own page links to, then those that it does not."""
    found = sorted({page.stem for page in folder.glob("*.md")} - {"README"})
    linked = [page for page in dict.fromkeys(BESIDE.findall(text)) if page in found]
    return (*linked, *(page for page in found if page not in linked))


def _contents(pages: tuple[str, ...]) -> str:
    return "\n\n```{toctree}\n:hidden:\n\n" + "\n".join(pages) + "\n```\n"


def _table(diagram: re.Match[str]) -> str:
    """Tell a diagram of states as a table: drawing it would need a program from elsewhere in the reader's browser."""
    rows = [
        f"| `{state}` | `{action or led_to}` | `{led_to}` |"
        for state, led_to, action in ARROW.findall(diagram[1])
    ]
    return "| from | action | to |\n|---|---|---|\n" + "\n".join(rows)


def setup(app: Sphinx) -> None:
    """Take part in the reading of pages."""
    app.connect("source-read", _read)
