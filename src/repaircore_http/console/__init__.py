"""The web console: what the API does, as pages for people.

Pages are rendered here, forms are posted here, and everything is decided by the use cases that the API calls too. No page
needs a script; what scripts there are make it quicker. Nothing is loaded from elsewhere.
"""

from repaircore_http.console.app import Console
from repaircore_http.console.site import make_console

__all__ = ["Console", "make_console"]
