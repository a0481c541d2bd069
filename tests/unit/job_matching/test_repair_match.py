import pytest
from bench.shop_exports.made_up import SEEN, TUNED, texts

from repaircore.adapters.shipped.book import book
from repaircore.adapters.shipped.job_names import job_names
from repaircore.job_matching.model import Outcome
from repaircore.job_matching.repair_match import OIL_UNSAID, RepairMatcher
from repaircore.job_matching.shop_spanish import in_english

MATCHER = RepairMatcher(book().problems, job_names())
SLUGS = {problem.slug for problem in book().problems}
CATEGORIES = {problem.parent.slug for problem in book().problems}


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("R&R frt brk pads/rotors", "brake-rotors-front"),
        ("frt brk pads, turned rotors", "brake-pads-front"),
        ("LOF full syn 0W20", "oil-change-synthetic"),
        ("Replaced front brake pads, rotors ok", "brake-pads-front"),
        ("Customer states battery dead. Tested and replaced battery", "battery-replacement"),
        ("RT CV axle", "cv-axle"),
        ("Timing belt kit w/ water pump", "timing-belt"),
        ("altenator r/r", "alternator"),
        ("replaced alternater", "alternator"),
        ("4 wheel alignment", "wheel-alignment"),
        ("Battery terminal replaced", "battery-cables"),
        ("MOUNT & BALANCE 4 TIRES", "tire-replacement-set"),
    ],
)
def test_clear_text_is_a_sure_match(text: str, slug: str) -> None:
    found = MATCHER.match(text)

    assert (found.outcome, found.slug) == (Outcome.SURE, slug)
    assert found.confidence >= 0.9


@pytest.mark.parametrize(
    "text",
    [
        "replaced alt & belt",
        "LOF + rotate",
        "air filter + cabin filter",
        "REPLACED AIR AND CABIN FILTERS",
        "purge valve and canister",
        "points and condenser",
        "Thermostat & coolant flush",
        "LOF 5W30",
        "brake job",
        "2 tires",
        "O2 sensor",
        "water pump gasket",
        "Heater core flush",
        "muffler clamp",
        "Front & rear brake pads",
        "recommend front struts",
        "front struts declined",
        "Check brakes",
        "custom fabricate bracket",
        "",
    ],
)
def test_ambiguous_text_is_never_sure(text: str) -> None:
    assert MATCHER.match(text).outcome is not Outcome.SURE


def test_several_repairs_are_all_suggested() -> None:
    found = MATCHER.match("replaced alt & serp belt")

    assert found.outcome is Outcome.SEVERAL
    assert set(found.suggestions) >= {"alternator", "serpentine-belt"}


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("weld exhaust pipe crack ahead of muffler", Outcome.UNSURE),
        ("REPLACED STEERING GEAR (RACK) ASSY AND ALIGN", Outcome.UNSURE),
        ("REPLACED BLOWN FUSE AND REPAIRED WIRE TO TRAILER PLUG", Outcome.SEVERAL),
    ],
)
def test_text_with_unknown_words_is_of_several_repairs_unless_their_names_share_words(
    text: str, outcome: Outcome
) -> None:
    assert MATCHER.match(text).outcome is outcome


def test_unsure_text_suggests_at_most_three_with_the_likely_one() -> None:
    found = MATCHER.match("LOF")

    assert found.outcome is Outcome.UNSURE
    assert "oil-change" in found.suggestions
    assert len(found.suggestions) <= 3


def test_part_of_another_repair_raises_a_doubt() -> None:
    assert MATCHER.match("R&R alternator", ["ALTERNATOR REMAN"]).outcome is Outcome.SURE
    assert MATCHER.match("R&R alternator", ["ALTERNATOR REMAN", "SERPENTINE BELT"]).outcome is Outcome.UNSURE
    assert MATCHER.match("Front brake pads", ["PAD SET", "FRONT BRAKE ROTOR"]).outcome is Outcome.UNSURE


def test_every_phrase_belongs_to_a_repair_of_the_book() -> None:
    assert job_names().names.keys() <= SLUGS
    assert job_names().included.keys() <= SLUGS | CATEGORIES


@pytest.mark.parametrize("name", [*TUNED, *SEEN])
def test_synthetic_exports_are_rarely_matched_wrongly(name: str) -> None:
    # Counts of parts and prices, which catch more, are not checked here.
    matches = [(MATCHER.match(text), truth) for text, truth in texts(name)]
    sure = [(match.slug, truth) for match, truth in matches if match.outcome is Outcome.SURE]

    assert sum(slug != truth for slug, truth in sure) <= 3
    assert len(sure) >= 0.35 * len(matches), "a third is sure even in the file of tricky lines"


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("COMPLAINT: DIES AT LIGHTS. CAUSE: CRANK SENSOR DROPS OUT. CORRECTION: REPLACED CRANK SENSOR", "crankshaft-position-sensor"),
        ("Cust states steering wheel shakes. Rotors out of round. Installed front pads and rotors", "brake-rotors-front"),
        ("R&R thermostat, upper hose loose", "thermostat"),
        ("Replaced radiator due to crack in end tank", "radiator"),
        ("Ck brakes, rotate tires", "tire-rotation"),
        ("Installed water pump. Checked thermostat, ok", "water-pump"),
    ],
)  # fmt: skip
def test_only_the_work_done_counts_not_complaint_or_cause(text: str, slug: str) -> None:
    found = MATCHER.match(text)

    assert (found.outcome, found.slug) == (Outcome.SURE, slug)


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("Blower motor chirping, replaced", "blower-motor"),
        ("Caliper front sweating, installed front caliper", "brake-caliper-front"),
        ("VCG", "valve-cover-gasket"),
        ("CKP SENSOR", "crankshaft-position-sensor"),
        ("NJ STATE INSP", "state-safety-inspection"),
        ("M&B 4 TIRES 195/65R15", "tire-replacement-set"),
        ("New tire LR, replaced LR tire", "tire-replacement-single"),
    ],
)
def test_unambiguous_words_do_not_prevent_a_match(text: str, slug: str) -> None:
    found = MATCHER.match(text)

    assert (found.outcome, found.slug) == (Outcome.SURE, slug)


@pytest.mark.parametrize(
    "text",
    [
        "battery box",
        "Starter interlock bypass",
        "windshield trim",
        "wiper arm",
        "Tightened alternator bracket",
        "adjusted clutch pedal",
        "horn button",
        "2 new tires 205/55R16",
    ],
)
def test_other_work_that_contains_a_repairs_name_is_not_sure(text: str) -> None:
    assert MATCHER.match(text).outcome is not Outcome.SURE


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("Front & rear pads and rotors", {"brake-rotors-front", "brake-rotors-rear"}),
        ("engine & cabin air filters", {"engine-air-filter", "cabin-air-filter"}),
        ("starter / battery", {"starter-motor", "battery-replacement"}),
        ("rotate, 4 wheel align, wipers", {"tire-rotation", "wheel-alignment", "wiper-blades"}),
        ("inner & outer tie rods", {"tie-rod-inner", "tie-rod-end-outer"}),
        ("LOF syn, rotate, cabin filter, air filter", {"oil-change-synthetic", "tire-rotation", "cabin-air-filter", "engine-air-filter"}),
    ],
)  # fmt: skip
def test_line_of_several_jobs_names_exactly_those(text: str, slugs: set[str]) -> None:
    found = MATCHER.match(text)

    assert found.outcome is Outcome.SEVERAL
    assert set(found.suggestions) == slugs


@pytest.mark.parametrize(
    "text",
    [
        "SHOP SUPPLIES",
        "Haz mat fee",
        "CITY TAX 1.5%",
        "$20 off coupon",
        "Towed in from highway",
        "BATTERY CORE CHARGE",
        "Diagnostic fee 1.0 hr",
        "Customer declined brake fluid flush",
        "Recommend front struts",
        "C/S clunk from rear",
        "Next oil change due at 91,000",
        "Unable to duplicate",
        "",
    ],
)
def test_line_that_is_not_a_repair_is_recognized(text: str) -> None:
    found = MATCHER.match(text)

    assert not found.is_repair
    assert (found.outcome, found.slug) == (Outcome.UNMATCHED, None)


@pytest.mark.parametrize(
    "text",
    [
        "Replaced front pads, customer declined rotors",
        "Tow hitch wiring repair",
        "R&R alternator, core charge included",
        "Alignment fee",
        "4 tires mounted, disposal incl",
        "custom bracket",
    ],
)
def test_work_next_to_a_charge_or_refusal_is_not_left_out(text: str) -> None:
    assert MATCHER.match(text).is_repair


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("wipers inop - replaced wiper motor", "wiper-motor"),
        ("driver seat belt locked - replaced belt", "seat-belt-replacement"),
        ("LF low beam out, replaced H7 bulb", "headlight-bulb"),
        ("flex brake hose collapsed RF - replaced hose, bled", "brake-hose"),
        ("condenser leaking - replaced, evac/recharge", "ac-condenser"),
        ("FOUND BLEND DOOR ACTUATOR STRIPPED. REPLACED ACTUATOR AND CALIBRATED", "blend-door-actuator"),
        ("r/r manifold & gasket, exhaust manifold LH broken studs", "exhaust-manifold"),
    ],
)
def test_problem_and_work_are_read_together(text: str, slug: str) -> None:
    found = MATCHER.match(text)

    assert (found.outcome, found.slug) == (Outcome.SURE, slug)


@pytest.mark.parametrize(
    "text",
    [
        "Water pump leaking, replaced gasket",
        "Evap leak smoke test, replaced vent solenoid",
        "scan / programming",
    ],
)
def test_part_or_second_job_next_to_a_problem_is_not_sure(text: str) -> None:
    assert MATCHER.match(text).outcome is not Outcome.SURE


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        ("LOF + rotate", {"oil-change", "tire-rotation"}),
        ("Cab filter & air filter", {"cabin-air-filter", "engine-air-filter"}),
        ("GLOW PLUGS (8) + GPCM", {"glow-plugs", "glow-plug-control-module"}),
        ("clutch and slave cylinder", {"clutch-replacement", "clutch-slave-cylinder"}),
    ],
)
def test_joined_jobs_are_matched_as_several(text: str, slugs: set[str]) -> None:
    found = MATCHER.match(text)

    assert (found.outcome, set(found.suggestions)) == (Outcome.SEVERAL, slugs)


@pytest.mark.parametrize(
    "text",
    [
        "Tire rotation, free",
        "Flat repair N/C",
        "MPI NO CHARGE 27 POINT INSPECTION",
        "Refused: air filter, cabin filter",
    ],
)
def test_unpaid_work_is_left_out(text: str) -> None:
    assert not MATCHER.match(text).is_repair


def test_oil_change_without_an_oil_says_so() -> None:
    assert MATCHER.match("oil chg 5w30").reason == OIL_UNSAID
    assert MATCHER.match("oil chg syn blend 5w20").slug == "oil-change"


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("017 TIRES - REPLACE 4", "tire-replacement-set"),
        ("TIRE 225/65R17 DEFENDER QTY 4", "tire-replacement-set"),
        ("CV SHAFT LF", "cv-axle"),
        ("Fuel injector cleaning", "fuel-injection-cleaning"),
        ("OP 60KSVC 60,000 MILE MAJOR SERVICE", "scheduled-service-60k"),
        ("LCA's both w/ bushings and joints", "control-arm-front-lower"),
        ("front lower control arm bushings, both sides", "control-arm-bushings"),
        ("trans rebuild w/ new torque converter", "automatic-transmission-rebuild"),
        ("REPLACED VALVE BODY, RELEARN TCM", "transmission-valve-body"),
    ],
)
def test_shops_terms_and_counts_are_understood(text: str, slug: str) -> None:
    found = MATCHER.match(text)

    assert (found.outcome, found.slug) == (Outcome.SURE, slug)


@pytest.mark.parametrize("found", ["rotors ok\n", "rotors ok. ", "Rotors good; "])
def test_part_found_in_order_is_not_the_repair(found: str) -> None:
    assert MATCHER.match(f"{found}replace front brake pads").slug == "brake-pads-front"


def test_word_of_both_languages_does_not_make_a_line_spanish() -> None:
    assert MATCHER.match("check engine light diagnostico").slug == "diagnostic-scan"
    assert "lower" not in in_english("inferior quality caliper")


@pytest.mark.parametrize(
    ("text", "slug"),
    [
        ("your alternator quit so i put a new one in right there in the driveway", "alternator"),
        ("the valve cover was leaking oil onto the exhaust, put a new gasket on it", "valve-cover-gasket"),
        ("UNIT 4410 OP 042 WTR PMP LKG REPL", "water-pump"),
        ("TRK 4471 - REPL STARTER", "starter-motor"),
        ("srp blt", "serpentine-belt"),
        ("frontbrake pads", "brake-pads-front"),
        ("wiper baldes", "wiper-blades"),
        ("cabn air filtr", "cabin-air-filter"),
        ("thrtl bdy cln", "throttle-body-cleaning"),
        ("rr mn seal", "rear-main-seal"),
        ("R&R - Brake Pads, Rear, Disc", "brake-pads-rear"),
        ("4 @ 225/65R17 MICH DEFENDER2 - MNT/BAL", "tire-replacement-set"),
        ("LB7 injector #3 R&R", "diesel-fuel-injector"),
        ("68RFE overhauled on bench", "automatic-transmission-rebuild"),
        ("t-stat, bld sys", "thermostat"),
        ("rear pads, rotors still looked good so left em alone", "brake-pads-rear"),
        ("CORRECTION: REPLACED SHIFT SOLENOID C AND REFILLED ATF", "transmission-shift-solenoid"),
        ("looked over that civic you want to buy", "pre-purchase-inspection"),
    ],
)
def test_short_chatty_and_misspelled_lines_are_understood(text: str, slug: str) -> None:
    found = MATCHER.match(text)

    assert (found.outcome, found.slug) == (Outcome.SURE, slug)


@pytest.mark.parametrize(
    "text",
    [
        "UNIT 1187 METER 88,412 MI",
        "shop suplies / rags / clenaer",
        "thnak you for your buisness",
        "cust decl rr brks",
        "FYI battery SOH 71% @ 92k, no action today",
    ],
)
def test_misspelled_line_without_a_repair_is_recognized(text: str) -> None:
    assert not MATCHER.match(text).is_repair


@pytest.mark.parametrize(
    "text",
    [
        "CORRECTION: REPLACED MODULE AND PROGRAMMED. ROAD TEST OK",
        "install customer supplied parts",
        "dismount tires only",
    ],
)
def test_work_on_something_unnamed_is_still_work(text: str) -> None:
    found = MATCHER.match(text)

    assert found.is_repair
    assert found.outcome is not Outcome.SURE
