"""The web console: the functions of the API as pages for people.

Pages are rendered and forms handled here; all decisions are made by the same use cases that the API calls. No page
needs a script; scripts only make some pages quicker. Nothing is loaded from other sites.
"""

from repaircore_http.console.app import Console
from repaircore_http.console.site import make_console

__all__ = ["Console", "make_console"]
