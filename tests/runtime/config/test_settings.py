"""Configuration: where it comes from, who wins, and what is said of a mistake."""

from __future__ import annotations

from pathlib import Path

import pytest
from flowc.runtime.config.settings import KEYS, Config, load_config
from flowc.runtime.errors import RunError
from own_folders import write_record


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_record(tmp_path / "user")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    folder = tmp_path / "project" / "deep"
    folder.mkdir(parents=True)
    return folder


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def test_without_any_file_nothing_is_configured(project):
    assert load_config(project, {}) == Config()


def test_the_nearest_file_counts_and_paths_count_from_it(project):
    write(project.parent / "flowc.toml", 'model = "openai:far"')
    assert load_config(project, {}).model == "openai:far"
    write(project / "flowc.toml", 'roots = ["data"]\nanswers = "a.yaml"\nstore = "runs.db"')
    near = load_config(project, {})
    assert near.model is None
    assert near.roots == (str(project / "data"),)
    assert near.answers == str(project / "a.yaml")
    assert near.store == str(project / "runs.db")
    assert near.folder == str(project)


def test_a_store_that_is_an_address_stays_one(project):
    write(project / "flowc.toml", 'store = "memory:"')
    assert load_config(project, {}).store == "memory:"


def test_pyproject_counts_only_with_a_table_for_flowc(project):
    write(project / "pyproject.toml", "[project]\nname = 'x'\n")
    write(project.parent / "pyproject.toml", "[tool.flowc]\nmodel = 'openai:x'\n")
    assert load_config(project, {}).model == "openai:x"
    write(project / "pyproject.toml", "this is [ not toml")
    assert load_config(project, {}).model == "openai:x"


def test_environment_wins_over_project_and_project_over_user(project, tmp_path):
    write(tmp_path / "user/flowc/config.toml", 'model = "a:1"\nbase_url = "u"\nmax_steps = 1')
    write(project / "flowc.toml", 'model = "a:2"\nmax_steps = 2')
    found = load_config(project, {"FLOWC_MAX_STEPS": "3", "FLOWC_MODEL": ""})
    assert (found.model, found.base_url, found.max_steps) == ("a:2", "u", 3)
    assert found.files == (str(project / "flowc.toml"), str(tmp_path / "user/flowc/config.toml"))


def test_who_answers_is_one_choice(project, tmp_path):
    write(tmp_path / "user/flowc/config.toml", 'model = "a:1"')
    write(project / "flowc.toml", 'answers = "a.yaml"')
    found = load_config(project, {})
    assert (found.model, found.answers) == (None, str(project / "a.yaml"))
    assert load_config(project, {"FLOWC_MODEL": "a:2"}).answers is None
    write(project / "flowc.toml", 'model = "a:1"\nanswers = "a.yaml"')
    with pytest.raises(RunError, match="exclude each other"):
        load_config(project, {})


def test_every_key_is_read_into_its_place(project):
    write(
        project / "flowc.toml",
        """
model = "openai:x"
env = ["CI_*"]
timeout = 1.5
on_unknown = "repeat"
[tools]
python = ["acme.tools:f"]
effects = { f = "pure" }
[mcp_servers.files]
command = "x"
""",
    )
    found = load_config(project, {})
    assert (found.env, found.timeout, found.on_unknown) == (("CI_*",), 1.5, "repeat")
    assert found.python_tools == ("acme.tools:f",)
    assert found.effects == {"f": "pure"}
    assert found.mcp_servers == {"files": {"command": "x"}}


@pytest.mark.parametrize(
    ("text", "line", "says", "help"),
    [
        ('# my\nmodell = "x"', 2, "`modell` is not a key", "did you mean `model`?"),
        (
            "[tools]\n\npyhton = []",
            3,
            "`tools.pyhton` is not a key",
            "did you mean `tools.python`?",
        ),
        ("\n[mcp_server.a]\ncommand = 'x'", 2, "`mcp_server` is not a key", "`mcp_servers`?"),
        ("model = 3", 1, "`model` takes a text", ""),
        ("\nmax_steps = 0", 2, "`max_steps` takes a whole number", ""),
        ("max_steps = true", 1, "`max_steps` takes a whole number", ""),
        ("timeout = 'soon'", 1, "`timeout` takes seconds", ""),
        ("env = [1]", 1, "`env` takes a list of texts", ""),
        ("on_unknown = 'maybe'", 1, "`on_unknown` takes ask, repeat or fail", ""),
        ("[tools]\neffects = { a = 'twice' }", 2, "takes a table of tool = pure", ""),
        ("tools.effects.a = 'twice'", 1, "takes a table of tool = pure", ""),
        ("zzz = 1", 1, "`zzz` is not a key", "keys: model"),
    ],
)
def test_a_mistake_is_shown_with_its_line(project, text, line, says, help):
    write(project / "flowc.toml", text)
    with pytest.raises(RunError) as caught:
        load_config(project, {})
    assert caught.value.message.startswith(f"{project / 'flowc.toml'}:{line}: ")
    assert says in caught.value.message
    assert help in caught.value.help
    assert caught.value.exit_code == 2


def test_toml_that_does_not_parse_and_text_that_is_none(project):
    write(project / "flowc.toml", "model = \n")
    with pytest.raises(RunError, match=r"not valid TOML: .*line 1"):
        load_config(project, {})
    (project / "flowc.toml").write_bytes(b"model = '\xe9'")
    with pytest.raises(RunError, match="not UTF-8"):
        load_config(project, {})


def test_a_wrong_environment_variable_is_named():
    with pytest.raises(RunError, match="FLOWC_MAX_STEPS takes a whole number"):
        load_config(Path("/"), {"FLOWC_MAX_STEPS": "many"})


def test_what_grants_commands_cannot_come_from_a_projects_file(project):
    assert "allow_exec" not in KEYS
    write(project / "flowc.toml", "allow_exec = true")
    with pytest.raises(RunError, match="is not a key"):
        load_config(project, {})


def test_every_key_is_in_the_documentation():
    page = (Path(__file__).parents[3] / "docs" / "models-and-tools.md").read_text()
    for key in KEYS:
        assert (
            key.replace("tools.", "[tools] ")
            .replace("webhooks.", "[webhooks] ")
            .replace("service.", "[service] ")
            in page
        )
