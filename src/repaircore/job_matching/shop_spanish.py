"""Translate lines that are wholly or partly in Spanish, as many US shops write them, into trade terms.

The lists are hand-picked.
"""

import re
import unicodedata
from typing import Final

_TERMS: Final = {
    "focos? delanteros?": "headlight bulb", "focos? traseros?": "tail light bulb",
    "cambio de aceite": "oil change", "aceite y filtro": "oil change", "aceite sintetico": "synthetic oil", "bomba de agua": "water pump",
    "bomba de (?:gasolina|combustible)": "fuel pump", "bomba de (?:direccion|power steering|licuadora)": "power steering pump",
    "bomba de frenos?": "brake master cylinder", "filtro de aire": "engine air filter", "filtro de (?:la )?cabina": "cabin filter",
    "filtro de (?:gasolina|combustible)": "fuel filter", "(?:banda|correa|cadena) de(?:l)? tiempo": "timing belt",
    "(?:banda|correa)(?: de)? (?:serpentina?|accesorios|alternador)": "serpentine belt", "liquido de frenos?": "brake fluid",
    "motor de arranque": "starter", "motor de (?:vidrio|ventana)": "window motor", "sensor de oxigeno": "oxygen sensor",
    "soportes? de(?:l)? motor": "engine mount", "soportes? de transmision": "transmission mount",
    "(?:barra|brazo) estabilizador[ae]?s?": "sway bar", "(?:tornillos?|bieletas?|gomas?)(?: de(?: la)?)?(?: barra)? estabilizador[ae]?s?": "sway bar link",
    "brazos? de control": "control arm", "terminal(?:es)? (?:de direccion|exterior(?:es)?)": "outer tie rod end",
    "terminal(?:es)? interior(?:es)?": "inner tie rod", "terminal(?:es)? de (?:la )?bateria": "battery terminal",
    "cables? de (?:la )?bateria": "battery cable", "cables? de bujias?": "spark plug wires", "aire acondicionado": "ac",
    "(?:re)?carga de (?:gas|freon|aire|clima|ac|a/c)": "ac recharge", "direccion hidraulica": "power steering",
    "tapa de (?:punterias|valvulas)": "valve cover", "empaque de cabeza": "head gasket", "empaque de carter": "oil pan gasket",
    "flechas? homocineticas?": "cv axle", "cubre ?polvos?": "cv boot", "elevador(?:es)? de (?:vidrio|ventana|cristal)": "window regulator",
    "plumas limpiaparabrisas": "wiper blades", "tapon del? radiador": "radiator cap", "tapon de gasolina": "gas cap", "mano de obra": "labor",
    "check engine(?! light)": "check engine light", "cuerpo de aceleracion": "throttle body", "freno de mano": "parking brake",
}  # fmt: skip
"""Patterns of several words, the longer ones first."""

_WORDS: Final = {
    "frenos": "brake", "freno": "brake", "balatas": "brake pads", "balata": "brake pads", "pastillas": "brake pads", "zapatas": "brake shoes",
    "tambores": "drums", "tambor": "drum", "discos": "rotors", "rotores": "rotors", "delanteros": "front", "delanteras": "front",
    "delantero": "front", "delantera": "front", "traseros": "rear", "traseras": "rear", "trasero": "rear", "trasera": "rear",
    "mordaza": "caliper", "mordazas": "caliper", "llanta": "tire", "llantas": "tire", "neumatico": "tire", "neumaticos": "tire",
    "parche": "tire patch", "ponchada": "flat", "ponchadura": "flat", "vulcanizar": "patch", "alineacion": "alignment", "alineamiento": "alignment",
    "balanceo": "tire balance", "rotacion": "rotate", "bateria": "battery", "acumulador": "battery", "alternador": "alternator",
    "arrancador": "starter", "marcha": "starter", "bujias": "spark plugs", "bujia": "spark plug", "bobina": "ignition coil", "bobinas": "ignition coil",
    "filtros": "filters", "filtro": "filter", "aceite": "oil", "inyector": "fuel injector", "inyectores": "fuel injector", "radiador": "radiator",
    "termostato": "thermostat", "manguera": "hose", "mangueras": "hose", "anticongelante": "coolant", "refrigerante": "coolant",
    "compresor": "ac compressor", "condensador": "ac condenser", "recarga": "recharge", "mofle": "muffler", "silenciador": "muffler", "escape": "exhaust",
    "catalizador": "catalytic converter", "transmision": "transmission", "embrague": "clutch", "cremallera": "steering rack", "faro": "headlight",
    "faros": "headlight", "foco": "bulb", "focos": "bulb", "plumas": "wiper blades", "limpiaparabrisas": "wiper blades", "limpiadores": "wiper blades",
    "parabrisas": "windshield", "espejo": "side mirror", "puerta": "door", "defensa": "bumper cover", "afinacion": "tune up", "inspeccion": "inspection",
    "diagnostico": "diagnosis", "amortiguador": "shock", "amortiguadores": "shocks", "rotula": "ball joint", "rotulas": "ball joint",
    "balero": "wheel bearing", "baleros": "wheel bearing", "maza": "wheel bearing", "flecha": "cv axle", "flechas": "cv axle", "horquilla": "control arm",
    "horquillas": "control arm", "empaque": "gasket", "junta": "gasket", "fuga": "leak", "ventilador": "fan", "servicio": "service",
    "cambio": "replace", "cambiar": "replace", "cambie": "replace", "reemplazo": "replace", "reemplazar": "replace", "instalar": "install",
    "instalacion": "install", "reparacion": "repair", "nuevo": "new", "nueva": "new", "nuevos": "new", "nuevas": "new", "derecho": "right",
    "derecha": "right", "izquierdo": "left", "izquierda": "left", "superior": "upper", "inferior": "lower", "y": "and", "con": "with", "de": "",
    "ruedas": "wheel", "rueda": "wheel", "llave": "key", "llaves": "key", "programada": "program", "programar": "program", "escanear": "scan", "computadora": "computer",
    "soporte": "mount", "soportes": "mount", "bomba": "pump", "agua": "water", "cabina": "cabin", "direccion": "steering", "ventana": "window", "vidrio": "window glass",
    "elevador": "regulator", "manija": "door handle", "empujar": "", "abanico": "radiator fan", "bandas": "belt", "calentador": "heater", "bocina": "horn",
    "cinturon": "seat belt", "asiento": "seat", "tanque": "tank", "tapa": "cover", "valvula": "valve", "valvulas": "valve", "cajuela": "trunk", "cofre": "hood",
    "vibracion": "vibration", "arreglar": "repair", "arreglo": "repair", "revisar": "check", "revision": "check", "frenado": "brake",
    "del": "", "la": "", "el": "", "los": "", "las": "", "para": "", "en": "", "se": "", "por": "", "le": "", "un": "", "una": "", "ambos": "both",
    "ambas": "both", "impuesto": "tax", "descuento": "discount", "limpieza": "cleaning", "lavado": "flush", "gasolina": "fuel", "banda": "belt",
    "correa": "belt", "liquido": "fluid", "cuatro": "4", "dos": "2", "completo": "", "completa": "", "serpentina": "serpentine",
}  # fmt: skip

_AMBIGUOUS: Final = frozenset({"con", "de", "del", "la", "el", "los", "las", "en", "se", "le", "un", "y", "por", "para", "maza", "marcha", "superior", "escape",
                               "dos", "parche", "filtro", "foco", "junta", "inferior", "tambor", "cambio", "correa", "completo", "completa", "revision", "vibracion", "agua",
                               "tapa", "bocina"})  # fmt: skip
"""Words that do not make a line Spanish by themselves."""

_WORD: Final = re.compile(r"[a-z]+")
_CUES: Final = frozenset(_WORDS) - _AMBIGUOUS
_SPANISH_TERMS: Final = tuple((re.compile(rf"\b{pattern}\b"), english) for pattern, english in _TERMS.items())


def in_english(text: str) -> str:
    """Return the lowercase text with its Spanish words in English, or unchanged if it has none."""
    plain = text if text.isascii() else _without_accents(text)
    if not _CUES.isdisjoint(_WORD.findall(plain)):
        for pattern, english in _SPANISH_TERMS:
            plain = pattern.sub(english, plain)
        return " ".join(_WORD.sub(lambda found: _WORDS.get(found[0], found[0]), plain).split())
    return text


def _without_accents(text: str) -> str:
    return "".join(
        letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter)
    )
