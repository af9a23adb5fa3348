"""More mistakes in orchestration templates, in other forms."""

from __future__ import annotations

from .operators import Operator

OPERATORS = (
    Operator("dependency plural", r'("dependencies": \[")(\w+)"', r'\1\2s"', r"\2"),
    Operator("dependency cut", r'("dependencies": \[")(\w{3,})(\w)"', r'\1\2"', r"\2\3"),
    Operator("dependency name", r'("dependencies": \[")(\w+)"', r'\1The \2"', ""),
    Operator("dependency number", r'("dependencies": \[)"(\w+)"', r"\g<1>1", ""),
    Operator("dependency object", r'("dependencies": \[)"(\w+)"', r'\1{"step_id": "\2"}', ""),
    Operator("dependency empty text", r'("dependencies": \[)"\w+"', r'\1""', ""),
    Operator("dependency bracket", r'("dependencies": )\[([^\]]*)\]', r"\1{\2}", "["),
    Operator("steps a text", r'("step_type": )("\w+")', r"\1[\2]", ""),
    Operator(
        "step type upper", r'("step_type": ")(\w+)"', lambda m: m[1] + m[2].upper() + '"', r"\2"
    ),
    Operator("step type unknown", r'("step_type": ")(\w+)"', r'\1job"', ""),
    Operator("step type plural", r'("step_type": ")(\w+)"', r'\1\2s"', r"\2"),
    Operator("gate type plural", r'("gate_type": ")(\w+)"', r'\1\2s"', r"\2"),
    Operator("gate type hyphen", r'("gate_type": ")(\w+)_(\w+)"', r'\1\2-\3"', r"\2_\3"),
    Operator("gate type unknown", r'("gate_type": ")(\w+)"', r'\1vote"', ""),
    Operator("workflow type unknown", r'("workflow_type": ")(\w+)"', r'\1mixed"', ""),
    Operator(
        "workflow type upper",
        r'("workflow_type": ")(\w+)"',
        lambda m: m[1] + m[2].title() + '"',
        r"\2",
    ),
    Operator("score word", r'("required_score": )[\d.]+', r'\1"high"', ""),
    Operator("score comma", r'("required_score": \d)\.(\d+)', r"\1,\2", ""),
    Operator("score dot first", r'("required_score": )0(\.\d+)', r"\1\2", "0"),
    Operator("score true", r'("required_score": )[\d.]+', r"\1true", ""),
    Operator("duration unit", r'("estimated_duration": )(\d+)', r'\1"\2 min"', ""),
    Operator("duration bare unit", r'("estimated_duration": )(\d+)', r"\1\2m", ""),
    Operator("duration null list", r'("estimated_duration": )(\d+)', r"\1[\2]", ""),
    Operator("criteria list", r'("success_criteria": )("[^"]*")', r"\1[\2]", ""),
    Operator("criteria number", r'("success_criteria": )("[^"]*")', r"\g<1>1", ""),
    Operator("step id with a blank", r'("step_id": ")(\w)(\w+)"', r'\1\2 \3"', ""),
    Operator("step id left out", r'^ +"step_id": .*\n', "", "step_id"),
    Operator("gate id left out", r'^ +"gate_id": .*\n', "", "gate_id"),
    Operator("steps left out", r'"steps": \[', '"stages": [', "steps"),
    Operator("steps nested", r'"steps": \[', '"steps": [[', ""),
    Operator(
        "key upper",
        r'"(step_type|step_name|required_role|gate_type)":',
        lambda m: '"' + m[1].upper() + '":',
        r"\1",
    ),
    Operator(
        "key camel",
        r'"(step|required|gate|success|failure)_(\w)(\w+)":',
        lambda m: '"' + m[1] + m[2].upper() + m[3] + '":',
        "",
    ),
    Operator("key hyphen", r'"(step|required|gate|success|failure)_(\w+)":', r'"\1-\2":', r"\1_\2"),
    Operator("key blank", r'"(step|required|gate|success|failure)_(\w+)":', r'"\1 \2":', r"\1_\2"),
    Operator("key plural", r'"(step_type|step_name|required_role|gate_type)":', r'"\1s":', r"\1"),
    Operator("key called assignee", r'"required_role":', '"assignee":', "required_role"),
    Operator("key called title", r'"step_name":', '"title":', "step_name"),
    Operator("key called kind", r'"step_type":', '"kind":', "step_type"),
    Operator("key called threshold", r'"required_score":', '"threshold":', "required_score"),
    Operator("key called minutes", r'"estimated_duration":', '"minutes":', "estimated_duration"),
    Operator("key called on_failure", r'"failure_handling":', '"on_failure":', "failure_handling"),
    Operator("key called checks", r'"quality_gates":', '"checks":', "quality_gates"),
    Operator("array closes with a brace", r"\n( +)\](,?)\n", r"\n\1}\2\n", "]"),
    Operator("missing quote at start of a key", r'\n( +)"(\w+)": ', r'\n\1\2": ', '"'),
    Operator("missing quote at end of a key", r'\n( +)"(\w+)": ', r'\n\1"\2: ', '"'),
    Operator("comma for colon", r'"(\w+)": ', r'"\1", ', ":"),
    Operator(
        "cycle",
        r'("step_id": "(\w+)"[\s\S]*?"dependencies": \[)(\][\s\S]*?"step_id": ")(\w+)"',
        r'\1"\4"\3\4"',
        "",
    ),
    Operator("comma doubled", r'",\n', '",,\n', ","),
    Operator("whole misses a brace", r"\}\s*\Z", "", "}"),
    Operator(
        "strange conflict",
        r'^( *)("step_id": "(\w+)",)$',
        r'<<<<<<< HEAD\n\1\2\n=======\n\1"step_id": "other",\n>>>>>>> main',
        "<<<<<<<",
    ),
    Operator("strange zwsp dep", r'("dependencies": \[")(\w+)', "\\1\u200b\\2", r"\2"),
    Operator("strange zwsp key", r'"(step_id|required_role|dependencies)":', '"\\1\u200b":', r"\1"),
    Operator("strange zwsp role", r'("required_role": ")(\w+)"', '\\1\\2\u200b"', r"\2"),
    Operator("strange steps called jobs", r'"steps":', '"jobs":', "steps"),
    Operator("strange step_id called stepId", r'"step_id":', '"stepId":', "step_id"),
    Operator(
        "strange dependencies called dependsOn", r'"dependencies":', '"dependsOn":', "dependencies"
    ),
    Operator(
        "strange required_role called agent", r'"required_role":', '"agent":', "required_role"
    ),
    Operator(
        "strange estimated_duration called timeout",
        r'"estimated_duration":',
        '"timeout":',
        "estimated_duration",
    ),
    Operator(
        "strange failure_handling called retry",
        r'"failure_handling":',
        '"retry":',
        "failure_handling",
    ),
    Operator(
        "strange execution_config called settings",
        r'"execution_config":',
        '"settings":',
        "execution_config",
    ),
    Operator(
        "strange max_iterations called max_attempts",
        r'"max_iterations":',
        '"max_attempts":',
        "max_iterations",
    ),
    Operator(
        "strange input_parameters called inputs",
        r'"input_parameters":',
        '"inputs":',
        "input_parameters",
    ),
    Operator("strange type DAG", r'("workflow_type": ")\w+', r"\1dag", "parallel"),
    Operator(
        "strange steptype sync", r'("step_type": ")synchronization', r"\1sync", "synchronization"
    ),
    Operator(
        "strange steptype join", r'("step_type": ")synchronization', r"\1join", "synchronization"
    ),
    Operator("strange gatetype approve", r'("gate_type": ")approval', r"\1approve", "approval"),
    Operator("strange enf warn", r'("quality_enforcement": ")\w+', r"\1warn", "lenient"),
    Operator("strange score text", r'("required_score": )([\d.]+)', r'\1"\2"', r"\2"),
    Operator("strange dur iso", r'("estimated_duration": )(\d+)', r'\1"PT\2M"', r""),
    Operator("strange iter text", r'("max_iterations": )(\d+)', r'\1"\2"', r"\2"),
    Operator("strange retry text", r'("auto_retry": )(true|false)', r'\1"\2"', r"\2"),
    Operator("strange dep joined comma", r'("dependencies": \["\w+)", "', r"\1, ", r""),
    Operator(
        "strange dep case", r'("dependencies": \[")(\w)', lambda m: m[1] + m[2].upper(), r"\2"
    ),
)
