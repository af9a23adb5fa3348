"""The door for requests, on a real host: what leads elsewhere is refused, what is secret stays."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest
from flowc.runtime.errors import Failure
from flowc.runtime.net.door import MOST, NetworkDoor
from flowc.runtime.requests import HttpAnswer, HttpRequest, NotSure, Secret
from recorder import Recorder, Reply, recording_host


@pytest.fixture
def host() -> Iterator[Recorder]:
    with recording_host() as recorder:
        yield recorder


@pytest.fixture
def send(wait: Callable[[Any], Any], host: Recorder) -> Callable[..., HttpAnswer]:
    """Send a request to the host, which is granted unless `granted` says otherwise."""

    def send(path: str = "/", door: dict[str, Any] | None = None, **fields: Any) -> HttpAnswer:
        request = HttpRequest("GET", host.url(path), (host.host,))
        made = NetworkDoor(**{"granted": (host.host,), **(door or {})})
        answer: HttpAnswer = wait(made.send(replace(request, **fields)))
        return answer

    return send


def test_a_request_comes_as_it_was_sent(send, host) -> None:
    host.answer = lambda sent: Reply(
        201, "größe".encode("latin-1"), {"Content-Type": "text/plain; charset=iso-8859-1"}
    )
    answer = send("/a?b=1", method="POST", body="ö", headers={"X-Key": "v"}, key="k1")
    assert (answer.status, answer.text) == (201, "größe")
    (sent,) = host.sent
    assert (sent.method, sent.path, sent.body) == ("POST", "/a?b=1", "ö")
    assert (sent.headers["x-key"], sent.headers["host"]) == ("v", host.host)
    assert sent.headers["idempotency-key"] == "k1"


def test_a_get_has_no_key(send, host) -> None:
    send(key="k1")
    assert "idempotency-key" not in host.sent[0].headers


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("http://b.example/", "may not send requests to `b.example`"),
        ("http://127.0.0.1/", "may not send requests to `127.0.0.1`"),
        ("ftp://HOST/", "is not a URL of http"),
        ("file:///etc/passwd", "is not a URL of http"),
        ("//HOST/", "is not a URL of http"),
        ("http://user:pass@HOST/", "holds no user"),
        ("http://HOST@b.example/", "holds no user"),
        ("http://b.example\\@HOST/", "may not send|holds no user|is not a URL"),
        ("http://[::ffff:127.0.0.1]/", "may not send requests"),
        ("http://2130706433/", "may not send requests"),
        ("http://a b/", "may not send|is not a URL"),
    ],
)
def test_what_leads_elsewhere_is_refused(send, host, url, told) -> None:
    with pytest.raises(Failure, match=told) as refused:
        send(url=url.replace("HOST", host.host))
    assert refused.value.kind == "refused"
    assert host.sent == []


def test_what_nobody_granted_is_refused(send, host) -> None:
    with pytest.raises(Failure, match="nobody granted requests") as refused:
        send(door={"granted": ("other.example",)})
    assert refused.value.kind == "refused"
    assert refused.value.help == f"--allow-net {host.host}"
    assert host.sent == []


def test_a_name_is_looked_up_once_and_its_address_connected_to(send, host) -> None:
    """A name that leads elsewhere the second time leads nowhere: nobody asks a second time."""
    asked: list[str] = []

    async def look_up(name: str, port: int) -> list[str]:
        asked.append(name)
        return ["127.0.0.1"]

    url, named = f"http://a.example:{host.port}/x", f"a.example:{host.port}"
    with pytest.raises(Failure, match="is not an address of the internet"):
        send(url=url, hosts=(named,), door={"granted": (named,), "look_up": look_up})
    door = {"granted": (named,), "private": (named,), "look_up": look_up}
    assert send(url=url, hosts=(named,), door=door).status == 200
    assert asked == ["a.example"] * 2
    assert host.sent[0].headers["host"] == named


def test_a_pattern_covers_what_is_below_it(send, host) -> None:
    async def look_up(name: str, port: int) -> list[str]:
        return ["127.0.0.1"]

    below = f"*.example:{host.port}"
    door = {"granted": (below,), "private": (below,), "look_up": look_up}
    assert send(url=f"http://a.b.example:{host.port}/", hosts=(below,), door=door).status == 200
    for other in (f"http://example:{host.port}/", f"http://badexample:{host.port}/"):
        with pytest.raises(Failure, match="may not send"):
            send(url=other, hosts=(below,), door=door)


def test_redirects_go_through_the_same_door(send, host) -> None:
    host.answer = lambda sent: Reply(302, b"", {"Location": "http://b.example/"})
    with pytest.raises(Failure, match=r"may not send requests to `b\.example`"):
        send()
    host.answer = lambda sent: Reply(302, b"", {"Location": "/again"})
    with pytest.raises(Failure, match="redirects more than 5 times"):
        send()


@pytest.mark.parametrize(
    ("status", "method", "body"), [(303, "GET", ""), (302, "GET", ""), (307, "POST", "b")]
)
def test_a_redirect_is_followed_as_its_status_says(send, host, status, method, body) -> None:
    host.answer = lambda sent: (
        Reply(status, b"", {"Location": "to?c=1"}) if sent.path == "/x/from" else Reply()
    )
    assert send("/x/from", method="POST", body="b").status == 200
    assert (host.sent[1].method, host.sent[1].path, host.sent[1].body) == (
        method,
        "/x/to?c=1",
        body,
    )


def test_a_secret_goes_to_no_other_origin(send, host) -> None:
    with recording_host() as other:
        host.answer = lambda sent: Reply(302, b"", {"Location": other.url()})
        both = (host.host, other.host)
        send(
            hosts=both,
            door={"granted": both, "env": {"TOKEN": "s3cr3t"}},
            secrets={"X-Key": Secret("TOKEN"), "Authorization": Secret("TOKEN", "Bearer ")},
        )
        assert host.sent[0].headers["authorization"] == "Bearer s3cr3t"
        assert host.sent[0].headers["x-key"] == "s3cr3t"
        assert not {"authorization", "x-key"} & other.sent[0].headers.keys()


def test_a_secret_is_taken_out_of_the_answer(send, host) -> None:
    host.answer = lambda sent: Reply(
        200, sent.headers["authorization"].encode(), {"X-Seen": sent.headers["authorization"]}
    )
    secret = {"Authorization": Secret("TOKEN", "Bearer ")}
    answer = send(door={"env": {"TOKEN": "s3cr3t"}}, secrets=secret)
    assert "s3cr3t" not in answer.text + str(answer.headers)


def test_a_secret_that_is_not_there_is_told(send, host) -> None:
    with pytest.raises(Failure, match="has no `TOKEN` for the header X-Key"):
        send(door={"env": {}}, secrets={"X-Key": Secret("TOKEN")})
    assert host.sent == []


def test_a_header_cannot_begin_another_line(send, host) -> None:
    with pytest.raises(Failure, match="more than one line"):
        send(headers={"X-Key": "a\r\nX-Other: b"})
    assert host.sent == []


def test_an_answer_is_bounded(send, host) -> None:
    host.answer = lambda sent: Reply(200, b"x" * (MOST + 1))
    with pytest.raises(Failure, match="answers with more than 10 MB"):
        send()
    packed = gzip.compress(b"x" * 100)
    host.answer = lambda sent: Reply(200, packed, {"Content-Encoding": "gzip"})
    with pytest.raises(Failure, match="encoding `gzip`, which nobody asked for"):
        send()


def test_a_connection_that_breaks_off_leaves_a_doubt(send, host) -> None:
    host.answer = lambda sent: Reply(hang_up=True)
    with pytest.raises(NotSure, match="broke off"):
        send(method="POST")


def test_a_host_that_is_not_there_leaves_none(send, host) -> None:
    with recording_host() as gone:
        pass
    with pytest.raises(Failure, match="cannot be reached") as failed:
        send(url=gone.url(), hosts=(gone.host,), door={"granted": (gone.host,)})
    assert not isinstance(failed.value, NotSure)
