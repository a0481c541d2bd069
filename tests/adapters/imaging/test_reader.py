"""The child process that reads images: its requests, its end, and effects of its end."""

import fcntl
import io
import os
import resource
import signal
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from PIL import Image
from tests import photos
from tests.programs import printed
from typing_extensions import override

from repaircore.adapters.imaging.child import Child
from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.adapters.imaging.reader import ChildVinReader
from repaircore.kernel.errors import Invalid, TooMany, Unresolvable

VIN = "1HGCM82633A004352"
_GONE_WITHIN = 20.0


@pytest.fixture
def own_reader(tmp_path: Path) -> Iterator[ChildVinReader]:
    """Return a reader whose child a test may harm."""
    made = ChildVinReader(ImageLimit(tmp_path))
    yield made
    made.close()


@pytest.fixture(scope="module")
def photo() -> bytes:
    return photos.png(photos.on_table(photos.code("QR", VIN), size=400))


def _read(reader: ChildVinReader, file: bytes) -> list[str]:
    with reader.open(io.BytesIO(file)) as opened:
        return [reading.text for reading in next(opened.scans())]


def _pid(reader: ChildVinReader) -> int:
    assert reader.child is not None
    return reader.child.pid


def _wait_until(holds: Callable[[], bool]) -> bool:
    until = time.monotonic() + _GONE_WITHIN
    while not holds() and time.monotonic() < until:
        time.sleep(0.01)
    return holds()


def test_child_starts_with_the_first_image_and_reads_all(own_reader: ChildVinReader, photo: bytes) -> None:
    assert own_reader.child is None
    assert _read(own_reader, photo) == [VIN]
    first = _pid(own_reader)
    assert _read(own_reader, photo) == [VIN]
    assert _pid(own_reader) == first


def test_dead_child_is_replaced(own_reader: ChildVinReader, photo: bytes) -> None:
    _read(own_reader, photo)
    os.kill(_pid(own_reader), signal.SIGKILL)
    assert _read(own_reader, photo) == [VIN]


def test_child_that_dies_fails_only_its_image(own_reader: ChildVinReader, photo: bytes) -> None:
    with pytest.raises(Invalid) as error, own_reader.open(io.BytesIO(photo)) as opened:  # noqa: PT012 - looking fails
        os.kill(_pid(own_reader), signal.SIGKILL)
        list(opened.scans())
    assert set(error.value.fields) == {"image"}
    assert _read(own_reader, photo) == [VIN]


def test_slow_image_is_refused_and_its_child_killed(tmp_path: Path, photo: bytes) -> None:
    reader = ChildVinReader(ImageLimit(tmp_path), seconds=10)
    _read(reader, photo)
    stopped = _pid(reader)
    os.kill(stopped, signal.SIGSTOP)
    hasty = ChildVinReader(ImageLimit(tmp_path), seconds=0.2, start=lambda: _child_of(reader))
    with pytest.raises(Invalid, match="too much time"):
        _read(hasty, photo)
    assert hasty.child is None
    assert _is_gone(stopped)
    reader.close()


def _child_of(reader: ChildVinReader) -> Child:
    assert reader.child is not None
    return reader.child


def _is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_failing_caller_leaves_no_partial_answer(own_reader: ChildVinReader, photo: bytes) -> None:
    with pytest.raises(ZeroDivisionError), own_reader.open(io.BytesIO(photo)):
        raise ZeroDivisionError
    assert _read(own_reader, photo) == [VIN]


def test_child_ends_with_its_parent(tmp_path: Path) -> None:
    program = (
        "import io, sys, os\n"
        "from pathlib import Path\n"
        "from repaircore.adapters.imaging.concurrency import ImageLimit\n"
        "from repaircore.adapters.imaging.reader import ChildVinReader\n"
        "reader = ChildVinReader(ImageLimit(Path(sys.argv[1])))\n"
        "try:\n"
        "    with reader.open(io.BytesIO(b'')): pass\n"
        "except Exception: pass\n"
        "print(reader.child.pid, flush=True)\n"
        "os._exit(0)\n"  # as when it is killed: nothing is closed or reported
    )
    pid = int(printed(program, str(tmp_path)))
    assert _wait_until(lambda: _is_gone(pid))


def test_forked_process_starts_its_own_child(own_reader: ChildVinReader, photo: bytes) -> None:
    _read(own_reader, photo)
    before = _pid(own_reader)
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        result = b"!"
        try:
            result = f"{_read(own_reader, photo)[0]} {_pid(own_reader)}".encode()
            own_reader.close()
        finally:
            os.write(theirs, result)
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as pipe:
        vin, pid = pipe.read().split()
    os.waitpid(child, 0)
    assert vin == VIN
    assert int(pid) != before
    assert _read(own_reader, photo) == [VIN]
    assert _pid(own_reader) == before


def test_child_has_limits_and_no_secrets(
    own_reader: ChildVinReader, photo: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPAIRCORE_DATABASE_URL", "postgresql+psycopg://shop:hush@db/repairs")
    _read(own_reader, photo)
    folder = Path("/proc") / str(_pid(own_reader))
    if not folder.exists():
        pytest.skip("this system has no /proc")
    assert b"hush" not in (folder / "environ").read_bytes()
    limits = (folder / "limits").read_text()
    fields = {line[:26].strip(): line[26:].split()[0] for line in limits.splitlines()[1:]}
    assert int(fields["Max address space"]) <= 3 * 1024**3
    assert fields["Max file size"] == "0"
    assert fields["Max core file size"] == "0"
    assert int(fields["Max cpu time"]) < 60
    assert resource.getrlimit(resource.RLIMIT_CPU)[0] == resource.RLIM_INFINITY


def test_image_bomb_is_refused_before_decoding(own_reader: ChildVinReader, photo: bytes) -> None:
    _read(own_reader, photo)
    before = _peak(_pid(own_reader))
    with pytest.raises(Invalid, match="megapixels"):
        _read(own_reader, photos.png(Image.new("1", (13_000, 13_000))))
    assert _peak(_pid(own_reader)) - before < 20_000


def _peak(pid: int) -> int:
    status = (Path("/proc") / str(pid) / "status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def test_photo_of_48_megapixels_is_scaled_and_its_memory_is_bounded(
    own_reader: ChildVinReader, photo: bytes
) -> None:
    _read(own_reader, photo)
    before = _peak(_pid(own_reader))
    large = Image.new("RGB", (8064, 6048), "white")
    large.paste(photos.code("Code 39", VIN).convert("RGB").resize((4000, 600)), (2000, 2700))

    assert any(VIN in text for text in _read(own_reader, photos.jpeg(large)))
    assert _peak(_pid(own_reader)) - before < 400_000


def test_bar_code_of_a_registration_card_is_read(own_reader: ChildVinReader) -> None:
    card = photos.on_table(photos.pdf417(f"ANSI 636023 VAD{VIN}"))

    assert any(VIN in text for text in _read(own_reader, photos.png(card)))


def test_reduced_photo_contains_only_pixels(own_reader: ChildVinReader) -> None:
    exif = Image.Exif()
    exif[0x010E] = "hush: taken at home"
    photo = photos.on_table(photos.code("QR", VIN), size=3000)
    sent = photos.jpeg(photo, exif=exif, comment="hush")
    assert b"hush" in sent
    with own_reader.open(io.BytesIO(sent)) as opened:
        reduced = opened.to_jpeg()
    assert b"hush" not in reduced
    with Image.open(io.BytesIO(reduced)) as image:
        assert image.format == "JPEG"
        assert max(image.size) <= 1568


def test_file_on_disk_is_read_in_place(own_reader: ChildVinReader, photo: bytes, tmp_path: Path) -> None:
    path = tmp_path / "photo"
    path.write_bytes(photo)
    with path.open("rb") as file, own_reader.open(file) as opened:
        assert [reading.text for reading in next(opened.scans())] == [VIN]


def test_missing_library_is_reported(tmp_path: Path) -> None:
    reader = ChildVinReader(ImageLimit(tmp_path), packages=("PIL", "no_such_package"))
    with (
        pytest.raises(Unresolvable, match=r"pip install 'repaircore\[images\]'"),
        reader.open(io.BytesIO()),
    ):
        pass


class _ScriptedChild(Child):
    """A child with scripted answers."""

    answer: Any = None

    @override
    def request(self, name: str) -> dict[str, Any]:
        fields: dict[str, Any] = self.answer
        return fields


@pytest.mark.parametrize(
    "answer",
    [
        {},
        {"found": "x"},
        {"found": [1]},
        {"found": [{"text": 1, "source": "text"}]},
        {"found": [{"text": "x", "source": "model"}]},
    ],
)
def test_invalid_answer_of_a_child_is_refused(tmp_path: Path, photo: bytes, answer: dict[str, Any]) -> None:
    class ScriptedReader(_ScriptedChild):
        pass

    ScriptedReader.answer = answer
    reader = ChildVinReader(ImageLimit(tmp_path), start=ScriptedReader)
    with pytest.raises(Invalid):
        _read(reader, photo)
    assert reader.child is None


def _hold(limit: ImageLimit, outcomes: Queue[object], go: threading.Event) -> threading.Thread:
    def run() -> None:
        try:
            with limit.slot():
                outcomes.put("in")
                assert go.wait(30)
        except TooMany as refused:
            outcomes.put(refused)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_one_image_is_read_one_waits_and_further_ones_are_refused(tmp_path: Path) -> None:
    limit, outcomes, go = ImageLimit(tmp_path), Queue[object](), threading.Event()
    threads = [_hold(limit, outcomes, go) for _ in range(4)]
    results = [outcomes.get(timeout=30) for _ in range(3)]
    assert sorted(type(one).__name__ for one in results) == ["TooMany", "TooMany", "str"]
    assert outcomes.empty()
    go.set()
    for thread in threads:
        thread.join(30)
    assert outcomes.get(timeout=30) == "in"
    with limit.slot():
        pass


def test_image_waits_for_other_workers(tmp_path: Path) -> None:
    limit = ImageLimit(tmp_path, at_once=2)
    others = [os.open(tmp_path / f"images-{number}.lock", os.O_RDWR | os.O_CREAT) for number in range(2)]
    for other in others:
        fcntl.flock(other, fcntl.LOCK_EX)
    outcomes, go = Queue[object](), threading.Event()
    thread = _hold(limit, outcomes, go)
    thread.join(0.05)
    assert outcomes.empty()
    os.close(others[os.getpid() % 2])
    assert outcomes.get(timeout=30) == "in"
    go.set()
    thread.join(30)
    os.close(others[1 - os.getpid() % 2])
