"""Pushes to the Hugging Face hub: the token, the repository's name, and one commit of listed files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from embedlab.errors import NetworkError, SettingsError, UserError
from embedlab.hub import endpoint, is_offline, session, split_reference
from embedlab.limits import LIMITS
from embedlab.private import secret, secret_file

TOKEN = "HF_TOKEN"  # the variable, and the file of private.py, that hold the token for pushing


def hub_token() -> str:
    """The user's token; raises SettingsError where there is none."""
    if (token := secret(TOKEN)) is None:
        raise SettingsError(
            "E-HUB-TOKEN",
            f"A push needs a token of the hub with permission to write, but neither {TOKEN} nor {secret_file(TOKEN)} "
            f"has one. Create one under Access Tokens of your hub account, then set {TOKEN} or write it into that "
            "file, readable by you alone.",
        )
    return token


def repository_name(written: str) -> str:
    """``owner/name`` without what may precede it; anything else is refused."""
    name = split_reference(written.strip().removeprefix(f"{endpoint()}/").removeprefix("hf:"))
    if name is None or name.revision:
        raise SettingsError(
            "E-HUB-NAME",
            f"A repository on the hub is owner/name, such as anna/docs-encoder, but found {written[:120]!r}.",
        )
    return name.repository


def upload(name: str, files: dict[str, Path | bytes], *, token: str, is_public: bool, message: str) -> str:
    """Create the repository of a model and commit these files to it; returns the commit.

    ``files``: by their paths there. An empty repository of that name is used, because an upload that failed leaves
    one; one with files is refused, and so is one that is public where a private one was wanted.
    """
    from huggingface_hub import CommitOperationAdd, HfApi
    from huggingface_hub.utils import disable_progress_bars

    disable_progress_bars()
    session()
    hub = HfApi(endpoint(), token=token)
    with _uploading(name):
        _create(hub, name, is_public=is_public)
        operations = [CommitOperationAdd(path, file) for path, file in files.items()]
        return hub.create_commit(name, operations, commit_message=message).oid


def _create(hub: Any, name: str, *, is_public: bool) -> None:
    from huggingface_hub.errors import HfHubHTTPError

    try:
        hub.create_repo(name, private=not is_public)
    except HfHubHTTPError as error:
        if error.response.status_code != 409:
            raise
        there = hub.repo_info(name, revision="main", timeout=LIMITS.download_timeout_seconds)
        has_files = bool({file.rfilename for file in there.siblings or []} - {".gitattributes"})
        if has_files or there.private is is_public:
            why = "has files" if has_files else f"is {'private' if there.private else 'public'}"
            message = f"There is already a repository {name} on the hub, and it {why}."
            advice = "Choose another name, or delete that repository on its page first."
            raise UserError("E-HUB-TAKEN", f"{message} {advice}") from None


@contextmanager
def _uploading(name: str) -> Iterator[None]:
    """A guard around uploads: none while offline, and a sentence for each failure."""
    again = "Nothing was published. Push again once it can be reached."
    if is_offline():
        message = f"{name} is to be pushed, but this process is offline (HF_HUB_OFFLINE is set). {again}"
        raise NetworkError("E-NO-NETWORK", message)
    from huggingface_hub.errors import HfHubHTTPError, HTTPError

    try:
        yield
    except HfHubHTTPError as error:
        status = error.response.status_code
        if status == 401:
            message = f"The hub does not know the token of {TOKEN} (it answered 401). Create a new one."
            raise UserError("E-HUB-TOKEN", message) from None
        if status in (403, 404):
            message = f"This token may not write {name} (the hub answered {status})."
            advice = "Use your own account's name or an organization's that lets you write, and a token that may write."
            raise UserError("E-HUB-PERMISSION", f"{message} {advice}") from None
        answer = " ".join(filter(None, (str(status), (error.server_message or "").partition("\n")[0][:120])))
        raise NetworkError("E-NO-NETWORK", f"{name} was not pushed (the hub answered {answer}). {again}") from None
    except (HTTPError, OSError, RuntimeError, ValueError) as error:  # the last two: of the transfer library
        reason = str(error).splitlines()[0][:120] if str(error) else type(error).__name__
        raise NetworkError("E-NO-NETWORK", f"{name} was not pushed ({reason}). {again}") from None
