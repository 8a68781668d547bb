"""``runs push``: what would be published is listed and confirmed, then a worker pushes it to the hub."""

from typing import Annotated

from embedlab.cli.arguments import Json, Option, Outcome
from embedlab.cli.listing import opened
from embedlab.cli.reading import RunId
from embedlab.cli.terminal import Terminal
from embedlab.hub_push import hub_token
from embedlab.jobs.requests.drawing import PushedRun, PushRun
from embedlab.numbers import counted, in_bytes
from embedlab.report.exports import bytes_of_files, pushed_files, require_encoder
from embedlab.report.model_card import origins


def push(
    terminal: Terminal,
    run: RunId,
    *,
    to: Annotated[str, Option("the repository to create on the hub", "OWNER/NAME")],
    public: Annotated[bool, Option("everybody may read it (default: you alone)")] = False,
    yes: Annotated[bool, Option("push without asking, for scripts")] = False,
) -> Outcome:
    """List what would be uploaded, ask, and push it; without a terminal to ask on, only list it."""
    from embedlab.jobs.runner import done_by_worker

    folder = opened(run)
    request = PushRun(run=folder.id, to=to, public=public)
    require_encoder(folder)
    hub_token()
    size = bytes_of_files(pushed_files(folder, request.to))
    listed = {"run": folder.id, "to": request.to, "public": public, "pushed": False, "files": size}
    listed["origins"] = origins(folder)
    if not yes and not terminal.confirmed(_listing(listed), f"Push this to {request.to}?"):
        return Outcome(listed, [*_listing(listed), "Nothing was pushed. Repeat with --yes to push."])
    done = done_by_worker(request, PushedRun, terminal)
    lines = [f"Pushed run {folder.id} to {done.url} ({'public' if public else 'private'})."]
    return Outcome({**listed, "pushed": True, "url": done.url, "commit": done.commit}, lines)


def _listing(result: Json) -> list[str]:
    """Who will be able to read what: a line for each file and each statement of the card."""
    readers = "everybody" if result["public"] else "its owner alone"
    total = f"{counted(len(result['files']), 'file')}, {in_bytes(sum(result['files'].values()))}"
    return [
        f"{result['to']}, readable by {readers}: {total}.",
        *(f"{in_bytes(size):>9}  {path}" for path, size in sorted(result["files"].items())),
        "Its model card says, besides accuracy, recipe and how to load it:",
        *(f"  {name}: {text}" for name, text in result["origins"].items()),
    ]
