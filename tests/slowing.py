"""Workers whose steps take as long as a test wants, or never end, as those of a large encoder on a slow machine.

A worker started with ``EMBEDLAB_SLOW=0.5`` in its environment (tests/warm_worker.py looks there) takes half a second
for each step, with ``0.5:hang:3`` it never comes back from its third step. No processor time is used. The product knows
nothing of it.
"""

import os
import signal
import time

SLOW = "EMBEDLAB_SLOW"
_FOREVER = 3600.0


def arm() -> None:
    """In the worker: let each step take the seconds that ``EMBEDLAB_SLOW`` names."""
    from embedlab.tasks.fine_tune import trainer

    seconds, _, hanging = os.environ[SLOW].partition(":hang:")
    hangs_at = int(hanging) if hanging else None
    train = trainer.train

    def slowed(**how):
        for step in train(**how):
            _compute(_FOREVER if step.steps == hangs_at else float(seconds))
            yield step

    trainer.train = slowed


def _compute(seconds: float) -> None:
    """Take time as an operation of torch does: the main thread sees no signal before it ends."""
    if not hasattr(signal, "pthread_sigmask"):
        time.sleep(seconds)
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM})
    try:
        time.sleep(seconds)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
