"""Workers that need not import torch each: forked from one process that has it, otherwise as real as any.

``EMBEDLAB_WORKER`` names this file, so every worker that a test, a command or the served app starts comes by here: a
process of its own, with its own number, session, environment, folder and log. What may connect is started as always,
because the hub's libraries read their environment when they are imported.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FILE = "EMBEDLAB_WARM"  # the socket on which the process that has everything imported listens
PATIENCE = 60  # seconds until a worker does without it
CONNECTING = ("fetch", "fetch_encoder", "summarise", "benchmark", "push")
PRELOADED = (
    "transformers.models.bert.modeling_bert openTSNE umap sklearn.cluster sklearn.decomposition sklearn.linear_model "
    "sklearn.feature_extraction.text sklearn.neighbors pyarrow.parquet pandas numba embedlab.worker.work "
    "embedlab.encoders.load embedlab.encoders.transformer_folder"
).split()


def worker(folder: str) -> int:
    """Have the worker of this folder forked, wait for its end, and end as it did."""
    with open(f"{folder}/settings.json", encoding="utf-8") as file:
        is_connecting = json.load(file)["task"] in CONNECTING
    return _forwarded({"folder": folder}, ["-m", "embedlab.worker", folder], is_cold=is_connecting)


def warm_python(code: str) -> list[str]:
    """The beginning of a command that runs this code; the code's arguments follow."""
    return [sys.executable, "-S", "-E", __file__, "--code", code]


def script(code: str, *arguments: str) -> int:
    """Have this code run where torch and transformers are imported already; how it ended."""
    return _forwarded({"code": code, "arguments": arguments}, ["-c", code, *arguments])


def _forwarded(asked: dict, instead: list[str], *, is_cold: bool = False) -> int:
    """Have the warm process fork what is asked; where there is none, this process becomes Python with ``instead``."""
    server = None if is_cold or not hasattr(os, "fork") else _connected(os.environ[FILE])
    if server is None:
        os.execv(sys.executable, [sys.executable, *instead])
    line = json.dumps({**asked, "cwd": os.getcwd(), "environment": dict(os.environ)}).encode()
    with server:
        socket.send_fds(server, [len(line).to_bytes(4, "big")], [0, 1, 2])
        server.sendall(line)
        answer = server.recv(4)
    code = int.from_bytes(answer, "big", signed=True) if len(answer) == 4 else 1
    if code < 0:
        signal.signal(-code, signal.SIG_DFL) if -code not in (signal.SIGKILL, signal.SIGSTOP) else None
        os.kill(os.getpid(), -code)
    return code


def _connected(path: str) -> socket.socket | None:
    """To the process that forks: the first who asks starts it, and everybody waits, which is quicker than importing."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        server = socket.socket(socket.AF_UNIX)
        try:
            server.connect(path)
            return server
        except OSError:
            server.close()
        try:
            os.close(os.open(f"{path}.starting", os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            time.sleep(0.02)
        else:
            _start(path)
    return None


def _start(path: str) -> None:
    command = [sys.executable, __file__, "--serve", path]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    environment["NUMBA_OPT"] = "1"  # as in conftest.py
    with open(f"{path}.log", "wb") as log:
        server = subprocess.Popen(
            command, env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True
        )
    server.returncode = 0  # it outlives this process, which does not wait for it


def serve(path: str) -> None:
    """Import everything once, then fork a worker for each who asks, until the file at ``path`` or its owner is gone."""
    import gc
    import importlib
    import threading

    import psutil

    owner = psutil.Process(int(Path(path).stem))
    os.fsync = lambda descriptor: None  # as in conftest.py
    gc.disable()
    for module in PRELOADED:
        importlib.import_module(module)
    for each in sorted((ROOT / "embedlab" / "tasks").rglob("*.py")):
        importlib.import_module(".".join(each.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"))
    gc.enable()
    gc.freeze()  # a collection in a worker would visit, and so copy, every page that it shares with this process
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(path)
    listening.listen(64)
    listening.settimeout(2)
    while Path(path).exists() and owner.is_running():
        try:
            client, _ = listening.accept()
        except TimeoutError:
            continue
        child = _forked(client, listening)
        threading.Thread(target=_answer, args=(client, child), daemon=True).start()


def _forked(client: socket.socket, listening: socket.socket) -> int:
    """Fork the worker that this client asks for; its process number."""
    client.settimeout(None)
    size, given, _, _ = socket.recv_fds(client, 4, 3)
    asked = json.loads(_whole(client, int.from_bytes(size, "big")))
    child = os.fork()
    if child:
        for each in given:
            os.close(each)
        return child
    code = 1
    try:
        listening.close()
        client.close()
        os.setsid()
        for number, each in enumerate(given):
            os.dup2(each, number)
            os.close(each)
        os.environ.clear()
        os.environ.update(asked["environment"])
        os.chdir(asked["cwd"])
        code = _ran(asked)
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else 1
    except BaseException:
        import traceback

        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _ran(asked: dict) -> int:
    if "code" in asked:
        sys.argv = ["-c", *asked["arguments"]]
        exec(asked["code"], {"__name__": "__main__"})
        return 0
    from embedlab.worker.work import main

    if "EMBEDLAB_KILL" in os.environ:
        from killing import arm

        arm(asked["folder"])
    if "EMBEDLAB_SLOW" in os.environ:
        import slowing

        slowing.arm()
    return main(asked["folder"])


def _whole(client: socket.socket, size: int) -> bytes:
    read = b""
    while len(read) < size:
        read += client.recv(size - len(read))
    return read


def _answer(client: socket.socket, child: int) -> None:
    """Tell how the worker ended: its exit code, or the signal, negative."""
    _, status = os.waitpid(child, 0)
    with client:
        try:
            client.sendall(os.waitstatus_to_exitcode(status).to_bytes(4, "big", signed=True))
        except OSError:
            pass  # nobody waits for it any more


if __name__ == "__main__":
    ways = {"--serve": serve, "--code": script}
    sys.exit(ways[sys.argv[1]](*sys.argv[2:]) if sys.argv[1] in ways else worker(sys.argv[1]))
