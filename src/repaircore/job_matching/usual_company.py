"""Words that usually accompany the name of any repair without naming other work: they say why, or how.

The words are hand-picked.
"""

from typing import Final

CHATTY: Final = frozenset(
    ["across", "actually", "almost", "alone", "along", "already", "although", "am", "annually", "any", "anyhow", "anymore", "anyway", "anywhere",
     "apartment", "apparently", "are", "ask", "asked", "autel", "awesome", "awful", "barely", "basically", "bay", "bc", "be", "beat", "beaten",
     "because", "bedded", "bedding", "below", "beyond", "bit", "bloated", "blowed", "boss", "brinelled", "bring", "buddy", "bulletproof", "bunch",
     "busted", "buttoned", "came", "can", "careful", "certainly", "chase", "chased", "clog", "coked", "coking", "coming", "contaminated", "cooked",
     "could", "couldn't", "couldnt", "couple", "crap", "crappy", "cratered", "crud", "crusty", "curbside", "curled", "cuz", "dad", "daughter",
     "definitely", "delaminating", "detonated", "dicey", "didn't", "die", "died", "dies", "different", "discovered", "disintegrated", "dissolved",
     "do", "does", "doesnt", "don't", "dont", "driveway", "driveways", "droopy", "dud", "during", "dying", "dyno", "dyno'd", "dynoed", "earlier",
     "early", "easy", "eaten", "either", "em", "enough", "entire", "entirely", "even", "evening", "eventually", "ever", "everything", "everywhere",
     "exploded", "fast", "figure", "figured", "fished", "floppy", "fluke", "folk", "freeway", "fresh", "friday", "fried", "frozen", "funky", "galled",
     "garage", "getting", "give", "given", "giving", "glad", "glazed", "go", "gotta", "gotten", "gouged", "grab", "grabbed", "great", "grenaded",
     "gross", "guideline", "gunk", "gunky", "guy", "guys", "half", "hammered", "handbook", "happy", "hardly", "hate", "he", "heatspotted", "her",
     "here", "highway", "him", "his", "hoist", "home", "hooked", "hope", "hopefully", "horrible", "hosed", "hotspot", "hotspotted", "house",
     "however", "hunted", "hunter", "husband", "i", "i'd", "i'm", "i've", "im", "imploded", "inv", "is", "isnt", "it's", "its", "ive", "junk",
     "junked", "just", "kaput", "keep", "kid", "kinda", "kinked", "knew", "know", "known", "lady", "late", "later", "leave", "leaving", "let",
     "letting", "like", "liked", "likely", "little", "longer", "look", "looked", "looking", "looks", "loud", "love", "ma'am", "made", "making",
     "mangled", "may", "maybe", "me", "midtronics", "might", "mine", "mini", "model", "mom", "monday", "monthly", "mostly", "much", "must", "my",
     "nasty", "nearly", "needle", "neither", "nice", "night", "nothing", "noticed", "nowhere", "obviously", "office", "once", "op", "opcode", "our",
     "ours", "ourselve", "perfect", "perfectly", "perhaps", "pilot", "pinched", "placard", "please", "pop", "popped", "pretty", "probably", "puffed",
     "pulverized", "quarterly", "quickly", "quiet", "quit", "quits", "quitting", "realized", "remedy", "ro", "roadside", "roasted", "rocky",
     "rotting", "ruptured", "sad", "saggy", "said", "saturday", "saw", "say", "saying", "scary", "sched", "schedule", "scored", "screech",
     "screeched", "screeching", "see", "seen", "several", "shall", "she", "should", "shredded", "simply", "sir", "sketchy", "slapped", "slid", "slop",
     "sloppy", "slow", "slowly", "smooth", "smoothly", "snap-on", "snapon", "so", "solid", "some", "something", "somewhat", "somewhere", "son",
     "soon", "sooner", "sorta", "spotted", "squeaked", "squealed", "squeezed", "stayed", "staying", "stopped", "street", "stuff", "stuffed", "sunday",
     "super", "sure", "surely", "taking", "tell", "terrible", "thank", "thanks", "that's", "thats", "their", "them", "there", "there's", "theres",
     "these", "they", "they're", "thing", "think", "this", "those", "though", "thought", "thread", "threw", "thrown", "thursday", "til", "till",
     "toast", "toasted", "told", "tomorrow", "ton", "tonight", "toss", "tossed", "tough", "toward", "town", "tracked", "trash", "trashed", "tried",
     "try", "trying", "tuesday", "turns", "ugly", "unless", "us", "wallowed", "want", "wanted", "wanting", "wasn't", "wasnt", "wasted", "we'd",
     "we'll", "we're", "we've", "wednesday", "weekend", "weekly", "what's", "whether", "while", "whole", "whooped", "wife", "wiggle", "wiggled",
     "wiggly", "wiped", "wish", "wo", "would", "wouldn't", "wouldnt", "wrestled", "y'all", "yank", "yanked", "yet", "you", "you'll", "you're",
     "youll", "your", "youre", "yours", "yourself"]
)  # fmt: skip
"""Words of people who write in sentences, as mobile mechanics do: where they worked, and how dead the old part was."""

BENIGN: Final = CHATTY | frozenset(
    ["access", "accident", "add", "added", "adjustment", "advise", "advised", "after", "afternoon", "again", "also", "alway", "another", "appointment",
     "approved", "approx", "asap", "assembled", "assemblie", "associate", "attached", "authorized", "bad", "bald", "bang", "banging", "bank", "been",
     "before", "behind", "being", "bent", "bent-up", "best", "better", "binding", "blew", "blinking", "blown", "brittle", "broke", "broken",
     "broken-off", "brought", "bubble", "bucking", "bulged", "bulging", "burned", "burning", "burnt", "burst", "buzz", "buzzing", "came", "can't",
     "cant", "carefully", "cause", "cheap", "chewed", "chipped", "chirp", "chirping", "chunked", "clatter", "clear", "cleared", "click", "clicking",
     "clogged", "cloudy", "clunk", "clunking", "code", "cold", "collapsed", "come", "complain", "complaint", "complete", "completed",
     "completely", "concern", "condition", "confirmed", "constant", "constantly", "consumption", "corrected", "corroded", "corroding", "crack",
     "cracked", "cracking", "creak", "creaking", "crumbling", "crunch", "crunching", "crush", "cupped", "curb", "curbed", "customer",
     "customer's", "cyl", "cylinder", "d", "damage", "damaged", "damp", "dangerou", "dead", "debri", "deer", "delaminated", "dented", "deployed", "did",
     "didnt", "dim", "dimming", "dirty", "disassembled", "documented", "doe", "doesn't", "doing", "done", "dragging", "dried", "drifting", "drip",
     "dripping", "drivable", "drive", "driveable", "drove", "dry", "dry-rotted", "drying", "dryrot", "dtc", "dull", "ea", "each", "empty",
     "engine-running", "erratic", "erratically", "excessive", "expired", "externally", "faded", "failed", "failing", "failure", "fastener", "fault",
     "faulty", "feathered", "feel", "fell", "felt", "few", "filled", "finally", "fine", "fitted", "fixed", "flaking", "flashing", "flicker",
     "flickering", "foamy", "foggy", "found", "frayed", "full", "function", "functional", "functioning", "gal", "gallon", "gave", "get", "glowing",
     "goe", "going", "gone", "good", "got", "grabbing", "grind", "grinding", "groan", "groaning", "grooved", "growl", "growling", "had", "hanging",
     "hardware", "has", "hazy", "heard", "hesitate", "hesitation", "hiss", "hissing", "hit", "hot", "hour", "howl", "howling", "hr", "hrs",
     "hum", "humming", "idling", "immediately", "inop", "inoperable", "inoperative", "intermittent", "internal", "intrusion", "iridium", "isn't",
     "isolated", "it'", "jerk", "jerking", "judder", "juddering", "jumping", "kept", "knocking", "lamp", "leak", "leaked", "leaking", "leaky", "less",
     "light", "located", "locked", "loose", "losing", "low", "lurch", "made", "make", "many", "melted", "mice", "mil", "mile", "milky", "min", "minute",
     "misfire", "misfiring", "missing", "mm", "moan", "moaning", "more", "morning", "most", "mouse", "mushy", "nest", "never", "new", "no",
     "noise", "noisy", "not", "not-working", "noted", "occasional", "occasionally", "ok", "old", "one", "onto", "operating", "operation", "ordered",
     "original", "originally", "output", "over", "overheat", "overheating", "owner", "oxidized", "partially", "passed", "pc", "pcs", "peeling",
     "pending", "per", "perform", "performed", "permanent", "permanently", "picked", "pitted", "platinum", "play", "plugged-up", "popping", "pothole",
     "present", "previously", "printed", "printout", "prior", "proper", "properly", "pulled", "pulsate", "pulsating", "pulsation", "puncture",
     "punctured", "put", "qt", "qts", "qty", "quart", "r1234yf", "r134a", "ran", "randomly", "rat", "rattle", "rattling", "read", "reading", "ready",
     "really", "reassembled", "rebuildable", "rechecked", "reman", "remanufactured", "repaired", "replaced", "report", "request", "reset", "restricted",
     "result", "retest", "retested", "ripped", "road", "roar", "roaring", "rock", "rodent", "rotted", "rotten", "rough", "rubbing", "rumble",
     "rumbling", "rust", "rusted", "rusting", "rusty", "safe", "sag", "sagging", "same", "saturated", "scrape", "scraping", "scratched", "secure",
     "seep", "seepage", "seeping", "seized", "separated", "separating", "severe", "shake", "shaking", "sheared", "shimmy", "shimmying", "shot",
     "shudder", "side", "since", "skipping", "sleeve", "slip", "slipping", "sludge", "sludgy", "smell", "smelly", "smoke", "smoking", "snapped", "snug",
     "soaked", "soaking", "soft", "sold", "sometime", "sound", "sounding", "sourced", "spec", "specs", "split", "spongy", "squeak", "squeaking",
     "squeaky", "squeal", "squealing", "squirrel", "stall", "stalling", "stick", "sticking", "stiff", "still", "stock", "stop", "stored", "streaking",
     "stripped", "stripped-out", "struck", "stuck", "stumbling", "successfully", "supplied", "supply", "surge", "surging", "swelled", "swollen", "take",
     "taken", "temporarily", "temporary", "test", "tested", "testing", "than", "that", "then", "thoroughly", "through", "thru", "thru-out", "thump",
     "thumping", "tick", "ticking", "tightened-up", "today", "too", "took", "torn", "torque", "torqued", "totally", "tow-in", "traced", "tread",
     "undrivable", "uneven", "unevenly", "unsafe", "until", "up", "upgraded", "upon", "using", "vandalism", "vandalized", "vehicle", "verified",
     "verify", "very", "vibrate", "vibrating", "waiting", "walk-in", "walkin", "wandering", "warning", "warped", "was", "weak", "wear", "weeping",
     "went", "were", "what", "where", "which", "whine", "whining", "whistle", "whistling", "who", "wobble", "wobbling", "won't", "wont", "work",
     "worked", "working", "worn", "wreck", "wrong", "yellow", "yellowed", "yellowing", "yesterday", "yr"]
)  # fmt: skip
"""Words next to the name of a repair that say why or how, and name no other work."""

HOW: Final = frozenset(
    ["12v", "accessible", "accessorie", "accessory", "after", "again", "agm", "all", "aluminum", "approx", "area", "assist", "attempt", "authorized",
     "automatic", "basic", "bench", "bg", "black", "book", "both", "brand", "bundle", "carb", "cartridge", "ceramic", "cert", "certificate",
     "certified", "chrome", "combo", "complete", "computer", "condition", "contaminated", "correct", "correction", "cracking", "cust", "day", "deal",
     "dealer", "degree", "deluxe", "discharge", "dot", "drained", "due", "economy", "electric", "exterior-only", "extra", "facility", "factory", "feel",
     "fitted", "folding", "followed", "free", "front-end", "frozen", "ft", "genuine", "grade", "halogen", "hand", "hard", "heard", "heated", "hid",
     "high", "hood", "hour", "hvac", "hydraulic", "inspect", "inspected", "into", "intrusion", "issue", "latest", "lb", "lbs", "led", "level", "liquid",
     "local", "major", "make", "making", "manual-adjust", "measured", "menu", "metal", "minor", "month", "need", "needed", "neg", "negative", "noticed",
     "number", "o", "oem-style", "old", "onto", "open", "operate", "operational", "option", "oring", "pack", "package", "pkg", "plastic", "pop",
     "positive", "post", "power", "power-fold", "pre", "premium", "pressed", "previous", "procedure", "process", "programmable", "proper", "psi",
     "quick", "recheck", "recommended", "refit", "relearn", "relearned", "remanufactured", "repacked", "replacement", "required", "restore", "right",
     "ring", "rubber", "safe", "scored", "sent", "service", "set", "shake", "sheared", "signal", "silver", "spec", "special", "spin", "stainless",
     "standard", "static", "steel", "step", "style", "suction", "supply", "suspension", "sys", "system", "tech", "technician", "tight", "time",
     "tinted", "today", "top", "tsb", "type", "under", "unit", "upgrade", "used", "value", "verified", "vibration", "visit", "visual", "voltage",
     "wash", "way", "wet", "white", "whole", "wont", "work", "xenon", "year"]
)  # fmt: skip
"""Words that may accompany any repair, although some name parts of others."""

BRANDS: Final = frozenset(
    ["acadia", "airtex", "allroad", "altima", "amsoil", "anco", "aquapel", "armada", "armstrong", "arnley", "arteon", "at3", "ate", "atlas", "audi",
     "avalon", "avenger", "aveo", "aviator", "azera", "baldwin", "beck", "beetle", "behr", "bendix", "bfg", "bfgoodrich", "bilstein", "blazer",
     "borgwarner", "borla", "bosal", "bosch", "boxster", "brakebest", "bridgestone", "bronco", "bwd", "camaro", "canyon", "caravan", "cardone",
     "carnival", "carrera", "carter", "cascadia", "castrol", "cayenne", "cayman", "celica", "centric", "challenger", "cherokee", "chrysler",
     "clubman", "cobalt", "colorado", "columbia", "conti", "continental", "cooper", "corsair", "corvette", "countryman", "crosstrek", "cruze",
     "dayco", "dayton", "defender", "defender2", "deka", "delco", "delphi", "diehard", "discoverer", "discovery", "donaldson", "dunlop", "duracell",
     "duragold", "durango", "e150", "e250", "e350", "ebc", "econoline", "ecosport", "elantra", "enclave", "encore", "energizer", "envoy", "eqb",
     "eqe", "eqs", "equinox", "escalade", "everstart", "evoque", "exide", "expedition", "explorer", "f150", "f250", "f350", "f450", "f550", "falken",
     "febi", "firestone", "fleetgrd", "fleetguard", "flowmaster", "forester", "forte", "four-season", "freightliner", "frontier", "fusion", "fuyao",
     "fuzion", "gabriel", "garrett", "gdyr", "genesi", "gladiator", "gold", "golf", "goodrich", "goodyear", "gti", "hankook", "havoline", "hella",
     "hhr", "highlander", "hino", "hitachi", "holset", "impala", "impreza", "infiniti", "international", "ironman", "isuzu", "isx", "jaguar", "jetta",
     "juke", "kelly", "kenworth", "kicks", "kleen", "kona", "koni", "kumho", "kyb", "lacrosse", "lancer", "leece", "lemforder", "lexu", "lightning",
     "lincoln", "liqui", "lubegard", "lucas", "lucid", "luk", "macan", "mach-e", "magnaflow", "mahle", "mann", "mastercraft", "maverick", "maxima",
     "mdx", "mercury", "metri", "mevotech", "meyle", "mich", "michelin", "mirai", "mitsubishi", "moly", "motorad", "motul", "murano", "mustang",
     "nautilu", "navigator", "neville", "nexen", "niro", "nissen", "nitto", "odyssey", "oldsmobile", "optilux", "optima", "optra", "osram",
     "outlander", "paccar", "palisade", "panamera", "passat", "passport", "pathfinder", "peak", "pennzoil", "peterbilt", "pgw", "philip",
     "pilkington", "pirelli", "polestar", "pontiac", "porsche", "powerstop", "prelude", "prestolite", "prestone", "primewell", "prolong", "promaster",
     "purolator", "purple", "quaker", "rainx", "rancho", "ranger", "rdx", "redline", "remy", "renegade", "ridgeline", "riken", "rivian", "rogue",
     "royal", "sach", "safelite", "sailun", "saturn", "savana", "seafoam", "sedona", "sentra", "sequoia", "siemen", "sienna", "sierra", "silverado",
     "smp", "solara", "sonata", "sorento", "spectra", "sportage", "sprinter", "stant", "stinger", "subaru", "suburban", "sumitomo", "supra", "suzuki",
     "sylvania", "tahoe", "taos", "tauru", "taycan", "telluride", "textar", "thermoid", "thermoquiet", "tiguan", "titan", "tlx", "touareg", "toyo",
     "trailblazer", "trailhawk", "transcat", "transit", "traverse", "trax", "trico", "trucontact", "truecontact", "tsx", "tucson", "tundra",
     "ultrapremium", "uniroyal", "valeo", "valvoline", "vdo", "velar", "veloster", "venza", "versa", "volvo", "walker", "wearever", "well",
     "westlake", "wrangler", "xterra", "yari", "yoko", "yokohama", "yuasa", "yukon", "zerex"]
)  # fmt: skip
"""Brands of parts, fluids and vehicles, and names of vehicles, in addition to the words that are ignored anyway."""

OTHER_WORK: Final = frozenset(
    ["adjust", "adjusted", "adjustment", "aim", "aimed", "aiming", "align", "alignment", "attach", "balance", "bleed", "borrowed", "bypass", "bypassed", "calibrate",
     "calibration", "certified", "cleaned", "cleaning", "customize", "delete", "deleted", "diagnosi", "disconnected", "flush", "free", "lube", "lubed", "lubricate", "machine", "machined", "modify",
     "only", "paint", "painted", "polish", "program", "reattach", "reattached", "recondition", "reinstall", "removal", "reprogram", "resecure",
     "resurface", "resurfaced", "reuse", "reused", "rewire", "seal", "secured", "spacer", "stop-leak", "straighten", "swap", "switch",
     "tighten", "tint", "trim", "turn", "turned"]
)  # fmt: skip
"""Words for work that is not the usual repair of a part (cleaning, painting), unless that repair includes it."""
