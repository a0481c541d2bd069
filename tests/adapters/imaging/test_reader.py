"""The process that looks at images: what it is given, when it ends, and what its end does to others."""

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
def own(tmp_path: Path) -> Iterator[ChildVinReader]:
    """Give a reader whose child may come to harm."""
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


def test_nothing_is_started_before_the_first_image_and_one_child_looks_at_all(
    own: ChildVinReader, photo: bytes
) -> None:
    assert own.child is None
    assert _read(own, photo) == [VIN]
    first = _pid(own)
    assert _read(own, photo) == [VIN]
    assert _pid(own) == first


def test_child_that_ended_is_replaced(own: ChildVinReader, photo: bytes) -> None:
    _read(own, photo)
    os.kill(_pid(own), signal.SIGKILL)
    assert _read(own, photo) == [VIN]


def test_child_that_ends_at_an_image_is_that_images_fault_and_no_others(
    own: ChildVinReader, photo: bytes
) -> None:
    with pytest.raises(Invalid) as error, own.open(io.BytesIO(photo)) as opened:  # noqa: PT012 - looking fails
        os.kill(_pid(own), signal.SIGKILL)
        list(opened.scans())
    assert set(error.value.fields) == {"image"}
    assert _read(own, photo) == [VIN]


def test_image_that_takes_too_long_is_refused_and_its_child_ended(tmp_path: Path, photo: bytes) -> None:
    reader = ChildVinReader(ImageLimit(tmp_path), seconds=10)
    _read(reader, photo)
    stopped = _pid(reader)
    os.kill(stopped, signal.SIGSTOP)
    hasty = ChildVinReader(ImageLimit(tmp_path), seconds=0.2, start=lambda: _given(reader))
    with pytest.raises(Invalid, match="too much time"):
        _read(hasty, photo)
    assert hasty.child is None
    assert _is_gone(stopped)
    reader.close()


def _given(reader: ChildVinReader) -> Child:
    assert reader.child is not None
    return reader.child


def _is_gone(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


def test_caller_that_fails_in_the_middle_leaves_no_half_answer(own: ChildVinReader, photo: bytes) -> None:
    with pytest.raises(ZeroDivisionError), own.open(io.BytesIO(photo)):
        raise ZeroDivisionError
    assert _read(own, photo) == [VIN]


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
        "os._exit(0)\n"  # as when it is killed: nothing is closed or told
    )
    pid = int(printed(program, str(tmp_path)))
    assert _wait_until(lambda: _is_gone(pid))


def test_fork_does_not_speak_with_its_parents_child(own: ChildVinReader, photo: bytes) -> None:
    _read(own, photo)
    before = _pid(own)
    ours, theirs = os.pipe()
    child = os.fork()
    if child == 0:
        result = b"!"
        try:
            result = f"{_read(own, photo)[0]} {_pid(own)}".encode()
            own.close()
        finally:
            os.write(theirs, result)
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours) as pipe:
        vin, pid = pipe.read().split()
    os.waitpid(child, 0)
    assert vin == VIN
    assert int(pid) != before
    assert _read(own, photo) == [VIN]
    assert _pid(own) == before


def test_child_has_limits_and_no_secrets(
    own: ChildVinReader, photo: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REPAIRCORE_DATABASE_URL", "postgresql+psycopg://shop:hush@db/repairs")
    _read(own, photo)
    folder = Path("/proc") / str(_pid(own))
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


def test_bomb_is_refused_before_it_goes_off(own: ChildVinReader, photo: bytes) -> None:
    _read(own, photo)
    before = _peak(_pid(own))
    with pytest.raises(Invalid, match="megapixels"):
        _read(own, photos.png(Image.new("1", (13_000, 13_000))))
    assert _peak(_pid(own)) - before < 20_000


def _peak(pid: int) -> int:
    status = (Path("/proc") / str(pid) / "status").read_text()
    return int(status.split("VmHWM:")[1].split()[0])


def test_photo_of_48_megapixels_is_scaled_and_its_memory_is_bounded(
    own: ChildVinReader, photo: bytes
) -> None:
    _read(own, photo)
    before = _peak(_pid(own))
    large = Image.new("RGB", (8064, 6048), "white")
    large.paste(photos.code("Code 39", VIN).convert("RGB").resize((4000, 600)), (2000, 2700))

    assert any(VIN in text for text in _read(own, photos.jpeg(large)))
    assert _peak(_pid(own)) - before < 400_000


def test_bar_code_of_a_registration_card_is_read(own: ChildVinReader) -> None:
    card = photos.on_table(photos.pdf417(f"ANSI 636023 VAD{VIN}"))

    assert any(VIN in text for text in _read(own, photos.png(card)))


def test_reduced_photo_holds_nothing_but_pixels(own: ChildVinReader) -> None:
    exif = Image.Exif()
    exif[0x010E] = "hush: taken at home"
    photo = photos.on_table(photos.code("QR", VIN), size=3000)
    sent = photos.jpeg(photo, exif=exif, comment="hush")
    assert b"hush" in sent
    with own.open(io.BytesIO(sent)) as opened:
        reduced = opened.to_jpeg()
    assert b"hush" not in reduced
    with Image.open(io.BytesIO(reduced)) as image:
        assert image.format == "JPEG"
        assert max(image.size) <= 1568


def test_file_on_disk_is_read_where_it_is(own: ChildVinReader, photo: bytes, tmp_path: Path) -> None:
    path = tmp_path / "photo"
    path.write_bytes(photo)
    with path.open("rb") as file, own.open(file) as opened:
        assert [reading.text for reading in next(opened.scans())] == [VIN]


def test_what_is_not_installed_is_named(tmp_path: Path) -> None:
    reader = ChildVinReader(ImageLimit(tmp_path), packages=("PIL", "no_such_package"))
    with (
        pytest.raises(Unresolvable, match=r"pip install 'repaircore\[images\]'"),
        reader.open(io.BytesIO()),
    ):
        pass


class _Talking(Child):
    """A child that says what it is told to say."""

    said: Any = None

    @override
    def request(self, name: str) -> dict[str, Any]:
        fields: dict[str, Any] = self.said
        return fields


@pytest.mark.parametrize(
    "said",
    [
        {},
        {"found": "x"},
        {"found": [1]},
        {"found": [{"text": 1, "source": "text"}]},
        {"found": [{"text": "x", "source": "model"}]},
    ],
)
def test_nonsense_of_a_child_is_not_believed(tmp_path: Path, photo: bytes, said: dict[str, Any]) -> None:
    class Saying(_Talking):
        pass

    Saying.said = said
    reader = ChildVinReader(ImageLimit(tmp_path), start=Saying)
    with pytest.raises(Invalid):
        _read(reader, photo)
    assert reader.child is None


def _hold(limit: ImageLimit, held: Queue[object], go: threading.Event) -> threading.Thread:
    def run() -> None:
        try:
            with limit.slot():
                held.put("in")
                assert go.wait(30)
        except TooMany as refused:
            held.put(refused)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_of_many_images_at_once_one_is_looked_at_one_waits_and_the_rest_come_back(tmp_path: Path) -> None:
    limit, held, go = ImageLimit(tmp_path), Queue[object](), threading.Event()
    threads = [_hold(limit, held, go) for _ in range(4)]
    results = [held.get(timeout=30) for _ in range(3)]
    assert sorted(type(one).__name__ for one in results) == ["TooMany", "TooMany", "str"]
    assert held.empty()
    go.set()
    for thread in threads:
        thread.join(30)
    assert held.get(timeout=30) == "in"
    with limit.slot():
        pass


def test_image_waits_for_those_of_other_workers(tmp_path: Path) -> None:
    limit = ImageLimit(tmp_path, at_once=2)
    others = [os.open(tmp_path / f"images-{number}.lock", os.O_RDWR | os.O_CREAT) for number in range(2)]
    for other in others:
        fcntl.flock(other, fcntl.LOCK_EX)
    held, go = Queue[object](), threading.Event()
    thread = _hold(limit, held, go)
    thread.join(0.05)
    assert held.empty()
    os.close(others[os.getpid() % 2])
    assert held.get(timeout=30) == "in"
    go.set()
    thread.join(30)
    os.close(others[1 - os.getpid() % 2])
