"""Words that usually accompany the name of any repair without naming other work: why, and how.

Editorial.
"""

from typing import Final

CHATTY: Final = frozenset(
    ["below", "beyond", "everything", "model", "nothing", "something", "stuff", "thing", "thread", "shredded", "wouldnt", "couldnt", "needle", "alone",
     "below", "beyond", "everything", "model", "nothing", "something", "stuff", "thing", "thread", "shredded", "wouldnt", "couldnt", "needle", "alone",
     "below", "beyond", "everything", "model", "nothing", "something", "stuff", "thing", "thread", "shredded", "wouldnt", "couldnt", "needle", "alone",
     "frozen", "contaminated", "clog", "below", "beyond", "everything", "model", "nothing", "something", "stuff", "thing", "thread", "shredded", "wouldnt", "couldnt", "needle", "alone",
     "below", "beyond", "everything", "model", "nothing", "something", "stuff", "thing", "thread", "shredded", "wouldnt", "couldnt", "needle", "alone",
     "below", "beyond", "everything", "model", "nothing", "something", "stuff", "thing", "thread", "shredded", "wouldnt", "couldnt", "needle", "alone",
     "i", "am", "came", "made", "go", "house", "can", "solid", "smooth", "leave", "keep", "below", "beyond", "everything", "model", "nothing", "something", "stuff", "thing", "thread", "shredded", "wouldnt", "couldnt", "needle", "alone",
     "below", "beyond", "everything", "model", "nothing", "something", "stuff", "thing", "thread", "shredded", "wouldnt", "couldnt", "needle", "alone",
     "across", "actually", "almost", "along", "already", "although", "am", "annually", "any", "anyhow", "anymore", "anyway", "anywhere", "apartment",
     "apparently", "are", "ask", "asked", "autel", "awesome", "awful", "barely", "basically", "bay", "bc", "be", "beat", "beaten", "because",
     "bedded", "bedding", "bit", "bloated", "blowed", "boss", "brinelled", "bring", "buddy", "bulletproof", "bunch", "busted", "buttoned", "careful",
     "certainly", "chase", "chased", "coked", "coking", "coming", "cooked", "could", "couldn't", "couple", "crap", "crappy", "cratered", "crud",
     "crusty", "curbside", "curled", "cuz", "dad", "daughter", "definitely", "delaminating", "detonated", "dicey", "didn't", "die", "died", "dies",
     "different", "discovered", "disintegrated", "dissolved", "do", "does", "doesnt", "don't", "dont", "driveway", "driveways", "droopy", "dud",
     "during", "dying", "dyno", "dyno'd", "dynoed", "earlier", "early", "easy", "eaten", "either", "em", "enough", "entire", "entirely", "even",
     "evening", "eventually", "ever", "everywhere", "exploded", "fast", "figure", "figured", "fished", "floppy", "fluke", "folk", "freeway", "fresh",
     "friday", "fried", "funky", "galled", "garage", "getting", "give", "given", "giving", "glad", "glazed", "gotta", "gotten", "gouged", "grab",
     "grabbed", "great", "grenaded", "gross", "guideline", "gunk", "gunky", "guy", "guys", "half", "hammered", "handbook", "happy", "hardly", "hate",
     "he", "heatspotted", "her", "here", "highway", "him", "his", "hoist", "home", "hooked", "hope", "hopefully", "horrible", "hosed", "hotspot",
     "hotspotted", "however", "hunted", "hunter", "husband", "i'd", "i'm", "i've", "im", "imploded", "inv", "is", "isnt", "it's", "its", "ive",
     "junk", "junked", "just", "kaput", "kid", "kinda", "kinked", "knew", "know", "known", "lady", "late", "later", "leave", "leaving", "let",
     "letting", "like", "liked", "likely", "little", "longer", "look", "looked", "looking", "looks", "loud", "love", "ma'am", "making", "mangled",
     "may", "maybe", "me", "midtronics", "might", "mine", "mom", "monday", "monthly", "mostly", "much", "must", "my", "nasty", "nearly", "neither",
     "nice", "night", "noticed", "nowhere", "obviously", "office", "once", "op", "opcode", "our", "ours", "ourselve", "perfect", "perfectly",
     "perhaps", "pinched", "placard", "please", "pop", "popped", "pretty", "probably", "puffed", "pulverized", "quarterly", "quickly", "quiet",
     "quit", "quits", "quitting", "realized", "remedy", "ro", "roadside", "roasted", "rocky", "rotting", "ruptured", "sad", "saggy", "said",
     "saturday", "saw", "say", "saying", "scary", "sched", "schedule", "scored", "screech", "screeched", "screeching", "see", "seen", "several",
     "shall", "she", "should", "simply", "sir", "sketchy", "slapped", "slid", "slop", "sloppy", "slow", "slowly", "smoothly", "snap-on", "snapon",
     "so", "some", "somewhat", "somewhere", "son", "soon", "sooner", "sorta", "spotted", "squeaked", "squealed", "squeezed", "stayed", "staying",
     "stopped", "street", "stuffed", "sunday", "super", "sure", "surely", "taking", "tell", "terrible", "thank", "thanks", "that's", "thats", "their",
     "them", "there", "there's", "theres", "these", "they", "they're", "think", "this", "those", "though", "thought", "threw", "thrown", "thursday",
     "til", "till", "toast", "toasted", "told", "tomorrow", "ton", "tonight", "toss", "tossed", "tough", "toward", "town", "tracked", "trash",
     "trashed", "tried", "try", "trying", "tuesday", "turns", "ugly", "unless", "us", "wallowed", "want", "wanted", "wanting", "wasn't", "wasnt",
     "wasted", "we'd", "we'll", "we're", "we've", "wednesday", "weekend", "weekly", "what's", "whether", "while", "whole", "whooped", "wife",
     "wiggle", "wiggled", "wiggly", "wiped", "wish", "wo", "would", "wouldn't", "wrestled", "y'all", "yank", "yanked", "yet", "you", "you'll",
     "you're", "youll", "your", "youre", "yours", "yourself"]
)  # fmt: skip
"""Words of those who write in sentences, as mobile mechanics do: where they met, and how dead the old part was."""

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
    ["mini", "clubman", "countryman", "kona", "niro", "macan", "cayenne", "taycan", "panamera", "boxster", "cayman", "carrera", "eqs", "eqb", "eqe", "gti", "polestar", "rivian",
     "lucid", "paccar", "isx", "evoque", "velar", "discovery", "allroad", "touareg", "atlas", "taos", "arteon", "beetle", "escalade", "blazer", "mach-e", "lightning",
     "palisade", "telluride", "stinger", "genesi", "kicks", "versa", "juke", "maverick", "transit", "savana", "canyon", "metri", "nautilu", "navigator", "aviator",
     "corsair", "cascadia", "columbia", "prolong", "celica", "supra", "mirai", "solara", "sedona", "carnival", "veloster", "azera", "passport", "pilot", "prelude",
     "mich", "conti", "yoko", "gdyr", "truecontact", "trucontact", "defender2", "bilstein", "liqui", "odyssey", "yuasa", "optilux", "transcat", "fleetgrd",
     "acadia", "airtex", "altima", "amsoil", "anco", "aquapel", "armada", "armstrong", "arnley", "at3", "ate", "audi", "avalon", "avenger", "aveo",
     "baldwin", "beck", "behr", "bendix", "bfg", "bfgoodrich", "borgwarner", "borla", "bosal", "bosch", "brakebest", "bridgestone", "bronco", "bwd",
     "camaro", "caravan", "cardone", "carter", "castrol", "centric", "challenger", "cherokee", "chrysler", "cobalt", "colorado", "continental",
     "cooper", "corvette", "crosstrek", "cruze", "dayco", "dayton", "defender", "deka", "delco", "delphi", "diehard", "discoverer",
     "donaldson", "dunlop", "duracell", "duragold", "durango", "e150", "e250", "e350", "ebc", "econoline", "ecosport", "elantra", "enclave", "encore",
     "energizer", "envoy", "equinox", "everstart", "exide", "expedition", "explorer", "f150", "f250", "f350", "f450", "f550", "falken", "febi",
     "firestone", "fleetguard", "flowmaster", "forester", "forte", "four-season", "freightliner", "frontier", "fusion", "fuyao", "fuzion", "gabriel",
     "garrett", "gladiator", "gold", "golf", "goodrich", "goodyear", "hankook", "havoline", "hella", "hhr", "highlander", "hino", "hitachi",
     "holset", "impala", "impreza", "infiniti", "international", "ironman", "isuzu", "jaguar", "jetta", "kelly", "kenworth", "kleen", "koni", "kumho",
     "kyb", "lacrosse", "lancer", "leece", "lemforder", "lexu", "lincoln", "lubegard", "lucas", "luk", "magnaflow", "mahle", "mann",
     "mastercraft", "maverick", "maxima", "mdx", "mercury", "mevotech", "meyle", "michelin", "mitsubishi", "moly", "motorad", "motul", "murano",
     "mustang", "neville", "nexen", "nissen", "nitto", "oldsmobile", "optima", "optra", "osram", "outlander", "passat", "pathfinder", "peak",
     "pennzoil", "peterbilt", "pgw", "philip", "pilkington", "pirelli", "pontiac", "porsche", "powerstop", "prestolite", "prestone",
     "primewell", "promaster", "purolator", "purple", "quaker", "rainx", "rancho", "ranger", "rdx", "redline", "remy", "renegade", "ridgeline", "riken",
     "rogue", "royal", "sach", "safelite", "sailun", "saturn", "seafoam", "sentra", "sequoia", "siemen", "sienna", "sierra", "silverado",
     "smp", "sonata", "sorento", "spectra", "sportage", "sprinter", "stant", "subaru", "suburban", "sumitomo", "suzuki", "sylvania",
     "tahoe", "tauru", "textar", "thermoid", "thermoquiet", "tiguan", "titan", "tlx", "toyo", "trailblazer", "trailhawk", "traverse", "trax",
     "trico", "tsx", "tucson", "tundra", "ultrapremium", "uniroyal", "valeo", "valvoline", "vdo", "venza", "volvo", "walker", "wearever", "well",
     "westlake", "wrangler", "xterra", "yari", "yokohama", "yukon", "zerex"]
)  # fmt: skip
"""Brands of parts, fluids and vehicles, and names of vehicles, in addition to the words that are ignored anyway."""

OTHER_WORK: Final = frozenset(
    ["adjust", "adjusted", "adjustment", "aim", "aimed", "aiming", "align", "alignment", "attach", "balance", "bleed", "borrowed", "bypass", "bypassed", "calibrate",
     "calibration", "certified", "cleaned", "cleaning", "customize", "delete", "deleted", "diagnosi", "disconnected", "flush", "free", "lube", "lubed", "lubricate", "machine", "machined", "modify",
     "only", "paint", "painted", "polish", "program", "reattach", "reattached", "recondition", "reinstall", "removal", "reprogram", "resecure",
     "resurface", "resurfaced", "reuse", "reused", "rewire", "seal", "secured", "spacer", "stop-leak", "straighten", "swap", "switch",
     "tighten", "tint", "trim", "turn", "turned"]
)  # fmt: skip
"""Words for work on a thing other than its usual repair, unless the repair includes it."""
