"""Read the VIN in a photo of a vehicle."""

from typing import Final

from flask import Response

from repaircore.kernel.errors import Unresolvable
from repaircore.kernel.views import UNSET, UnsetType, view
from repaircore.vehicles.extraction import MAX_IMAGE_BYTES, image_too_large
from repaircore_http.core import core
from repaircore_http.envelopes import Message
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import reply
from repaircore_http.routes import FormFile, Routes
from repaircore_http.uploads import FORM_OVERHEAD, uploaded_file

images = Routes("images", url_prefix="/api/v1/predict", auth=Auth.KEY, dialect=flagged, tag="predictions")

_PHOTO: Final = FormFile(field="image", media_types="image/jpeg, image/png, image/webp")
_FOUND = "VIN extracted successfully."


@view
class ExtractedVinResponse(Message):
    """The VIN in a photo, with warnings about how it was read, and any other VINs in the photo."""

    vin: str
    warnings: list[str] | UnsetType = UNSET
    other_vins: list[str] | UnsetType = UNSET


@images.post(
    "/extract-vin",
    max_bytes=MAX_IMAGE_BYTES + FORM_OVERHEAD,
    file=_PHOTO,
    returns=ExtractedVinResponse,
    raises=(Unresolvable,),
)
def extract_vin() -> Response:
    """Read the VIN in a photo."""
    known = caller()
    core().limits.count_prediction(known)
    with uploaded_file("image", max_bytes=MAX_IMAGE_BYTES, too_large=image_too_large) as image:
        extracted = core().vehicles.extract_vin(image, known)
    warnings = [*extracted.warnings]
    return reply(
        ExtractedVinResponse(
            message=extracted.doubt or _FOUND,
            vin=extracted.vin,
            warnings=warnings or UNSET,
            other_vins=[*extracted.others] or UNSET,
        )
    )
