"""The packages that flowc is tested with: `constraints.txt` has their versions, and
`constraints-hashes.txt` beside each the hashes of all files of that release.

    python tests/pins.py install     `make setup`: into the environment of this interpreter
    python tests/pins.py hashes      `make hashes`: writes the hashes again, with uv
    python tests/pins.py audit       `make audit`: which versions have known vulnerabilities

Needs nothing but the standard library and pip.
"""

from __future__ import annotations

import json
import os
import platform
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PINS, HASHES = ROOT / "constraints.txt", ROOT / "constraints-hashes.txt"
HEAD = (
    "# `make hashes` writes this: the pins of constraints.txt, with every file of each release.\n"
)
BUILDERS = ("setuptools", "wheel")
"""What builds a package that comes as source: installed first, because nothing else is fetched."""
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")
NOTHING_FITS = "No matching distribution found"
"""What pip says where the pins hold no file for this machine. Other hashes are not among it."""
UNREACHABLE = ("ConnectionError", "Max retries exceeded", "Failed to connect", "timed out")


class NoFit(Exception):
    """The pins are not for this Python or platform."""


def pins_with_hashes(text: str) -> dict[str, str]:
    """Return the requirement of each package, with its hashes, by name."""
    blocks = re.split(r"\n(?=[a-z0-9])", f"\n{text}")[1:]
    return {block.partition("==")[0]: f"{block.strip()}\n" for block in blocks}


def install(fallback: bool) -> None:
    """Install the pins by their hashes, then flowc itself: pip takes no hash of a folder. Where no
    file fits this machine the pins are installed without, which is said; other files than those
    of the hashes end it."""
    try:
        _install_by_hash()
    except NoFit as why:
        here = f"Python {platform.python_version()} on {sys.platform} {platform.machine()}"
        print(f"WARNING: the hashes of {HASHES.name} do not serve {here}: {why}", file=sys.stderr)
        if not fallback:
            sys.exit("they are required here: nothing was installed without them")
        print("WARNING: installing the pins WITHOUT checking any hash", file=sys.stderr)
        _pip("install", "-qq", "-c", str(PINS), *BUILDERS)
        wanted = f"{ROOT}[all,dev]"
        _pip("install", "-qq", "-c", str(PINS), "--no-build-isolation", "-e", wanted)
        return
    _pip("install", "-qq", "--no-deps", "--no-build-isolation", "-e", str(ROOT))


def _install_by_hash() -> None:
    text = HASHES.read_text(encoding="utf-8")
    builders = "".join(map(pins_with_hashes(text).__getitem__, BUILDERS))
    for part in (builders, text):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(part)
            file.flush()
            _pip("install", "-qq", "--no-deps", "--no-build-isolation", "--require-hashes",
                 "-r", file.name)  # fmt: skip
    done = subprocess.run((*PIP, "check"), capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoFit(done.stdout.strip())


def _pip(*words: str) -> None:
    """Run pip. Raise NoFit; end where it fails otherwise."""
    done = subprocess.run((*PIP, *words), stderr=subprocess.PIPE, text=True, check=False)
    errors = [line for line in done.stderr.splitlines() if not line.startswith("WARNING: Location")]
    if done.returncode == 0:
        return
    fault = next((line for line in errors if NOTHING_FITS in line), "")
    if fault and "--require-hashes" in words:
        raise NoFit(fault)
    sys.exit("\n".join(errors) or f"pip ended with {done.returncode}")


def left_out_of_all(project: Path) -> dict[str, str]:
    """Return the extra of each package that the extra `all` leaves out."""
    extras = tomllib.loads(project.read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    [whole] = extras["all"]
    kept = {"all", "dev", *re.findall(r"\w+", whole.partition("[")[2])}
    needs = [
        (need, extra) for extra, names in extras.items() if extra not in kept for need in names
    ]
    return {re.split(r"[\[<>=~! ]", need)[0]: extra for need, extra in needs}


def write_hashes() -> None:
    """Ask the index that uv is set up with for the hashes; no address of it is written."""
    with tempfile.TemporaryDirectory() as folder:
        _pip("install", "-qq", "--target", folder, "uv")
        uv = (f"{folder}/bin/uv", "pip", "compile", "--quiet", "--no-header", "--no-annotate")
        how = ("--no-deps", "--generate-hashes", "--universal", "--python-version", "3.11")
        done = subprocess.run((*uv, *how, str(PINS)), capture_output=True, text=True, check=True)
    left_out = left_out_of_all(ROOT / "pyproject.toml")
    found = pins_with_hashes(done.stdout)
    for name, extra in left_out.items():  # no environment has this marker: `make setup` skips it
        found[name] = found[name].replace(" \\\n", f' ; extra == "{extra}" \\\n', 1)
    names = [line.partition("==")[0] for line in PINS.read_text(encoding="utf-8").split()]
    HASHES.write_text(HEAD + "".join(map(found.__getitem__, names)), encoding="utf-8")
    print(f"{len(found)} packages, {done.stdout.count('--hash=')} files: {HASHES.name}")


def audit(pins: Path, *options: str) -> int:
    """Ask for known vulnerabilities of the pins. Return 1 where there are any, 0 where there are
    none or nobody answers, which is said."""
    words = ("--requirement", str(pins), "--no-deps", "--disable-pip", "--format", "json")
    command = (sys.executable, "-m", "pip_audit", "--progress-spinner", "off", *words, *options)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if not done.stdout.strip():
        why = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[-1]
        if any(sign in done.stderr for sign in UNREACHABLE):
            print("NOT AUDITED: nobody who knows of vulnerabilities can be reached from here")
            return 0
        print(f"pip-audit failed: {why}", file=sys.stderr)
        return 2
    packages = json.loads(done.stdout)["dependencies"]
    found = [(one, hole) for one in packages for hole in one.get("vulns", ())]
    for one, hole in found:
        fixed = ", ".join(hole["fix_versions"]) or "no version yet"
        print(f"{one['name']} {one['version']}: {hole['id']}, mended in {fixed}")
    print(f"{len(packages)} packages, {len(found)} known vulnerabilities")
    return int(bool(found))


def main(words: Sequence[str]) -> int:
    match words:
        case ["install"]:
            install(os.environ.get("FALLBACK") != "no")
            return 0
        case ["hashes"]:
            write_hashes()
            return 0
        case ["audit", *options]:
            return audit(PINS, *options)
    sys.exit(__doc__)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
