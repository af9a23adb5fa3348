"""Calls are read and held against the table; what does not fit is said with unit and range."""

from __future__ import annotations

import jsonschema
import pytest
from flowc.compiler.catalog.audio_model import REQUIRED, schema_of
from flowc.compiler.catalog.audio_tools import AUDIO_TOOLS
from flowc.runtime.audio.calls.call import check_call, parse_call, range_of
from flowc.runtime.errors import Failure

IO = 'input="a.wav", output="b.wav"'


def test_a_call_gets_its_defaults_and_knows_its_files():
    call = parse_call(f"highpass({IO}, cutoff_hz=80)")
    assert call.tool.name == "highpass"
    assert dict(call.arguments) == {
        "input": "a.wav", "output": "b.wav", "subtype": None, "cutoff_hz": 80, "slope": 12,
    }  # fmt: skip
    assert (call.reads, call.writes) == (("a.wav",), ("b.wav",))
    call = parse_call('SPLIT(input="a.wav", output_pattern="p.wav", points_s=[1])')
    assert call.writes == ("p.wav", "p-2.wav")
    call = parse_call('SPLIT(input="a.wav", output_pattern="p{n}.wav", points_s=[1, 2])')
    assert call.writes == ("p1.wav", "p2.wav", "p3.wav")
    call = check_call("audio_mix", {"inputs": ["a.wav", "b.wav", "a.wav"], "output": "c.wav"})
    assert call.reads == ("a.wav", "b.wav")


WRONG = {
    f"HIGHPAS({IO}, cutoff_hz=80)": ("no audio tool `HIGHPAS`", "did you mean `HIGHPASS`"),
    f"VOICE({IO})": ("no audio tool `VOICE`", "`flowc audio tools` lists them"),
    f"HIGHPASS({IO}, cutof_hz=80)": ("no parameter `cutof_hz`", "did you mean `cutoff_hz`"),
    f"HIGHPASS({IO}, cutoff=80)": ("no parameter `cutoff`", "did you mean `cutoff_hz`"),
    f"HIGHPASS({IO})": ("needs `cutoff_hz`", "a number from 10 to 96000 Hz"),
    f"HIGHPASS({IO}, cutoff_hz=9.9)": ("`cutoff_hz` of HIGHPASS cannot be 9.9", "from 10 to 96000"),
    f'HIGHPASS({IO}, cutoff_hz="80")': ("`cutoff_hz` of HIGHPASS cannot be '80'", "a number"),
    f"HIGHPASS({IO}, cutoff_hz=True)": ("cannot be True", "a number"),
    f"HIGHPASS({IO}, cutoff_hz=None)": ("cannot be None", "a number"),
    f"HIGHPASS({IO}, cutoff_hz=80, slope=13)": ("`slope`", "one of 6, 12, 24, 48 dB per octave"),
    f"PITCH_SHIFT({IO}, semitones=25)": ("`semitones`", "from -24 to 24 semitones"),
    f"TIME_STRETCH({IO}, rate=0)": ("`rate`", "from 0.25 to 4 times"),
    f"COMPRESS({IO}, ratio=51)": ("`ratio`", "from 1 to 50 :1"),
    f"LOUDNESS_NORM({IO}, target_lufs=-4)": ("`target_lufs`", "from -40 to -5 LUFS"),
    f"ADD_NOISE({IO}, snr_db=1, seed=1.5)": ("`seed`", "a whole number"),
    f'ADD_NOISE({IO}, snr_db=1, color="blue")': ("`color`", "one of 'white', 'pink', 'brown'"),
    f'CONVERT({IO}, dither="no")': ("`dither`", "True or False"),
    f"CLIP({IO}, start_s=2, end_s=1)": ("`start_s` of CLIP has to be below `end_s`", ""),
    f"BANDPASS({IO}, low_hz=900, high_hz=90)": ("`low_hz` of BANDPASS has to be below", ""),
    "GAIN(input=7, output='b.wav', gain_db=1)": ("`input` of GAIN cannot be 7", "a path"),
    "GAIN(input='', output='b.wav', gain_db=1)": ("`input`", "a path"),
    "CONCAT(inputs=[], output='b.wav')": ("`inputs`", "a list of 1 to 32 paths"),
    "CONCAT(inputs='a.wav', output='b.wav')": ("`inputs`", "a list of 1 to 32 paths"),
    "MIX(inputs=['a.wav'], output='b.wav', gains_db=[1, 2])": ("2 values for 1 files", ""),
    "SPLIT(input='a.wav', output_pattern='p{n}.wav', points_s=[2, 1])": ("ascend", ""),
    "SPLIT(input='a.wav', output_pattern='p{n}.wav', points_s=[])": ("ascend", ""),
    f"EQ({IO}, bands=[])": ("`bands`", "a list of 1 to 16 bands"),
    f'EQ({IO}, bands=[{{"type": "peak"}}])': ("band 1 of EQ needs `freq_hz`", "from 10"),
    f'EQ({IO}, bands=[{{"freq": 1}}])': ("has no parameter `freq`", "did you mean `freq_hz`"),
    f"GAIN({IO}, gain_db=1); GAIN({IO}, gain_db=1)": ("several statements", ""),
    f"GAIN({IO}, gain_db=__import__('os').getpid())": ("is not a literal value", ""),
    "GAIN": ("not one call", "flowc audio tools"),
    "": ("there is no code", ""),
}


@pytest.mark.parametrize("code", WRONG)
def test_what_does_not_fit_is_named_with_what_would(code):
    says, helps = WRONG[code]
    with pytest.raises(Failure) as caught:
        parse_call(code)
    assert says in caught.value.message
    assert helps in caught.value.help


@pytest.mark.parametrize("tool", AUDIO_TOOLS, ids=lambda tool: tool.name)
def test_the_table_is_sound(tool):
    """Defaults fit their own ranges, the schema is one, every number says its unit."""
    jsonschema.Draft202012Validator.check_schema(schema_of(tool.parameters))
    for parameter in tool.parameters:
        assert range_of(parameter)
        if parameter.kind in ("number", "numbers") and parameter.name not in ("q", "order"):
            assert parameter.unit
            assert parameter.low < parameter.high
        if parameter.default is not REQUIRED and parameter.kind == "number":
            fits = parameter.default is None or parameter.low <= parameter.default <= parameter.high
            assert fits


@pytest.mark.parametrize("tool", AUDIO_TOOLS, ids=lambda tool: tool.name)
def test_the_schema_and_the_check_agree_at_the_ends_of_every_range(tool):
    given = {"input": "a.wav", "output": "b.wav", "a": "a.wav", "b": "b.wav",
             "inputs": ["a.wav", "b.wav"], "output_pattern": "p{n}.wav", "points_s": [1],
             "order": [2, 1],
             "bands": [{"type": "peak", "freq_hz": 100, "gain_db": 1}]}  # fmt: skip
    schema = schema_of(tool.parameters)
    base = {p.name: given.get(p.name, p.high) for p in tool.parameters if p.default is REQUIRED}
    if tool.name == "bandpass":
        base["low_hz"] = 10
    jsonschema.validate(base, schema)
    check_call(tool.name, base)
    for parameter in (p for p in tool.parameters if p.kind in ("number", "integer")):
        for value in (parameter.low - 1, parameter.high + 1):
            wrong = {**base, parameter.name: value}
            with pytest.raises(jsonschema.ValidationError):
                jsonschema.validate(wrong, schema)
            with pytest.raises(Failure):
                check_call(tool.name, wrong)
