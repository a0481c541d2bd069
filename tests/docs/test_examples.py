"""Run every example of the pages."""

import os
import shutil
from pathlib import Path

import pytest
from tests.docs.examples import ROOT, Block, Page, blocks, commands, pages, plain

_RUNNABLE = {"python", "console"}
_CLIENT_GENERATOR = ROOT / "docs" / "howto" / "generate-a-client.md"
"""The page that needs a client generator has its own test."""
_PAGES = [
    page
    for page in pages()
    if page != _CLIENT_GENERATOR
    and any(block.language in _RUNNABLE for block in blocks(page.read_text(encoding="utf-8")))
]
_FIRST = {ROOT / "README.md", ROOT / "docs" / "tutorial.md"}
"""The pages for newcomers, which every run includes."""


def _place(page: Path) -> tuple[int, int]:
    """Return the reading order of a page: README, tutorial, the guides in the order of their list, the rest."""
    guides = (ROOT / "docs" / "howto" / "README.md").read_text(encoding="utf-8")
    firsts = {ROOT / "README.md": 0, ROOT / "docs" / "tutorial.md": 1}
    return (firsts.get(page, 2 if page.parent.name == "howto" else 3), guides.find(f"({page.name})"))


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
        for page in sorted(_PAGES, key=_place)
    ],
)
@pytest.mark.every_variant
def test_every_example_of_a_page_runs_and_prints_what_is_shown(page: Path, tmp_path: Path) -> None:
    _run(page, tmp_path)


@pytest.mark.client
def test_client_can_be_generated_and_called(tmp_path: Path) -> None:
    generator = os.environ.get("REPAIRCORE_TEST_CLIENT_ENV")
    if not generator:
        pytest.skip("REPAIRCORE_TEST_CLIENT_ENV names no environment with openapi-python-client")
    with Page(tmp_path) as opened:
        (tmp_path / "home" / "client-env").symlink_to(generator)
        opened.run(blocks(_CLIENT_GENERATOR.read_text(encoding="utf-8")))


_NOT_RUN = "# Not run here: "
_RUN_ELSEWHERE = {"from-nothing-to-production.md"}
"""Pages that test_production.py runs."""


@pytest.mark.parametrize("page", sorted(ROOT.glob("docs/howto/*.md")), ids=lambda page: page.stem)
def test_guide_explains_each_block_that_is_not_run(page: Path) -> None:
    skipped = [block for block in blocks(page.read_text(encoding="utf-8")) if block.language in {"sh", "py"}]

    assert [
        block.text
        for block in skipped
        if page.name not in _RUN_ELSEWHERE and not block.text.startswith(_NOT_RUN)
    ] == []


def test_readme_and_the_tutorial_have_examples() -> None:
    assert set(_PAGES) >= _FIRST


def test_different_output_fails(tmp_path: Path) -> None:
    results = [Block("python", "print('a brake costs', 3)\n"), Block("text", "a tire costs 3\n")]
    with Page(tmp_path) as page, pytest.raises(AssertionError, match="a brake costs"):
        page.run(results)


def test_ellipsis_matches_any_further_output(tmp_path: Path) -> None:
    with Page(tmp_path) as page:
        page.run([Block("console", "$ printf 'a\\nb\\nc\\n'\na\n…\nc\n")])
        with pytest.raises(AssertionError, match="prints"):
            page.run([Block("console", "$ printf 'a\\nb\\nc\\n'\na\n…\nd\n")])


def test_failing_command_fails(tmp_path: Path) -> None:
    with Page(tmp_path) as page, pytest.raises(AssertionError, match="no-such-file"):
        page.run([Block("console", "$ ls no-such-file\n")])


def test_examples_share_their_variables(tmp_path: Path) -> None:
    results = [
        Block("python", "price = 3\n"),
        Block("python", "print(price)\n"),
        Block("text", "4\n"),  # a figure may differ
        Block("console", "$ NAME=brakes\n$ echo $NAME\nbrakes\n"),
    ]
    with Page(tmp_path) as page:
        page.run(results)


def test_block_that_names_a_file_is_written_to_it(tmp_path: Path) -> None:
    results = [Block("python", "# told.py\nprint('told')\n"), Block("console", "$ python told.py\ntold\n")]
    with Page(tmp_path) as page:
        page.run(results)


def test_python_sees_exported_variables(tmp_path: Path) -> None:
    results = [
        Block("console", "$ export KEY=abc\n"),
        Block("python", "import os\nprint(os.environ['KEY'])\n"),
        Block("text", "abc\n"),
    ]
    with Page(tmp_path) as page:
        page.run(results)


def test_other_program_does_not_see_unexported_variables(tmp_path: Path) -> None:
    results = [Block("console", "$ KEY=abc\n$ bash -c 'echo \"($KEY)\"'\n(abc)\n")]
    with Page(tmp_path) as page, pytest.raises(AssertionError, match=r"\(\)"):
        page.run(results)


def test_folder_functions_and_background_jobs_persist(tmp_path: Path) -> None:
    results = [
        Block("console", "$ mkdir shop && cd shop\n$ greet() { echo hello; }\n$ sleep 60 &\n"),
        Block("console", "$ basename $PWD\nshop\n$ greet\nhello\n$ jobs -r | wc -l\n1\n"),
    ]
    with Page(tmp_path) as page:
        page.run(results)


def test_python_runs_each_block_once(tmp_path: Path) -> None:
    results = [
        Block("python", "open('count', 'a').write('x')\n"),
        Block("python", "print(open('count').read())\n"),
        Block("text", "x\n"),
    ]
    with Page(tmp_path) as page:
        page.run(results)


@pytest.mark.parametrize(
    ("amount", "fails"), [("costs $283.50", False), ("costs $290.00", False), ("costs $350.00", True)]
)
def test_amount_may_differ_only_by_the_price_index(tmp_path: Path, amount: str, *, fails: bool) -> None:
    results = [Block("console", f"$ echo 'costs $283.50'\n{amount}\n")]
    with Page(tmp_path) as page:
        if fails:
            with pytest.raises(AssertionError, match="other figures"):
                page.run(results)
        else:
            page.run(results)


def test_home_is_empty_and_the_program_has_no_settings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPAIRCORE_DATABASE_URL", "sqlite:///elsewhere.db")
    monkeypatch.setenv("TOKEN", "of-another-page")
    with Page(tmp_path) as page:
        page.run(
            [Block("console", '$ ls -A ~ | wc -l\n0\n$ echo "(${REPAIRCORE_DATABASE_URL-}${TOKEN-})"\n()\n')]
        )


@pytest.mark.parametrize("command", ["until [ -s x ]; do sleep 0.1; done", "echo && while true; do :; done"])
def test_endless_loop_fails(tmp_path: Path, command: str) -> None:
    with Page(tmp_path) as page, pytest.raises(AssertionError, match="may wait forever"):
        page.run([Block("console", f"$ {command}\n")])


def test_server_in_the_only_terminal_fails(tmp_path: Path) -> None:
    with Page(tmp_path) as page, pytest.raises(AssertionError, match="second terminal"):
        page.run([Block("console", "$ repaircore serve\n")])


@pytest.mark.long
@pytest.mark.every_variant
@pytest.mark.parametrize(
    ("page", "change", "into"),
    [
        ("docs/howto/order-a-tow.md", "$ export TOKEN\n", ""),
        ("docs/howto/call-it-from-curl.md", "--fail-with-body", "--no-such-option"),
        ("docs/howto/call-it-from-python.md", "export SHOP_KEY=", "SHOP_KEY="),
    ],
)
def test_page_that_was_broken_on_purpose_fails(tmp_path: Path, page: str, change: str, into: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert change in text

    with Page(tmp_path) as opened, pytest.raises(AssertionError):
        opened.run(blocks(text.replace(change, into)))


def test_command_can_continue_on_the_next_line() -> None:
    console = "$ curl a \\\n  -d b\n{}\n$ echo 'x\ny'\n"
    assert list(commands(console)) == [("curl a \\\n  -d b", "{}"), ("echo 'x\ny'", "")]


def test_comparison_ignores_only_varying_text() -> None:
    assert plain("Average  $251.13") == plain("Average $1,260.00\n")
    assert plain("low $1") != plain("high $1")
    assert plain("sk_test_3aQ") == plain("sk_test_9zZ") != plain("sk_live_9zZ")
