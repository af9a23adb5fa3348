"""The command line of bubblewrap for the same views that `namespaces` makes, where only it may."""

from __future__ import annotations

DEVICES = ("null", "zero", "full", "random", "urandom")
LINKS = (
    ("/dev/fd", "/proc/self/fd"),
    ("/dev/stdin", "fd/0"),
    ("/dev/stdout", "fd/1"),
    ("/dev/stderr", "fd/2"),
)


def command(
    program: str,
    network: bool,
    binds: list[tuple[str, str, bool]],
    links: list[tuple[str, str]],
    shared: int,
    hidden: list[str],
) -> list[str]:
    """Return everything before the command that is to run inside; arguments as of `show_only` and
    `View`."""
    words = [program, "--unshare-user", "--unshare-pid", "--unshare-ipc", "--unshare-uts"]
    words += [] if network else ["--unshare-net"]
    words += ["--die-with-parent", "--cap-drop", "ALL"]
    for source, name, writable in sorted(
        [*binds, *(("", name, False) for name in hidden)], key=lambda bind: bind[1].count("/")
    ):
        kind = "--bind" if writable else "--ro-bind"
        words += [kind, source, name] if source else ["--tmpfs", name]
    words += ["--proc", "/proc", "--dir", "/dev"]
    for name in DEVICES:
        words += ["--dev-bind", f"/dev/{name}", f"/dev/{name}"]
    for name, target in LINKS:
        words += ["--symlink", target, name]
    if shared:
        words += ["--size", str(shared), "--tmpfs", "/dev/shm"]
    names = {name for _, name, _ in binds} | {name for name, _ in LINKS}
    for name, target in links:
        if not any(name == one or name.startswith(f"{one}/") for one in names):
            words += ["--symlink", target, name]
    for name in hidden:
        words += ["--remount-ro", name]
    return [*words, "--remount-ro", "/", "--chdir", "/"]
