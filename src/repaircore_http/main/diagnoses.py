"""Diagnoses: from a description of what is wrong to the likely repairs."""

from flask import Response

from repaircore.diagnosis.advice import Complaint
from repaircore.diagnosis.views import DiagnosisView
from repaircore.kernel.errors import NotFound
from repaircore_http.core import core
from repaircore_http.errors import flagged
from repaircore_http.guards import Auth, caller
from repaircore_http.json_io import read_body, reply
from repaircore_http.routes import Routes

diagnoses = Routes(
    "diagnoses", url_prefix="/api/v1/predict/diagnose", auth=Auth.KEY, dialect=flagged, tag="predictions"
)


@diagnoses.post("", accepts=Complaint, returns=DiagnosisView, raises=(NotFound,))
def diagnose() -> Response:
    """Diagnose a description: return the likely repairs, and the most useful question."""
    known, served = caller(), core()
    served.limits.count_prediction(known)
    complaint = read_body(Complaint, validate=served.diagnoses.validate)
    return reply(DiagnosisView.of(served.diagnoses.diagnose(complaint, known)))
