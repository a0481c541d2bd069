import pytest
from tests.adapters.lookups.conftest import clock
from tests.programs import printed
from tests.threads import at_once

from repaircore.adapters.lookups.vpic_local import VpicData, VpicVinDecoder
from repaircore.kernel.traits import Body, Powertrain

# Makers' patterns, each with an invented serial number.
KNOWN = {
    "1HGCM82633A004352": (2003, "Honda", "Accord", Body.CAR, Powertrain.GAS),
    "5YJ3E1EA7KF317000": (2019, "Tesla", "Model 3", Body.CAR, Powertrain.ELECTRIC),
    "4T1BD1FK1CU000001": (2012, "Toyota", "Camry", Body.CAR, Powertrain.HYBRID),
    "YV4BR0PL1J1000001": (2018, "Volvo", "XC90", Body.SUV, Powertrain.PLUG_IN_HYBRID),
    "1FTFW1ED1MF000001": (2021, "Ford", "F-150", Body.PICKUP, Powertrain.HYBRID),
    "5FNRL18634B000001": (2004, "Honda", "Odyssey", Body.VAN, Powertrain.GAS),
    "1FT7W2BT1EE000001": (2014, "Ford", "F-250", Body.PICKUP, None),
}


@pytest.mark.parametrize(("vin", "told"), KNOWN.items(), ids=list(KNOWN))
def test_known_vehicles_are_read(data: VpicData, vin: str, told: tuple[object, ...]) -> None:
    read = VpicVinDecoder(data, clock).decode(vin)
    assert read is not None
    assert (read.year, read.make, read.model, read.body, read.powertrain) == told


def test_the_trim_is_told(data: VpicData) -> None:
    read = VpicVinDecoder(data, clock).decode("1HGCM82633A004352")
    assert read is not None
    assert read.display_name == "2003 Honda Accord EX-V6"


def test_eight_threads_with_different_vins_do_not_wait_for_ever(data: VpicData) -> None:
    decoder = VpicVinDecoder(data, clock)

    def ask() -> list[tuple[object, ...]]:
        read = [decoder.decode(vin) for vin in [*KNOWN] * 6]
        return [(one.year, one.make, one.model) for one in read if one is not None]

    assert at_once(8, ask) == [[told[:3] for told in KNOWN.values()] * 6] * 8


def test_a_closed_store_of_data_opens_again(data: VpicData) -> None:
    decoder = VpicVinDecoder(data, clock)
    before = decoder.decode("1HGCM82633A004352")
    data.close()
    assert decoder.decode("1HGCM82633A004352") == before


def test_the_data_are_not_read_before_the_first_question() -> None:
    program = """
import sys, repaircore.adapters.lookups.vpic_names, repaircore.adapters.lookups.structure
import repaircore.adapters.lookups.zip_codes
print({'vin', 'vininfo', 'zipcodes'} & set(sys.modules))
"""
    assert printed(program) == "set()\n"
