"""P12 and P13: photos, beside what decoding them takes, and beside predictions.

P13 compares CPU seconds of looking for bar codes with those of decoding the same photo in gray. P12 compares
what the slowest hundredth of callers waits while photos without a VIN, the dearest kind, are uploaded without a
pause. How many generated photos are read stands beside the table.
"""

import io
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from itertools import islice
from pathlib import Path

from PIL import Image
from tests import photos

from bench.installation import installation
from bench.served import Served, clients, flood, latencies, load, request_bytes, served
from bench.table import Row, ratio_of, tell
from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.adapters.imaging.looks import looks
from repaircore.adapters.imaging.reader import ChildVinReader
from repaircore.adapters.imaging.validation import opened
from repaircore.vehicles.vin_readings import Reading, best_vin, has_valid_vin

_VIN = "1HGCM82633A004352"
_BEFORE_TEXT = 2
_CLIENTS = 4
_SECONDS = 3.0
_BOUNDARY = "bench"


def rows(*, rounds: int = 7, each: int = 6) -> list[Row]:
    with clients(2 * _CLIENTS) as pool:
        pool.submit(os.getpid).result()  # fork the clients before anything else is open
        found = [*_codes(rounds), _uploads(pool, rounds)]
    _tell_read(each)
    return found


# P13


def _large_photo() -> Image.Image:
    """Make 24 megapixels of blotches and grain, about as hard to compress as a photo."""
    blotches = Image.effect_noise((700, 525), 80).resize((5600, 4200), Image.Resampling.BICUBIC)
    return Image.blend(blotches, Image.effect_noise((5600, 4200), 22), 0.5)


def _codes(rounds: int) -> list[Row]:
    none = _large_photo()
    wide = none.copy()
    wide.paste(photos.code("Code 39", _VIN).resize((4200, 500)), (700, 1800))
    return [
        _code_row("bar code wide", photos.jpeg(wide, quality=89), 2.5, rounds),
        _code_row("none there, before text recognition", photos.jpeg(none, quality=89), 7, rounds),
    ]


def _code_row(what: str, file: bytes, goal: float, rounds: int) -> Row:
    mine, theirs = [], []
    for number in range(rounds):
        mine.append(_cpu(lambda: _look(file)))
        theirs.append(_cpu(lambda: _decode(file)))
        tell(f"images: P13 {what}, round {number + 1} of {rounds}: {mine[-1]:.2f} s against {theirs[-1]:.2f}")
    megabytes = len(file) / 2**20
    return Row(
        f"P13 VIN from a {megabytes:.0f} MiB photo: {what}",
        "decoding it in gray, CPU",
        ratio_of(mine, theirs),
        goal,
    )


def _cpu(action: Callable[[], object]) -> float:
    start = time.process_time()
    action()
    return time.process_time() - start


def _look(file: bytes) -> bool:
    for found in islice(looks(opened(io.BytesIO(file))), _BEFORE_TEXT):
        if any(one["text"] == _VIN for one in found):
            return True
    return False


def _decode(file: bytes) -> None:
    with Image.open(io.BytesIO(file)) as image:
        image.draft("L", image.size)
        image.load()


# P12


def _form(file: bytes) -> bytes:
    head = f'--{_BOUNDARY}\r\nContent-Disposition: form-data; name="image"; filename="photo.jpg"\r\n\r\n'
    return head.encode() + file + f"\r\n--{_BOUNDARY}--\r\n".encode()


def _uploads(pool: ProcessPoolExecutor, rounds: int) -> Row:
    file = photos.jpeg(_large_photo(), quality=89)
    idle, flooded = [], []
    with ExitStack() as stack:
        made = stack.enter_context(installation())
        app = stack.enter_context(
            served("repaircore_http.wsgi:make_app()", made.environ, made.folder / "app.log")
        )
        key = made.keys[0]
        ask = request_bytes("POST", "/api/v1/predict", made.body, key)
        upload = request_bytes(
            "POST",
            "/api/v1/predict/extract-vin",
            _form(file),
            key,
            kind=f"multipart/form-data; boundary={_BOUNDARY}",
        )
        load(pool, _CLIENTS, app.port, [ask], 300)
        for number in range(rounds):
            idle.append(_slowest(pool, app, ask))
            floods = [
                pool.submit(flood, app.port, upload, _SECONDS + 0.5, (200, 422, 429)) for _ in range(_CLIENTS)
            ]
            flooded.append(_slowest(pool, app, ask))
            for client in floods:
                client.result()
            tell(
                f"images: P12 round {number + 1} of {rounds}: {flooded[-1] * 1e3:.2f} ms against {idle[-1] * 1e3:.2f}"
            )
    return Row(
        f"P12 predict, slowest 1% in a flood of {len(file) / 2**20:.0f} MiB photos ({_CLIENTS} clients)",
        "itself when idle",
        ratio_of(flooded, idle),
        3,
    )


def _slowest(pool: ProcessPoolExecutor, app: Served, ask: bytes) -> float:
    """Give the seconds within which 99 of 100 callers are answered, of four that ask at their leisure."""
    asked = [pool.submit(latencies, app.port, ask, _SECONDS, 0.008) for _ in range(_CLIENTS)]
    return statistics.quantiles([taken for client in asked for taken in client.result()], n=100)[-1]


# How many are read


def _tell_read(each: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        reader = ChildVinReader(ImageLimit(Path(folder)))
        try:
            _tell_print(reader, each)
            _tell_codes(reader, 6 * each)
            _tell_none(reader, 30 * each)
        finally:
            reader.close()


def _tell_print(reader: ChildVinReader, each: int) -> None:
    for how in photos.HARMS:
        chance = photos.chance_of(f"bench {how}")
        right = 0
        for font in photos.FONTS * each:
            vin = photos.vin(chance)
            image = photos.harmed(photos.label(vin, chance, font=font), how, chance)
            right += _read(reader, photos.jpeg(image, quality=85)) == vin
        tell(f"images: print, {how}: {right} of {len(photos.FONTS) * each} read exactly")


def _tell_codes(reader: ChildVinReader, each: int) -> None:
    for kind in photos.CODES:
        chance = photos.chance_of(f"bench {kind}")
        right = sum(_code_read(reader, kind, chance) for _ in range(each))
        tell(f"images: {kind}, at any angle and badly taken: {right} of {each} read exactly")


def _code_read(reader: ChildVinReader, kind: str, chance: random.Random) -> bool:
    vin = photos.vin(chance)
    image = photos.on_table(photos.code(kind, vin), chance.uniform(0, 360))
    how = chance.choice(("plain", "blurred", "noisy", "faint", "aslant"))
    return _read(reader, photos.jpeg(photos.harmed(image, how, chance), quality=80)) == vin


def _tell_none(reader: ChildVinReader, number: int) -> None:
    chance = photos.chance_of("bench none")
    wrong = sum(
        _read(reader, photos.jpeg(photos.picture_without_vin(chance, one))) is not None
        for one in range(number)
    )
    tell(f"images: pictures without a VIN: one is read in {wrong} of {number}")


def _read(reader: ChildVinReader, file: bytes) -> str | None:
    readings: list[Reading] = []
    with reader.open(io.BytesIO(file)) as image:
        for look in image.scans():
            readings += look
            if has_valid_vin(readings):
                break
    found = best_vin(readings, lambda _: False)
    return None if found is None else found.vin
