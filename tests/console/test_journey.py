"""From nothing to a red flag, in Chromium, as a newcomer does it after reading the README."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.console.chromium import Tab

from repaircore.core import Core
from repaircore.kernel.callers import Environment, Role
from repaircore.vehicles.model import Plate, StoredPlate

pytestmark = [pytest.mark.long, pytest.mark.browser]

VIN = "1HGCM82633A004352"


def _invoice_file(folder: Path) -> Path:
    rows = "".join(
        f"{VIN},brake-pads-front,2025-{1 + number % 9:02}-{1 + number:02},9.0,200.00,{2_600 + number}.00\n"
        for number in range(25)
    )
    bad = f"{VIN},brake-pads-front,2025-02-30,9.0,200.00,2600.00\n"
    path = folder / "invoices.csv"
    path.write_text(f"vin,problem,date,labor_hours,labor_rate,total\n{rows}{bad}")
    return path


def _estimate(tab: Tab, typed: str, picked: str, zip_code: str) -> None:
    page = tab.page
    page.get_by_label("VIN", exact=True).fill(VIN)
    page.get_by_text("2003 Honda Accord").wait_for()
    page.get_by_role("combobox", name="Repair").press_sequentially(typed)
    page.get_by_role("option", name=picked).wait_for()
    tab.screenshot("console-typing", whole=False)
    assert tab.faults() == {}
    page.get_by_role("option", name=picked).click()
    page.get_by_label("ZIP code").fill(zip_code)
    page.get_by_role("button", name="Estimate").click()
    page.wait_for_url("**/console/estimates/*")


def test_newcomer_comes_from_nothing_to_a_red_flag(
    open_tab: Callable[..., Tab], core: Core, tmp_path: Path
) -> None:
    tab = open_tab()
    page = tab.page

    tab.open("/")
    page.get_by_role("navigation", name="Account").get_by_role("link", name="Create an account").click()
    page.get_by_label("Name").fill("Ada")
    page.get_by_label("E-mail").fill("ada@example.com")
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Create account").click()
    page.get_by_text("Your account is ready.").wait_for()

    page.get_by_role("link", name="API keys").click()
    page.get_by_label("Name").fill("my shop")
    page.get_by_role("button", name="Create a key").click()
    assert re.fullmatch(r"sk_test_\w{39}", page.locator("#secret-key").inner_text())
    assert tab.faults() == {}

    page.get_by_role("link", name="Estimate", exact=True).click()
    _estimate(tab, "squeky brak", "Front Brake Pads", "90210")
    assert "Red flag" not in tab.text()
    assert tab.faults() == {}

    page.get_by_label("Comment").fill("They took $2,600.")
    page.get_by_role("button", name="Looks wrong").click()
    page.get_by_text("Thank you for your feedback.").wait_for()
    assert "They took $2,600." in tab.text()

    core.accounts.set_role("ada@example.com", Role.ADMIN)
    page.reload()
    page.get_by_role("link", name="Import").click()
    page.get_by_label("Invoice file").set_input_files(_invoice_file(tmp_path))
    page.get_by_role("button", name="Upload and check").click()
    core.task_worker.run_due()
    page.get_by_role("heading", name="What is in the file").wait_for()
    assert "The date must be a valid calendar date." in tab.text()
    tab.screenshot("console-import")
    assert tab.faults() == {}
    page.get_by_role("button", name="Import without the rejected rows").click()
    core.task_worker.run_due()
    page.get_by_role("heading", name="Imported").wait_for()
    assert core.ledger.page().total == 25

    page.get_by_role("link", name="Estimate", exact=True).click()
    _estimate(tab, "front brake pads", "Front Brake Pads", "10001")
    assert "Red flag: check before you pay" in tab.text()
    tab.screenshot("console-red-flag")
    assert tab.faults() == {}

    page.get_by_role("button", name="Log out").click()
    page.get_by_text("You have logged out.").wait_for()


def test_form_is_filled_in_by_the_keyboard_alone(open_tab: Callable[..., Tab], core: Core) -> None:
    core.accounts.create_user(name="Ada", email="ada@example.com", password="correct horse")
    tab = open_tab()
    tab.log_in("ada@example.com", "correct horse")
    page, keys = tab.page, tab.page.keyboard
    keys.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    keys.press("Enter")
    keys.press("Tab")
    assert page.evaluate("document.activeElement.id") == "vin"
    keys.type(VIN)
    keys.press("Tab")
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"
    keys.press("Tab")
    keys.type("squeaky brakes")
    page.get_by_role("option").first.wait_for()
    keys.press("ArrowDown")
    active = page.locator("#problem").get_attribute("aria-activedescendant")
    assert page.locator(f"#{active}").get_attribute("aria-selected") == "true"
    keys.press("Escape")
    assert page.get_by_role("option").count() == 0
    keys.press("ArrowDown")
    page.get_by_role("option").first.wait_for()
    keys.press("ArrowDown")
    keys.press("Enter")
    assert "Brakes > " in page.get_by_role("combobox", name="Repair").input_value()
    keys.press("Tab")
    keys.type("90210")
    keys.press("Enter")
    page.wait_for_url("**/console/estimates/*")
    assert tab.faults() == {}


def test_what_is_offered_is_announced_and_other_words_undo_a_choice(
    open_tab: Callable[..., Tab], core: Core
) -> None:
    core.accounts.create_user(name="Ada", email="ada@example.com", password="correct horse")
    tab = open_tab()
    tab.log_in("ada@example.com", "correct horse")
    page = tab.page
    words = page.get_by_role("combobox", name="Repair")
    words.press_sequentially("squeaky brakes")
    page.get_by_role("option", name="Front Brake Pads").click()
    assert page.locator("#offers-status").inner_text() == "You chose Front Brake Pads."
    assert words.input_value() == "Brakes > Front Brake Pads"
    words.fill("squealing belt")
    page.get_by_role("option").first.wait_for()
    assert re.fullmatch(r"\d repairs found\. .+", page.locator("#offers-status").inner_text())
    page.get_by_label("VIN", exact=True).fill(VIN)
    page.get_by_label("ZIP code").fill("90210")
    page.get_by_role("button", name="Estimate").click()
    page.get_by_text("Choose the repair that you mean.").first.wait_for()
    assert page.get_by_role("radio").count() > 1
    assert page.locator(":checked[type=radio]").count() == 0


def test_vin_that_is_typed_is_asked_about_once(open_tab: Callable[..., Tab], core: Core) -> None:
    core.accounts.create_user(name="Ada", email="ada@example.com", password="correct horse")
    tab = open_tab()
    tab.log_in("ada@example.com", "correct horse")
    page = tab.page
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url) if "vin.json" in request.url else None)
    page.get_by_label("VIN", exact=True).press_sequentially(VIN)
    page.get_by_text("2003 Honda Accord").wait_for()
    page.get_by_label("VIN", exact=True).press("ArrowLeft")
    page.get_by_label("VIN", exact=True).press_sequentially("-")
    page.wait_for_timeout(1000)
    assert len(requests) == 1


def test_enter_beside_a_plate_looks_it_up_and_keeps_the_rest(
    open_tab: Callable[..., Tab], core: Core
) -> None:
    core.accounts.create_user(name="Ada", email="ada@example.com", password="correct horse")
    stored = StoredPlate(
        environment=Environment.LIVE,
        plate=Plate(state="NV", number="7ABC123"),
        vin=VIN,
        vehicle_id=core.vehicles.identify(VIN).id,
        source="provider",
        reported_at=core.clock(),
    )
    with core.storage.transaction() as work:
        work.plates.save(stored)
    tab = open_tab()
    tab.log_in("ada@example.com", "correct horse")
    page = tab.page
    page.get_by_label("VIN", exact=True).fill(VIN)
    page.get_by_role("combobox", name="Repair").fill("squeaky brakes")
    page.get_by_label("License plate", exact=True).fill("TEST123")
    page.get_by_label("State").fill("CA")
    page.get_by_label("State").press("Enter")
    page.wait_for_url("**/console/vehicles/plate")
    assert "no plate provider is configured" in tab.text()
    assert page.get_by_role("combobox", name="Repair").input_value() == "squeaky brakes"
    assert page.get_by_label("VIN", exact=True).input_value() == VIN


def test_another_make_takes_the_model_and_the_engine_back(open_tab: Callable[..., Tab], core: Core) -> None:
    core.accounts.create_user(name="Ada", email="ada@example.com", password="correct horse")
    tab = open_tab()
    tab.log_in("ada@example.com", "correct horse")
    page = tab.page
    page.get_by_text("No VIN?").click()
    fields = {name: page.locator(f"#{name}") for name in ("year", "make", "model", "engine")}
    for name, text in {"year": "2018", "model": "F-150", "make": "Ford", "engine": "5.0L"}.items():
        fields[name].fill(text)
        fields[name].press("Tab")
    assert fields["model"].input_value() == "F-150"

    fields["make"].fill("Toyota")
    fields["make"].press("Tab")
    assert [fields[name].input_value() for name in ("year", "model", "engine")] == ["2018", "", ""]
    fields["model"].fill("Camry")
    fields["model"].press("Tab")
    fields["engine"].fill("V8")
    fields["year"].fill("2017")
    fields["year"].press("Tab")
    assert [fields[name].input_value() for name in ("model", "engine")] == ["Camry", ""]


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_engines_that_a_model_had_can_be_picked(
    open_tab: Callable[..., Tab], core: Core, *, scripts: bool
) -> None:
    core.accounts.create_user(name="Ada", email="ada@example.com", password="correct horse")
    tab = open_tab(java_script_enabled=scripts)
    tab.log_in("ada@example.com", "correct horse")
    page = tab.page
    page.get_by_text("No VIN?").click()
    typed = {
        "year": "2015",
        "make": "Toyota",
        "model": "Camry",
        "engine": "V12",
        "problem": "brake-pads-front",
    }
    for name, text in typed.items():
        page.locator(f"#{name}").fill(text)
    page.get_by_label("ZIP code").fill("90210")
    page.get_by_role("button", name="Estimate").click()
    page.get_by_label("3.5L V6").check()
    assert tab.faults() == {}
    page.get_by_role("button", name="Estimate").click()
    page.wait_for_url("**/console/estimates/*")
    assert "3.5L V6" in tab.text()


def test_without_a_script_the_form_does_the_same(open_tab: Callable[..., Tab], core: Core) -> None:
    core.accounts.create_user(name="Ada", email="ada@example.com", password="correct horse")
    tab = open_tab(java_script_enabled=False)
    tab.log_in("ada@example.com", "correct horse")
    page = tab.page
    page.get_by_label("VIN", exact=True).fill(VIN)
    page.get_by_role("textbox", name="Repair").fill("squeaky brakes")
    page.get_by_label("ZIP code").fill("90210")
    page.get_by_role("button", name="Estimate").click()
    page.get_by_label("Rear Brake Pads").check()
    page.get_by_role("button", name="Estimate").click()
    page.wait_for_url("**/console/estimates/*")
    assert "Rear Brake Pads" in tab.text()
