"""Diagnoses: what is needed, by a description of what is wrong."""

from flask import Response

from repaircore.diagnosis.complaint import Complaint
from repaircore.diagnosis.views import advice_as_wire
from repaircore.kernel.errors import NotFound
from repaircore_http.core import core
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes
from repaircore_http.told.diagnostics import Diagnosis

diagnoses = Routes(
    "diagnoses", url_prefix="/api/v1/predict/diagnose", auth=Auth.KEY, dialect=flagged, tag="predictions"
)


@diagnoses.post("", accepts=Complaint, returns=Diagnosis, raises=(NotFound,))
def diagnose() -> Response:
    """Say which repairs are likely needed, from a description of what is wrong."""
    known, served = caller(), core()
    served.limits.count_prediction(known)
    complaint = read_body(Complaint, validate=served.diagnoses.validate)
    return reply(advice_as_wire(served.diagnoses.diagnose(complaint, known)))
