"""What usually stands beside the name of any repair and names no other work: why, and how.

Editorial.
"""

from typing import Final

BENIGN: Final = frozenset(
    ["add", "added", "adjustment", "approx", "assemblie", "associate", "bad", "bank", "bent", "blown", "broke", "broken", "bubble", "bulging",
     "burned", "burnt", "burst", "cause", "chewed", "chipped", "clear", "cleared", "click", "clicking", "clogged", "clunk", "clunking", "code", "cold",
     "collapsed", "complete", "concern", "condition", "corroded", "crack", "cracked", "customer", "customer's", "cyl", "cylinder", "damage", "damaged",
     "dead", "deployed", "dirty", "drive", "drove", "dry", "dry-rotted", "dryrot", "engine-running", "excessive", "expired", "externally", "failed",
     "failing", "failure", "fault", "faulty", "fell", "filled", "fine", "found", "frayed", "full", "gal", "gallon", "gone", "good", "grind",
     "grinding", "hazy", "hot", "hum", "humming", "inop", "inoperative", "intermittent", "internal", "iridium", "knocking", "lamp", "leak", "leaking",
     "leaky", "light", "located", "locked", "loose", "low", "melted", "mil", "mile", "misfire", "misfiring", "missing", "mm", "new", "no", "noise",
     "noisy", "not", "ok", "old", "one", "operating", "operation", "output", "over", "overheat", "overheating", "passed", "perform", "performed",
     "platinum", "play", "plugged-up", "popping", "proper", "properly", "pulsate", "pulsating", "pulsation", "puncture", "punctured", "qt", "qts",
     "quart", "r1234yf", "r134a", "ran", "rattle", "rattling", "ready", "repaired", "replaced", "request", "reset", "restricted", "result", "retest",
     "ripped", "road", "roar", "roaring", "rotted", "rough", "rubbing", "rust", "rusted", "rusty", "sagging", "scrape", "scraping", "seep", "seepage",
     "seeping", "seized", "severe", "shake", "shaking", "shot", "side", "slip", "slipping", "smell", "snapped", "spec", "specs", "split", "squeak",
     "squeal", "squealing", "stall", "stalling", "stick", "sticking", "still", "stop", "streaking", "stripped", "stuck", "supply", "swollen", "test",
     "tested", "testing", "torn", "torque", "torqued", "up", "vehicle", "verified", "verify", "vibrating", "warning", "warped", "weak", "wear",
     "whine", "whining", "wobble", "wobbling", "worn", "wrong", "yr"]
)  # fmt: skip
"""Words beside the name of a repair that say why or how, and name no other work."""

HOW: Final = frozenset(
    ["12v", "accessible", "after", "again", "agm", "all", "approx", "area", "assist", "attempt", "automatic", "bench", "bg", "book", "both", "brand",
     "carb", "cartridge", "ceramic", "cert", "certificate", "complete", "computer", "condition", "contaminated", "correct", "correction", "cracking",
     "cust", "day", "dealer", "degree", "discharge", "dot", "drained", "due", "electric", "extra", "facility", "factory", "feel", "fitted", "followed",
     "free", "front-end", "frozen", "ft", "genuine", "hand", "hard", "heard", "high", "hood", "hour", "hvac", "hydraulic", "inspect", "inspected", "into",
     "issue", "latest", "lb", "lbs", "level", "liquid", "local", "major", "make", "making", "measured", "metal", "minor", "month", "need", "needed", "neg",
     "negative", "noticed", "number", "o", "old", "onto", "open", "operate", "operational", "oring", "pack", "package", "plastic", "pop", "positive",
     "post", "power", "pre", "pressed", "previous", "procedure", "process", "proper", "psi", "quick", "recheck", "refit", "relearn",
     "relearned", "remanufactured", "repacked", "replacement", "restore", "right", "ring", "safe", "scored", "sent", "service", "set", "shake", "sheared",
     "spin", "stainless", "standard", "static", "step", "suction", "supply", "suspension", "sys", "system", "tech", "technician", "tight", "time", "today",
     "top", "tsb", "type", "under", "unit", "upgrade", "used", "verified", "vibration", "visit", "visual", "voltage", "wash", "way", "wet", "whole",
     "wont", "work", "year"]
)  # fmt: skip
"""Words that may stand beside any repair, even though some name parts of others."""

MAKERS: Final = frozenset(
    ["amsoil", "anco", "ate", "baldwin", "behr", "bendix", "borla", "bosal", "centric", "dayton", "deka", "delco", "delphi", "diehard", "donaldson",
     "duracell", "ebc", "energizer", "everstart", "exide", "febi", "fleetguard", "flowmaster", "havoline", "hella", "hitachi", "kleen", "koni",
     "leece", "lemforder", "lucas", "magnaflow", "mahle", "mann", "mevotech", "meyle", "mitsubishi", "neville", "nissen", "optima", "osram", "peak",
     "philip", "powerstop", "prestolite", "prestone", "purolator", "quaker", "rancho", "remy", "seafoam", "siemen", "spectra", "sylvania", "textar",
     "trico", "valeo", "vdo", "walker", "zerex"]
)  # fmt: skip
"""Makers of parts and fluids besides those that the reading of words leaves out by itself."""

OTHER_WORK: Final = frozenset(
    ["adjust", "adjusted", "adjustment", "aim", "aimed", "aiming", "align", "alignment", "attach", "balance", "bleed", "borrowed", "bypass", "bypassed", "calibrate",
     "calibration", "certified", "cleaned", "cleaning", "customize", "delete", "deleted", "diagnosi", "disconnected", "flush", "free", "lube", "lubed", "lubricate", "machine", "machined", "modify",
     "only", "paint", "painted", "polish", "program", "reattach", "reattached", "recondition", "reinstall", "removal", "reprogram", "resecure",
     "resurface", "resurfaced", "reuse", "reused", "rewire", "seal", "secure", "secured", "spacer", "stop-leak", "straighten", "swap", "switch",
     "tighten", "tint", "trim", "turn", "turned"]
)  # fmt: skip
"""Words for other work on a thing than the repair that its name stands for, unless the repair includes it."""
