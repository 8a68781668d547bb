"""The real app on a free port, and Chromium looking at it; skipped, with the reason, where there is no Chromium."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import ExitStack
from pathlib import Path

import pytest
from looking import idle, until

ROOT = Path(__file__).resolve().parents[2]
ARGUMENTS = ["--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
ARGUMENTS += ["--ignore-gpu-blocklist", "--disable-background-networking", "--disable-component-update"]
PATIENCE = 120_000  # milliseconds; a loaded machine is slow, a broken page is not waited for longer


def chromium() -> str | None:
    """Chromium or Chrome on this machine."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return os.environ.get("CHROMIUM_PATH") or next((found for name in names if (found := shutil.which(name))), None)


def pytest_collection_modifyitems(items):
    """Mark what is in this folder, skip it where it cannot run, and let it run last.

    Last, because what fails elsewhere fails sooner; but first of all where ``-n 2`` gives it a process of its own,
    because it takes longest.
    """
    reason = None
    if chromium() is None:
        reason = "needs Chromium: install it (apt install chromium) or name it in CHROMIUM_PATH"
    for item in items:
        if _is_here(item):
            item.add_marker(pytest.mark.browser)
            if reason is not None:
                item.add_marker(pytest.mark.skip(reason=reason))
    items.sort(key=_is_here, reverse="PYTEST_XDIST_WORKER" in os.environ)


def _is_here(item) -> bool:
    return Path(item.fspath).is_relative_to(Path(__file__).parent)


@pytest.fixture(scope="session")
def home(tmp_path_factory) -> Path:
    """One store for all browser tests: each leaves its runs for the next to see."""
    return tmp_path_factory.mktemp("browser-store")


class Served:
    """The process of a Streamlit script and its address; it can be ended and started again on the same port."""

    def __init__(self, home: Path, script: Path = ROOT / "app.py", *options: str):
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.home, self.script, self.options = home, script, options
        self.url = f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self) -> None:
        """Start it and wait until it answers."""
        options = ["--server.port", str(self.port), "--server.headless", "true"]
        self.log = open(self.home / "server.log", "ab")  # noqa: SIM115  (open as long as the process)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "streamlit", "run", self.script.name, *options, *self.options],
            cwd=self.script.parent,
            env={**os.environ, "EMBEDLAB_HOME": str(self.home), "PYTHONPATH": str(ROOT)},
            stdout=self.log,
            stderr=self.log,
        )
        until = time.monotonic() + 60
        while time.monotonic() < until:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2):
                    return
            except OSError:
                assert self.process.poll() is None, (self.home / "server.log").read_text(encoding="utf-8")
        raise AssertionError("the app did not answer within a minute")

    def end(self) -> None:
        """End it, as a closed terminal does; its server may wait for a page's open connection for ever."""
        self.process.terminate()
        try:
            self.process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.log.close()


@pytest.fixture(scope="session")
def app(home):
    """The running app."""
    served = Served(home)
    yield served
    served.end()


@pytest.fixture(scope="session")
def browser():
    """One Chromium for all of these tests."""
    sync_api = pytest.importorskip("playwright.sync_api")
    playwright = _playing.enter_context(sync_api.sync_playwright())
    found = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
    _playing.callback(found.close)
    return found


@pytest.fixture(scope="session")
def context(browser):
    """One profile: Streamlit's scripts are fetched and compiled once; what a page keeps is wiped before the next."""
    return browser.new_context(viewport={"width": 1400, "height": 900})


def new_page(context, url: str, **look: str):
    """A page like a newcomer's: nothing kept of those before it but the files of the address."""
    page = context.new_page()
    page.emulate_media(**look)
    context.clear_cookies()
    kept = {"origin": url, "storageTypes": "local_storage,indexeddb,cache_storage,service_workers"}
    context.new_cdp_session(page).send("Storage.clearDataForOrigin", kept)
    return page


_playing = ExitStack()


@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    """After the last of these tests Playwright ends: its event loop lets nobody else's run in this thread."""
    if nextitem is None or not _is_here(nextitem):
        _playing.close()


@pytest.fixture
def page(context, app):
    """A page that must not meet an error, open a dialog, or ask anybody but the app for anything."""
    page = new_page(context, app.url)
    page.set_default_timeout(PATIENCE)
    strangers, dialogs, errors = [], [], []
    own = (app.url, app.url.replace("http", "ws"), "data:", "blob:")
    page.on("request", lambda request: strangers.append(request.url) if not request.url.startswith(own) else None)
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    page.close()
    assert strangers == [] and dialogs == [] and errors == []


@pytest.fixture(scope="session")
def maps_url(tmp_path_factory):
    """The small app's address; a server of its own, in which the corpora are replaced."""
    options = ("--server.fileWatcherType", "none", "--browser.gatherUsageStats", "false")
    options += ("--server.address", "127.0.0.1")
    served = Served(tmp_path_factory.mktemp("maps"), Path(__file__).with_name("map_app.py"), *options)
    yield served.url
    served.end()


@pytest.fixture
def open_case(context, maps_url):
    """``open_case("morph", texts=100)``: a page on one case, which must not meet an error or ask anybody else."""
    opened = []

    def opening(case: str, *, width: int = 1400, script: str = "", ready: str = ".map .frame", **address):
        page, errors = new_page(context, maps_url, color_scheme=address.pop("color_scheme", "light")), []
        page.set_viewport_size({"width": width, "height": 900})
        page.set_default_timeout(60_000)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("request", lambda sent: sent.url.startswith((maps_url, "data:", "blob:")) or errors.append(sent.url))
        if script:
            page.add_init_script(script)
        opened.append((page, errors))
        page.goto(f"{maps_url}/?" + "&".join(f"{name}={value}" for name, value in dict(case=case, **address).items()))
        page.locator(ready).first.wait_for()
        if case == "busy":
            return page
        idle(page)
        until(page, lambda: page.locator(".map .status.waiting").count() == 0)
        page.wait_for_timeout(250)
        return page

    yield opening
    for page, errors in opened:
        page.close()
        assert errors == []


@pytest.fixture
def first_page(context, tmp_path):
    """The app on a store of its own, which is empty."""
    served = Served(tmp_path)
    page, faults = new_page(context, served.url), []
    page.set_default_timeout(PATIENCE)
    own = (served.url, served.url.replace("http", "ws"), "data:", "blob:")
    page.on("request", lambda asked: None if asked.url.startswith(own) else faults.append(asked.url))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(served.url)
    yield page
    page.close()
    served.end()
    assert faults == []
