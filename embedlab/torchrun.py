"""Whether torchrun started this process together with others; determined without torch."""

import os


def is_started_by_torchrun() -> bool:
    """Whether there may be others (encoders/processes.py)."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def is_one_of_several() -> bool:
    """Whether the first of several processes does the work, and this one only assists."""
    return is_started_by_torchrun() and os.environ.get("RANK", "0") != "0"
