"""Equipment by model, trim and engine: one vehicle a line, with the parts that it has, lacks or may have."""

import pytest
from tests.unit.book.test_fit import BY_SLUG

from repaircore.adapters.shipped.mechanics import shipped_mechanics
from repaircore.book.fit import FitOutcome, check_fit
from repaircore.kernel.facts import Engine, VehicleFacts
from repaircore.kernel.traits import Body, Drive, Powertrain
from repaircore.vehicle_facts.model import VehicleSpecs

OUTCOMES = {"+": FitOutcome.FITS, "-": FitOutcome.DOES_NOT_FIT, "?": FitOutcome.UNKNOWN}
BODIES = {"car": Body.CAR, "suv": Body.SUV, "van": Body.VAN, "pickup": Body.PICKUP}

CARS = """
2018 Subaru WRX | gas 2.5 awd car | +power-steering-pump -electric-steering-rack +clutch-replacement
2018 Subaru WRX | gas 2.0 awd car | -power-steering-pump +electric-steering-rack
2014 Chevrolet Equinox | gas 3.6 fwd suv | +power-steering-pump -electric-steering-rack
2014 Chevrolet Equinox | gas 2.4 fwd suv | -power-steering-pump +electric-steering-rack
2011 GMC Terrain | gas 3.0 fwd suv | +power-steering-pump
2012 Chevrolet Traverse | gas 3.6 fwd suv | +power-steering-pump
2019 Chevrolet Traverse | gas 3.6 fwd suv | -power-steering-pump +electric-steering-rack
2008 Honda Civic | gas 1.8 fwd car | ?power-steering-pump ?electric-steering-rack
2013 Honda Civic | gas 1.8 fwd car | -power-steering-pump +electric-steering-rack
2018 Dodge Charger | gas 6.2 rwd car | ?power-steering-pump ?electric-steering-rack
2018 Dodge Charger | gas 3.6 rwd car | -power-steering-pump +electric-steering-rack
2009 Toyota Camry | hybrid 2.4 fwd car | ?electric-steering-rack ?power-steering-pump
2021 Nissan Armada | gas 5.6 4wd suv | +power-steering-pump
2021 Lexus GX | gas 4.6 awd suv | +power-steering-pump -electric-steering-rack
2016 Fiat 500 | gas 1.4 fwd car | -power-steering-pump
1994 Ford Bronco | gas 5.8 4wd suv | -steering-rack +steering-gearbox
1999 Mercury Grand Marquis | gas 4.6 rwd car | -steering-rack +steering-gearbox
2005 Mercury Grand Marquis | gas 4.6 rwd car | ?steering-rack -steering-gearbox
2011 Ford Transit Connect | gas 2.0 fwd van | +brake-shoes-rear -brake-pads-rear
2016 Ford Transit Connect | gas 2.5 fwd van | -brake-shoes-rear +brake-pads-rear
2016 Toyota Prius c | hybrid 1.5 fwd car | +brake-shoes-rear -brake-pads-rear
2016 Toyota Prius | hybrid 1.8 fwd car | -brake-shoes-rear +brake-pads-rear
2009 Toyota Sienna | gas 3.5 fwd van | ?brake-shoes-rear ?brake-pads-rear
2014 Subaru Impreza | gas 2.0 awd car | ?brake-shoes-rear ?brake-pads-rear
2022 Honda Accord | gas 2.0 fwd car | +automatic-transmission-rebuild -cvt-replacement
2022 Honda Accord | gas 1.5 fwd car | -automatic-transmission-rebuild +cvt-replacement
2021 Chevrolet Malibu | gas 1.5 fwd car | -automatic-transmission-rebuild +cvt-replacement
2017 Chevrolet Malibu | gas 1.5 fwd car | +automatic-transmission-rebuild -cvt-replacement
2008 Mercedes-Benz SLK-Class | gas 3.0 rwd car | ?clutch-replacement
2018 Mercedes-Benz GLA-Class | gas 2.0 fwd suv | +dual-clutch-pack -torque-converter
2018 Mercedes-Benz E-Class | gas 2.0 rwd car | +torque-converter -clutch-replacement
2014 Ford Fiesta | gas 1.6 fwd car | ?dual-clutch-pack -torque-converter -cvt-replacement -automatic-transmission-rebuild
2014 Ford Focus | gas 2.0 fwd car | ?dual-clutch-pack -torque-converter
2017 Ford Focus | gas 1.0 fwd car | ?torque-converter
2006 Honda S2000 | gas 2.2 rwd car | -transmission-fluid-service +manual-transmission-fluid
2012 Honda Insight | hybrid 1.3 fwd car | +cvt-replacement
2015 Infiniti QX60 | hybrid 2.5 awd suv | +cvt-replacement
2015 Subaru XV Crosstrek | hybrid 2.0 awd suv | +cvt-replacement
2015 Lexus CT | hybrid 1.8 fwd car | -cvt-replacement +electric-ac-compressor -ac-compressor
2018 Ford Fusion | hybrid 2.0 fwd car | -cvt-replacement ?ac-compressor
2015 Nissan Rogue | gas 2.5 awd suv | +cvt-replacement
2004 Jeep Wrangler | gas 4.0 4wd suv | -cvt-replacement
2009 smart fortwo | gas 1.0 rwd car | -driveshaft-assembly -driveshaft-center-bearing
2008 Porsche Boxster | gas 2.7 rwd car | -driveshaft-assembly
2010 Porsche 911 | gas 3.8 awd car | ?driveshaft-assembly
2022 Chevrolet Corvette | gas 6.2 rwd car | -driveshaft-assembly +dual-clutch-pack
2002 Chevrolet Corvette | gas 5.7 rwd car | +leaf-spring +shock-absorbers-front -struts-front +driveshaft-assembly +rear-control-arms
2012 Chevrolet Camaro | gas 6.2 rwd car | -leaf-spring +driveshaft-assembly
2000 Land Rover Discovery | gas 4.0 awd suv | +shock-absorbers-front -struts-front
1998 Mercedes-Benz C-Class | gas 2.3 rwd car | +shock-absorbers-front -struts-front
2003 Mercedes-Benz C-Class | gas 1.8 rwd car | -shock-absorbers-front +struts-front
1996 Cadillac Fleetwood | gas 5.7 rwd car | +shock-absorbers-front -struts-front
1992 Cadillac Fleetwood | gas 4.9 fwd car | -shock-absorbers-front +struts-front
2005 Toyota Land Cruiser | gas 4.7 4wd suv | +shock-absorbers-front -struts-front
2010 Toyota Land Cruiser | gas 5.7 4wd suv | -shock-absorbers-front +struts-front
1996 Oldsmobile Bravada | gas 4.3 4wd suv | +shock-absorbers-front -struts-front
1992 Ford Aerostar | gas 3.0 rwd van | +shock-absorbers-front
1998 Isuzu Hombre | gas 2.2 rwd pickup | +shock-absorbers-front
2023 Ford F-150 Raptor | gas 3.5 4wd pickup | -leaf-spring
2018 Ford F-150 Raptor | gas 3.5 4wd pickup | +leaf-spring
2023 Ford F-150 XLT | gas 2.7 4wd pickup | +leaf-spring
2023 Ford F-150 | gas 2.7 4wd pickup | ?leaf-spring -brake-booster
2017 Ford F-150 | gas 2.7 4wd pickup | +leaf-spring +brake-booster
2000 Ford Mustang | gas 4.6 rwd car | -brake-booster
2000 Ford Mustang | gas 3.8 rwd car | +brake-booster
2014 Ford Mustang | gas 3.7 rwd car | +brake-booster
2022 GMC Sierra 1500 | gas 5.3 4wd pickup | ?brake-booster
2010 Chevrolet Express 2500 | gas 6.0 rwd van | ?brake-booster -cabin-air-filter
2005 Dodge Ram 2500 | diesel 5.9 4wd pickup | ?fuel-pump +fuel-cap ?throttle-body ?oxygen-sensor-upstream ?pcv-valve -spark-plugs
2013 Ford E-250 | gas 4.6 rwd van | ?fuel-cap
2013 Ford Focus | gas 2.0 fwd car | -fuel-cap
1994 Geo Metro | gas 1.0 fwd car | -cabin-air-filter
2000 Toyota 4Runner | gas 3.4 4wd suv | -cabin-air-filter
2010 Toyota 4Runner | gas 4.0 4wd suv | +cabin-air-filter
2000 Dodge Ram 1500 | gas 5.2 4wd pickup | -cabin-air-filter
2008 Chevrolet Impala | gas 3.5 fwd car | ?cabin-air-filter
2018 Kia Soul | gas 1.6 fwd car | +cabin-air-filter
1985 Chevrolet Celebrity | gas 2.8 fwd car | -cabin-air-filter
"""


def vehicle(name: str, mechanics: str) -> VehicleSpecs:
    """Return the vehicle for "2023 Ford F-150 Raptor" and "gas 3.5 4wd pickup"; the last name may be a trim."""
    year, *words = name.split(" ")
    make = next(make for make in ("Land Rover", "") if " ".join(words).startswith(make)) or words[0]
    model = " ".join(words)[len(make) + 1 :]
    trim = next((trim for trim in ("Raptor", "XLT") if model.endswith(trim)), None)
    powertrain, displacement, drive, body = mechanics.split(" ")
    engine = Engine(powertrain=Powertrain(powertrain), displacement=float(displacement))
    specs = VehicleSpecs(
        make=make,
        model=model.removesuffix(trim or "").strip(),
        year=int(year),
        trim=trim,
        body=BODIES[body],
        powertrain=engine.powertrain,
        facts=VehicleFacts(engines=(engine,), drives=frozenset({Drive(drive)}), body=BODIES[body]),
        source="test",
    )
    return shipped_mechanics().complete(specs)


@pytest.mark.parametrize("line", CARS.strip().splitlines())
def test_vehicle_has_the_parts_of_its_model(line: str) -> None:
    name, mechanics, parts = line.split(" | ")
    profile = vehicle(name, mechanics).profile
    expected = {part[1:]: OUTCOMES[part[0]] for part in parts.split(" ")}

    assert {slug: check_fit(BY_SLUG[slug], profile).outcome for slug in expected} == expected
