"""What people note down who know the tools: short, with signs and units, by names of wordings."""

from __future__ import annotations

from collections.abc import Mapping

_AT = "[at|bei|around|um]"
_SIGNED = "[by|um|auf|:|=] {gain_db:signed}"
_UP, _DOWN = "(up|rauf|hoch|boosted) [by|um]", "(down|runter|cut|abgesenkt) [by|um]"
_SHELF = {
    "low": "(low shelf|low-shelf|lowshelf|bass shelf|low shelving filter)",
    "high": "(high shelf|high-shelf|highshelf|treble shelf|high shelving filter)",
}
_BAND = {"low": "BASS", "high": "TREBLE"}
_CORNER = {"low": 120, "high": 6000}
_SIDE = {"low": "(below|under|unter|bis|up to)", "high": "(above|from|over|ab|über)"}
_LENGTH = "(länge|dateilänge|gesamtlänge|dauer|gesamtdauer)"
_SAME_LENGTH = (
    "[,|and|und] ([at|with|bei] [the] (same|identical|unchanged) (file|total|overall|full) "
    "(length|duration)|(total|file|overall) (length|duration) [is|stays|remains] "
    f"(unchanged|the same|same)|[bei] (gleiche|gleicher|gleichbleibender|unveränderter) {_LENGTH}|"
    f"[die] {_LENGTH} [bleibt] (unverändert|gleich))"
)
_LATER = "(later|to the right)"
_EARLIER = "(earlier|to the left|forward|forwards)"
_HINTEN, _VORN = "nach hinten", "(nach vorn|nach vorne|früher)"
_SCHIEBEN = "(schieben|verschieben|ziehen|rücken|versetzen)"
_WRAPPED = (
    "[,|and|und] (what|whatever|anything that) (drops|falls|slides|gets pushed) (off|out) [at] "
    "[the] end [should|shall|must] (comes|come|goes|go|wraps|wrap|reappears) [back] [in] [again] "
    "[around] (at|to|around to) the (start|beginning|front) {wrap=true}"
)
_OF_TWO = "(loud|quiet|soft) and (loud|quiet|soft)"
_SPOKEN = "(speakers|voices|talkers|parts|passages|sections|bits|people|stretches|moments)"
_SPRECHER = "(stellen|passagen|teile|abschnitte|sprecher|stimmen)"
_THERE = "[(im|in der|in dem) (vortrag|interview|podcast|gespräch|aufnahme|vorlesung|predigt)]"
_EVEN = "(even out|level out|balance|even|match up)"
_SWINGS = "(lautstärkeschwankungen|lautstärkeunterschiede|pegelschwankungen|pegelunterschiede)"
_LEVELLING = "(ausgleichen|angleichen|glätten|ausbügeln|einebnen)"
_MOST = "(at most|max|maximal|höchstens|no more than|up to|um höchstens|um maximal)"
_TEMPO = "(tempo|geschwindigkeit|speed)"
_QUICK = "(so schnell|schneller abspielen|abspielen)"
_PITCH = (
    "[,|and|und|bei|at|with] [the] ((same|unchanged|original) (pitch|key)|pitch (unchanged|the "
    "same|stays)|(gleicher|gleichbleibender|unveränderter) (tonhöhe|tonlage))"
)
_DRIVE = "[with|at|by|of|mit|um] {drive_db} [of] [drive|gain]"
_COLOURS = {"white": "(white|weißes)", "pink": "(pink|rosa)", "brown": "(brown|braunes)"}
_UNDER = "(below|under|beneath|unter) THE (signal|sound|recording|speech|voice|music|level)"
_UNTER = "unter (dem signal|der sprache|der musik|der stimme|dem pegel)"
_NOISE = "(noise|rauschen)"
_ONLY_NOISE = "(only|just|pure|nothing but) [room] (noise|hiss)"
_PURE = (
    "(is|are|ist|sind|hört man|hat man) [just|only|nothing but|nur|bloß] [pure|plain|reines|das] "
    "[room|background] (noise|hiss|rauschen|grundrauschen)"
)
_TIMES = (
    "[from|between|von|zwischen] [sekunde|second|seconds] ({noise_start_s}|{noise_start_s:alike}|"
    "{noise_start_s:seconds}) (to|till|until|bis|→|-|and|und) "
    "({noise_end_s}|{noise_end_s:seconds})"
)
_LEARN = (
    "[,|and|so|;] (learn|take|use) (from (that|it|this)|(it|that|this) as [a|the] [noise] "
    "(profile|sample|reference)) [and|to] (denoise|reduce the noise) [with it|the rest]"
)
_EARS = "(both ears|both channels|both sides|beide ohren|beide kanäle|beide seiten)"
_MIC = "(channel|side|mic|microphone|track|kanal|spur|seite|mikrofon)"
_FIELD = {
    "title": "(title|titel)",
    "artist": "(artist|interpreten|interpret|künstler)",
    "album": "album",
    "comment": "(comment|kommentar|comments)",
    "genre": "genre",
    "copyright": "copyright",
}
_CLEAR = "(remove|delete|clear|empty|erase)"
_KINDS = "(tag|field)"
_GONE = "(leeren|löschen|entfernen|leer machen)"

_PAUSE_OF = (
    "(wherever|where|everywhere|whenever) there (is|are) [a|an] [at least] ((pause|gap|silence|"
    "break) (of|longer than|over) [at least] {least_s} [or (more|longer)]|{least_s} [or more] [of] "
    "(silence|pause|quiet))"
)
_FILES = "(files|tracks|parts|pieces|clips)"

NOTES: Mapping[str, tuple[str, ...]] = {
    "equaliser": (
        f"{{type=peak}} [eq] {_AT} {{freq_hz:hz}} {_SIGNED}",
        f"{{type=peak}} [eq] {_AT} {{freq_hz:hz}} {_UP} {{+gain_db:db}}",
        f"{{type=peak}} [eq] {_AT} {{freq_hz:hz}} {_DOWN} {{-gain_db:db}}",
        "{type=peak} [eq] {gain_db:signed} (at|bei|around|@) {freq_hz:low}",
        *(
            phrase
            for kind in ("low", "high")
            for phrase in (
                f"{{type={kind}_shelf}} THE {_BAND[kind]} {_SIDE[kind]} {{freq_hz:hz}} mit [einem] "
                f"{_SHELF[kind]} um {{+gain_db:db}} anheben",
                f"{{type={kind}_shelf}} THE {_BAND[kind]} {_SIDE[kind]} {{freq_hz:hz}} mit [einem] "
                f"{_SHELF[kind]} um {{-gain_db:db}} absenken",
                f"{{type={kind}_shelf}} ADD THE {_SHELF[kind]} [at|from|bei|ab|,] {{freq_hz:hz}} "
                f"{_UP} {{+gain_db:db}}",
                f"{{type={kind}_shelf}} ADD THE {_SHELF[kind]} [at|from|bei|ab|,] {{freq_hz:hz}} "
                f"{_DOWN} {{-gain_db:db}}",
                f"{{type={kind}_shelf}} ADD THE {_SHELF[kind]} [of|with|mit|um] {{gain_db:db}} "
                f"{_SIDE[kind]} {{freq_hz:hz}}",
                f"{{type={kind}_shelf}} THE {_BAND[kind]} {_SIDE[kind]} {{freq_hz:hz}} {_SIGNED}",
                f"{{type={kind}_shelf}} {{freq_hz={_CORNER[kind]}}} THE {_BAND[kind]} {_SIGNED}",
            )
        ),
    ),
    "delay": (
        f"(nudge|shift|move|delay|push) IT [by] {{offset_s}} [{_LATER}] {_SAME_LENGTH}",
        f"(nudge|shift|move|push) IT [by] {{offset_s}} {_LATER}",
        f"(nudge|shift|move|pull) IT [by] {{-offset_s}} {_EARLIER} [{_SAME_LENGTH}]",
        f"[um] {{offset_s}} {_HINTEN} {_SCHIEBEN} [{_SAME_LENGTH}]",
        f"[um] {{-offset_s}} {_VORN} {_SCHIEBEN} [{_SAME_LENGTH}]",
        f"rotate IT [by] {{offset_s}} [later] {_WRAPPED}",
        f"(shift|move|delay) IT [by] {{offset_s}} [later] {_WRAPPED}",
    ),
    "fade": (
        "(fade|ease) (in|up) IT [over|for] {in_s} and (fade|ease) (it|that) (out|down) [over|for] "
        "({out_s}|{out_s:alike})",
        "(fade|ease) IT (in|up) [over|for] {in_s} and [then] (out|down) [over|for] "
        "({out_s}|{out_s:alike})",
        "[a] linear fade out [across|over|of|for] [the last] {out_s} {shape=linear}",
        "[a] linear fade in [across|over|of|for] [the first] {in_s} {shape=linear}",
        "fade in [over|for] [the first] {in_s} (and|,) [fade] out [over|for] [the last] "
        "({out_s}|{out_s:alike})",
        "[die] ersten {in_s} ein [-] (und|,) [die] letzten {out_s} (aus|ausblenden)",
        "[die] ersten {in_s} einblenden (und|,) [die] letzten {out_s} ausblenden",
        "fades [:] {in_s,out_s} (in and out|out and in|each|at both ends)",
        "fades [:] (in and out|out and in) [,] {in_s,out_s}",
        "fade (in and out|out and in) (over|for|,) {in_s,out_s}",
        "[a] {in_s,out_s} fade (in and out|out and in)",
        "{shape=linear} (linear|straight) fades [:] {in_s} in [,|and] {out_s} out",
        "fades [:] {in_s} in [,|and] {out_s} out",
    ),
    "split": (
        f"(cut|split|separate|chop|divide) IT [up] [into [separate|single|individual] {_FILES}] "
        f"{_PAUSE_OF}",
        f"[a] new file {_PAUSE_OF}",
        "[a] new file (wherever|where|whenever) (it is|it's) (quiet|silent) for {least_s} [or "
        "(more|longer)]",
        f"(put|save) each [1] (into|in|as) its own (file|track) {_PAUSE_OF}",
    ),
    "pauses": (
        "no (pause|gap|silence|break) [in it|between sentences] [(may|should|must|can) "
        "(last|be)] [any] longer than {longest_s}",
        "(limit|squeeze|tighten|cap|hold) THE (pauses|gaps|silences|dead air|breaks) [between (the "
        "sentences|sentences|words|phrases|questions)] (to|at|down to) [at most|max] {longest_s}",
        "(pausen|sprechpausen) (auf|bis) (maximal|höchstens|max) {longest_s} (straffen|kürzen)",
    ),
    "hum": (
        "(entbrummen|entbrumme|entbrumm) [IT]",
        "brummen bei {hz} (samt|mit|inklusive) {harmonics:bare} (harmonischen|obertönen) "
        "(weg|raus|entfernen|wegnehmen|herausfiltern)",
        "{hz} hum [and|with|including] {harmonics:bare} harmonics (out|away|gone)",
    ),
    "clicks": (
        "(entknacksen|entknackse|entknacks|entknistern|entknistere|entklicken|entklicke) [IT]",
        "declick [IT] [,|:|;] [the] clicks are (up to|at most|no longer than) {most_ms} [long]",
    ),
    "leveller": (
        f"{_EVEN} THE {_OF_TWO} {_SPOKEN}",
        f"(gleiche|gleich|gleichen) [sie] [die] (laute|leise) und (laute|leise) {_SPRECHER} "
        f"[{_MOST} {{most_db}}] an",
        f"[die] (laute|leise) und (laute|leise) {_SPRECHER} {_THERE} [bitte] "
        f"[{_MOST} {{most_db}}] {_LEVELLING}",
        f"[die] {_SWINGS} [langsam] {_LEVELLING} [[,] {_MOST} {{most_db}}]",
        "[1|one] (speaker|voice|person) is [too] (loud|louder) and (the other|another) [1|one|is] "
        "[too] (soft|quiet|quieter) [,|.] (even|level|balance) (them|it) out",
    ),
    "speed": (
        f"(slow|slow down|slow it down) IT [down] to {{-rate:share}} [of its speed] [{_PITCH}]",
        "[(slower|langsamer|slow down) [zum üben|for practice|to practise] [:|,]] {-rate:share} "
        f"{_TEMPO} [{_PITCH}]",
        f"(speed|speed up) IT [up] to {{+rate:share}} [{_PITCH}]",
        f"{{rate=1.5}} (anderthalbfache|anderthalbfaches|1.5 fache|1.5 faches|1.5-fache) {_TEMPO}",
        f"{{+rate:times}} {_QUICK} [{_PITCH}]",
        "{-rate:share} (x|×) speed",
    ),
    "distort": (
        f"{{shape=hard}} (hard clip|hard-clip|hardclip) IT {_DRIVE}",
        f"{{shape=soft}} (soft clip|soft-clip|softclip|saturate) IT {_DRIVE}",
        f"{{shape=soft}} soft (clipping|distortion|overdrive|saturation) {_DRIVE}",
        f"{{shape=hard}} hard (clipping|distortion|overdrive) {_DRIVE}",
        f"(overdrive|distort) IT {_DRIVE}",
        "(overdrive|distort) (it|this|that)",
    ),
    "left and right": (
        "[the] (left and right|right and left) [channels|sides] [are] the other way (round|around) "
        "{order=2,1}",
        "(sides|channels|left and right|links und rechts|[die] kanäle|[die] seiten) (are|is|sind) "
        "(swapped|reversed|mixed up|wrong|vertauscht|verkehrt|verdreht) [,|.|-|;] [please|bitte] "
        "(fix (that|it|this)|swap (them|it)|correct (that|it)|umtauschen|tauschen|zurücktauschen|"
        "korrigieren|richtig herum|beheben) {order=2,1}",
        f"(put|take|use|copy) THE left {_MIC} (on|to|for|onto) {_EARS} {{order=1,1}}",
        f"(put|take|use|copy) THE right {_MIC} (on|to|for|onto) {_EARS} {{order=2,2}}",
        f"[den|die] (linken|linke) {_MIC} auf {_EARS} {{order=1,1}}",
        f"[den|die] (rechten|rechte) {_MIC} auf {_EARS} {{order=2,2}}",
        f"[den] linken {_MIC} (stumm|stummschalten) [,|und] [den] rechten [{_MIC}] [so] "
        "(lassen|behalten) {order=0,2}",
        f"[den] rechten {_MIC} (stumm|stummschalten) [,|und] [den] linken [{_MIC}] [so] "
        "(lassen|behalten) {order=1,0}",
    ),
    "add noise": tuple(
        phrase
        for colour, word in _COLOURS.items()
        for phrase in (
            f"[add|put|with] {word} {_NOISE} [at] {{snr_db}} {_UNDER} {{color={colour}}}",
            f"{word} {_NOISE} {{snr_db}} {_UNTER} [hinzufügen|dazu] {{color={colour}}}",
            f"{word} {_NOISE} (on top|drauf|dazu|drüber) [at|with|bei|mit|,] {{snr_db}} (snr|"
            f"signal-to-noise ratio|rauschabstand) {{color={colour}}}",
            f"(bury|drown|cover|hide) IT in {word} {_NOISE} [,|with|at] {{snr_db}} "
            f"[snr|rauschabstand] {{color={colour}}}",
        )
    ),
    "noise": (
        "(denoise [it]|(remove|reduce) THE NOISE [by {reduction_db}]) [,|;|:|.] [the] "
        f"first {{noise_end_s}} (is|are) (noise only|{_ONLY_NOISE}) [[,|and] use (it|them|that) as "
        "[a|the] noise (profile|sample|reference)] {noise_start_s=0}",
        f"{_TIMES} {_PURE} {_LEARN}",
        f"(denoise|entrauschen|reduce the noise) [,|;|:|.] {_TIMES} {_PURE}",
        f"(reduce|lower) THE NOISE [by {{reduction_db}}] [,|;|:|.] {_TIMES} {_PURE}",
        f"NOISE [um {{reduction_db}}] (senken|mindern|reduzieren|verringern) [,|;|:|.] [reines] "
        f"(rauschen|noise) (hört man|ist|liegt) {_TIMES}",
    ),
    "loudness": (
        "(podcast|streaming|broadcast|target|gesamt|overall|integrated) (loudness|lautheit) [:|of|"
        "=|at|to|auf] {target_lufs} [,|and|with|und|mit] (true peak|peaks|peak) (no higher than|at "
        "most|max|below|not above|höchstens|maximal) ({max_true_peak_dbtp}|"
        "{max_true_peak_dbtp:peak})",
        "(gesamtlautheit|gesamtlautstärke|ziellautstärke) [:|=|auf|von] {target_lufs}",
        "(podcast|streaming|broadcast|overall|integrated|target) loudness [:|of|=|at|to] "
        "{target_lufs}",
    ),
    "limit": (
        "(limiter|limiter drauf|limit it|add a limiter|mit limiter) [,|:|;|-] (nichts|nothing) "
        "(über|above|over) {ceiling_dbtp:ceiling}",
    ),
    "padding": (
        "(vorn|vorne|am anfang) {start_s:span} [stille] [,|und] (hinten|am ende) ({end_s:span}|"
        "{end_s:alike}) [stille] [anfügen|dazu]",
    ),
    "backwards": (
        "flip IT so [that] it (runs|plays) backwards",
        "(reverse|flip) (it|that) (again|back)",
        "play (it|that) backwards again",
    ),
    "reverb": ("(verhallen|verhalle|verhall) [IT]", "{wet_level=1} (fully wet|100 % wet) reverb"),
    "high-pass": ("{slope=24} (hp|hpf|lc|locut) [at|@|bei] ({cutoff_hz}|{cutoff_hz:low})",),
    "low-pass": ("{slope=24} (lp|lpf|hicut) [at|@|bei] ({cutoff_hz}|{cutoff_hz:high})",),
    "trim silence": (
        "[nur] am ende THE SILENCE (weg|abschneiden|entfernen) [,|und] [noch] {keep_s} [davon] "
        "(stehen|übrig) lassen {edges=end}",
        "[nur] am anfang THE SILENCE (weg|abschneiden|entfernen) [,|und] [noch] {keep_s} [davon] "
        "(stehen|übrig) lassen {edges=start}",
    ),
    "clip": (
        "(lose|cut|remove|drop|trim|take|chop|strip) [off] {start_s:span} (at|from|off) the (start|"
        "front|beginning) (and|,) ({before_end_s:span}|{before_end_s:alike}) (at|from|off) the "
        "(end|back)",
        "(use|take) [only|just] the first {end_s:span}",
        "take [only|just] [from] {start_s} TILL {end_s}",
        "alles (bis|vor) {start_s} (weg|raus|abschneiden|löschen|wegschneiden|entfernen)",
        "alles (ab|nach) {end_s} (weg|raus|abschneiden|löschen|wegschneiden|entfernen)",
    ),
    "cut": (
        "(nimm|schneide|schneid|lösche) [bitte] [von] {start_s} (bis|-|→) {end_s} (raus|heraus) "
        "[und|,] (füg|füge|setz|setze) [den rest|alles|es] [wieder] (zusammen|aneinander)",
    ),
    "gain": (
        "[the] last {last_s:span} (is|are) [too|way too|far too] (hot|loud) [,|.|;] (pull|turn|"
        "bring|take) (them|it|that) down [by] {-gain_db}",
        "[the] first {end_s:span} (is|are) [too|way too|far too] (hot|loud) [,|.|;] (pull|turn|"
        "bring|take) (them|it|that) down [by] {-gain_db}",
        "[the] last {last_s:span} (is|are) [too|way too|far too] (quiet|soft|faint) [,|.|;] (push|"
        "turn|bring|lift|raise) (them|it|that) [up] [by] {+gain_db}",
        "(hebe|heb|heben) [sie] [die] (lautstärke|pegel|den pegel) [ab|von] {start_s} [minuten] "
        "bis zum (schluss|ende) um {+gain_db} an",
        "(senke|senk|senken) [sie] [die] (lautstärke|pegel|den pegel) [ab|von] {start_s} [minuten] "
        "bis zum (schluss|ende) um {-gain_db} ab",
    ),
    "tags": tuple(
        phrase
        for name, word in _FIELD.items()
        for phrase in (
            f"{_CLEAR} [the] {word} {_KINDS} {{{name}=}}",
            f"(das|den|die) {word} [-] [feld|tag] {_GONE} {{{name}=}}",
            f"(das|den|die) {'kommentarfeld' if name == 'comment' else name + 'feld'} {_GONE} "
            f"{{{name}=}}",
        )
    ),
}
"""By the names of wordings."""
