"""The same for a user without privileges, whom the kernel treats differently in many places."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

NOBODY = 65534
ROOT = Path(__file__).parents[3]
SCRIPT = """
import json, os, subprocess, sys
from pathlib import Path
from flowc.runtime.sandbox.confine import prepare, probe
from flowc.runtime.sandbox.policy import Limits, Policy, shell_reads
workspace = Path(sys.argv[1])
env = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/"}
policy = Policy("shell", shell_reads(env), (workspace,), cwd=workspace, limits=Limits(processes=40))
def run(command):
    with prepare(["bash", "-c", command], env, policy) as start:
        pipe = subprocess.PIPE
        process = start.popen(stdin=subprocess.DEVNULL, stdout=pipe, stderr=subprocess.STDOUT)
        said = process.communicate(timeout=150)[0].decode()
        return process.returncode, said, start.kill_reason()
print(json.dumps({
    "level": probe("shell").level,
    "id": run("id -u; echo kept > note; cat note"),
    "environ": run(f"tr '\\\\0' '\\\\n' < /proc/{os.getpid()}/environ; env"),
    "forks": run("for n in $(seq 200); do sleep 5 & done; wait"),
}))
"""


def _python() -> str | None:
    """An interpreter of this version that everybody may run."""
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    for name in (os.path.realpath(sys._base_executable), shutil.which(version, path="/usr/bin")):
        parents = Path(name).parents if name else ()
        if name and all(os.stat(folder).st_mode & 0o001 for folder in parents):
            return name
    return None


@pytest.mark.skipif(os.geteuid() != 0, reason="every other test runs as a plain user already")
def test_a_plain_user_is_confined_too(tmp_path):
    python = _python()
    if python is None:
        pytest.skip("no interpreter that another user may run")
    room = Path("/tmp") / f"flowc-plain-{os.getpid()}"
    workspace = room / "workspace"
    workspace.mkdir(parents=True)
    os.chown(workspace, NOBODY, NOBODY)
    # The checkout may lie where another user reads nothing.
    left_out = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / ".types/flowc", room / "source/flowc", ignore=left_out)
    path = os.pathsep.join([str(room / "source"), *map(os.path.abspath, sys.path)])
    env = {"PYTHONPATH": path, "CANARY": "canary-value"}
    try:
        done = subprocess.run(
            [python, "-c", SCRIPT, workspace],
            user=NOBODY,
            group=NOBODY,
            extra_groups=[],
            env=env,
            cwd="/",
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        shutil.rmtree(room)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["level"] != "weak"
    assert found["id"][:2] == [0, f"{NOBODY}\nkept\n"]
    assert "canary-value" not in found["environ"][1]
    code, said, why = found["forks"]
    assert (code, why) == (-9, "processes") or "Resource temporarily unavailable" in said
