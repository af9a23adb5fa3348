"""More of what people say, by the names of wordings: what whole sentences ask of one tool."""

from __future__ import annotations

from collections.abc import Mapping

_PROFILE = (
    "(noise profile|noise sample|noise print|noise reference|rauschprofil|rauschprobe|rauschmuster)"
)
_BOTH_TIMES = (
    "[from|von|between|zwischen] ({noise_start_s}|{noise_start_s:alike}) "
    "(to|till|until|bis|→|-|and|und) {noise_end_s}"
)
_HEAD = "[the|die|den|der] (first|ersten|erste) {noise_end_s}"
_WHERE = f"[in] ({_HEAD}|{_BOTH_TIMES}) {{noise_start_s=0}}"
_AS = f"(as|als) THE {_PROFILE}"
_DENOISE = (
    "(denoise|de-noise|entrausche|entrauschen|(reduce|lower) THE NOISE [by {reduction_db}]|"
    "(reduziere|verringere) THE NOISE [um {reduction_db}]|"
    "NOISE [um {reduction_db}] (verringern|reduzieren|entfernen))"
)
_TAKE = "(use|take|nimm|nutze|nutz|verwende|using|with|mit)"
_ONLY = (
    "[there] (is|are|ist|sind|hört man|hat man) (only|just|nothing but|nur|bloß|reines|pure) NOISE"
)
_THAT = "(it|that|this|them|das|sie|die|dies|diese)"
_LEAVE = (
    "[,|and|und] (keep|leave|leaving|lass|lasse) [noch] {keep_s} [of (it|silence)|davon|stille] "
    "[stehen|übrig|in place|there]"
)
_STAYS = "[,] {keep_s} davon (soll|sollen) (stehen bleiben|übrig bleiben|bleiben)"
_TRIM = "(trim|cut|remove|schneide|schneid|entferne)"
_ENDS = {
    "both": "(at both ends|off both ends|an beiden enden|an den enden|at the start and [at] [the] "
    "end|at the beginning and [at] [the] end|(vorn|vorne) und hinten|am anfang und [am] ende)",
    "start": "(at the start|at the beginning|off the start|off the beginning|am anfang|vorn|vorne)",
    "end": "(at the end|off the end|am ende|hinten)",
}
_QUIETER = (
    "[,] [all|everything|anything|alles] [,] [(that is|that's|what is|what's|whatever is|was)] "
    "(quieter than|leiser als|below|under|unter) {threshold_dbfs} [ist|liegt]"
)
_PAUSE = "[long|langen] (pauses|pause|gaps|gap|silences|pausen|sprechpausen|sprechpause)"
_ANY = "[all|every|each|any|alle|jede] [the|die]"
_LONGER = (
    "[,] [that are|which are|die] (longer than|länger als|over|above|über) {longest_s} [sind|ist]"
)
_SILENCE = "(silence|quiet|stille)"
_SOUND = "(chapter|recording|track|song|piece|episode|file|talk|sound|kapitel|aufnahme|stück)"
_BEFORE = (
    f"(before [[it|(the|this|my) {_SOUND}] [begins|starts]]|in front|ahead|"
    f"davor|vorher|vor (der|dem) {_SOUND})"
)
_AFTER = (
    f"((after|behind) [[it|(the|this|my) {_SOUND}] [ends|finishes|stops]]|dahinter|danach|"
    f"nach (der|dem) {_SOUND})"
)
_WRAPPED = (
    "[,|and|und] (what|whatever) falls (off|out) [at] the end [should|shall|must|is to] "
    "(come|comes|go|goes) [back] in [again] at the (start|beginning|front) {wrap=true}"
)
_WRAPPED_DE = (
    "[,|und] was hinten (herausfällt|rausfällt|hinausfällt|herausgeschoben wird) [,] "
    "(soll|kommt|kommt dann) (vorn|vorne) wieder (hinein|rein|herein|hineinkommen|reinkommen) "
    "{wrap=true}"
)
_MONO = "(mono|mono file|mono recording|mono track|mono 1)"
_STEREO = "(stereo|stereo file|stereo recording|stereo track|stereo 1)"
_MONO_DE = "(mono|mono-aufnahme|mono-datei|mono-spur|monoaufnahme|monodatei|monospur)"
_STEREO_DE = "(stereo|stereodatei|stereo-datei|stereospur)"
_DRIVE = "(overdrive|distortion|saturation|verzerrung|sättigung|crunch)"
_SIDES = "(both sides|both channels|both|beide seiten|beide kanäle)"
_SIDE = {
    "1,1": "(left|linken) [channel|side|kanal]",
    "2,2": "(right|rechten) [channel|side|kanal]",
}
_THERE = "(wherever|where|everywhere) there (is|are) [at least] {least_s} [of] (silence|pause)"
_DORT = "[überall] [dort] [,] wo [mindestens] {least_s} (stille|pause|ruhe) (ist|sind|herrscht)"

MORE: Mapping[str, tuple[str, ...]] = {
    "noise": (
        f"{_TAKE} {_WHERE} {_AS} [(and|to|und|,) {_DENOISE} [with it|damit]]",
        f"{_DENOISE} IT [,|and|und] {_TAKE} {_WHERE} {_AS}",
        f"{_DENOISE} IT [,|and|und] [{_TAKE}] (als|as) {_PROFILE} {_WHERE}",
        f"{_DENOISE} IT (using|with|mit) THE ({_PROFILE}|noise) {_WHERE}",
        f"{_WHERE} {_ONLY} [,|and|und] [please|bitte] (use|take|nimm|nutze) {_THAT} "
        f"([please|bitte] to (denoise [it]|reduce the noise)|{_AS}|zum entrauschen)",
        f"(learn|take|get) THE (noise|{_PROFILE}) from {_WHERE} (and|,) {_DENOISE} [with it]",
        f"{_WHERE} als {_PROFILE} (verwenden|nutzen|nehmen) [(und|,) {_DENOISE} [damit]]",
        f"{_WHERE} {_ONLY} [,|and|und] [please|bitte] damit [bitte] entrauschen",
    ),
    "trim silence": (
        *(
            phrase
            for edge, where in _ENDS.items()
            for phrase in (
                f"{_TRIM} THE SILENCE AWAY {where} AWAY ({_LEAVE}|{_STAYS}) {{edges={edge}}}",
                f"THE SILENCE {where} (weg|abschneiden|wegschneiden|entfernen) ({_LEAVE}|{_STAYS}|"
                f"[,] {{keep_s}} [davon] stehen lassen) {{edges={edge}}}",
                f"{_TRIM} THE SILENCE (below|under|unter) {{threshold_dbfs}} AWAY {where} AWAY "
                f"{{edges={edge}}}",
                f"{_TRIM} AWAY {_QUIETER} AWAY {where} {{edges={edge}}}",
                f"{_QUIETER} {where} (abschneiden|wegschneiden|entfernen) {{edges={edge}}}",
                f"(schneide|schneid) {where} [alles] (ab|weg) {_QUIETER} {{edges={edge}}}",
                f"{where} [alles] (abschneiden|wegschneiden) {_QUIETER} {{edges={edge}}}",
                f"SILENCE unter {{threshold_dbfs}} {where} (abschneiden|wegschneiden|entfernen) "
                f"{{edges={edge}}}",
            )
        ),
    ),
    "pauses": (
        f"[shorten|tighten|trim|cut|reduce|kürze|verkürze] {_ANY} {_PAUSE} {_LONGER} [,] "
        "(down to|to|auf) {longest_s} [kürzen|verkürzen|begrenzen]",
        f"tighten up THE {_PAUSE} [a bit]",
        f"tighten THE {_PAUSE} up [a bit]",
    ),
    "split": (
        f"[make|i want] [1|a] (file|track) (for|of) each [1] [,] {_THERE}",
        f"(split|cut) IT [into (files|tracks|parts|pieces)] {_THERE}",
        f"(teile|trenne|schneide) IT {_DORT} [auf]",
        f"(überall|dort|überall dort) (teilen|trennen) {_DORT}",
    ),
    "padding": (
        f"[add|put|insert|with|mit] {{start_s:span}} [of] {_SILENCE} {_BEFORE} (,|and|und) "
        f"({{end_s:span}}|{{end_s:alike}}) [of {_SILENCE}|{_SILENCE}] {_AFTER}",
    ),
    "delay": (
        f"(shift|move|delay) IT [later] BY {{offset_s}} [later] {_WRAPPED}",
        f"(shift|move) IT {{offset_s}} later {_WRAPPED}",
        f"(verschieb|verschiebe|schieb|schiebe) IT um {{offset_s}} [nach hinten] {_WRAPPED_DE}",
        "rotate IT by {offset_s} {wrap=true}",
        "(shift|move) IT [by] {-offset_s} (earlier|to the left)",
        "(shift|move) IT earlier by {-offset_s}",
        "(verschieb|verschiebe|schieb|schiebe) IT um {-offset_s} (nach vorn|nach vorne|früher)",
    ),
    "fade": (
        "blende (vorn|vorne|am anfang) {in_s} ein (und|,) (hinten|am ende) {out_s} aus",
        "(vorn|vorne|am anfang) {in_s} (ein|einblenden) (und|,) (hinten|am ende) {out_s} "
        "(aus|ausblenden)",
        "(vorn|vorne) und hinten [je|jeweils] {in_s,out_s} blenden",
        "[je|jeweils] {in_s,out_s} ein [-] und ausblenden",
        "fade in [over|for] {in_s} (,|and|then) [fade] out [over|for] ({out_s}|{out_s:alike})",
        "[über] {in_s} einblenden (,|und|dann) [über] ({out_s}|{out_s:alike}) ausblenden",
    ),
    "speed": (
        "(anderthalbmal|eineinhalbmal) so schnell [abspielen|laufen lassen] {rate=1.5}",
        "[in|mit] (anderthalbfacher|anderthalbfache|eineinhalbfacher|eineinhalbfache) "
        "(geschwindigkeit|tempo) [abspielen|laufen lassen] {rate=1.5}",
        "[spiel|spiele] IT (anderthalbmal|eineinhalbmal) so schnell [ab] {rate=1.5}",
    ),
    "left and right": tuple(
        phrase
        for order, side in _SIDE.items()
        for phrase in (
            f"(take|use) THE {side} (for|on) {_SIDES} {{order={order}}}",
            f"(nimm|nutze|verwende) THE {side} (für|auf) {_SIDES} {{order={order}}}",
        )
    ),
    "equaliser": (
        "{type=high_shelf} {+gain_db:db} (mehr|rauf) ab {freq_hz:hz}",
        "{type=high_shelf} {-gain_db:db} (weniger|runter) ab {freq_hz:hz}",
        "{type=high_shelf} ab {freq_hz:hz} [um] {+gain_db:db} anheben",
        "{type=high_shelf} ab {freq_hz:hz} [um] {-gain_db:db} absenken",
        "{type=peak} {q=4} [a] narrow (cut|dip|notch) (at|around) {freq_hz:hz} (of|by) "
        "{-gain_db:db}",
        "{type=peak} {q=4} [make] [a] narrow (cut|dip|notch) [of|by] {-gain_db:db} (at|around) "
        "{freq_hz:hz}",
        "{type=peak} {q=4} [a] narrow boost [of|by] {+gain_db:db} (at|around) {freq_hz:hz}",
        "{type=peak} {q=4} (cut|dip|lower) {freq_hz:hz} narrowly by {-gain_db:db}",
        "{type=peak} {q=4} schmal (um|mit) [etwa] {-gain_db:db} bei {freq_hz:hz} (absenken|senken)",
        "{type=peak} {q=4} schmal {-gain_db:db} bei {freq_hz:hz} (absenken|senken)",
        "{type=peak} {q=4} [senke|senk] {freq_hz:hz} schmal um {-gain_db:db} [ab|absenken]",
    ),
    "distort": (
        f"(add|apply|put|give it) [some|a] {_DRIVE} [on it|to it]",
        f"[gib] [etwas] {_DRIVE} (dazu|drauf|hinzufügen|hinzu)",
    ),
    "channels": (
        f"[make|create|i want] [a] mono file (from|out of|of) [the|this|my|a] {_STEREO} "
        "{channels=1}",
        f"[make|create|i want] [a] stereo file (from|out of|of) [the|this|my|a] {_MONO} "
        "{channels=2}",
        f"(turn|convert|make) [the|this|my] {_MONO} (into|to) [a] (stereo file|stereo) "
        "{channels=2}",
        f"[mach|mache] aus [der|dem|einer|meiner] {_MONO_DE} [eine] {_STEREO_DE} [machen] "
        "{channels=2}",
    ),
    "sample rate": (
        "[make|mach] [a|eine] (file|files|datei|dateien) (with|at|mit|in) {sample_rate_hz}",
    ),
}
