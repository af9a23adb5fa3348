"""`flowc completion`: a script that completes commands, options and files in a shell."""

from __future__ import annotations

import shlex
from typing import Annotated, Literal

import typer

from ..app import COMMANDS

_BASH = """\
_flowc() {{
    local word="${{COMP_WORDS[COMP_CWORD]}}"
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "{commands}" -- "$word"))
        return
    fi
    case "${{COMP_WORDS[1]}}" in
{cases}
    esac
    case "$word" in -*) ;; *) COMPREPLY+=($(compgen -f -- "$word")) ;; esac
}}
complete -o filenames -F _flowc flowc
"""

_ZSH = """\
#compdef flowc
_flowc() {{
    if (( CURRENT == 2 )); then
        local -a commands=(
{described}
        )
        _describe command commands
        return
    fi
    case "$words[2]" in
{cases}
    esac
    _files
}}
compdef _flowc flowc
"""

_FISH = "complete -c flowc -n __fish_use_subcommand -f -a {name} -d '{summary}'"


def completion(
    shell: Annotated[Literal["bash", "zsh", "fish"], typer.Argument(metavar="bash|zsh|fish")],
) -> None:
    """Print a completion script: `eval "$(flowc completion bash)"` in ~/.bashrc makes it work."""
    print({"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](), end="")


def _bash() -> str:
    cases = [
        f'        {name}) COMPREPLY=($(compgen -W "{" ".join(words)}" -- "$word")) ;;'
        for name, words in _words().items()
    ]
    return _BASH.format(commands=" ".join(c.name for c in COMMANDS), cases="\n".join(cases))


def _zsh() -> str:
    described = [f"            {shlex.quote(f'{c.name}:{c.summary}')}" for c in COMMANDS]
    cases = [f"        {name}) compadd -- {' '.join(words)} ;;" for name, words in _words().items()]
    return _ZSH.format(described="\n".join(described), cases="\n".join(cases))


def _fish() -> str:
    rows = [_FISH.format(name=c.name, summary=c.summary.replace("'", "")) for c in COMMANDS]
    for name, words in _words().items():
        seen = f"-n '__fish_seen_subcommand_from {name}'"
        for word in words:
            kind = f"-l {word[2:]}" if word.startswith("--") else f"-a {word}"
            rows.append(f"complete -c flowc {seen} {kind}")
    return "\n".join(rows) + "\n"


def _words() -> dict[str, list[str]]:
    """Return the long options and sub-commands of each command."""
    from ..app import build

    names = {}
    for row in COMMANDS:
        command = build(row)
        options = [o for p in command.params for o in p.opts if o.startswith("--")]
        names[row.name] = [*options, "--help", *getattr(command, "commands", {})]
    return names
