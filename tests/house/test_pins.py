"""Every pin has the hashes of its files, and what is installed is what was hashed."""

from __future__ import annotations

import base64
import hashlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

PINS, HASHES = "constraints.txt", "constraints-hashes.txt"
LINE = re.compile(r"    --hash=sha256:[0-9a-f]{64}( \\)?")
PIN = re.compile(
    r"([a-z0-9-]+==[0-9][\w.+!]*)(?: ; extra == \"draw\"| ; python_full_version == '[0-9.]+\*')? \\"
)


def test_every_pin_has_hashes_and_every_hash_a_pin(root):
    """And nothing else stands there: no address, no option, no other kind of hash."""
    head, *lines = (root / HASHES).read_text(encoding="utf-8").splitlines()
    assert head.startswith("# `make hashes`")
    assert [line for line in lines if not (LINE.fullmatch(line) or PIN.fullmatch(line))] == []
    pins = [match[1] for line in lines if (match := PIN.fullmatch(line))]
    known = (root / PINS).read_text(encoding="utf-8").split()
    assert pins == [line.partition(";")[0] for line in known]
    first = [lines[n + 1] for n, line in enumerate(lines) if PIN.fullmatch(line)]
    assert all(LINE.fullmatch(line) for line in first)


def test_only_what_all_leaves_out_is_not_installed(root, project):
    """`draw` needs headers of Graphviz's; everything else is there for `make check`."""
    text = (root / HASHES).read_text(encoding="utf-8")
    left_out = re.findall(r"^(\S+)==.* ; extra", text, re.MULTILINE)
    assert left_out == [
        re.split("[<>=]", need)[0] for need in project["project"]["optional-dependencies"]["draw"]
    ]


def wheel(folder: Path, name: str, tag: str = "py3-none-any", text: str = "") -> str:
    """Write a wheel with one module. Return its line of the file of hashes."""
    module, about = name.replace("-", "_"), f"{name.replace('-', '_')}-1.dist-info"
    held = {
        f"{module}.py": text,
        f"{about}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n",
        f"{about}/WHEEL": f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n",
    }
    rows = []
    with zipfile.ZipFile(folder / f"{module}-1-{tag}.whl", "w") as archive:
        for path, content in held.items():
            archive.writestr(path, content)
            digest = base64.urlsafe_b64encode(hashlib.sha256(content.encode()).digest())
            rows.append(f"{path},sha256={digest.decode().rstrip('=')},{len(content)}")
        archive.writestr(f"{about}/RECORD", "\n".join([*rows, f"{about}/RECORD,,", ""]))
    data = (folder / f"{module}-1-{tag}.whl").read_bytes()
    return f"{name}==1 \\\n    --hash=sha256:{hashlib.sha256(data).hexdigest()}\n"


@pytest.fixture
def place(root, tmp_path):
    """A project with three pins, whose files are a folder, and the environment to install it in."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "files").mkdir()
    shutil.copy(root / "tests/pins.py", tmp_path / "tests")
    (tmp_path / PINS).write_text("setuptools==1\nthing==1\nwheel==1\n")
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "tiny"\nversion = "1"\n')
    return tmp_path


def install(place: Path, *hashes: str, **more: str) -> subprocess.CompletedProcess[str]:
    (place / HASHES).write_text("".join(hashes))
    env = {**os.environ, "PIP_NO_INDEX": "1", "PIP_EXTRA_INDEX_URL": "", **more}
    env |= {"PIP_FIND_LINKS": str(place / "files"), "PIP_TARGET": str(place / "env")}
    command = [sys.executable, str(place / "tests/pins.py"), "install"]
    return subprocess.run(command, env=env, capture_output=True, text=True, check=False)


def test_another_file_than_the_hashed_one_is_never_installed(place):
    """Not even where pins without hashes would do: that is what an attack looks like."""
    files = place / "files"
    builders = [wheel(files, "setuptools"), wheel(files, "wheel")]
    line = wheel(files, "thing")
    wheel(files, "thing", text="import evil")
    done = install(place, *builders, line, FALLBACK="yes")
    assert done.returncode == 1
    assert "DO NOT MATCH THE HASHES" in done.stderr
    assert "WITHOUT" not in done.stderr
    assert not (place / "env/thing.py").exists()


def test_where_no_hash_serves_the_pins_are_installed_without_and_it_is_said(place):
    files = place / "files"
    builders = [wheel(files, "setuptools"), wheel(files, "wheel")]
    elsewhere = wheel(files, "thing", "cp27-none-win32")
    done = install(place, *builders, elsewhere, FALLBACK="no")
    assert done.returncode == 1
    assert "they are required here" in done.stderr
    assert "WITHOUT" not in done.stderr
    shutil.rmtree(place / "env")
    done = install(place, *builders, elsewhere, FALLBACK="yes")
    assert "do not serve Python 3." in done.stderr
    assert "installing the pins WITHOUT checking any hash" in done.stderr
    assert (place / "env/wheel.py").exists(), done.stderr


@pytest.mark.skipif(find_spec("pip_audit") is None, reason="pip-audit is not installed")
def test_an_audit_without_a_network_says_that_there_was_none(root):
    env = {**os.environ, "HTTPS_PROXY": "http://127.0.0.1:1"}
    command = [sys.executable, str(root / "tests/pins.py"), "audit"]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("NOT AUDITED: nobody who knows of vulnerabilities")
