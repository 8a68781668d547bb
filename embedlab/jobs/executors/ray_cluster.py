"""Ray: each run is a Ray job with resources of its own, on a cluster that the user started (``ray start``)."""

import os
import shlex
import sys

from embedlab.errors import RunError
from embedlab.jobs.executors.base import Executor
from embedlab.runs.folder import RunFolder
from embedlab.runs.store import read_settings

DASHBOARD = "http://127.0.0.1:8265"  # where Ray's jobs are asked for when nothing else is said


class RayCluster(Executor):
    """Jobs by Ray's own job interface, which outlive the app; it places them on the cluster's machines."""

    key = "ray"
    title = "Ray cluster"
    needs = (
        "The packages of embedlab/jobs/requirements-ray.txt, a running cluster, its address in RAY_API_SERVER_ADDRESS "
        f"(else {DASHBOARD}), and EMBEDLAB_HOME on a folder that all its machines share."
    )

    def unreachable(self) -> str | None:
        """See the base class."""
        try:
            self._client()
        except RunError as error:
            return error.message
        return None

    def submit(self, folder: RunFolder, environment: dict[str, str]) -> str:
        """See the base class. A run that asks for ``cuda`` takes one GPU, any other one core."""
        client = self._client()
        gpus = 1 if read_settings(folder)["settings"].get("device") == "cuda" else 0
        job = f"{folder.id}-{os.urandom(3).hex()}"
        handed = {k: v for k, v in environment.items() if k.startswith(("EMBEDLAB_", "HF_", "OMP_", "PYTHON"))}
        client.submit_job(
            entrypoint=shlex.join([sys.executable, "-m", "embedlab.worker", str(folder.path)]),
            submission_id=job,
            entrypoint_num_cpus=1,
            entrypoint_num_gpus=gpus,
            runtime_env={"env_vars": {**handed, "EMBEDLAB_ELSEWHERE": "1"}},
        )
        return job

    def ended(self, job: str) -> str | None:
        """See the base class."""
        try:
            found = self._client().get_job_info(job)
        except RunError:
            return None  # nobody answers: nothing is known
        except RuntimeError:
            return "Ray does not know the job any more."
        if not found.status.is_terminal():
            return None
        words = (found.message or "").strip().splitlines()
        return f"Ray says it {str(found.status).lower()}{': ' + words[-1] if words else ''}."

    def stop(self, job: str) -> None:
        """See the base class."""
        try:
            self._client().stop_job(job)
        except RuntimeError:
            return

    def _client(self):
        try:
            from ray.job_submission import JobSubmissionClient
        except ImportError as error:
            raise RunError(
                "E-EXECUTOR",
                "Ray's package is not installed. Install embedlab/jobs/requirements-ray.txt, or run with --on local.",
            ) from error
        address = os.environ.get("RAY_API_SERVER_ADDRESS", DASHBOARD)
        try:
            return JobSubmissionClient(address)
        except (ConnectionError, RuntimeError) as error:
            raise RunError(
                "E-EXECUTOR",
                f"No Ray cluster answers at {address}. Start one with “ray start --head”, or run with --on local.",
            ) from error
