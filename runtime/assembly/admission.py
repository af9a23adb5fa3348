"""What a run may have of what its folder and its workflow want: as much as the user granted."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from flowc.compiler.analysis.hosts import hosts_of
from flowc.compiler.catalog.builtin_tools import BUILTIN
from flowc.compiler.ir import AskNode, ExecNode, HttpNode, PythonNode
from flowc.compiler.lowering.graphspec import GraphSpec, answering_agent

from ..config.options import OPTIONS
from ..config.settings import Config, home_of
from ..config.trust_record import TrustRecord, read_lock
from ..config.wants import NotTrusted, Wants, command_for, difference, digest_of, gather, reads_of
from ..errors import RunError
from ..sandbox.shell import allowed_env
from ..secrets import looks_secret
from .host_objects import NO_OBJECTS, HostObjects
from .needs import needed_tools
from .run_options import RunOptions


def admit(options: RunOptions, spec: GraphSpec, config: Config, host: HostObjects) -> Config:
    """Return the configuration, with what it held back where the run needs that and may have it.
    Raise `NotTrusted` where a run needs what nobody granted, before anything of it is used."""
    held = config.held
    if host.vouches:
        return whole_config(config if held is None else held.whole)
    asked = document_wants(spec, options, config if held is None else held.whole)
    needed = held if held is not None and _needs(config, held.whole, options, spec, host) else None
    wants = [asked] if needed is None else [needed.wants, asked]
    same = [asked] if held is None else [held.wants, asked]
    require_trust(wants, options.trust or config.trust, same)
    return config if needed is None else needed.whole


def whole_config(config: Config) -> Config:
    """Return the configuration of a program that vouches for its folder, whatever lies there."""
    return replace(config, code=config.code and replace(config.code, files=None))


def admit_request(
    options: RunOptions, spec: GraphSpec, config: Config, env: tuple[str, ...]
) -> Config:
    """Return the configuration for a run that came by a request: the operator's, with the variables
    of the request's team. Raise `RunError` where the workflow grants itself more: no folder lends
    a request its trust."""
    held = config.held
    if held is not None and _needs(config, held.whole, options, spec, NO_OBJECTS):
        require_trust([held.wants], options.trust or config.trust)
        config = held.whole
    typed = replace(options, network=options.network or config.network)
    for about in document_wants(spec, typed, config).documents.values():
        for key in sorted({"network", "workspaces", "hosts", "secrets"} & about.keys()):
            what = {"hosts": "allow_net", "secrets": "env"}.get(key, key.removesuffix("s"))
            raise RunError(
                f"a workflow that came by a request cannot grant itself the {what}",
                help=f"whoever runs the service grants it: `{what}` in its flowc.toml",
            )
    return replace(config, env=env, held=None)


def require_trust(
    wants: Sequence[Wants], accepted: str | None = None, same: Sequence[Wants] = ()
) -> None:
    """Raise `NotTrusted` unless folders may have what they want: by the user's record, or because
    `accepted` is its digest, or a lock file that has it. The digest of the `same` counts too: of
    all that `flowc trust FILE` shows, where a run needs less."""
    record = TrustRecord.read()
    left = [one for one in gather(wants) if not record.trusts(one)]
    if not left or (accepted and _is_accepted(left, accepted, same)):
        return
    lines = [line for one in left for line in difference(record.acceptance(one.folder), one)]
    raise NotTrusted(left, lines, list(map(command_for, left)))


def document_wants(spec: GraphSpec, options: RunOptions, config: Config) -> Wants:
    """Return what a workflow grants itself beyond what was typed and configured."""
    file = Path(os.path.abspath(spec.file))
    specs = (spec, *(sub for _, sub in spec.subgraphs))
    commands = [node.op for one in specs for node in one.nodes if isinstance(node.op, ExecNode)]
    named = {param.env for one in specs for param in one.params if param.env is not None}
    known = allowed_env(dict.fromkeys(named, ""), config.env)
    about: dict[str, object] = {
        "network": not options.network and any(op.network for op in commands),
        **_requests_to_grant(specs, options, config),
        "workspaces": sorted({op.workspace for op in commands if op.workspace}),
        "variables": sorted(n for n in named if n not in known and not looks_secret(n)),
    }
    home = home_of(file)
    about["reads"] = reads_of(spec.outside or (), file.parent, home)
    wanted = {key: value for key, value in about.items() if value}
    if not wanted:
        return Wants(str(home))
    name = os.path.relpath(file, home)
    return Wants(str(home), documents={name: {**wanted, "digest": spec.digest}})


def _requests_to_grant(
    specs: Sequence[GraphSpec], options: RunOptions, config: Config
) -> dict[str, object]:
    """Return the hosts that requests of the file go to, and the secrets that they take there."""
    nodes = () if options.replay else requests_of(specs)  # a replay sends nothing
    allowed = (*options.allow_net, *config.allow_net)
    hosts = {host for node in nodes for host in hosts_of(node)}
    secrets = {
        f"it sends the secret {header.secret} to {', '.join(hosts_of(node))}"
        for node in nodes
        for header in node.headers
        if header.secret and not allowed_env({header.secret: ""}, config.env)
    }
    return {
        "hosts": sorted(host for host in hosts if host not in allowed),
        "secrets": sorted(secrets),
    }


def requests_of(specs: Iterable[GraphSpec]) -> list[HttpNode]:
    """Return the nodes of a program that send requests."""
    return [node.op for one in specs for node in one.nodes if isinstance(node.op, HttpNode)]


def _is_accepted(wants: Sequence[Wants], accepted: str, same: Sequence[Wants]) -> bool:
    if accepted in (digest_of(wants), digest_of(same)):
        return True
    if not os.path.isfile(accepted):
        return False
    lock = read_lock(Path(accepted))
    return all(os.path.realpath(w.folder) == lock.folder and w.is_within(lock) for w in wants)


def _needs(
    config: Config, whole: Config, options: RunOptions, spec: GraphSpec, host: HostObjects
) -> bool:
    """Tell whether a run needs what the folder's configuration holds back. A replay starts and
    asks nothing."""
    return not options.replay and any(_reasons(config, whole, options, spec, host))


def _reasons(
    config: Config, whole: Config, options: RunOptions, spec: GraphSpec, host: HostObjects
) -> Iterator[bool]:
    specs = (spec, *(sub for _, sub in spec.subgraphs))
    ops = [(node.op, one) for one in specs for node in one.nodes]
    held = {name for name, row in OPTIONS.items() if getattr(config, name) != getattr(whole, name)}
    if "python_nodes" in held:
        functions = {op.function for op, _ in ops if isinstance(op, PythonNode)}
        yield not functions.isdisjoint(set(whole.python_nodes) - set(host.nodes))
    if "python_tools" in held or any(name.startswith("mcp") for name in held):
        yield not set(BUILTIN).issuperset(needed_tools(spec, by_hand=False))
    if "answers" in held and not (options.model or options.answers or host.answers):
        # A file of answers may also say that a command is approved.
        yield any(isinstance(op, ExecNode | AskNode) or answering_agent(op, one) for op, one in ops)
    if "base_url" in held and not (options.base_url or options.answers or host.answers):
        yield any(answering_agent(op, one) for op, one in ops)
    if held & {"network", "workspace"}:
        yield any(isinstance(op, ExecNode) for op, _ in ops)
    if "allow_net" in held or "env" in held:
        yield bool(requests_of(specs))
    if "env" in held:
        yield any(isinstance(op, ExecNode) for op, _ in ops)
        yield any(param.env for one in specs for param in one.params)
