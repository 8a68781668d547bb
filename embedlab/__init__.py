"""embedlab: fine-tune sentence encoders without labels and see what changes."""

import os

# Read by OpenMP when torch is first loaded: threads that spin at a barrier keep the core from the one they wait for
# as soon as anything else runs (a step then takes six times as long; tests/benchmarks/beside_other_work.py).
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
