import pytest

from repaircore.adapters.shipped.book import book
from repaircore.book.model import Problem
from repaircore.quote_text.kinds import LineKind
from repaircore.quote_text.model import QuoteLine
from repaircore.quotes.text_match import candidates_for, find_match, kind_of_line, match_line, name_of_parts

PROBLEMS = book().problems


def matched_slug(text: str) -> str | None:
    problem = find_match(text, PROBLEMS)
    return None if problem is None else problem.slug


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: str(problem.slug))
def test_find_match_returns_a_repair_by_its_own_name(problem: Problem) -> None:
    assert matched_slug(problem.name) == problem.slug
    assert matched_slug(f"Replace {problem.name.upper()} (labor)") == problem.slug


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Replace front brake pads", "brake-pads-front"),
        ("R&R alternator", "alternator"),
        ("A/C compressor", "ac-compressor"),
        ("Spark plugs (4)", "spark-plugs"),
        ("Serpentine belt - new", "serpentine-belt"),
        ("Cabin air filter", "cabin-air-filter"),
        ("R&R frt brk pads", "brake-pads-front"),
        ("frt brk pads/rotors", "brake-rotors-front"),
        ("Rear pads & rotors", "brake-rotors-rear"),
        ("Replace front brake pads and resurface rotors", "brake-pads-front"),
        ("R&R alt", "alternator"),
        ("w/p replacement", "water-pump"),
        ("T-belt kit w/ w/p", "timing-belt"),
        ("LOF full synthetic 5W30", "oil-change-synthetic"),
        ("LH outer tie rod end", "tie-rod-end-outer"),
        ("RR whl brg", "wheel-bearing-rear"),
        ("Valve cover gskt", "valve-cover-gasket"),
        ("4 wheel alignment", "wheel-alignment"),
        ("Trans fluid exchange", "transmission-fluid-service"),
        ("Upstream O2 sensor, Denso", "oxygen-sensor-upstream"),
        ("60,000 MILE SERVICE", "scheduled-service-60k"),
        ("cat converter", "catalytic-converter"),
        ("Battery replacement", "battery-replacement"),
        ("new battery", "battery-replacement"),
        ("Battery, hybrid", "hybrid-battery"),
        ("injector replacement", "fuel-injector"),
        ("windshield wipers", "wiper-blades"),
        ("radiator flush", "coolant-flush"),
        ("ps pump", "power-steering-pump"),
        ("4wd actuator", "four-wheel-drive-actuator"),
        ("alloy wheel repair", "wheel-straightening"),
        ("Alignment, front & rear", "wheel-alignment"),
        ("accessory belt", "serpentine-belt"),
        ("Oil filter housing gasket leaking onto belt", "oil-filter-housing-gasket"),
        ("Front engine mount (hydraulic", "engine-mount"),
        ("Starter failed bench test", "starter-motor"),
        ("CLUTCH JOB 2011 CIVIC SI", "clutch-replacement"),
        ("Timing belt, water pump and tensioner kit", "timing-belt"),
        ("front differential fluid", "front-differential-fluid"),
        ("Front diff service, 75W-90", "front-differential-fluid"),
    ],
)
def test_find_match_understands_the_words_of_a_shop(text: str, slug: str) -> None:
    assert matched_slug(text) == slug


@pytest.mark.parametrize(
    "text",
    [
        "brake pads",  # front or rear?
        "front brakes",  # pads, or pads and rotors?
        "pan gasket",  # of the oil or of the transmission?
        "door actuator",  # of its lock, or of an air flap?
        "evap valve",  # purge or vent?
        "oil leak",
        "rear brake service",
        "tune up",
        "tires",  # how many?
        "exhaust repair",
        "oil change synthetic blend",
        "water pump gasket",
        "fuel pump relay",
        "power steering pump seal",
        "front and rear brake pads",
        "rear strut mounts",
        "power steering flush and misc",
        "caliper bracket bolts",
        "oil change",  # which oil?
        "pads and rotors",  # front or rear?
        "bumper replacement",
        "front struts and an alignment",  # a price for both
        "Replace water pump and thermostat",
        "clutch slave + clutch",
        "Front & rear differential service",
        "Synthetic oil & filter, tire rotation",
        "coolant reservoir service",
        "shop supplies",
        "muffler bearing",
        "blinker fluid",
        "environmental fee",
        "",
        "!!",
        "x" * 200,
        "replace",
    ],
)
def test_find_match_returns_none_for_unknown_and_ambiguous_words(text: str) -> None:
    assert matched_slug(text) is None


_WORK = ("Replace {}", "{} replacement", "New {}", "{} R&R", "R&R {}", "{} install", "Install {}")


@pytest.mark.parametrize("work", _WORK)
def test_match_line_finds_each_repair_by_its_name_and_plain_words_for_the_work(work: str) -> None:
    found = {problem.slug: match_line(work.format(problem.name), (), PROBLEMS) for problem in PROBLEMS}

    assert {slug: other and other.slug for slug, other in found.items()} == {slug: slug for slug in found}


@pytest.mark.parametrize("work", [*_WORK, "{}"])
def test_match_line_mistakes_no_common_name_of_a_repair_for_another(work: str) -> None:
    wrong = [
        (name, found.slug)
        for problem in PROBLEMS
        for name in problem.keywords
        if (found := match_line(work.format(name), (), PROBLEMS)) is not None and found.id != problem.id
    ]

    assert wrong == []


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        (("Front pads", "Front rotors"), "Front pads and Front rotors"),
        (("pads", "rotors"), "pads and rotors"),
        (("Radiator", "Upper hose", "Coolant"), "Radiator"),
        (("Front pads", "Water pump"), None),
        (("Air filter", "Wiper blades", "Alternator"), None),
        (("Spark plug", "Ignition coil"), None),
        ((), None),
    ],
)
def test_name_of_parts_returns_the_repair_they_are_for(parts: tuple[str, ...], name: str | None) -> None:
    assert name_of_parts(parts, PROBLEMS) == name


def test_find_match_does_not_depend_on_the_order_of_candidates() -> None:
    assert find_match("front brake pads", PROBLEMS[::-1]) == find_match("front brake pads", PROBLEMS)


def test_find_match_returns_none_without_candidates() -> None:
    assert find_match("front brake pads", []) is None


@pytest.mark.parametrize(
    ("description", "parts", "slug"),
    [
        ("Front brake service", ("Ceramic pads", "Rotors"), "brake-rotors-front"),
        ("Front brake service", ("Ceramic pads",), "brake-pads-front"),
        ("Front brake pads", ("pad set", "brake rotor"), "brake-rotors-front"),
        ("Engine R&R", ("Engine, used w/ 72k miles",), "engine-replacement-used"),
        ("Clutch job", ("Clutch kit", "Rear main seal"), "clutch-replacement"),
        ("Front brake service", (), None),
        ("", ("Starter",), None),
    ],
)
def test_match_line_lets_parts_decide_what_the_words_leave_open(
    description: str, parts: tuple[str, ...], slug: str | None
) -> None:
    problem = match_line(description, parts, PROBLEMS)

    assert (None if problem is None else problem.slug) == slug


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Brake job front", "brake-rotors-front"),
        ("REAR BRAKE JOB", "brake-rotors-rear"),
        ("R&R LF/RF struts", "struts-front"),
        ("L/F & R/F struts", "struts-front"),
        ("FUEL INJECTION SVC", "fuel-injection-cleaning"),
        ("Fuel injector service", "fuel-injection-cleaning"),
        ("spark plugs (6) and boots", "spark-plugs"),
        ("plugs w/ coil boots", "spark-plugs"),
        ("t-case fluid", "transfer-case-fluid"),
        ("alternator replacement reman 2yr warranty", "alternator"),
        ("used starter motor", "starter-motor"),
        ("remanufactured engine", "engine-replacement-remanufactured"),
    ],
)
def test_abbreviations_of_shops_match_the_right_repair(text: str, slug: str) -> None:
    found = match_line(text, (), PROBLEMS)

    assert found is not None
    assert found.slug == slug


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("Brake pads", ["brake-pads-front", "brake-pads-rear"]),
        ("Brakes", ["brake-pads-front", "brake-pads-rear", "brake-rotors-front", "brake-rotors-rear"]),
        ("Oil change", ["oil-change", "oil-change-diesel", "oil-change-synthetic"]),
        ("Transmission rebuild", ["automatic-transmission-rebuild", "manual-transmission-rebuild"]),
    ],
)
def test_candidates_begin_with_those_that_match_all_words(text: str, slugs: list[str]) -> None:
    assert match_line(text, (), PROBLEMS) is None

    found = [problem.slug for problem in candidates_for(text, PROBLEMS, [])]

    assert found[: len(slugs)] == slugs


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("shop sup", LineKind.SUPPLIES),
        ("SHOP SUP.", LineKind.SUPPLIES),
        ("Brake pads", LineKind.REPAIR),
        ("Shop support bracket", LineKind.REPAIR),
    ],
)
def test_shop_supplies_may_be_truncated(text: str, kind: LineKind) -> None:
    assert kind_of_line(QuoteLine(total=20_00, description=text)) is kind
