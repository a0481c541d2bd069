import subprocess
import sys
import threading

import pytest

from repaircore.adapters.lookups.vpic_local import VpicData, VpicVinDecoder
from repaircore.kernel.traits import Body, Powertrain
from repaircore.vehicles.model import Decoded

from .conftest import clock

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
    start = threading.Barrier(8)
    wrong: list[Decoded | None] = []

    def ask() -> None:
        start.wait()
        for vin, told in list(KNOWN.items()) * 6:
            read = decoder.decode(vin)
            if read is None or (read.year, read.make, read.model) != told[:3]:
                wrong.append(read)

    threads = [threading.Thread(target=ask, daemon=True) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads)
    assert wrong == []


def test_a_closed_store_of_data_opens_again(data: VpicData) -> None:
    decoder = VpicVinDecoder(data, clock)
    before = decoder.decode("1HGCM82633A004352")
    data.close()
    assert decoder.decode("1HGCM82633A004352") == before


def test_the_data_are_not_read_before_the_first_question() -> None:
    asked = (
        "import sys, repaircore.adapters.lookups.vpic_names, repaircore.adapters.lookups.structure, "
        "repaircore.adapters.lookups.zip_codes; print({'vin', 'vininfo', 'zipcodes'} & set(sys.modules))"
    )
    told = subprocess.run(  # noqa: S603 - our own interpreter and words
        [sys.executable, "-c", asked],
        check=True,
        capture_output=True,
        text=True,
        env={"PYTHONPATH": ":".join(sys.path)},
    )
    assert told.stdout.strip() == "set()"
