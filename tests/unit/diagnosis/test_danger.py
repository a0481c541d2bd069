"""Safety warnings for the driver, whatever the repair."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as some
from tests.unit.diagnosis.shipped import shipped_knowledge

from repaircore.book.model import Safety
from repaircore.diagnosis.danger import NO_DANGER, Danger, DriverSafety, driver_safety, implied
from repaircore.diagnosis.model import Finding
from repaircore.diagnosis.reading import read

KNOWN = shipped_knowledge()
SAYINGS = sorted(
    {
        " ".join(part.split("/")[0] for part in saying.split())
        for name, sayings in KNOWN.lexicon.dangers.items()
        if name != NO_DANGER
        for saying in sayings
        if "not" not in saying.split() and "lost" not in saying
    }
)
DENIALS = ("no", "never", "there is no", "without", "I don't have")


def safety(text: str) -> DriverSafety:
    result = read(text, KNOWN)
    return driver_safety((), result.dangers)


def dangers(text: str) -> set[str]:
    return {one.danger for one in safety(text).warnings}


def test_lexicon_covers_exactly_the_dangers() -> None:
    assert set(KNOWN.lexicon.dangers) == {*Danger, NO_DANGER}


def test_implied_symptoms_are_in_the_book() -> None:
    assert set(implied(Danger)) <= set(KNOWN.symptoms)


def test_ruled_out_symptoms_are_in_the_book() -> None:
    for symptom, others in KNOWN.lexicon.rules_out.items():
        assert set(others) <= set(KNOWN.symptoms) - {symptom}


@pytest.mark.parametrize(
    ("text", "danger"),
    [
        ("flames under the hood", "fire"),
        ("my car is on fire", "fire"),
        ("smoke coming from the dashboard", "fire"),
        ("white smoke from under the hood", "fire"),
        ("the car won't start and there is smoke under the hood", "fire"),
        ("strong smell of gasoline", "fuel"),
        ("gas is leaking under the car", "fuel"),
        ("brakes failed completely on the highway", "brakes"),
        ("breaks failled", "brakes"),
        ("NO BRAKES THIS MORNING. rolled thru the stop sign", "brakes"),
        ("when I push the brake nothing happens", "brakes"),
        ("I can't stop my car", "brakes"),
        ("mi carro no tiene frenos", "brakes"),
        ("steering wheel just spins, wheels dont turn", "steering"),
        ("accelerator does not come back up when I let off", "throttle"),
        ("car speeds up without me touching the gas", "throttle"),
        ("fule leaking under my truck", "fuel"),
        ("I have no brakes", "brakes"),
        ("the brakes don't work", "brakes"),
        ("the pedal goes to the floor", "brakes"),
        ("steering wheel locked up while driving", "steering"),
        ("I can't steer", "steering"),
        ("my temp needle is in the red", "overheating"),
        ("the engine is overheeting", "overheating"),
        ("steam from under the hood", "overheating"),
        ("the oil pressure light is on", "oil-pressure"),
        ("check engine light is flashing", "check-engine-flashing"),
        ("front wheel is coming off", "wheel"),
        ("my wheel is loose", "wheel"),
        ("exhaust fumes inside the car", "exhaust-fumes"),
        ("the hybrid battery is damaged after a crash", "high-voltage"),
        ("gas pedal stuck", "throttle"),
        ("my accelerator is stuck to the floor", "throttle"),
        ("Throttle sticks when I let off", "throttle"),
        ("the truck speeds up on its own", "throttle"),
        ("it accelerates by itself while I brake", "throttle"),
        ("code P0217 came up", "overheating"),
        ("what is p0524", "oil-pressure"),
        ("P0AA6 stored, prius", "high-voltage"),
        ("scanner says P0093", "fuel"),
    ],
)
def test_driver_safety_tells_the_driver_to_stop(text: str, danger: str) -> None:
    result = safety(text)

    assert result.stop_driving
    assert danger in {one.danger for one in result.warnings}
    assert all(
        "do not drive" in one.text or "stop as soon as it is safe" in one.text for one in result.warnings
    )


@pytest.mark.parametrize(
    "text",
    [
        "no smoke",
        "no smoke, no fire, it just squeals",
        "blue smoke from the exhaust",
        "no noise when I brake",
        "I have no brake noise",
        "no steering noise",
        "the engine won't fire up",
        "the engine misfires",
        "check engine light is on",
        "the parking brake does not work",
        "failed inspection because of brake pads",
        "the brakes are fine, they never failed",
        "steering wheel buttons don't work",
        "the temp gauge stays cold and never warms up",
        "smoked headlight lens",
        "oil light is off",
        "the oil light isn't on, but it leaks a bit",
        "brake smell gone now",
        "gas smell gone, now rough idle",
        "broken exhaust stud at the back cylinder, ticking",
        "the guy behind me caught fire on the highway, anyway my wipers streak",
        "my old car overheated and died. This one is fine, just squeaks over bumps",
        "if my steering rack ever fails would I lose steering?",
        "the neighbor's wheel fell off. Should I retorque mine?",
        "gas pedal is stuck stiff, hard to press at first",
        "throttle body stuck closed, cleaned it",
        "stuck throttle body, code P2111",
        "stuck in third gear and won't accelerate",
        "the gas pedal does not stick",
        "code P0420",
    ],
)
def test_driver_safety_has_no_warning_for_harmless_text(text: str) -> None:
    assert safety(text) == DriverSafety()


def test_driver_safety_warns_of_an_airbag_light_without_a_stop() -> None:
    result = safety("the airbag light is on")

    assert [one.danger for one in result.warnings] == ["airbag"]
    assert not result.stop_driving


def test_read_finds_every_saying_of_a_danger() -> None:
    missed = [saying for saying in SAYINGS if not dangers(saying)]

    assert len(missed) <= 0.01 * len(SAYINGS), missed


@pytest.mark.parametrize("no", DENIALS)
def test_read_ignores_a_denied_danger(no: str) -> None:
    false_alarms = [saying for saying in SAYINGS if safety(f"{no} {saying}") != DriverSafety()]

    assert len(false_alarms) <= 0.01 * len(SAYINGS), false_alarms


@given(
    some.sampled_from(DENIALS),
    some.lists(some.sampled_from(SAYINGS), min_size=2, max_size=3),
    some.sampled_from(["", "it squeals. ", "the radio is loud, "]),
)
def test_read_ignores_several_denied_dangers(no: str, sayings: list[str], before: str) -> None:
    text = before + ". ".join(f"{no} {saying}" for saying in sayings)

    assert safety(text) == DriverSafety()


@given(some.text(max_size=60))
def test_any_text_can_be_read(text: str) -> None:
    result = safety(text)

    assert result.stop_driving <= bool(result.warnings)


def test_driver_safety_warns_of_present_signs_only() -> None:
    assert driver_safety([Finding("oil-pressure-light", present=True)]).stop_driving
    assert driver_safety([Finding("oil-pressure-light", present=False)]) == DriverSafety()


def test_driver_safety_stops_for_a_likely_unsafe_repair() -> None:
    assert driver_safety([], repairs=[(90, Safety.SHORT), (65, Safety.NO)]).stop_driving
    assert driver_safety([], repairs=[(90, "short"), (65, "no")]).stop_driving
    assert not driver_safety([], repairs=[(90, Safety.SHORT), (85, Safety.YES)]).stop_driving


def test_driver_safety_ignores_an_unlikely_unsafe_repair() -> None:
    assert not driver_safety([], repairs=[(90, Safety.YES), (64.9, Safety.NO)]).stop_driving


def test_driver_safety_sorts_warnings_by_urgency() -> None:
    result = safety("the airbag light is on and flames come from the hood")

    assert [one.danger for one in result.warnings] == ["fire", "airbag"]


def test_driver_safety_sorts_all_dangers_by_urgency() -> None:
    result = driver_safety((), sorted(Danger, reverse=True))

    assert [one.danger for one in result.warnings] == [
        "fire",
        "fuel",
        "hot-exhaust",
        "brakes",
        "steering",
        "throttle",
        "wheel",
        "tire",
        "high-voltage",
        "exhaust-fumes",
        "visibility",
        "brake-lights",
        "overheating",
        "oil-pressure",
        "check-engine-flashing",
        "power-loss",
        "airbag",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "why do engines have a firing order?",
        "when does a car catch fire in a crash?",
        "will a bad radiator fan cause it to overheat?",
        "my engine fires right up and then dies",
        "while I hold the brake the engine won't stall",
        "light came on after getting gas, code P0455, large leak",
        "the exhaust is loud inside the cabin",
    ],
)
def test_read_finds_no_danger_in_a_general_question(text: str) -> None:
    assert dangers(text) == set()


@pytest.mark.parametrize(
    ("text", "danger"),
    [
        ("red oil can symbol flickers at idle", "oil-pressure"),
        ("lost power steering on the freeway", "steering"),
        ("the wheel almost fell off", "wheel"),
        ("rats chewed an orange cable", "high-voltage"),
        ("why is smoke coming from under my hood?", "fire"),
    ],
)
def test_read_finds_a_danger_in_other_words(text: str, danger: str) -> None:
    assert danger in dangers(text)


def _sentences() -> list[tuple[str, str]]:
    """Return the sentences of the tuning half, each with its danger or an empty string."""
    path = Path(__file__).parents[2] / "data" / "danger_sentences.csv"
    with path.open(newline="", encoding="utf-8") as file:
        return [(one["text"], one["dangers"]) for one in csv.DictReader(file) if one["half"] == "tune"]


def test_read_finds_exactly_the_dangers_of_owners_sentences() -> None:
    result = [(text, danger, dangers(text)) for text, danger in _sentences()]
    wrong = [one for one in result if (one[1] not in one[2] if one[1] else one[2])]

    assert len(wrong) <= 0.04 * len(result), wrong


@pytest.mark.parametrize(
    ("text", "danger"),
    [
        ("my brakes failed last year, now the pedal goes to the floor", "brakes"),
        ("I fixed a fuel leak, but it still smells of gas inside", "fuel"),
        ("the pedal goes to the floor and it won't shift into gear, the brakes are useless", "brakes"),
    ],
)
def test_read_finds_a_present_danger_after_a_past_one(text: str, danger: str) -> None:
    assert danger in dangers(text)


def test_clutch_pedal_is_not_the_brake_pedal() -> None:
    assert dangers("the pedal goes to the floor and the clutch won't come back") == set()


PLAIN = [
    "the brake pedal goes to the floor",
    "flames are coming out from under the hood",
    "gas is leaking under the car",
    "the brakes failed on a hill",
    "the oil pressure light is on",
    "the engine is overheating",
    "the check engine light is flashing",
    "the steering locked up",
    "there is smoke coming from the dash",
    "a wheel fell off",
]
HARMLESS = [
    "i thought it was nothing", "i bought it from another guy", "it is my first car", "this is my old truck",
    "the dealer looked for leaks", "i asked whether it needs oil", "i wanted to make sure", "i ruled out the battery",
    "last summer i bought this car", "had it five years ago painted", "my friend's shop had a look", "i am worried",
    "i'm scared", "it was supposed to be a good car", "mine has 120k miles", "mine is a 2012",
    "i read on a forum about it", "my neighbor's son had a look", "it is known for rust",
    "i got the tires instead of rims", "the car behind me honked", "it was fine again", "checked for codes",
    "previously owned by my dad", "i would like to avoid a big bill", "could you help me", "can you tell me",
    "can my mechanic do it", "should i call a tow", "eventually i need a new car", "i have tools such as a jack",
    "six months ago i bought it", "back in march it got new tires", "i thought: no big deal", "i replaced the wipers for streaking",
    "is it cold? no", "he fixed it", "the shop repaired my bumper", "it turned out to be a nice day",
]  # fmt: skip


@pytest.mark.parametrize("join", [", ", " and ", ". "])
def test_read_finds_a_danger_after_other_text(join: str) -> None:
    result = [f"{before}{join}{danger}" for before in HARMLESS for danger in PLAIN]
    missed = [text for text in result if not dangers(text)]

    assert len(missed) <= 0.04 * len(result), missed


@pytest.mark.parametrize(
    ("text", "danger"),
    [
        ("mine is leaking gas", "fuel"),
        ("mine has smoke coming from under the hood", "fire"),
        ("my old honda is overheating bad", "overheating"),
        ("my first car is overheating", "overheating"),
        ("another driver told me there is smoke coming from my wheel", "fire"),
        ("engine overheating what does this mean", "overheating"),
        ("why would smoke come from under the dash", "fire"),
        ("gas leaking from tank what could cause this", "fuel"),
    ],
)
def test_read_finds_a_danger_of_the_owners_car(text: str, danger: str) -> None:
    assert danger in dangers(text)


@pytest.mark.parametrize(
    "text",
    [
        "mine never overheats",
        "another guy's truck caught fire",
        "what can cause engine overheating",
        "my previous car lost its brakes",
    ],
)
def test_read_ignores_dangers_of_another_car(text: str) -> None:
    assert dangers(text) == set()


@pytest.mark.parametrize(
    ("text", "danger"),
    [
        ("there are no brakes on my car", "brakes"),
        ("had no brakes coming down the hill", "brakes"),
        ("zero brakes", "brakes"),
        ("hardly any brakes", "brakes"),
        ("the brakes just quit", "brakes"),
        ("i cannot stop the car", "brakes"),
        ("no brake fluid in the reservoir", "brakes"),
        ("3 of the lugs are just gone", "wheel"),
        ("wheel studs gone", "wheel"),
        ("lug nuts sheared", "wheel"),
        ("a lug nut fell off", "wheel"),
        ("lugnut missing", "wheel"),
        ("lugnuts missing", "wheel"),
        ("lug bolts backed out", "wheel"),
        ("my tire fell off", "wheel"),
        ("the tire came off while driving", "wheel"),
        ("steering wheel came off in my hand", "steering"),
        ("steering wheel just spins and car goes straight", "steering"),
        ("ball joint broke, wheel folded", "steering"),
        ("tie rod came apart", "steering"),
        ("no oil pressure", "oil-pressure"),
        ("no oil on the dipstick", "oil-pressure"),
        ("temp gauge goes to H", "overheating"),
        ("temp gauge goes all the way up", "overheating"),
        ("battery is swollen and hissing", "high-voltage"),
        ("sparks coming from battery", "fire"),
        ("something is burning under the dash", "fire"),
        ("hissing from under the floor after a crash", "high-voltage"),
        ("brake caliper locked up smoking hot", "fire"),
        (
            "stomped the pedal and it went straight to the floor, nothing. shifted to low gear to stop",
            "brakes",
        ),
    ],
)
def test_read_finds_a_danger_in_owners_words(text: str, danger: str) -> None:
    assert danger in dangers(text)


@pytest.mark.parametrize(
    "text",
    [
        "steering wheel heater doesn't work",
        "gas smell after I fill up, gone once I put the cap on",
        "the windows go all the way up",
        "replaced the spark plugs and battery",
        "the temp gauge moved all the way up to the middle",
        "the lug nut cover fell off",
        "the spare tire fell off its winch",
        "brake caliper replaced, no smoke",
    ],
)
def test_read_ignores_what_only_sounds_like_a_danger(text: str) -> None:
    assert dangers(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "NO BRAKES",
        "no brakes!",
        "No brakes!!! Help!",
        "no breaks",
        "no brakes, pedal is soft",
        "HELP no brakes at all",
        "my car has no brakes",
    ],
)
def test_no_brakes_alone_is_a_danger(text: str) -> None:
    assert dangers(text) == {"brakes"}


@pytest.mark.parametrize(
    "text",
    [
        "no brakes squeal",
        "no brake noise",
        "checked the tires, no brakes, no rotors were changed",
        "no brakes were touched",
    ],
)
def test_no_brakes_before_another_word_is_no_danger(text: str) -> None:
    assert dangers(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "engine revs to 5000 by itself while braking",
        "the engine races by itself while I am braking",
        "engine is revving on its own when I brake",
        "it revs by itself in traffic",
        "the motor revved by itself while driving",
    ],
)
def test_engine_that_revs_by_itself_on_the_road_is_a_danger(text: str) -> None:
    assert "throttle" in dangers(text)


@pytest.mark.parametrize(
    "text",
    [
        "the engine revs too high at idle",
        "it revs up and down by itself when parked",
        "the engine does not rev by itself when braking",
    ],
)
def test_engine_that_revs_while_not_driving_is_no_danger(text: str) -> None:
    assert "throttle" not in dangers(text)


@pytest.mark.parametrize(
    "text",
    [
        "engine runs hot? no, it stays cold",
        "overheating? nope",
        "flames? no. it just ticks",
        "does the pedal sink? never, it is firm",
        "any gas leaks? none that I can see",
    ],
)
def test_question_answered_with_no_gives_no_warning(text: str) -> None:
    assert dangers(text) == set()


@pytest.mark.parametrize(
    ("text", "danger"),
    [
        ("engine runs hot? yes, in traffic", "overheating"),
        ("is it safe? no, the brake pedal goes to the floor", "brakes"),
        ("can I drive it? no brakes", "brakes"),
        ("any idea? the engine is overheating", "overheating"),
    ],
)
def test_no_to_another_question_hides_no_danger(text: str, danger: str) -> None:
    assert danger in dangers(text)


@pytest.mark.parametrize(
    "text",
    [
        # words that only sound like a danger
        "the carpet under the pedals is wet",
        "wet carpets below the pedals",
        "something weeps when I push the pedal",
        "pedal to the floor only gets me to 40 mph",
        "please go through the car: brakes, tires, lights",
        "it shakes when I brake, off the brakes it is gone",
        "tires good, brakes good, still won't hold a straight line",
        "tires are good, the brake is good, it won't hold a line",
        "fuel pressure drops to 20 at full throttle",
        "the tach drops to zero and it feels like fuel is cut",
        "my diesel drops oil on the driveway",
        "the diesel truck leaks oil",
        "diesels leak coolant sometimes",
        "fuel pressure is spot on",
        "when I give it gas it drops a gear",
        "they pour in ordinary diesel oil",
        "the air fuel sensor on the firewall side is dead",
        "broken manifold studs, ticking when cold",
        "an exhaust manifold stud snapped",
        "my first thought: loose lug nuts. They were tight",
        "first guess - overheating. It was the sensor",
        "shook the wheels and nothin is loose",
        "the needle of gasoline is always in the red",
        "sending unit is bad, fuel gauge pegged past full",
        "charging port overheating warnings on my ev",
        "the batteries were boiling on the charger",
        "smoke test: smoke came from the vent valve",
        "the hubcaps melted, plastic wheel cap",
        "no power under 2000 and some white smoke",
        "no low oil lamp, no leak below",
        "I shine a light through the oil fill and can see the cam",
        "steering wheel is sticky and the leather peels",
        "loose steering, clunks when I wiggle the wheel",
        "the steering is loose, the wheels were balanced",
        "it creaks when I turn the steering lock to lock",
        "creaks at full lock, the steering is new",
        "I tested the thermostats in a pot of boiling water",
        "smells of unburned fuel from the tailpipes",
        "bad ground at the fuel pump wiring",
        "could be a vacuum leak or the fuel pump",
        # past dangers
        "the shop replaced the thermostat for overheating",
        "they changed the hose for a leak of gas, the radio is dead",
        "it overheated six months ago, the window is stuck",
        "in the past the engine overheated, the horn is dead",
        "back in 2019 the brakes failed, the wipers streak",
        "coolant boiled over once when the cap was off, cap on since, no trouble",
    ],
)
def test_read_ignores_past_dangers_and_other_parts(text: str) -> None:
    assert dangers(text) == set()


@pytest.mark.parametrize(
    ("text", "danger"),
    [
        ("the pedal drops to the carpet", "brakes"),
        ("brake pedal dropped halfway", "brakes"),
        ("pedals go to the floor, no brakes", "brakes"),
        ("drops of gas under the car", "fuel"),
        ("spots of fuel under the tank", "fuel"),
        ("gas spots under my car", "fuel"),
        ("fuel drips on the ground", "fuel"),
        ("my diesel leaks fuel at the pump", "fuel"),
        ("injection pump of my diesel is leaking", "fuel"),
        ("wheel studs snapped", "wheel"),
        ("the wheel is loose and the steering wanders", "wheel"),
        ("smoke from the vents", "fire"),
        ("melted wires under the dash", "fire"),
        ("the oil light is on", "oil-pressure"),
        ("the temp needle is in the red", "overheating"),
        ("lug nuts are loose on the wheel", "wheel"),
        ("boiling coolant sprays from the radiator", "overheating"),
        ("it overheated last year, now it overheats again", "overheating"),
        ("brakes are fine in the morning but later the pedal sinks to the floor", "brakes"),
    ],
)
def test_read_finds_a_danger_next_to_past_ones(text: str, danger: str) -> None:
    assert danger in dangers(text)


@pytest.mark.parametrize(
    "text",
    [
        "At what speed does a car with no brakes come to a halt by itself? I was asked this by my son.",
        "How hard a bump does an electric car need until flames come out?",
        "How would snow around a parked van bring exhaust fumes inside?",
        "What exactly would happen with no brake fluid in a truck on a slope?",
        "Why do engines overheat when they lose their coolant, which boils at some point?",
        "A teacher showed what happens when a pump stops, which ends in overheating.",
        "Old trucks overheated on every pass in those days, and steam came from the hood.",
        "Now I wonder how much oil must be gone until the oil light is on.",
        "I am curious at what pressure the oil pressure light comes on.",
        "Do drum brakes overheat sooner than discs, so that the pedal goes to the floor?",
        "Can a car's steering lock up when the key is turned off on the road?",
        "How would one know that a wheel is about to come off?",
        "Electric cars burn for hours when the battery pack is damaged, why is that?",
        "People say that gas fumes in the cabin are poisonous, is there a sensor against it?",
        "What makes brakes fail on long downhills?",
        "Is it true that a car with a flashing check engine light may catch fire?",
        "Roads in the mountains are long. Do brakes fade there before the wheels smoke?",
        "How do exhaust fumes get into the cabin of a parked van?",
        "Most hybrids catch fire less often than other cars.",
    ],
)
def test_read_ignores_vehicles_in_general(text: str) -> None:
    assert dangers(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "In the end it boils down to the price of a relay.",
        "Failing this, try the engine brake in second gear.",
        "The tires smoked a bit but everything was under control.",
        "studs on the 4 cylinder connect the converter",
        "It all boils down to money.",
        "The whole argument goes up in smoke when you look at the price.",
        "I fired up the engine and gave it gas, it ran on one cylinder",
        "at which boiling temperature is brake fluid worn out",
        "carbon monoxide and hydrocarbons are too high at the emissions test",
        "the temp is set to max and the fan blows cold",
        "My first idea was that the brakes had failed.",
        "I had a feeling that it was overheating, it was not.",
        "We suspected a fuel leak but it was the washer bottle.",
    ],
)
def test_words_in_another_sense_are_no_danger(text: str) -> None:
    assert dangers(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "Last month the engine overheated on the highway. I replaced the thermostat and the water pump. The heater blows cold since.",
        "The car was leaking gas at the filler neck. I put in a new tank. The gauge reads wrong.",
        "The brakes failed on me on a hill. The shop installed a new master cylinder. The brake light stays on.",
        "It was overheating so I replaced the radiator. Now the ac doesn't get cold.",
        "The old engine overheated and I swapped in a used one. It ticks when cold.",
        "I had the oil light on due to a bad sender, which I replaced. Where does the other wire go?",
        "There was steam from under the hood, a hose had split. I replaced the hose and topped up. The radio is dead.",
        "The steering had locked up, so the rack was replaced. It whines now.",
        "My truck leaked gas from a rusty line. They replaced the line. The horn is dead.",
        "Steam was coming from the hood, so we installed a new radiator. The fog lamps flicker.",
    ],
)
def test_read_ignores_a_danger_that_was_repaired(text: str) -> None:
    assert dangers(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "The engine is out of the car and gas drips from the carb on the stand.",
        "While bleeding the brakes some brake fluid leaked from the bleeder.",
        "When I disconnected the fuel line gas sprayed on the ground.",
        "When I removed the caliper brake fluid dripped on the floor.",
        "With the head off, I saw coolant leak into the cylinder",
        "Trying to drop the tank, gas poured out on the ground when I took off the hose",
        "While replacing the pump some gas leaked onto the floor.",
        "When I loosened the hose gas sprayed out.",
    ],
)
def test_read_finds_no_leak_in_drained_fluid(text: str) -> None:
    assert dangers(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "What is the part number of the oil pressure light switch?",
        "Where can I buy a new oil pressure warning light bulb?",
        "I am looking for the wiring diagram of the airbag light.",
        "The manual says to stop when the oil pressure light comes on.",
        "My owner's manual says that steam from the hood means overheating.",
        "According to the manual the temperature light turns red when it overheats.",
        "Which torque do the wheel nuts need so that the wheel does not come off?",
        "I want to buy a kit for a brake line that burst on a project car at a friend's",
        "The handbook says the wheel falls off if the nuts are loose.",
        "Looking to buy the hose that sprays fuel into the throat.",
    ],
)
def test_read_ignores_manuals_and_parts_to_buy(text: str) -> None:
    assert dangers(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "On a forum someone wrote that his brakes failed after the same job.",
        "Some posts say the throttle sticks on this model.",
        "A guy on youtube had flames coming from the hood of the same truck.",
        "There is a recall because the steering may lock up.",
        "Reviews say that it overheats in traffic, should I buy one?",
        "In a video the gas pedal was stuck on a van like this.",
        "Owners report that the brakes failed on new ones.",
    ],
)
def test_read_ignores_posts_of_others(text: str) -> None:
    assert dangers(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "The brake fluid is low, no leak anywhere.",
        "The brake fluid level dropped to min as the pads wore.",
        "brake fluid is dark, should I flush it",
        "I spilled brake fluid on the fender while filling the reservoir.",
        "The caliper was leaking, it was replaced and the brakes are firm.",
        "Is a vacuum leak at the brake booster hose bad?",
        "A seal of the caliper seeped, I rebuilt it. Now it squeaks.",
        "How much does it cost to fix a leaking brake line?",
        "Oil leaks onto the caliper from the valve cover",
        "There is no leak at the caliper, the lines or the master cylinder.",
        "Brake fluid ran low, I topped it up.",
        "The brake fluid drops slowly, no leak to be seen",
        "The dust boot of the caliper seeps grease, is that ok?",
        "I drove through a puddle and the caliper squeals since.",
        "Should I soak the parts in brake fluid?",
        "Coolant leaks from the hose near the brake line.",
        "clutch slave cylinder leaks, I can't shift",
        "power steering fluid leaks onto the brake line",
        "brake fluid is leaking? no, it is washer fluid",
        "do not get brake fluid on the tires",
        "covered the paint because brake fluid eats it",
        "the fluid is at the minimum and the brake light is on",
        "the caliper leaked, they replaced it and no trouble since",
    ],
)
def test_brake_fluid_without_a_present_leak_is_no_danger(text: str) -> None:
    assert dangers(text) == set()


@pytest.mark.parametrize(
    "text",
    [
        "brake fluid drips above the pedal onto my shoe",
        "Brake fluid is leaking from the rear wheel cylinder.",
        "There's a puddle of brake fluid under my car",
        "brake fluid running down the inside of the wheel",
        "my master cylinder is leaking fluid into the cabin",
        "brake line is leaking near the axle",
        "the caliper drips, pads are soaked",
        "I replaced the caliper and brake fluid still leaks from the banjo bolt",
        "found brake fluid dripping off the drum",
        "I'm losing brake fluid, it leaks out of the hose at the front left",
        "I plan to replace a leaking brake line at the rear, which fitting is it?",
        "brake fluid all over the tire",
        "one of the wheel cylinders is leaking",
        "Brake fluid sprays out of the line when I press the pedal",
        "brake hose leaks when I step on it",
        "How do I fix my brake line, it leaks?",
        "The shop says that my brake line leaks",
        "drops of brake fluid on the driveway",
        "wet inside of the tire, it is brake fluid",
        "Brake fluid pours out at the rear when I push the pedal",
        "fluid leaks from the caliper",
        "Brakes feel ok but there is brake fluid dripping from the line by the tank",
        "my caliper is leaking brake fluid, can I drive it?",
        "brake fluid leaked onto the wheel again overnight",
        "the shop found a leaking wheel cylinder at the left rear",
    ],
)
def test_brake_fluid_that_leaks_is_a_danger(text: str) -> None:
    assert "brakes" in dangers(text)


@pytest.mark.parametrize(
    ("text", "danger"),
    [
        ("The engine overheated last week. I replaced the thermostat. It still overheats.", "overheating"),
        ("It overheated on the highway yesterday. What do I do?", "overheating"),
        ("Car overheated. I added coolant and it overheated again.", "overheating"),
        (
            "My car overheated, I replaced the water pump, but the needle goes into the red again.",
            "overheating",
        ),
        ("I replaced the radiator and it keeps overheating", "overheating"),
        ("The brakes failed on me. I bled them. The pedal still goes to the floor.", "brakes"),
        ("I changed the pads yesterday. The pedal goes to the floor.", "brakes"),
        ("I replaced the fuel filter. Gas is leaking on the ground.", "fuel"),
        ("There was a smell of gas so I replaced the cap. It did not help.", "fuel"),
        ("Why is smoke coming from under the hood of my car?", "fire"),
        ("what would make smoke come out of the dash", "fire"),
        ("when I opened the hood smoke was pouring out", "fire"),
        ("my wheel came off on the highway, what now?", "wheel"),
        ("is it dangerous to drive with a loose wheel? mine wobbles and two lug nuts are missing", "wheel"),
        ("my steering locked up, how does that happen?", "steering"),
        ("How long can I drive with the oil pressure light on?", "oil-pressure"),
        ("I was curious why my oil light is on", "oil-pressure"),
        ("cars like mine overheat and mine does now", "overheating"),
        ("I wonder why the engine overheats", "overheating"),
        ("why do I get exhaust fumes in the cabin", "exhaust-fumes"),
        ("I bought a car that leaks gas", "fuel"),
        ("it is covered under warranty but there is smoke from the vents", "fire"),
        ("I removed the seat and smell gas inside", "fuel"),
        ("I have a car that overheats", "overheating"),
        ("The manual does not say why smoke comes from my dash", "fire"),
        ("I read the forum and bled them, my brakes don't work", "brakes"),
        ("The dealer replaced the thermostat and said it's fixed. It overheated again today.", "overheating"),
        ("Fuel leaked all night and the garage stinks of it", "fuel"),
        ("I lost steering on the highway. The power steering pump was replaced a year ago.", "steering"),
        ("My brakes failed on the highway yesterday. I had the pads replaced last month.", "brakes"),
        ("I don't know why smoke comes from under the hood", "fire"),
        ("no idea what makes it overheat", "overheating"),
        ("It overheated last month. I put in a thermostat. It overheats on hills.", "overheating"),
        ("The engine overheated. I replaced the thermostat.", "overheating"),
        ("It overheated in June. The thermostat was replaced a year ago. The heater is cold.", "overheating"),
        ("The engine overheated today. I changed the oil. The heater is cold.", "overheating"),
        ("the wheel came off at highway speed", "wheel"),
        ("someone says smoke, well: smoke comes from my hood", "fire"),
        ("the carbon monoxide detector in my van went off", "exhaust-fumes"),
        ("not sure why there are flames under my hood", "fire"),
    ],
)
def test_read_finds_a_danger_next_to_questions_and_repairs(text: str, danger: str) -> None:
    assert danger in dangers(text)


@pytest.mark.parametrize(
    "text",
    [
        "My 2004 Accord overheated two weeks ago because the lower hose split. New hose, new coolant, bled it. Since then the heater blows cold at idle.",
        "We had an overheating episode in traffic; after a new fan relay the gauge sits at the middle. Yet I lose a bit of coolant.",
        "Bought it cheap since it had overheated. The head was machined and a new gasket went in. It idles rough.",
        "The battery light came on, and I was told the steering would get heavy if the belt snapped.",
        "I get a burning smell for a few seconds after I change the belt, then it's gone.",
        "The idle hunts. I sprayed carb cleaner around the intake, no change. No smoke, doesn't overheat.",
        "Temperature never goes into the red, stays at a quarter.",
        "I smelled something like burnt oil once, checked, nothing found. It just needs more gas than before.",
        "When braking hard the pedal pulses, but it never goes to the floor.",
        "The mechanic said it was an oil pressure sensor since a gauge showed 50 psi. How do I get it out?",
        "The radiator fan comes on before the needle gets anywhere near the red.",
        "The shop says if I leave it the ball joint may snap.",
        "I have white smoke from the tail pipe on cold mornings only, it clears up.",
        "Engine blew blue smoke at startup, valve seals are done, now it's clean but ticks.",
        "I put in a new fuel pump and now the gauge reads empty, no smell of gas anywhere.",
        "It stalls when I let off the gas. Fuel pressure drops to 30.",
        "Would driving with the bad thermostat make it overheat?",
        "Car cranks but there's no fire at the plugs.",
        "My wheels lock up in snow and the ABS kicks.",
        "I've got a loose heat shield that rattles around the wheel well.",
        "The steering is light on the highway, no play in the tie rods.",
        "Smoke tested the evap and found smoke at the purge valve.",
        "The check engine light used to flash last winter when the coil was bad. New coil, no flash. Now it is steady with P0420.",
        "Parking brake light flashes for a second at each corner.",
        "After the water pump died on me the gauge went up to the red. I shut it off at once and had it towed. The pump and thermostat were replaced. It now misses at idle, P0301.",
        "I had no brakes for a moment after the pad change because I forgot to pump the pedal. All good, but one rotor squeals.",
        "Previous owner ran it out of oil, the pressure light was on for a mile. He put in a used engine. Should I trust it?",
        "Whenever I read about these engines it's head gaskets and overheating, is the 2.5 any better?",
        "I want to be ready for the day the brakes fail: does the parking brake stop a truck on a hill?",
        "How hot must rotors get until the fluid boils?",
        "I have to replace my tie rods, at what play would they come off?",
        "The fuel line quick connector is a pain. What tool stops fuel from spraying when I take it off?",
        "I'm doing the fuel filter on my 99 Explorer and don't want gas all over the ground.",
        "Do I need to worry about smoke when I put it on the exhaust after painting it?",
        "My wife hit the brakes hard and the tires smoked. Is it bad for the ABS?",
        "What's the red oil can symbol on the dash for? It lights with the key on and goes off when it starts.",
        "The airbag light comes on with the key and goes out after six seconds as it should.",
        "No brake pedal feel problems, no leaks, no noise, the ABS lamp alone is on.",
        "New radiator, new cap, new hoses: does not overheat any more but the fan runs all the time.",
        "I took the wheel off, looked at the brake line and it is dry, the caliper is dry too.",
        "The exhaust smells rich and my plugs are black.",
    ],
)
def test_read_finds_no_danger_in_a_harmless_story(text: str) -> None:
    assert dangers(text) == set()


@pytest.mark.parametrize(
    ("text", "danger"),
    [
        (
            "The engine overheated twice this week. I replaced the hose. Both times steam came out.",
            "overheating",
        ),
        (
            "I was driving home and the brake pedal went to the floor. Managed to stop with the handbrake. The fluid is full.",
            "brakes",
        ),
        (
            "Brakes failed at a stop sign. Towed home. I had put new pads on it. What should I check?",
            "brakes",
        ),
        (
            "Smells strongly of gas in the cabin with the windows up. Replaced the filler hose already.",
            "fuel",
        ),
        ("Smoke came out of the dash while I drove. I pulled the fuse. The radio is dead.", "fire"),
        (
            "The steering locked for a moment on a curve. I turned the car off and on. Any ideas what it could be?",
            "steering",
        ),
        ("My accelerator stuck open twice today. Cleaned the throttle body. What else?", "throttle"),
        ("My front wheel wobbles and is loose, could it be the bearing or the lug nuts?", "wheel"),
        (
            "The oil light came on on the freeway and it began to knock. I changed the oil and filter. It knocks at idle.",
            "oil-pressure",
        ),
        (
            "We get headaches from exhaust fumes in our van. I replaced the muffler. It is loud.",
            "exhaust-fumes",
        ),
        ("The rear brake line rusted through and fluid is dripping onto the exhaust", "brakes"),
        ("I noticed brake fluid on the inside of my front wheel, level went down a lot", "brakes"),
        ("Is it normal that gas drips from under my car after filling up?", "fuel"),
        ("When the AC is on in a jam my car overheats. Is there a relay for the fan?", "overheating"),
        ("My neighbor saw flames under my car when I started it", "fire"),
        (
            "Two days ago the gauge shot to red and steam came out. I filled it up with water, drove home. It happened again this morning.",
            "overheating",
        ),
        ("After the shop replaced the lines the pedal sinks to the floor when I hold it at lights", "brakes"),
        ("I replaced the master cylinder and bled it three times. Pedal still falls to the floor.", "brakes"),
        (
            "Last night the brakes did nothing when I pushed them. I rolled through the light. I have not driven it since.",
            "brakes",
        ),
        ("I fixed the tank strap last week, now gas is dripping near the filter", "fuel"),
        (
            "I noticed smoke coming from under the dash when the blower is on. I put in a new blower motor. Fuses are good.",
            "fire",
        ),
        ("There was smoke under the hood and a burning rubber smell yesterday. What could it be?", "fire"),
        ("Three of five lug nuts were missing when I looked this morning", "wheel"),
        ("Front wheel fell off while backing out. It had been rattling for days.", "wheel"),
        ("Oil pressure light flickers at idle when hot. New oil, new filter.", "oil-pressure"),
        ("Exhaust fumes come into the cabin when I stop. New gaskets on the manifold.", "exhaust-fumes"),
        (
            "The gas pedal stuck to the floor on the interstate, I had to shift to neutral. New floor mats.",
            "throttle",
        ),
        (
            "There's brake fluid leaking from somewhere around the left rear, I can't tell if it's the cylinder or the hose",
            "brakes",
        ),
        ("Caliper is leaking at the piston. How long does a rebuild take?", "brakes"),
        ("Is it safe to drive when gas is leaking from the fuel rail?", "fuel"),
        ("Can someone tell me why flames shoot out from under my car?", "fire"),
        ("Is it normal that it overheats when towing?", "overheating"),
        (
            "The battery pack of my hybrid was damaged when I hit a curb. The shop replaced the bumper. It drives fine, should I worry?",
            "high-voltage",
        ),
        (
            "My 09 Focus overheats since the head gasket was done. I changed the thermostat twice. The fan works. What else?",
            "overheating",
        ),
    ],
)
def test_read_finds_the_danger_in_a_story(text: str, danger: str) -> None:
    assert danger in dangers(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "I thought it was the cap. It overheated. Gas leaks on the ground. I replaced the thermostat. The heater is cold.",
            {"fuel"},
        ),
        ("I thought it was the cap. It overheated. I replaced the thermostat. The heater is cold.", set()),
    ],
)
def test_read_finds_a_danger_after_a_thought(text: str, expected: set[str]) -> None:
    assert dangers(text) == expected


@pytest.mark.parametrize(
    ("text", "danger"),
    [
        ("bulge on the sidewall of my right rear tire", "tire"),
        ("the engine quits at 70 on the interstate, no warning", "power-loss"),
        ("when I hold the pedal at a light it slowly creeps down to the floor", "brakes"),
    ],
)
def test_read_finds_dangers_at_speed(text: str, danger: str) -> None:
    assert danger in dangers(text)


def test_stalling_engine_does_not_forbid_driving_but_a_bad_tire_does() -> None:
    assert not safety("the engine quits at 70 on the interstate").stop_driving
    assert safety("bulge on the sidewall of my right rear tire").stop_driving
