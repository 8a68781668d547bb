"""A Streamlit app started on a free port, and Chromium looking at it."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = ("--no-sandbox", "--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader")
CHROMIUM += ("--ignore-gpu-blocklist", "--disable-background-networking", "--disable-component-update")


def chromium_path() -> str | None:
    """Chromium or Chrome on this machine."""
    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    return os.environ.get("CHROMIUM_PATH") or next((found for name in names if (found := shutil.which(name))), None)


@contextmanager
def served(script: Path, *, home: Path):
    """The app at its address, its process beside it: ``(url, process, seconds until it answers)``."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    began = time.perf_counter()
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "streamlit",
            "run",
            str(script),
            "--server.port",
            str(port),
            "--server.headless",
            "true",
        ],
        cwd=ROOT,
        env={**os.environ, "EMBEDLAB_HOME": str(home)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while True:
            try:
                with urllib.request.urlopen(f"{url}/_stcore/health", timeout=2):
                    break
            except OSError:
                assert process.poll() is None, "the app did not start"
                time.sleep(0.02)
        yield url, process, time.perf_counter() - began
    finally:
        process.terminate()
        process.wait()


@contextmanager
def page_of(*, width: int = 1400, height: int = 900):
    """A page in headless Chromium."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=list(CHROMIUM))
        try:
            yield browser.new_page(viewport={"width": width, "height": height})
        finally:
            browser.close()


def until_idle(page) -> None:
    """Wait until the script has ended."""
    page.locator('[data-testid="stApp"][data-test-script-state="notRunning"]').wait_for()
