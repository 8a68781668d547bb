"""Pushes a run's encoder to the hub: with downloads and summaries the only task that opens a connection."""

import os

from embedlab.hub import endpoint
from embedlab.hub_push import TOKEN, hub_token, upload
from embedlab.jobs.requests.drawing import PushedRun, PushRun
from embedlab.numbers import counted, in_bytes
from embedlab.progress import Progress
from embedlab.report.exports import bytes_of_files, pushed_files, require_encoder
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import open_run
from embedlab.store_root import write_json


def run(folder: RunFolder, request: PushRun, progress: Progress) -> None:
    """Push the encoder and its card; the address of its page is the result."""
    of = open_run(request.run)
    require_encoder(of)
    token = hub_token()
    os.environ[TOKEN] = token  # also where it came from the file: what is written is cleaned of the environment's
    files = pushed_files(of, request.to)
    size = bytes_of_files(files)
    progress(f"Pushing {counted(len(files), 'file')} ({in_bytes(sum(size.values()))}) to {request.to}")
    message = f"An encoder fine-tuned with embedlab, run {of.id}"
    commit = upload(request.to, files, token=token, is_public=request.public, message=message)
    url = f"{endpoint()}/{request.to}"
    pushed = PushedRun(run=of.id, to=request.to, public=request.public, files=size, url=url, commit=commit)
    write_json(folder.result, pushed.model_dump())
