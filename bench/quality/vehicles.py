"""Vehicles and places of the made-up invoices: real names, which the product finds in its catalog."""

from typing import Final

YEARS: Final = (2007, 2010, 2013, 2016, 2019)
"""Model years; of those models that were not sold around one of them there are no invoices."""

_BY_MAKE: Final = {
    "Toyota": ("Camry", "Corolla", "RAV4", "Highlander", "Tacoma", "Tundra", "Sienna", "4Runner", "Prius", "Avalon", "Sequoia"),
    "Honda": ("Accord", "Civic", "CR-V", "Odyssey", "Pilot", "Fit", "Ridgeline"),
    "Ford": ("F-150", "Escape", "Explorer", "Fusion", "Focus", "Edge", "Expedition", "F-250", "Flex"),
    "Chevrolet": ("Silverado 1500", "Equinox", "Malibu", "Impala", "Tahoe", "Traverse", "Suburban", "Corvette", "Express"),
    "Nissan": ("Altima", "Rogue", "Sentra", "Maxima", "Murano", "Pathfinder", "Frontier", "Quest", "Titan", "Armada"),
    "Hyundai": ("Elantra", "Sonata", "Santa Fe", "Tucson", "Accent", "Azera"),
    "Kia": ("Optima", "Sorento", "Rio", "Sportage", "Sedona"),
    "Jeep": ("Grand Cherokee", "Wrangler", "Cherokee", "Compass", "Patriot"),
    "Subaru": ("Outback", "Forester", "Impreza", "Legacy"),
    "GMC": ("Sierra 1500", "Acadia", "Yukon", "Terrain", "Canyon", "Savana"),
    "Volkswagen": ("Jetta", "Passat", "Tiguan", "GTI", "Beetle", "Touareg", "CC"),
    "BMW": ("X5", "X3", "M3", "M5", "X6", "750i"),
    "Mercedes-Benz": ("C-Class", "E-Class", "S-Class", "G-Class", "CLS-Class", "SL-Class"),
    "Lexus": ("RX", "ES", "IS", "GX", "GS", "LS", "LX"),
    "Mazda": ("Mazda3", "Mazda6", "CX-9", "MX-5 Miata"),
    "Dodge": ("Charger", "Grand Caravan", "Durango", "Challenger", "Journey"),
    "Audi": ("A4", "Q5", "A6", "Q7", "A3", "A5", "A8", "TT"),
    "Chrysler": ("300", "Pacifica", "Voyager"),
    "Cadillac": ("Escalade", "CTS"),
    "Acura": ("MDX", "RDX"),
    "Volvo": ("XC90", "S60"),
    "Mitsubishi": ("Outlander", "Lancer"),
    "Lincoln": ("Navigator", "MKZ", "MKX"),
    "Buick": ("Enclave", "LaCrosse"),
}  # fmt: skip

MAKES: Final = tuple(_BY_MAKE)
MODELS: Final = tuple((make, model) for make, models in _BY_MAKE.items() for model in models)

ZIP_CODES: Final = (
    "35203", "99501", "85004", "72201", "90012", "80202", "06103", "19801", "33130", "30303", "96813", "83702", "60602", "46204",
    "50309", "67202", "40202", "70112", "04401", "21202", "02108", "48226", "55401", "39201", "64106", "59101", "68102", "89101",
    "03570", "07102", "87102", "14202", "28202", "58102", "43215", "73102", "97204", "15222", "29401", "57104", "37203", "77002",
    "84111", "05401", "23219", "98104", "25301", "53202", "82001",
)  # fmt: skip
"""One of each state but Rhode Island, more than 50 miles from the next as a rule: each is a region of its own."""
