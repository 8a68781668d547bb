"""``python -m embedlab.worker FOLDER``: the entry of a worker (work.py)."""

import os
import sys

from embedlab.private import hide_in_tracebacks
from embedlab.torchrun import is_started_by_torchrun
from embedlab.worker.work import main

if __name__ == "__main__":
    hide_in_tracebacks()
    _exit_code = main(sys.argv[1])
    if is_started_by_torchrun():
        # torch 2.13 now and then aborts a process that ends soon after it left the others; torchrun would end them too
        sys.stdout.flush(), sys.stderr.flush()
        os._exit(_exit_code)
    sys.exit(_exit_code)
