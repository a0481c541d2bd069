"""Build the documentation as a site: ``python docs/site/build.py FOLDER``; a warning is a failure."""

import sys
from pathlib import Path

from sphinx.cmd.build import main

HERE = Path(__file__).parent

if __name__ == "__main__":
    strictly = ("--fail-on-warning", "--keep-going", "-q", "-E")
    sys.exit(main([*strictly, "-c", str(HERE), str(HERE.parent), *sys.argv[1:]]))
