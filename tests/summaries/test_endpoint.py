"""A server that answers well, late, wrongly, half or not at all: summaries, or one sentence, and nothing twice."""

import threading
from dataclasses import replace

import pytest
from fake_endpoint import MODEL, FakeEndpoint

from embedlab.errors import EmbedlabError, StopRequested
from embedlab.summaries import endpoint as endpoint_module
from embedlab.summaries.base import PROMPTS, SourceText, joined
from embedlab.summaries.endpoint import Endpoint, EndpointConfig

SOURCES = [SourceText(row, f"Text number {row} is about maps.", f"Title {row}") for row in range(6)]


class Slept(list):
    """A sleep that only notes how long it would have been."""

    async def __call__(self, seconds: float) -> None:
        self.append(seconds)


def asked_of(endpoint, *, n: int = 3, sleep=None, **settings) -> Endpoint:
    config = EndpointConfig(url=endpoint.url, **{"model": MODEL, "retries": 2, "requests_at_once": 1} | settings)
    made = Endpoint(config, continuations=n, sleep=Slept() if sleep is None else sleep)
    made.prepare()
    return made


def summaries(made: Endpoint, sources=SOURCES) -> dict[int, list[str]]:
    return {each.row: each.summaries for each in made.summarise(sources)}


def failure(made: Endpoint, sources=SOURCES) -> EmbedlabError:
    with pytest.raises(EmbedlabError) as caught:
        list(made.summarise(sources))
    message = caught.value.message
    assert message.endswith(".") and "Traceback" not in message and "\n" not in message
    return caught.value


def test_five_prompts_are_continued_after_title_and_text(endpoint):
    (made,) = asked_of(endpoint).summarise(SOURCES[:1])
    assert endpoint.asked_texts() == [f"Title 0 Text number 0 is about maps. {prompt}" for prompt in PROMPTS]
    body = endpoint.requests[0]
    sampling = {"n": 3, "max_tokens": 128, "temperature": 1.0, "top_p": 0.95, "top_k": 3, "stop": ["\n"]}
    assert {name: body[name] for name in sampling} == sampling and body["model"] == MODEL
    assert len({body["seed"] for body in endpoint.requests}) == 5
    list(asked_of(endpoint).summarise(SOURCES[1:2]))
    assert len({body["seed"] for body in endpoint.requests}) == 10
    assert len(made.summaries) == len(set(made.summaries)) == 15 and made.requests == 5
    assert all(line.endswith(".") and "\n" not in line and "more" not in line for line in made.summaries)
    assert made.tokens_read == sum(len(text.split()) for text in endpoint.asked_texts()[:5])
    assert made.tokens_written == sum(len(line.split()) for line in made.summaries)


def test_a_chat_model_is_asked_to_finish_the_same_sentence(endpoint):
    made = asked_of(endpoint, api="chat", top_k=None)
    (found,) = made.summarise(SOURCES[:1])
    body = endpoint.requests[0]
    assert [message["role"] for message in body["messages"]] == ["system", "user"]
    assert body["messages"][1]["content"].endswith(PROMPTS[0]) and "stop" not in body and "top_k" not in body
    assert len(found.summaries) == 15


def test_thoughts_and_the_repeated_prompt_of_a_chat_model_are_left_out():
    config = EndpointConfig(model="m", api="chat")
    asker = endpoint_module.Asker(None, Endpoint(EndpointConfig(model="m")).url, config, 3, sleep=None, key=None)
    line = asker._line(f"<think>What is it?\nMaps.</think>\n\n{PROMPTS[4].upper()}, maps help.\nRight?", PROMPTS[4])
    assert line == "maps help."


def test_a_server_that_gives_one_answer_at_a_time_is_asked_until_there_are_enough(endpoint):
    endpoint.honours_n = False
    (made,) = asked_of(endpoint).summarise(SOURCES[:1])
    assert len(set(made.summaries)) == 15 and made.requests == 15
    assert [body["n"] for body in endpoint.requests[:4]] == [3, 2, 1, 3]


PASSING = ["html", "no json", "no choices", "no object", "error in 200", "huge", "500", "429", "cut"]


@pytest.mark.parametrize("behaviour", PASSING)
def test_what_may_pass_is_tried_again_and_changes_nothing(endpoint, behaviour):
    expected = summaries(asked_of(endpoint))
    before = len(endpoint.requests)
    endpoint.behaviours = ["well", behaviour, behaviour]
    slept = Slept()
    assert summaries(asked_of(endpoint, sleep=slept)) == expected
    assert len(endpoint.requests) - before == 30 + 2
    assert slept == ([7.0, 7.0] if behaviour == "429" else [1.0, 2.0])  # Retry-After, else longer and longer


SAID = {
    "html": "web page",
    "no json": "not JSON",
    "no choices": "no choices",
    "error in 200": "the queue is full",
    "huge": "longer than 1,048,576 bytes",
    "500": "answered 500",
    "429": "slow down",
    "cut": "connection was closed",
}


@pytest.mark.parametrize("behaviour", SAID)
def test_what_does_not_pass_is_one_sentence_and_what_was_finished_is_kept(endpoint, behaviour):
    endpoint.behaviours = ["well"] * 10 + [behaviour] * 3
    made, found = asked_of(endpoint), []
    with pytest.raises(EmbedlabError) as caught:
        for each in made.summarise(SOURCES):
            found.append(each.row)
    assert found == [0, 1] and len(endpoint.requests) == 13
    assert caught.value.code == "E-ENDPOINT" and caught.value.exit_code == 2
    assert SAID[behaviour] in caught.value.message and "kept" in caught.value.message


@pytest.mark.parametrize(
    ("behaviour", "code", "says"),
    [
        ("404", "E-ENDPOINT-REFUSED", "does not exist"),
        ("400", "E-ENDPOINT-REFUSED", "top_k is not known"),
        ("401", "E-ENDPOINT-KEY", "EMBEDLAB_ENDPOINT_KEY"),
        ("302", "E-ENDPOINT-URL", "not followed"),
    ],
)
def test_what_cannot_pass_is_said_at_once(endpoint, behaviour, code, says):
    endpoint.behaviours = [behaviour] * 9
    slept = Slept()
    error = failure(asked_of(endpoint, sleep=slept))
    assert error.code == code and says in error.message and slept == [] and len(endpoint.requests) == 1


def test_a_server_that_is_not_there_is_said(endpoint):
    made = asked_of(endpoint)
    endpoint.stop()
    error = failure(made)
    endpoint.start()
    assert error.code == "E-ENDPOINT" and "no server answers there" in error.message and "3 tries" in error.message


def test_an_answer_that_does_not_come_is_given_up(endpoint):
    never = threading.Event()
    endpoint.behaviours = [never]
    made = Endpoint(EndpointConfig(url=endpoint.url, model=MODEL, retries=0, timeout_seconds=1.0))
    made.config = made.config.model_copy(update={"timeout_seconds": 0.05})
    made.prepare()
    assert "no answer came within" in failure(made, SOURCES[:1]).message
    never.set()


def test_blanks_are_asked_for_again_and_a_text_that_gives_only_blanks_has_no_summary(endpoint):
    endpoint.behaviours = ["empty text", "well"]
    (made,) = asked_of(endpoint).summarise(SOURCES[:1])
    assert len(made.summaries) == 15 and made.requests == 6
    endpoint.behaviours = ["empty text"] * 15
    (made,) = asked_of(endpoint).summarise(SOURCES[:1])
    assert made.summaries == [] and made.requests == 15


def test_several_at_once_give_the_same_and_finish_what_is_under_way_after_a_failure(endpoint):
    expected = summaries(asked_of(endpoint))
    assert summaries(asked_of(endpoint, requests_at_once=3)) == expected
    endpoint.behaviours = ["404"]
    found = []
    with pytest.raises(EmbedlabError):
        for each in asked_of(endpoint, requests_at_once=3).summarise(SOURCES):
            found.append(each)
    assert len(found) == 2 and {each.row for each in found} < {0, 1, 2}
    assert all(each.summaries == expected[each.row] for each in found)


def test_stop_breaks_off_what_is_under_way(endpoint):
    never = threading.Event()
    endpoint.behaviours = [never] * 3

    def stop() -> None:
        if len(endpoint.requests) == 3:
            raise StopRequested

    with pytest.raises(StopRequested):
        list(asked_of(endpoint, requests_at_once=3).summarise(SOURCES, stop))
    never.set()
    assert len(endpoint.requests) == 3


def test_long_texts_lose_their_beginning(endpoint):
    text = SourceText(0, "beginning " + "word " * 3000 + "ending", "A title")
    list(asked_of(endpoint, max_input_characters=500).summarise([text]))
    (first, *_) = endpoint.asked_texts()
    assert first == joined(text.text, text.title)[-500:].strip() + " " + PROMPTS[0]


def test_the_key_is_sent_and_never_said(endpoint, monkeypatch):
    monkeypatch.setenv("EMBEDLAB_ENDPOINT_KEY", "sk-canary-123")
    made = asked_of(endpoint, retries=0)
    summaries(made)
    assert {headers["Authorization"] for headers in endpoint.headers} == {"Bearer sk-canary-123"}
    assert "canary" not in str(made.decides()) + str(vars(made))
    for behaviour in ("401 with the key", "500 with the key", "200 with the key"):
        endpoint.behaviours = [behaviour]
        assert "canary" not in failure(made).message
    monkeypatch.setenv("EMBEDLAB_ENDPOINT_KEY", "sk-sch\xf6n")
    assert "canary" not in failure(made).message and failure(made).code == "E-ENDPOINT-KEY"
    monkeypatch.delenv("EMBEDLAB_ENDPOINT_KEY")
    summaries(made)
    assert "Authorization" not in endpoint.headers[-1]


def test_settings_that_change_only_the_speed_are_no_other_summaries():
    def key(**settings):
        return Endpoint(EndpointConfig(model="m").model_copy(update=settings)).fingerprint()

    assert key() == key(retries=1, timeout_seconds=5.0, requests_at_once=9) == key(url="http://127.0.0.1:8000")
    others = [key(model="other"), key(api="chat"), key(top_k=None), key(seed=1), key(url="http://127.0.0.1:8001/v1")]
    assert len({key(), *others}) == 6 and len(key()) == 16


def test_a_long_answer_is_not_read_to_its_end(endpoint, monkeypatch):
    monkeypatch.setattr(endpoint_module, "LIMITS", replace(endpoint_module.LIMITS, endpoint_answer_bytes=100))
    assert "longer than 100 bytes" in failure(asked_of(endpoint, retries=0)).message


def test_answers_of_another_server_on_the_same_port_go_on(endpoint):
    """The server was started again: a new connection is made, and the work goes on."""
    made = asked_of(endpoint)
    expected = summaries(made)
    endpoint.stop()
    again = FakeEndpoint(port=endpoint.port).start()
    try:
        assert summaries(made) == expected
    finally:
        again.stop()
        endpoint.start()
