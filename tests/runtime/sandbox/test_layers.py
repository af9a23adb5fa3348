"""Each layer alone, what levels they make, and what is refused."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys

import pytest
from flowc.runtime.errors import Failure, RunError
from flowc.runtime.sandbox import confine
from flowc.runtime.sandbox.confine import probe
from flowc.runtime.sandbox.launch import landlock, numbers, seccomp
from flowc.runtime.sandbox.policy import LAYERS, Limits, SandboxReport, decide, level_of

HERE = probe("shell")
with_layer = {
    name: pytest.mark.skipif(name not in HERE.active, reason=f"no {name} here") for name in LAYERS
}
ALL = dict.fromkeys(LAYERS, "there")


def has(*names: str, version: int = 7) -> dict[str, str]:
    return {name: f"version {version}" if name == "landlock" else "there" for name in names}


BASE = ("limits", "privileges", "seccomp")


@pytest.mark.parametrize(
    ("active", "shell", "snippet"),
    [
        (has(*LAYERS), "full", "full"),
        (has(*LAYERS, version=1), "full", "full"),
        (has(*BASE, "landlock"), "strong", "strong"),
        (has(*BASE, "landlock", version=5), "weak", "strong"),
        (has(*BASE, "landlock", version=2), "weak", "weak"),
        (has(*BASE, "landlock", "namespaces", version=3), "strong", "strong"),
        (has(*BASE, "namespaces", "mounts"), "strong", "strong"),
        (has(*BASE, "namespaces"), "weak", "weak"),
        (has("limits", "privileges", "landlock", "namespaces", "mounts"), "weak", "weak"),
        (has("limits", "seccomp", "landlock"), "weak", "weak"),
        (has(*BASE), "weak", "weak"),
        ({}, "weak", "weak"),
    ],
)
def test_the_level_that_layers_make(active, shell, snippet):
    assert (level_of(active, "shell"), level_of(active, "snippet")) == (shell, snippet)


@pytest.mark.parametrize(
    ("mode", "level", "said"),
    [
        ("auto", "full", ""),
        ("auto", "strong", "sandbox: strong, without mounts: no"),
        ("auto", "weak", RunError),
        ("strict", "full", ""),
        ("strict", "strong", RunError),
        ("strict", "weak", RunError),
        ("off", "full", "sandbox: off"),
        ("off", "weak", "sandbox: off"),
    ],
)
def test_what_is_decided(mode, level, said):
    offer = SandboxReport(level, {}, {} if level == "full" else {"mounts": "no"})
    if said is RunError:
        with pytest.raises(RunError, match="mounts: no") as refused:
            decide(mode, offer)
        assert refused.value.help
    else:
        assert decide(mode, offer).startswith(said)
        assert bool(decide(mode, offer)) == bool(said)


def test_the_three_remedies_are_named_when_nothing_holds():
    with pytest.raises(RunError) as refused:
        decide("auto", SandboxReport("weak", {}, {"landlock": "no"}))
    assert all(word in refused.value.help for word in ("Landlock", "namespaces", "--sandbox off"))


@with_layer["landlock"]
def test_landlock_alone_keeps_files_and_signals_inside(shell, layers, tmp_path):
    layers("landlock")
    (tmp_path / "secret").write_text("canary")
    done = shell(
        f"cat {tmp_path}/secret; echo bad > {tmp_path}/secret; echo bad > {tmp_path}/new;"
        f"mv note {tmp_path}; ln -s / link; kill -0 {os.getpid()} && echo reached; echo ok > note"
    )
    assert "canary" not in done.out
    assert (tmp_path / "secret").read_text() == "canary"
    assert [path.name for path in shell.workspace.iterdir()] == ["note"]
    version = int(done.report.active["landlock"].split()[-1])
    assert ("reached" in done.out) == (version < landlock.SIGNALS)
    assert set(done.report.missing) >= {"seccomp"}


@with_layer["seccomp"]
def test_seccomp_alone_denies_sockets_namespaces_and_modes_of_files(shell, layers, tmp_path):
    layers("seccomp")
    (tmp_path / "mine").write_text("")
    mode = (tmp_path / "mine").stat().st_mode
    done = shell(
        "exec 3<>/dev/tcp/127.0.0.1/9 || echo none; unshare -U true || echo none;"
        f"chmod 777 {tmp_path}/mine || echo none; chown 1 {tmp_path}/mine || echo none"
    )
    assert done.out.count("none") == 4, done.out
    assert "Address family not supported" in done.out
    assert (tmp_path / "mine").stat().st_mode == mode


@with_layer["mounts"]
def test_namespaces_alone_show_nothing_of_what_is_outside(shell, layers, tmp_path):
    layers("namespaces")
    (tmp_path / "secret").write_text("canary")
    done = shell(
        f"ls {tmp_path}; cat {tmp_path}/secret; echo bad > /usr/bin/new;"
        f"kill -0 {os.getpid()} && echo reached; ls /proc | grep -c '^[0-9]'; cat /proc/net/dev"
    )
    assert "canary" not in done.out
    assert "reached" not in done.out
    assert "eth" not in done.out
    assert "secret\n" not in done.out.split("No such")[0]
    assert "Read-only file system" in done.out


def test_limits_alone_bound_memory_and_files(shell, layers):
    layers("limits")
    limits = Limits(memory=300 << 20, file=1 << 20)
    done = shell(
        f"{sys._base_executable} -c 'bytearray(1 << 30)'; head -c 2000000 /dev/zero > big;"
        "stat -c %s big",
        limits=limits,
    )
    assert "MemoryError" in done.out
    assert done.out.splitlines()[-1] == str(1 << 20)


def test_no_capability_is_left_and_none_is_gained(shell, layers):
    layers()
    done = shell("grep -E 'Cap(Prm|Eff|Bnd|Amb)|NoNewPrivs' /proc/self/status")
    values = {line.split()[0]: int(line.split()[1], 16) for line in done.out.splitlines()}
    assert values.pop("NoNewPrivs:") == 1
    if os.geteuid() == 0:
        assert set(values.values()) == {0}
    assert values["CapEff:"] == 0


@pytest.mark.parametrize("layer", ["landlock", "seccomp", "namespaces", "mounts"])
def test_a_required_layer_that_is_missing_refuses_before_anything_runs(shell, layers, layer):
    layers(required=(layer,))
    with shell.start("echo ran > ran") as start:
        assert start.popen().wait(60) == 96
        with pytest.raises(Failure, match=layer) as refused:
            start.report()
    assert refused.value.kind == "refused"
    assert list(shell.workspace.iterdir()) == []


LEVELS = """
import json
from flowc.runtime.errors import RunError
from flowc.runtime.sandbox.confine import probe
from flowc.runtime.sandbox.policy import decide
found = {p: probe(p) for p in ("shell", "snippet")}
try:
    decide("strict", found["shell"])
except RunError as error:
    print(json.dumps([{p: o.level for p, o in found.items()}, dict(found["shell"].missing),
                      error.message]))
"""


@with_layer["landlock"]
def test_where_namespaces_are_denied_the_level_is_strong_and_strict_refuses(contained):
    levels, missing, said = json.loads(contained(LEVELS))
    assert levels["snippet"] == "strong"
    assert missing["namespaces"]
    assert missing["mounts"]
    assert "needs full" in said


@pytest.mark.parametrize("machine", numbers.MACHINES)
@pytest.mark.parametrize("snippet", [True, False])
def test_a_filter_is_made_for_both_machines_and_fits_the_kernel(machine, snippet):
    code = seccomp.build(machine, snippet)
    assert len(code) % 8 == 0
    assert len(code) // 8 <= 4096


def test_an_unknown_machine_has_no_filter():
    with pytest.raises(KeyError):
        seccomp.build("riscv64", True)


@with_layer["namespaces"]
def test_processes_are_counted_where_a_namespace_has_no_files_of_its_own(layers, shell):
    names = ("namespaces", "landlock", "seccomp", "limits")
    layers(*names, "no mounts", required=names)
    done = shell("for n in $(seq 90); do sleep 30 & done; wait", limits=Limits(processes=50))
    assert (done.code, done.why) == (-9, "processes")
    assert "/not/there" in done.report.missing["mounts"]
    one = shell("sleep 0.3; cat /proc/self/stat", limits=Limits(processes=50))
    assert (one.code, one.why) == (0, ""), "those of the machine are none of its"
    assert "(cat)" in one.out


def test_a_trial_for_which_there_is_no_room_is_made_again(monkeypatch):
    """A service would otherwise take the machine for one without a sandbox until it ends."""
    confine.try_layers.cache_clear()

    def refuse(*_, **__):
        raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    with monkeypatch.context() as short:
        short.setattr(subprocess, "Popen", refuse)
        with pytest.raises(RunError, match="could not be tried: resource temporarily"):
            confine.probe("shell")
    assert confine.probe("shell") == HERE
