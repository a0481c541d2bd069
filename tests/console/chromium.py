"""Chromium in front of a real server, and the checks that every page must pass."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

SIZES: Final[dict[str, dict[str, Any]]] = {
    "desktop": {"viewport": {"width": 1280, "height": 860}},
    "phone": {
        "viewport": {"width": 390, "height": 844},
        "device_scale_factor": 2,
        "is_mobile": True,
        "has_touch": True,
    },
    # A page of 1280 pixels at a zoom of 400%.
    "narrow": {"viewport": {"width": 320, "height": 640}},
    "dark": {"viewport": {"width": 1280, "height": 860}, "color_scheme": "dark"},
    # The reader's own colors instead of ours.
    "forced": {"viewport": {"width": 1280, "height": 860}, "forced_colors": "active"},
}
_NAMES: Final = ("chromium", "chromium-browser", "google-chrome")
_TIMEOUT_MS: Final = 120_000
"""Milliseconds; generous, because the machine may be busy."""
_EXPECTED_ERROR: Final = "Failed to load resource: the server responded with a status of 4"

# Transitions of colors must have ended.
_FINISH_ANIMATIONS: Final = """
  for (const one of document.getAnimations()) if (one.effect.getComputedTiming().endTime < Infinity) one.finish();
"""

# The contrast of two colors, and the color behind an element; null where it is unknown.
_COLORS: Final = """
  const parse = (text) => { const n = (text.match(/[\\d.]+/g) || []).map(Number); return n.length < 3 ? null : [n[0], n[1], n[2], n.length > 3 ? n[3] : 1]; };
  const light = (c) => { const l = c.slice(0, 3).map((v) => { v /= 255; return v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * l[0] + 0.7152 * l[1] + 0.0722 * l[2]; };
  const ratio = (one, other) => { const [a, b] = [light(one), light(other)].sort((x, y) => y - x); return (a + 0.05) / (b + 0.05); };
  const behind = (element) => { for (let e = element; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] === 1) return c; if (c[3] > 0) return null; } return parse(getComputedStyle(document.documentElement).getPropertyValue("background-color")).slice(0, 3).some(Boolean) ? parse(getComputedStyle(document.documentElement).backgroundColor) : [255, 255, 255, 1]; };
  const seen = (element) => element.checkVisibility() && !element.closest(".unseen, .skip");
  const found = [];
"""

# The contrast of each text with its background, which with forced colors is a plate of the page's color. By WCAG 2.2, large text needs less.
_LOW_CONTRAST_TEXT: Final = f"""() => {{{_FINISH_ANIMATIONS}{_COLORS}
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {{
    const element = node.parentElement;
    if (!node.textContent.trim() || element.closest("script, title") || !seen(element)) continue;
    const style = getComputedStyle(element), drawn = element.closest("svg"), disc = element.previousElementSibling;
    const plate = matchMedia("(forced-colors: active)").matches && !drawn && style.forcedColorAdjust === "auto";
    const ground = drawn && disc && disc.tagName === "circle" ? parse(getComputedStyle(disc).fill) : behind(plate ? document.body : element);
    if (ground === null) continue;
    const stands = ratio(parse(drawn ? style.fill : style.color), ground), size = parseFloat(style.fontSize);
    const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    if (stands < (large ? 3 : 4.5)) found.push(`${{stands.toFixed(2)}}: ${{node.textContent.trim().slice(0, 40)}}`);
  }}
  return found;
}}"""

# Edges of fields and buttons, and marks in charts; lines and backgrounds that only help reading are exempt.
_LOW_CONTRAST_EDGES: Final = f"""() => {{{_FINISH_ANIMATIONS}{_COLORS}
  for (const field of document.querySelectorAll("input:not([type=hidden], [type=radio], [type=checkbox]), select, textarea, button:not(.quiet, fieldset button), .button, summary, fieldset.choices")) {{
    const style = getComputedStyle(field), ground = behind(field.parentElement);
    if (!seen(field) || style.borderTopStyle === "none" || parseFloat(style.borderTopWidth) === 0 || ground === null) continue;
    const stands = ratio(parse(style.borderTopColor), ground);
    if (stands < 3) found.push(`${{stands.toFixed(2)}}: edge of ${{field.outerHTML.slice(0, 60)}}`);
  }}
  for (const mark of document.querySelectorAll("main svg :is(circle, rect, path, line):not(.grid, .bar-ground)")) {{
    const style = getComputedStyle(mark), ground = behind(mark.closest("svg").parentElement);
    if (!seen(mark.closest("svg")) || ground === null) continue;
    const stands = Math.max(...[style.fill, style.stroke].map(parse).filter(Boolean).map((color) => ratio(color, ground)));
    if (stands < 3) found.push(`${{stands.toFixed(2)}}: mark ${{mark.outerHTML.slice(0, 60)}}`);
  }}
  return found;
}}"""

# Everything the keyboard can reach needs a focus ring that is wide enough and has enough contrast.
_MISSING_RINGS: Final = f"""() => {{{_FINISH_ANIMATIONS}{_COLORS}
  const reached = [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")].filter((element) => seen(element) && !element.matches(":disabled"));
  for (const element of reached) {{
    element.focus({{ preventScroll: true }});
    const style = getComputedStyle(element), ground = behind(element.parentElement);
    const drawn = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2;
    const stands = drawn && ground !== null ? ratio(parse(style.outlineColor), ground) : drawn ? 21 : 0;
    if (document.activeElement !== element || stands < 3) found.push(`${{stands.toFixed(2)}}: ring of ${{element.outerHTML.slice(0, 60)}}`);
  }}
  document.activeElement.blur();
  return reached.length ? found : ["nothing can be focused"];
}}"""

_UNLABELED: Final = """() => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0']")]
  .filter((e) => e.checkVisibility())
  .filter((e) => !(e.textContent.trim() || e.getAttribute("aria-label") || e.getAttribute("aria-labelledby") || (e.labels && e.labels.length)))
  .map((e) => e.outerHTML.slice(0, 80))"""

_SMALL_TARGETS: Final = """() => [...document.querySelectorAll("button, .button, input:not([type=hidden]), select, textarea, summary, nav a")]
  .filter((e) => e.checkVisibility())
  .filter((e) => { const box = (e.closest("label") || e).getBoundingClientRect(); return box.height < 24 || box.width < 24; })
  .map((e) => e.outerHTML.slice(0, 80))"""

# Levels A and AA of WCAG 2.0 to 2.2, and axe's best practices.
_STANDARDS: Final = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice")

# Folded parts are checked too, but not the menu, which would cover the page.
_UNFOLD: Final = f"""() => {{
  for (const fold of document.querySelectorAll("details:not([open], .menu)")) {{ fold.open = true; fold.dataset.unfolded = ""; }}
  {_FINISH_ANIMATIONS}
}}"""
_FOLD: Final = """() => { for (const fold of document.querySelectorAll("[data-unfolded]")) { fold.open = false; delete fold.dataset.unfolded; } }"""

_IS_DARK: Final = """() => matchMedia("(prefers-color-scheme: dark)").matches"""
_IS_FORCED: Final = """() => matchMedia("(forced-colors: active)").matches"""

_COLOR_RULES: Final = ("color-contrast", "link-in-text-block")
"""The rules of axe about colors; dark and light pages differ in nothing else."""

_OVERFLOW: Final = "() => document.documentElement.scrollWidth - document.documentElement.clientWidth"


def executable() -> str | None:
    """Return the path of Chromium, None if it is not installed."""
    return next((found for name in _NAMES if (found := shutil.which(name))), None)


class Tab:
    """A browser page that records its console messages and the hosts it requests."""

    def __init__(self, page: Any, base: str, screenshots: Path | None, *, has_scripts: bool) -> None:
        self.page = page
        self._has_scripts = has_scripts
        self._base = base
        self._screenshots = screenshots
        self.complaints: list[str] = []
        self.hosts: set[str] = set()
        page.on("console", self._on_console_message)
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))

    def open(self, path: str) -> None:
        """Open a path of the server."""
        self.page.goto(f"{self._base}{path}")

    def log_in(self, email: str, password: str) -> None:
        """Log in to the console."""
        self.open("/console/login")
        self.page.get_by_label("E-mail").fill(email)
        self.page.get_by_label("Password").fill(password)
        self.page.get_by_role("button", name="Log in").click()
        self.page.wait_for_url("**/console")

    def text(self) -> str:
        """Return the text of the page's main part."""
        return " ".join(str(self.page.locator("main").inner_text()).split())

    def faults(self) -> dict[str, Sequence[str]]:
        """Return the accessibility and layout faults of the page; none if it is good."""
        wider = self.page.evaluate(_OVERFLOW)
        fields = {
            "low contrast text": self.page.evaluate(_LOW_CONTRAST_TEXT),
            "low contrast edges": self.page.evaluate(_LOW_CONTRAST_EDGES),
            "unlabeled": self.page.evaluate(_UNLABELED),
            "small targets": self.page.evaluate(_SMALL_TARGETS),
            "axe rules": self._violations(),
            "too wide": [f"{wider} pixels"] if wider > 0 else [],
            "console messages": self.complaints,
            "other hosts": [host for host in self.hosts if host != urlsplit(self._base).netloc],
        }
        return {fault: elements for fault, elements in fields.items() if elements}

    def missing_focus_rings(self) -> Sequence[str]:
        """Return the elements that do not show the keyboard focus. The page loses its focus."""
        self.page.keyboard.press("Tab")  # focus rings appear for keyboard users only
        found: Sequence[str] = self.page.evaluate(_MISSING_RINGS)
        return found

    def screenshot(self, name: str, *, whole: bool = True) -> None:
        """Take a screenshot if a folder is configured; it takes as long as the checks."""
        if self._screenshots is None:
            return
        from playwright.sync_api import Error  # noqa: PLC0415 - an optional extra

        path = self._screenshots / f"{name}.png"
        try:
            self.page.screenshot(path=path, full_page=whole)
        except Error:  # Chromium fails at this now and then, but not twice
            self.page.screenshot(path=path, full_page=whole)

    def _violations(self) -> Sequence[str]:
        if not self._has_scripts:
            return []  # axe waits for timers, which never fire without scripts
        from axe_playwright_python.sync_playwright import Axe  # noqa: PLC0415 - the same extra

        self.page.evaluate(_UNFOLD)
        found = Axe().run(self.page, options=self._axe_options()).response["violations"]
        self.page.evaluate(_FOLD)
        return [
            f"{rule['id']}: {rule['help']}: {node['html'][:80]}" for rule in found for node in rule["nodes"]
        ]

    def _axe_options(self) -> dict[str, Any]:
        if self.page.evaluate(_IS_DARK):
            return {"runOnly": {"type": "rule", "values": _COLOR_RULES}, "resultTypes": ["violations"]}
        # Axe ignores the plate that a browser draws behind text with forced colors; ``_LOW_CONTRAST_TEXT`` does not.
        rules = {"color-contrast": {"enabled": not self.page.evaluate(_IS_FORCED)}}
        return {"runOnly": _STANDARDS, "rules": rules, "resultTypes": ["violations"]}

    def _on_console_message(self, message: Any) -> None:
        if message.type in {"error", "warning"} and not message.text.startswith(_EXPECTED_ERROR):
            self.complaints.append(message.text)


@contextmanager
def chromium() -> Iterator[Any]:
    """Start the browser."""
    from playwright.sync_api import sync_playwright  # noqa: PLC0415 - an optional extra

    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable(), args=arguments)
        try:
            yield browser
        finally:
            browser.close()


@contextmanager
def tabs(browser: Any, base: str, screenshots: Path | None) -> Iterator[Callable[..., Tab]]:
    """Yield a function that opens a tab of one of ``SIZES``, in a window with its own cookies."""
    windows: list[Any] = []

    def tab(size: str = "desktop", **options: Any) -> Tab:
        window = browser.new_context(**{**SIZES[size], **options})
        windows.append(window)
        page = window.new_page()
        page.set_default_timeout(_TIMEOUT_MS)
        return Tab(page, base, screenshots, has_scripts=options.get("java_script_enabled", True))

    try:
        yield tab
    finally:
        for window in windows:
            window.close()
