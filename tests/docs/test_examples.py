"""Every example that the pages show is run."""

import os
import shutil
from pathlib import Path

import pytest
from tests.docs.examples import ROOT, Block, Page, blocks, commands, pages, plain

_RUNNABLE = {"python", "console"}
_GENERATED = ROOT / "docs" / "howto" / "generate-a-client.md"
"""What needs a generator of clients has a test of its own."""
_PAGES = [
    page
    for page in pages()
    if page != _GENERATED
    and any(block.language in _RUNNABLE for block in blocks(page.read_text(encoding="utf-8")))
]
_FIRST = {ROOT / "README.md", ROOT / "docs" / "tutorial.md"}
"""What a newcomer reads, and what is run each time."""


def _run(page: Path, folder: Path) -> None:
    text = page.read_text(encoding="utf-8")
    if "curl " in text and shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    with Page(folder) as opened:
        opened.run(blocks(text))


@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=str(page.relative_to(ROOT)), marks=[] if page in _FIRST else pytest.mark.long)
        for page in _PAGES
    ],
)
def test_every_example_of_a_page_runs_and_prints_what_is_shown(page: Path, tmp_path: Path) -> None:
    _run(page, tmp_path)


@pytest.mark.client
def test_client_can_be_generated_and_called(tmp_path: Path) -> None:
    generator = os.environ.get("REPAIRCORE_TEST_CLIENT_ENV")
    if not generator:
        pytest.skip("REPAIRCORE_TEST_CLIENT_ENV names no environment with openapi-python-client")
    (tmp_path / "client-env").symlink_to(generator)
    _run(_GENERATED, tmp_path)


def test_readme_and_the_tutorial_have_examples() -> None:
    assert set(_PAGES) >= _FIRST


def test_example_that_prints_something_else_is_found(tmp_path: Path) -> None:
    results = [Block("python", "print('a brake costs', 3)\n"), Block("text", "a tire costs 3\n")]
    with Page(tmp_path) as page, pytest.raises(AssertionError, match="a brake costs"):
        page.run(results)


def test_dots_stand_for_whatever_else_is_printed(tmp_path: Path) -> None:
    with Page(tmp_path) as page:
        page.run([Block("console", "$ printf 'a\\nb\\nc\\n'\na\n…\nc\n")])
        with pytest.raises(AssertionError, match="prints"):
            page.run([Block("console", "$ printf 'a\\nb\\nc\\n'\na\n…\nd\n")])


def test_command_that_fails_is_found(tmp_path: Path) -> None:
    with Page(tmp_path) as page, pytest.raises(AssertionError, match="no-such-file"):
        page.run([Block("console", "$ ls no-such-file\n")])


def test_what_one_example_sets_the_next_one_knows(tmp_path: Path) -> None:
    results = [
        Block("python", "price = 3\n"),
        Block("python", "print(price)\n"),
        Block("text", "4\n"),  # a figure may differ
        Block("console", "$ NAME=brakes\n$ echo $NAME\nbrakes\n"),
    ]
    with Page(tmp_path) as page:
        page.run(results)


def test_block_that_names_a_file_is_put_into_it(tmp_path: Path) -> None:
    results = [Block("python", "# told.py\nprint('told')\n"), Block("console", "$ python told.py\ntold\n")]
    with Page(tmp_path) as page:
        page.run(results)


def test_python_knows_what_commands_have_set(tmp_path: Path) -> None:
    results = [
        Block("console", "$ KEY=abc\n"),
        Block("python", "import os\nprint(os.environ['KEY'])\n"),
        Block("text", "abc\n"),
    ]
    with Page(tmp_path) as page:
        page.run(results)


def test_command_may_go_on_in_the_next_line() -> None:
    console = "$ curl a \\\n  -d b\n{}\n$ echo 'x\ny'\n"
    assert list(commands(console)) == [("curl a \\\n  -d b", "{}"), ("echo 'x\ny'", "")]


def test_only_what_varies_is_left_out_of_a_comparison() -> None:
    assert plain("Average  $251.13") == plain("Average $1,260.00\n")
    assert plain("low $1") != plain("high $1")
    assert plain("sk_test_3aQ") == plain("sk_test_9zZ") != plain("sk_live_9zZ")
