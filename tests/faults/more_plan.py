"""More mistakes in a living workflow.md, in other forms."""

from __future__ import annotations

from .operators import Operator

_FIELD = r"^(\*   )\*\*(ID|Description|Status|Input Audio|Output Audio):\*\* (.+)$"
_STEP = r"^### Step (\d+): (.+)$"
_CODE = r"^( *)([A-Z_]+)\((.*)\)$"

OPERATORS = (
    Operator("status done german", r"(\*\*Status:\*\* )(DONE|READY|PENDING)", r"\1FERTIG", ""),
    Operator(
        "status progress", r"(\*\*Status:\*\* )(EXECUTING|READY|PENDING)", r"\1IN PROGRESS", ""
    ),
    Operator("status with dot", r"(\*\*Status:\*\* )(\w+)$", r"\1\2.", r"\2"),
    Operator(
        "status left out",
        r"^\*   ?\*?\*?\*?Status:\*\* .*\n|^\*   \*\*Status:\*\* .*\n",
        "",
        "Status",
    ),
    Operator("field key plural", r"(\*\*)(Output Audio):\*\*", r"\1\2s:**", r"\2"),
    Operator("field German", r"\*\*Status:\*\*", "**Zustand:**", ""),
    Operator("field one star", r"\*\*(Status|Code|Output Audio|Input Audio):\*\*", r"*\1:*", "**"),
    Operator(
        "field star missing at the end",
        r"\*\*(Status|Code|Output Audio|Input Audio):\*\*",
        r"**\1:*",
        "**",
    ),
    Operator(
        "field star missing at the end two",
        r"\*\*(Status|Code|Output Audio|Input Audio):\*\*",
        r"**\1:",
        "**",
    ),
    Operator("field equals", r"\*\*(Status|Output Audio|Input Audio):\*\*", r"**\1=**", ":"),
    Operator("field semicolon", r"\*\*(Status|Output Audio|Input Audio):\*\*", r"**\1;**", ":"),
    Operator("field swapped", r"\*\*(Input|Output) Audio:\*\*", r"**Audio \1:**", r"\1 Audio"),
    Operator("field glued", r"\*\*(Input|Output) Audio:\*\*", r"**\1Audio:**", r"\1 Audio"),
    Operator("field called File", r"\*\*Output Audio:\*\*", r"**Output File:**", "Output Audio"),
    Operator("field called Script", r"\*\*Code:\*\*", r"**Script:**", "Code"),
    Operator("field called State", r"\*\*Status:\*\*", r"**State:**", "Status"),
    Operator("field called Identifier", r"\*\*ID:\*\*", r"**Id:**", "ID"),
    Operator("field called Step ID", r"\*\*ID:\*\*", r"**Step ID:**", "ID"),
    Operator("field indented", r"^(\* +\*\*(?:Status|Output Audio):)", r"      \1", ""),
    Operator("step heading number missing", r"^### Step (\d+): ", r"### Step : ", ""),
    Operator("step heading bare number", r"^### Step (\d+): ", r"### \1: ", "Step"),
    Operator("step heading hash number", r"^### Step (\d+): ", r"### Step #\1: ", ""),
    Operator("step heading Roman", r"^### Step 2: ", r"### Step II: ", ""),
    Operator(
        "section called Steps", r"^## 3\. Processing Plan.*$", r"## 3. Steps", "Processing Plan"
    ),
    Operator(
        "section called Plan", r"^## 3\. Processing Plan.*$", r"## 3. Plan", "Processing Plan"
    ),
    Operator("section log misspelt", r"^## 5\. Workflow Log", "## 5. Worflow Log", "Workflow Log"),
    Operator("section one hash", r"^## (3\. Processing)", r"# \1", "##"),
    Operator("section bold", r"^## (3\. Processing.*)$", r"**\1**", "##"),
    Operator("section without a space", r"^## (3\. Processing)", r"##\1", "## "),
    Operator("output ref lower", r"\$OUTPUT_STEP_(\d)", r"$output_stp_\1", "OUTPUT_STEP"),
    Operator("output ref plural", r"\$OUTPUT_STEP_(\d)", r"$OUTPUTS_STEP_\1", "$OUTPUT_STEP"),
    Operator("output ref swap", r"\$OUTPUT_STEP_(\d)", r"$STEP_\1_OUTPUT", "$OUTPUT_STEP"),
    Operator("output ref template", r"\$OUTPUT_STEP_(\d)", r"{{OUTPUT_STEP_\1}}", "$OUTPUT_STEP"),
    Operator("output ref brackets", r"\$OUTPUT_STEP_(\d)", r"[OUTPUT_STEP_\1]", "$OUTPUT_STEP"),
    Operator("output ref no number", r"\$OUTPUT_STEP_(\d)", r"$OUTPUT_STEP", ""),
    Operator("output ref double dollar", r"\$OUTPUT_STEP_(\d)", r"$$OUTPUT_STEP_\1", "$OUTPUT"),
    Operator(
        "output ext misspelt", r"(Output Audio:\*\* `[\w-]+)\.wav", r"\1.wave", ".wav", counts=True
    ),
    Operator(
        "output ext left out", r"(Output Audio:\*\* `[\w-]+)\.wav", r"\1", ".wav", counts=True
    ),
    Operator("code fence two", r"```python$", "``python", "```"),
    Operator("code without parens", r"^( *)([A-Z_]{4,})\((.*)\)$", r"\1\2 \3", "(", counts=True),
    Operator("code brackets", r"^( *)([A-Z_]{4,})\((.*)\)$", r"\1\2[\3]", "(", counts=True),
    Operator("code comma left out", r"^( *[A-Z_]{4,}\([^,\n]*),", r"\1", ",", counts=True),
    Operator("code comma doubled", r"^( *[A-Z_]{4,}\([^,\n]*),", r"\1,,", ",", counts=True),
    Operator(
        "code keyword plural",
        r"(\(.*\b)(gain_db|target_lufs|cutoff_hz|fade_out)=",
        r"\1\2s=",
        r"\2",
        counts=True,
    ),
    Operator(
        "code keyword camel",
        r"(\(.*\b)(gain|target|cutoff|fade)_(\w)(\w+)=",
        lambda m: m[1] + m[2] + m[3].upper() + m[4] + "=",
        "",
        counts=True,
    ),
    Operator(
        "code keyword cut", r"(\(.*\b)(gain|target|cutoff)_(\w+)=", r"\1\2=", r"\2_\3", counts=True
    ),
    Operator(
        "code positional", r"(\(.*\b)(gain_db|target_lufs|cutoff_hz)=", r"\1", r"\2", counts=True
    ),
    Operator(
        "code None", r"((?:gain_db|target_lufs|cutoff_hz)=)-?[\d.]+", r"\1None", "", counts=True
    ),
    Operator(
        "code input keyword misspelt", r"\((input_path|input)=", r"(inptu=", "input", counts=True
    ),
    Operator(
        "code prompt dollar", r'input_path="[^"]*"', r"input_path=$OUTPUT_STEP_1", "", counts=True
    ),
    Operator("overall status lower", r"(\*\*Overall Status:\*\* )(\w+)", r"\1finished", ""),
    Operator(
        "strange conflict status",
        r"^\*   \*\*Status:\*\* (\w+)$",
        r"<<<<<<< HEAD\n*   **Status:** \1\n=======\n*   **Status:** DONE\n>>>>>>> main",
        "<<<<<<<",
    ),
    Operator(
        "strange conflict desc",
        r"^(\*   \*\*Description:\*\* .*)$",
        r"<<<<<<< HEAD\n\1\n=======\n\1 now\n>>>>>>> main",
        "<<<<<<<",
    ),
    Operator(
        "strange conflict code",
        _CODE,
        r"<<<<<<< HEAD\n\1\2(\3)\n=======\n\1\2(\3)\n>>>>>>> main",
        "<<<<<<<",
    ),
    Operator("strange zwsp id", r"(\*\*ID:\*\* `)(\w+)`", "\\1\\2\u200b`", r"\2"),
    Operator("strange zwsp field", _FIELD, "\\1**\u200b\\2:** \\3", r"\2"),
    Operator("strange zwsp path", r"(Input Audio:\*\* `)(\S+)`", "\\1\u200b\\2`", r"\2"),
    Operator("strange zwsp code", _CODE, "\\1\u200b\\2(\\3)", r"\2"),
    Operator("strange nbsp field", _FIELD, "*\u00a0\u00a0\u00a0**\\2:** \\3", r""),
    Operator("strange nbsp step", _STEP, "### Step\u00a0\\1: \\2", r""),
    Operator("strange bullet dot", _FIELD, r"•   **\2:** \3", "*"),
    Operator("strange checkbox", _FIELD, r"*   [ ] **\2:** \3", ""),
    Operator("strange full colon", _FIELD, r"*   **\2：** \3", ":"),
    Operator("strange html bold", _FIELD, r"*   <b>\2:</b> \3", r"**\2:**"),
    Operator("strange code field", _FIELD, r"*   `\2:` \3", r"**\2:**"),
    Operator("strange table", _FIELD, r"| **\2** | \3 |", r"**\2:**"),
    Operator("strange status completed", r"(\*\*Status:\*\* )(DONE)$", r"\1COMPLETED", "DONE"),
    Operator(
        "strange status inprogress",
        r"(\*\*Status:\*\* )(READY|PENDING|DONE)$",
        r"\1IN_PROGRESS",
        "",
    ),
    Operator(
        "strange status two", r"(\*\*Status:\*\* )(READY|PENDING|DONE)$", r"\1READY | DONE", r""
    ),
    Operator("strange overall done", r"(\*\*Overall Status:\*\* )(\w+)$", r"\1DONE", "SUCCESS"),
    Operator("strange title bold", _STEP, r"### **Step \1: \2**", ""),
    Operator("strange title escaped", _STEP, r"\\### Step \1: \2", "###"),
    Operator("strange title quoted", _STEP, r"> ### Step \1: \2", "###"),
    Operator("strange title list", _STEP, r"- ### Step \1: \2", "###"),
    Operator("strange title no hash", _STEP, r"Step \1: \2", "###"),
    Operator("strange title commented", _STEP, r"<!-- ### Step \1: \2 -->", ""),
    Operator("strange id hyphen", r"(\*\*ID:\*\* `)step_(\d+)`", r"\1step-\2`", r"step_\2"),
    Operator("strange id blank", r"(\*\*ID:\*\* `)step_(\d+)`", r"\1step \2`", r"step_\2"),
    Operator("strange ref hyphen", r"\$OUTPUT_STEP_(\d+)", r"$OUTPUT-STEP-\1", r"$OUTPUT_STEP_\1"),
    Operator("strange ref words", r"\$OUTPUT_STEP_(\d+)", r"output of step \1", r"$OUTPUT_STEP_\1"),
    Operator(
        "strange section amp",
        r"^(## (?:3\. )?)Processing Plan & Status$",
        r"\1Processing Plan &amp; Status",
        r"Processing Plan & Status",
    ),
    Operator(
        "strange section emoji",
        r"^(## (?:3\. )?)Processing Plan & Status$",
        r"\1📋 Processing Plan & Status",
        r"Processing Plan & Status",
    ),
    Operator("strange code assigned", _CODE, r"\1x = \2(\3)", ""),
    Operator("strange code await", _CODE, r"\1await \2(\3)", ""),
    Operator("strange code f-string", r'^( *[A-Z_]+\(\w+=)"', r'\1f"', ""),
    Operator("strange code ref", r'(input_path=)"([^"]*)"', r"\1$OUTPUT_STEP_1", ""),
    Operator("strange code equals colon", r"^( *[A-Z_]+\(\w+)=", r"\1:", "="),
    Operator("second time month", r"(\*\*Timestamp[ \w]*:\*\* *`\d{4})-\d\d-", r"\1-13-", "YYYY"),
    Operator("second time words", r"(\*\*Timestamp[ \w]*:\*\* *`)[^`]+`", r"\1yesterday`", "YYYY"),
    Operator("second end before", r"(\*\*Timestamp End:\*\* *`)\d{4}", r"\g<1>1999", "later than"),
    Operator("second log time", r"^(\* +)`(\d{4}-\d\d-\d\d [\d:]+)`:", r"\1\2:", r"`\2`"),
    Operator("second step number", r"^### Step ([2-9]): (.+)$", r"### Step 1: \2", r"### Step"),
    Operator(
        "second success", r"(\*\*Overall Status:\*\* *)IN_PROGRESS", r"\1SUCCESS", "IN_PROGRESS"
    ),
)
