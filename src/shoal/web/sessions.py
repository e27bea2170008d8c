"""AppSession: one run of the app, from its start until it is quit: its keys, its folders, its project and its tasks."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from secrets import compare_digest, token_urlsafe
from time import monotonic
from urllib.parse import unquote, urlsplit

from shoal.web.projects import Project
from shoal.web.tasks import Tasks
from shoal.web.texts import LANGUAGES, TextError
from shoal.web.workspaces import Workspace

_FILES = ("sqlite", "duckdb", "file")  # schemes of URLs that name a file of this machine


def _key() -> str:
    return token_urlsafe(32)


@dataclass(eq=False)
class AppSession:
    """One run of the app.

    Args:
        root: The folder that the app was started in; of the disk, only what lies under it can be opened.
        workspace: The private folder of this run.
        hosts: What the header Host may be.
        port: Where the app listens.
        secure: Whether it speaks TLS.
        named: The table or project that was named at the start, which may lie elsewhere.
        project: The project that is open.
        language: The language of the pages.
    """

    root: Path
    workspace: Workspace
    hosts: frozenset[str]
    port: int
    secure: bool = False
    named: Path | None = None
    project: Project | None = None
    language: str = LANGUAGES[0]
    tasks: Tasks = field(default_factory=Tasks)
    cookie: str = field(default_factory=_key, repr=False)
    form: str = field(default_factory=_key, repr=False)
    quit: Callable[[], None] = lambda: None
    _token: str = field(default_factory=_key, repr=False)
    _last: float = field(default_factory=monotonic)

    @property
    def cookie_name(self) -> str:
        """The name of the cookie."""
        return f"shoal-{self.port}"

    @property
    def origins(self) -> frozenset[str]:
        """What the header Origin may be."""
        return frozenset(f"{self.scheme}://{host}" for host in self.hosts)

    @property
    def scheme(self) -> str:
        """How the app is spoken to."""
        return "https" if self.secure else "http"

    @property
    def token(self) -> str:
        """The token of the address that is printed; empty once it was used."""
        return self._token

    def take(self, token: str) -> bool:
        """Take the token, which holds good once."""
        good = bool(self._token) and compare_digest(token.encode("utf-8", "surrogatepass"), self._token.encode())
        if good:
            self._token = ""
        return good

    def seen(self) -> None:
        """Note that somebody is here."""
        self._last = monotonic()

    @property
    def idle(self) -> float:
        """The seconds since anybody asked for anything, or since a task ran: what came of it is waited for."""
        if self.tasks.running:
            self.seen()
        return monotonic() - self._last

    def keep(self, target: Path) -> None:
        """Give the project a folder of its own, and go on with a new private one."""
        self.workspace = self.workspace.moved(target)
        self.project = Project(target)

    def inside(self, text: str) -> Path:
        """Return a file or folder that a page names, or raise a SpecError if it may not be opened.

        It lies under the folder that the app was started in, or is what was named at the start; and it is reached by no
        link, since a link may lead anywhere.
        """
        path = (self.root / text.strip()).absolute()
        if self.named is not None and path == self.named:
            return path
        root = self.root.resolve()
        if ".." in path.parts or not path.is_relative_to(self.root.absolute()):
            raise TextError("open.elsewhere", root=root)
        if not path.exists():
            raise TextError("open.no_file")
        if path.resolve() != root / path.relative_to(self.root.absolute()) or _has_links(path):
            raise TextError("open.link")
        return path

    def reachable(self, url: str) -> str:
        """Return the URL of a database or of an object store, or raise a SpecError if it names a file elsewhere."""
        parts = urlsplit(url.strip())
        if parts.scheme in _FILES:
            path = unquote(parts.path)
            self.inside(path if parts.scheme == "file" else path.removeprefix("/"))
        elif not parts.scheme or "://" not in url:
            raise TextError("open.no_url")
        return url.strip()


def _has_links(folder: Path) -> bool:
    """Tell whether a link is among the files of a folder, at any depth."""
    return folder.is_dir() and any(path.is_symlink() for path in folder.rglob("*"))
