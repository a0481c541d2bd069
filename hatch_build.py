"""What a package index shows: addresses of the project, and a README whose links lead to them.

The README links to files beside it, as a forge shows them. An index has none of them, so that the build puts the address of
the release in front of each. The repository's own address is written once, in ``pyproject.toml``. As long as there is none, what
is built has no addresses, and only the words of such links.
"""

import re
from pathlib import Path
from typing import Any, Final

from hatchling.metadata.plugin.interface import MetadataHookInterface

_LINK: Final = re.compile(r"(?P<picture>!?)\[(?P<text>[^\]]*)\]\((?P<path>[^)\s:#]+)(?P<anchor>#[\w-]+)?\)")
_PAGES: Final = {
    "Homepage": "{repository}",
    "Documentation": "{repository}/blob/v{version}/docs/index.md",
    "Changelog": "{repository}/blob/v{version}/CHANGELOG.md",
    "Issues": "{repository}/issues",
}


def absolute(markdown: str, repository: str, version: str) -> str:
    """Return a page whose links and pictures lead to the files of a release; without a repository, their words alone."""

    def lead(found: re.Match[str]) -> str:
        if not repository:
            return found["text"]
        kind = "raw" if found["picture"] else "blob"
        address = f"{repository}/{kind}/v{version}/{found['path']}{found['anchor'] or ''}"
        return f"{found['picture']}[{found['text']}]({address})"

    return _LINK.sub(lead, markdown)


class ProjectMetadata(MetadataHookInterface):
    """Fills in what depends on the repository's address and on the version."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the README and the addresses."""
        repository = self.config["repository"].rstrip("/")
        version = metadata["version"]
        text = (Path(self.root) / "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {
            "content-type": "text/markdown",
            "text": absolute(text, repository, version),
        }
        metadata["urls"] = (
            {name: page.format(repository=repository, version=version) for name, page in _PAGES.items()}
            if repository
            else {}
        )
