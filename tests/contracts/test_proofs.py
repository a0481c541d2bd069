"""Proofs of jobs: when they can be added, who sees them, and how long they are stored."""

import io
import struct
import zlib
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from PIL import Image, ImageDraw
from tests.contracts.dispatching import Town, caller_of
from tests.contracts.partners import add_partner
from tests.contracts.rides import read_record
from tests.threads import at_once
from typing_extensions import override

from repaircore.adapters.imaging.concurrency import ImageLimit
from repaircore.adapters.imaging.pictures import ChildPictureReader
from repaircore.core import Core
from repaircore.dispatch.model import DispatchRequest
from repaircore.dispatch.requests import MakeOffer
from repaircore.kernel.callers import Environment, PartnerCaller
from repaircore.kernel.errors import Failure, Invalid, NotFound
from repaircore.proofs.errors import CannotProve, NoProof
from repaircore.proofs.model import MOST_PHOTOS, Picture, Proof, ProofForm, Stage
from repaircore.proofs.ports import PictureReader
from repaircore.proofs.service import AddPhoto, AddSignature, Proofs
from repaircore.rides.errors import NoRide
from repaircore.rides.model import RideKind
from repaircore.testing.clock import FrozenClock

PICKUP, DROPOFF = AddPhoto(stage=Stage.PICKUP), AddPhoto(stage=Stage.DROPOFF)


class UndecodedPictures(PictureReader):
    """Returns each picture as sent; decoding has its own tests."""

    @override
    def photo(self, file: Any) -> Picture:
        return Picture(content=file.read(), media_type="image/jpeg", width=4, height=3)

    @override
    def signature(self, file: Any) -> Picture:
        return Picture(content=file.read(), media_type="image/png", width=4, height=3)


@pytest.fixture
def caller(core: Core) -> PartnerCaller:
    return add_partner(core.storage.database)


@pytest.fixture
def town(core: Core, caller: PartnerCaller) -> Town:
    return Town.of(core, caller, RideKind.TOW)


@pytest.fixture
def proofs(core: Core, town: Town) -> Proofs:
    return evolve(core.proofs, provider_requests=town.provider_requests, pictures=UndecodedPictures())


@pytest.fixture
def request_(town: Town) -> DispatchRequest:
    """Return the request of a business that has arrived."""
    town.add_providers(2, environment=Environment.TEST)
    ride = town.create()
    town.dispatch.run()
    (request, _) = town.requests(ride.ref)
    town.provider_requests.offer(request.ref, MakeOffer(eta_minutes=20), caller_of(request))
    town.rides.accept_offer(ride.ref, request.provider_ref, town.partner)
    town.rides.arrive(ride.ref, town.partner)
    return request


def photo(number: int = 0) -> io.BytesIO:
    return io.BytesIO(b"photo %d" % number)


def test_photos_and_a_signature_are_listed_and_fetched(
    core: Core, town: Town, proofs: Proofs, request_: DispatchRequest
) -> None:
    provider, ref = caller_of(request_), request_.ride_ref
    before = proofs.add_photo(request_.ref, PICKUP, photo(), provider)
    town.rides.start(ref, town.partner)
    signed = proofs.add_signature(
        request_.ref, AddSignature(stage=Stage.DROPOFF, signed_by=" Bo Diaz "), photo(1), provider
    )
    record = read_record(core, town.rides, ref)
    events = [each["data"]["proof"] for each in record.payloads if each["type"] == "tow.proof_added"]

    assert proofs.list_for(RideKind.TOW, ref, town.partner) == [before, signed]
    assert proofs.list_for_provider(request_.ref, provider) == [before, signed]
    assert proofs.picture(RideKind.TOW, ref, before.ref, town.partner).content == b"photo 0"
    assert (signed.form, signed.signed_by) == (ProofForm.SIGNATURE, "Bo Diaz")
    assert [(each["ref"], each["stage"]) for each in events] == [
        (before.ref, "pickup"),
        (signed.ref, "dropoff"),
    ]
    assert town.steps(ref).count(("add_proof", "provider")) == 2


def test_proofs_are_hidden_from_other_callers(
    core: Core, town: Town, proofs: Proofs, request_: DispatchRequest
) -> None:
    proof = proofs.add_photo(request_.ref, PICKUP, photo(), caller_of(request_))
    ref, stranger = request_.ride_ref, add_partner(core.storage.database, "Other Inc")
    (_, other) = town.requests(ref)
    for who in (stranger, evolve(town.partner, environment=Environment.LIVE)):
        with pytest.raises(NoRide):
            proofs.list_for(RideKind.TOW, ref, who)
        with pytest.raises(NoRide):
            proofs.picture(RideKind.TOW, ref, proof.ref, who)
    with pytest.raises(NoRide):
        proofs.list_for(RideKind.MOBILE, ref, town.partner)
    mine = town.create()
    with pytest.raises(NoProof):
        proofs.picture(RideKind.TOW, mine.ref, proof.ref, town.partner)
    with pytest.raises(NotFound):
        proofs.add_photo(request_.ref, PICKUP, photo(), caller_of(other))
    with pytest.raises(CannotProve):
        proofs.add_photo(other.ref, PICKUP, photo(), caller_of(other))
    assert proofs.list_for_provider(other.ref, caller_of(other)) == []


def test_proofs_are_accepted_only_at_their_stage(
    town: Town, proofs: Proofs, request_: DispatchRequest
) -> None:
    provider, ref = caller_of(request_), request_.ride_ref
    with pytest.raises(CannotProve, match="dropoff can only be added after the job has started"):
        proofs.add_photo(request_.ref, DROPOFF, photo(), provider)
    town.rides.start(ref, town.partner)
    proofs.add_photo(request_.ref, DROPOFF, photo(), provider)
    town.rides.complete(ref, town.partner)
    with pytest.raises(CannotProve):
        proofs.add_photo(request_.ref, DROPOFF, photo(1), provider)


def test_repeated_photo_is_one_proof_and_photos_are_limited(
    proofs: Proofs, request_: DispatchRequest
) -> None:
    provider = caller_of(request_)
    proofs.add_photo(request_.ref, PICKUP, photo(), provider)

    def add(number: int) -> Proof | Failure:
        try:
            return proofs.add_photo(request_.ref, PICKUP, photo(number), provider)
        except Failure as failure:
            return failure

    numbers = iter([*[0] * 3, *range(1, MOST_PHOTOS + 4)])
    done = at_once(6, lambda: [add(next(numbers, 0)) for _ in range(4)])
    stored = proofs.list_for_provider(request_.ref, provider)

    assert len(stored) == len({proof.sha256 for proof in stored}) == MOST_PHOTOS
    assert any(isinstance(each, CannotProve) for some in done for each in some)
    signing = AddSignature(stage=Stage.PICKUP, signed_by="Bo")
    first = proofs.add_signature(request_.ref, signing, photo(), provider)
    assert proofs.add_signature(request_.ref, signing, photo(), provider) == first
    with pytest.raises(CannotProve, match="already has a signature"):
        proofs.add_signature(request_.ref, signing, photo(1), provider)


@pytest.mark.parametrize("name", ["", " ", "x" * 101, "a\nb"])
def test_signature_requires_a_name(proofs: Proofs, request_: DispatchRequest, name: str) -> None:
    with pytest.raises(Invalid) as caught:
        proofs.add_signature(
            request_.ref, AddSignature(stage=Stage.PICKUP, signed_by=name), photo(), caller_of(request_)
        )

    assert [*caught.value.fields] == ["signed_by"]


def test_old_pictures_are_deleted_and_the_proofs_stay(
    town: Town, proofs: Proofs, request_: DispatchRequest, clock: FrozenClock
) -> None:
    old = proofs.add_photo(request_.ref, PICKUP, photo(), caller_of(request_))
    clock.advance(proofs.stored_for)
    assert proofs.prune() == 0
    clock.advance(timedelta(seconds=1))
    assert (proofs.prune(), proofs.prune()) == (1, 0)
    (stored,) = proofs.list_for(RideKind.TOW, request_.ride_ref, town.partner)

    assert stored == evolve(old, is_available=False)
    with pytest.raises(NoProof):
        proofs.picture(RideKind.TOW, request_.ride_ref, old.ref, town.partner)


def test_erasing_a_customer_deletes_proofs_and_links(
    core: Core, town: Town, proofs: Proofs, request_: DispatchRequest
) -> None:
    ref = request_.ride_ref
    proofs.add_signature(
        request_.ref, AddSignature(stage=Stage.PICKUP, signed_by="A. B."), photo(), caller_of(request_)
    )
    core.tracking.share(RideKind.TOW, ref, town.partner)
    with core.storage.read() as work:
        customer = work.customers.find_by_id(town.ride(ref).customer_id, town.partner)
    assert customer is not None
    assert customer.email is not None
    core.persons.erase(customer.email)
    record = read_record(core, town.rides, ref)

    assert proofs.list_for(RideKind.TOW, ref, town.partner) == []
    with core.storage.read() as work:
        assert work.tracking_links.find(ref) is None
    assert "A. B." not in str(record.payloads)


# Decoding: what is stored has nothing of the file but its pixels.


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> ChildPictureReader:
    folder: Path = tmp_path_factory.mktemp("slots")
    return ChildPictureReader(ImageLimit(folder))


def encoded(image: Image.Image, form: str, **options: Any) -> io.BytesIO:
    file = io.BytesIO()
    image.save(file, form, **options)
    file.seek(0)
    return file


def with_stroke(size: tuple[int, int] = (600, 300)) -> Image.Image:
    image = Image.new("RGBA", size)
    ImageDraw.Draw(image).line((20, 20, size[0] - 20, size[1] - 20), fill="black", width=5)
    return image


@pytest.mark.parametrize("form", ["JPEG", "PNG", "WEBP"])
def test_photo_is_rotated_resized_and_without_metadata(reader: ChildPictureReader, form: str) -> None:
    exif = Image.Exif()
    exif[0x0112], exif[0x010E] = 6, "taken at home"
    sent = encoded(Image.new("RGB", (3_200, 1_600), "navy"), form, exif=exif)
    assert b"taken at home" in sent.getvalue()
    stored = reader.photo(sent)

    assert (stored.width, stored.height, stored.media_type) == (800, 1_600, "image/jpeg")
    assert b"taken at home" not in stored.content
    with Image.open(io.BytesIO(stored.content)) as image:
        assert (image.format, image.size, dict(image.getexif())) == ("JPEG", (800, 1_600), {})


def test_photo_may_have_fifty_megapixels_and_no_more(reader: ChildPictureReader) -> None:
    taken = reader.photo(encoded(Image.new("RGB", (8_000, 6_250)), "JPEG"))

    assert (taken.width, taken.height) == (1_600, 1_250)
    with pytest.raises(Invalid, match="50 megapixels"):
        reader.photo(encoded(Image.new("L", (8_000, 6_300)), "PNG"))


@pytest.mark.parametrize(
    "sent",
    [
        b"",
        b"GIF89a",
        b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        b"\x89PNG\r\n\x1a\n" + b"\0" * 100,
        encoded(Image.new("RGB", (40, 20)), "GIF").getvalue(),
        encoded(Image.new("RGB", (40, 20)), "PDF").getvalue(),
        encoded(Image.new("RGB", (400, 200)), "JPEG").getvalue()[:300],
        encoded(Image.new("1", (10_001, 1)), "PNG").getvalue(),
        encoded(
            Image.new("RGB", (40, 20)),
            "PNG",
            save_all=True,
            append_images=[Image.new("RGB", (40, 20), "red")],
        ).getvalue(),
    ],
    ids=["empty", "gif", "svg", "no png", "real gif", "pdf", "cut", "long", "animated"],
)
def test_invalid_photo_gives_a_readable_error(reader: ChildPictureReader, sent: bytes) -> None:
    with pytest.raises(Invalid) as caught:
        reader.photo(io.BytesIO(sent))

    assert "must be a complete JPEG, PNG or WebP" in caught.value.fields["photo"][0]


def test_decompression_bomb_is_rejected(reader: ChildPictureReader) -> None:
    with pytest.raises(Invalid):
        reader.photo(io.BytesIO(_decompression_bomb(60_000)))
    with pytest.raises(Invalid):
        reader.signature(io.BytesIO(_decompression_bomb(60_000)))


def _decompression_bomb(side: int) -> bytes:
    """Return a small PNG that says it has billions of pixels."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return (
            struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))
        )

    head = struct.pack(">IIBBBBB", side, side, 16, 6, 0, 0, 0)
    pixels = zlib.compress(b"\0" * 10_000_000, 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")


def test_signature_becomes_black_on_white(reader: ChildPictureReader) -> None:
    stored = reader.signature(encoded(with_stroke((1_200, 600)), "PNG"))

    assert (stored.width, stored.height, stored.media_type) == (600, 300, "image/png")
    with Image.open(io.BytesIO(stored.content)) as image:
        assert (image.format, image.mode, image.getpixel((300, 10))) == ("PNG", "L", 255)


@pytest.mark.parametrize(
    "sent",
    [
        encoded(Image.new("RGB", (600, 300), "white"), "PNG"),
        encoded(Image.new("RGBA", (600, 300)), "PNG"),
        encoded(with_stroke().convert("RGB"), "JPEG"),
        encoded(with_stroke((4_001, 100)), "PNG"),
    ],
    ids=["white", "transparent", "jpeg", "long"],
)
def test_empty_or_invalid_signature_is_rejected(reader: ChildPictureReader, sent: io.BytesIO) -> None:
    with pytest.raises(Invalid) as caught:
        reader.signature(io.BytesIO(sent.getvalue()))

    assert "something drawn on it" in caught.value.fields["signature"][0]
