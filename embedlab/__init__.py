"""embedlab: fine-tune sentence encoders without labels and see what changes."""

import os

# Read once, by the first import of torch and of numpy: a thread that spins at a barrier keeps the core from whatever
# else runs. Beside two busy processes a step takes 0.58 s in place of 0.11 where threads spin, 0.24 in place of 0.15
# where they sleep; numpy's pool spinning beside scipy's doubles the time of the linear probe
# (tests/benchmarks/beside_other_work.py, linear_probe.py).
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
os.environ.setdefault("OPENBLAS_THREAD_TIMEOUT", "4")  # log2 of the processor's ticks, its smallest
