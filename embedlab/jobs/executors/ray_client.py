"""Talks to a Ray cluster in a separate process, because Ray's client takes 70 MB; one JSON question per line.

``python -m embedlab.jobs.executors.ray_client`` reads ``{"ask": NAME, …}`` and writes ``{"answer": …}`` or
``{"error": SENTENCE}``; it ends when its input does.
"""

import json
import os
import sys
import threading
from functools import cached_property

from ray.job_submission import JobSubmissionClient
from ray.util.state import list_nodes

IDLE_SECONDS = 120  # without a question, it leaves; the next one starts it anew


class Cluster:
    """The cluster named by ``RAY_API_SERVER_ADDRESS`` or ``RAY_ADDRESS``, otherwise the one on this computer."""

    @cached_property
    def client(self) -> JobSubmissionClient:
        """Connects at the first question, so that a cluster may be started after the app."""
        return JobSubmissionClient()

    def machines(self) -> list[dict[str, float]]:
        """The total resources of each living node."""
        nodes = [each for each in list_nodes(address=self.client.get_address()) if each.state == "ALIVE"]
        had = [each.resources_total or {} for each in nodes]
        return [{"cpus": r.get("CPU", 0), "gpus": r.get("GPU", 0), "memory_bytes": r.get("memory", 0)} for r in had]

    def submit(self, command: str, job: str, environment: dict, cpus: int, gpus: int, memory_bytes: int | None) -> str:
        """Submit a Ray job, to be placed where these resources are free."""
        return self.client.submit_job(
            entrypoint=command,
            submission_id=job,
            entrypoint_num_cpus=cpus,
            entrypoint_num_gpus=gpus,
            entrypoint_memory=memory_bytes,
            runtime_env={"env_vars": environment},
        )

    def ended(self, job: str) -> str | None:
        """How it ended, in Ray's own message; None while it waits or works."""
        try:
            details = self.client.get_job_info(job)
        except RuntimeError:
            return "Ray does not know the job."
        if not details.status.is_terminal():
            return None
        messages = [line.strip() for line in (details.message or "").splitlines() if line.strip()]
        words = " ".join(messages[-3:])[-600:]
        return f"Ray reports: {words}" if words else f"Ray reports: {str(details.status).lower()}."

    def stop(self, job: str) -> bool:
        """End it; False if it had already ended."""
        try:
            return self.client.stop_job(job)
        except RuntimeError:
            return False

    def log(self, job: str) -> str:
        """The output of its command."""
        return self.client.get_job_logs(job)


def main() -> None:
    """Answer questions until none come any more."""
    cluster = Cluster()
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)  # what Ray prints is no answer
    alone = _leaving_soon()
    for line in sys.stdin:
        alone.cancel()
        question = json.loads(line)
        try:
            answer = {"answer": getattr(cluster, question.pop("ask"))(**question)}
        except Exception as error:  # whatever it is, who asked must be told
            cluster = Cluster()
            answer = {"error": _sentence(error)}
        answers.write(json.dumps(answer) + "\n")
        alone = _leaving_soon()


def _leaving_soon() -> threading.Timer:
    timer = threading.Timer(IDLE_SECONDS, os._exit, (0,))
    timer.daemon = True
    timer.start()
    return timer


def _sentence(error: Exception) -> str:
    where = os.environ.get("RAY_API_SERVER_ADDRESS") or os.environ.get("RAY_ADDRESS")  # in Ray's own order
    at = f"at {where}" if where else "on this computer"
    if isinstance(error, ConnectionError):
        return f"No Ray cluster answers {at}. Start one with “ray start --head”, or set RAY_ADDRESS."
    message = " ".join(str(error).split())[:300]
    return f"The Ray cluster {at} rejected it: {message or type(error).__name__}."


if __name__ == "__main__":
    main()
