"""The API reference in a browser: its accessibility, and that its examples run."""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from tests.console.chromium import Tab

from repaircore.core import Core

pytestmark = [pytest.mark.long, pytest.mark.browser]

_EXAMPLES: Final = """async (base) => {
  const paths = (await (await fetch(base + "/api/openapi.json")).json()).paths;
  const found = [];
  for (const [path, operations] of Object.entries(paths)) for (const [method, operation] of Object.entries(operations)) {
    const call = RequestExamples.callOf(path, method, operation, base);
    found.push([`${method} ${path}`, RequestExamples.curl(call), RequestExamples.inPython(call), RequestExamples.inJavaScript(call)]);
  }
  return found;
}"""


def _open_predict(tab: Tab) -> Any:
    """Open the reference at the predict operation."""
    tab.open("/docs")
    tab.page.locator("#operations-tag-predictions button").first.click()
    tab.page.locator(".opblock-summary-control", has_text="/api/v1/predict").first.click()
    tab.page.locator(".examples").first.wait_for()
    tab.page.locator(".opblock-body select").first.wait_for()
    return tab.page


@pytest.mark.parametrize("size", ["desktop", "phone", "dark"])
def test_reference_can_be_used_by_everybody(open_tab: Callable[..., Tab], size: str) -> None:
    tab = open_tab(size)
    _open_predict(tab)
    tab.screenshot(f"reference-{size}")

    assert tab.faults() == {}


def test_every_operation_has_examples_that_can_be_read(
    open_tab: Callable[..., Tab], address: str, tmp_path: Path
) -> None:
    tab = open_tab("desktop")
    tab.open("/docs")
    found = tab.page.evaluate(_EXAMPLES, address)
    (tmp_path / "all.sh").write_text("\n\n".join(curl for _, curl, _, _ in found), encoding="utf-8")

    assert len(found) > 200
    subprocess.run(["bash", "-n", str(tmp_path / "all.sh")], check=True)  # noqa: S603, S607 - nothing is run
    for name, curl, python, javascript in found:
        compile(python, name, "exec")
        assert "undefined" not in curl + python + javascript, name


def test_examples_of_a_prediction_run(open_tab: Callable[..., Tab], core: Core, tmp_path: Path) -> None:
    core.accounts.create_user(name="Ada", email="ada@example.com", password="correct horse")
    caller = core.accounts.caller_for("ada@example.com")
    key = core.accounts.create_key(name="shop", environment="test", caller=caller).secret_key
    page = _open_predict(open_tab("desktop"))
    curl, python, javascript = page.locator(".example code").all_text_contents()[:3]
    environ = {"KEY": key, "PATH": "/usr/local/bin:/usr/bin:/bin", "NO_PROXY": "127.0.0.1"}
    (tmp_path / "example.py").write_text(python, encoding="utf-8")

    for command in (["bash", "-c", curl], [sys.executable, str(tmp_path / "example.py")]):
        done = subprocess.run(command, env=environ, capture_output=True, text=True, check=False)  # noqa: S603 - the page's
        assert '"local_prediction"' in done.stdout, done.stderr
    printed = page.evaluate(
        f"async (KEY) => {{ const process = {{ env: {{ KEY }} }}, lines = []; const console = {{ log: (text) => lines.push(text) }};\n"
        f"{javascript}\nreturn lines.join(); }}",
        key,
    )
    assert '"local_prediction"' in printed


def test_page_of_the_keys_leads_to_the_reference(open_tab: Callable[..., Tab], core: Core) -> None:
    core.accounts.create_user(name="Ada", email="ada@example.com", password="correct horse")
    tab = open_tab("desktop")
    tab.log_in("ada@example.com", "correct horse")
    tab.open("/console/keys")
    tab.page.get_by_role("link", name="API reference").click()

    tab.page.locator(".opblock-tag").first.wait_for()
