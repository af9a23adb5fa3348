"""What people say for each audio tool, in English and German: data, in the language of patterns.

A word in capitals is one of `MACROS`, which are patterns themselves; the rest is explained in
runtime/audio/vocabulary/words/patterns.py. A phrase has to fit all of what is said.
"""

from __future__ import annotations

from collections.abc import Mapping

from .audio_formats import SPOKEN, WITH_BITRATE
from .wordings.everyday import EVERYDAY
from .wordings.joins import JOIN_PHRASES, MIX_PHRASES, POINT_PHRASES
from .wordings.more import MORE
from .wordings.notes import NOTES
from .wordings.tags import TAG_PHRASES

_WITH_BITRATE = [(word, name) for word, name in SPOKEN.items() if name in WITH_BITRATE]
_ALL = ("it|this|that|everything|all|me|es|das|dies|alles|the (file|audio|sound|recording|track|"
        "whole|song|episode|transfer|tape)|my (file|audio|recording|track|song)|"
        "die (datei|aufnahme|spur)|den (ton|klang)")  # fmt: skip
MACROS: Mapping[str, str] = {
    "ALL": f"[{_ALL}]",
    "IT": f"[{_ALL}|the (voice|speech|music)|my voice|die stimme]",
    "SELF": "(it|this|that|(this|the|my) (recording|file|scene|piece|track|song|episode|one|part)|"
            "dies|(diese|die|meine) (szene|aufnahme|datei|folge|spur)|(dieses|das|mein) stück)",
    "THE": "[the|its|a|an|any|all|all the|der|die|das|den|dem|ein|eine|einen]",
    "BY": "[by|um|of]",
    "AT": "[at|to|of|auf|bei|ab|from|above|on|=]",
    "NORM": "(normalise|normalize|normalisiere|normalisier|level)",
    "SET": "(set|bring|get|make|put|take|target|aim for|setze|setz|bringe|bring|stelle)",
    "LEVEL": "(volume|level|gain|loudness|lautstärke|pegel|lautheit)",
    "RAISE": "(raise|increase|boost|lift|turn up|pump up|erhöhe|erhöh|hebe|heb)",
    "LOWER": "(lower|reduce|decrease|attenuate|drop|turn down|bring down|senke|senk|reduziere|"
             "verringere)",
    "REMOVE": "(remove|cut|delete|drop|strip|filter out|get rid of|take out|take away|roll off|"
              "kill|eliminate|entferne|entfern|schneide|lösche|filtere)",
    "AWAY": "[weg|ab|heraus|raus|out|off|away]",
    "ADD": "[add|apply|use|put|put on|give it|insert|with|füge|nimm|setze]",
    "BASS": "(bass|lows|low end|low frequencies|bässe|tiefen)",
    "TREBLE": "(treble|highs|top end|high frequencies|höhen)",
    "START": "(start|beginning|front|head|anfang|beginn)",
    "END": "(end|ende|back|tail)",
    "SILENCE": "(silence|silences|stille|pausen am rand)",
    "TILL": "(to|till|until|bis|through|-|→)",
    "NOISE": "[background|steady|constant] (noise|noises|hiss|fan noise|rauschen|"
             "hintergrundrauschen|grundrauschen|hintergrundgeräusche|nebengeräusche|störgeräusche)",
    "SHARP": "(sibilance|sibilants|sibilant sounds|s sounds|sharp s sounds|sharp s|zischlaute|"
             "scharfen s-laute|s-laute)",
    "PAUSES": "[long] (pauses|gaps|silences|breaks|pausen|sprechpausen)",
    "SAVE": "(export|save|write|convert|encode|render|give me|i need|make|output|speichere|"
            "speicher|exportiere|wandle|konvertiere)",
}  # fmt: skip
_PEAK = ("[[and|with|at|,|und|mit] THE [maximum|max|max.] "
         "[true peak|true peaks|peak|peaks|peak level|spitze|spitzen|spitzenpegel] "
         "[of|at|to|below|under|unter|bei|auf|max|maximal] [at most|höchstens] "
         "{max_true_peak_dbtp}]")  # fmt: skip
_PEAK_ALONE = ("(and|with|,) THE [maximum] (true peak|peak|peaks) [of|at|to|below] [at most] "
               "{max_true_peak_dbtp}")  # fmt: skip
_LOUD = "[loudness|lautheit|lautstärke]"
_DONE = "[normalisieren|bringen|setzen|ready|loudness|fertig|standard|level]"
_HIGH = ("(high-pass|highpass|high pass|low-cut|low cut|lowcut|hochpass|hochpassfilter|"
         "trittschallfilter)")  # fmt: skip
_LOW = "(low-pass|lowpass|low pass|high-cut|high cut|highcut|tiefpass|tiefpassfilter)"
_BELOW, _ABOVE = "(below|under|unter|unterhalb von)", "(above|over|über|oberhalb von)"
_HUM = "(hum|humming|mains hum|buzz|power line hum|brummen|netzbrummen|brumm)"
_GONE = "(entfernen|abschneiden|wegschneiden|herausfiltern|löschen)"
_FROM = "([from|von] {start_s} TILL|(between|zwischen) {start_s} (and|und)) {end_s}"
_PART = "[section|part|piece|bit|segment|teil|abschnitt|stück|stelle]"
_OVER = "[of|over|for|about|über|von|in]"
_BEST = (
    "(best|highest|maximum|max|best possible|beste|bester|besten|höchste|höchster|bestmöglicher) "
    "(quality|qualität)"
)
_FIRST, _LAST = "[the|die|den] (first|ersten|erste)", "[the|die|den] (last|final|letzten|letzte)"

_LEFT = "(left|linken|linke) [channel|side|kanal|seite]"
_RIGHT = "(right|rechten|rechte) [channel|side|kanal|seite|one]"
_MAKEUP = "(make-up|makeup|make up|makeup-gain|make-up-gain|aufholverstärkung)"
_USE = "use|nimm|add|put on|setze|with|mit"
_ARTICLE = "[a|an|the|ein|einen|eine]"
_COMPRESSOR = "(compressor|kompressor|compression|kompression|komprimieren|compress)"
_THRESHOLD = "[THE] (threshold|schwelle) [of|at|bei|:] ({threshold_db}|{threshold_db:level})"
_RATIO = "[THE] [ratio|verhältnis] [of|:] {ratio}"
_AROUND = "(at|bei|around) {freq_hz:hz}"
_SWAP = "(swap|switch|exchange|flip|vertausche|tausche)"
_Q = "[[,|and|und] [with|mit] [a|an|einem|einer] (q|güte|q-factor) [of|von|=] {q:q}]"
_SHELVES = {
    "low": "(low shelf|low-shelf|lowshelf|bass shelf) [filter]",
    "high": "(high shelf|high-shelf|highshelf|hi-shelf|treble shelf) [filter]",
}
_OWN: Mapping[str, tuple[str, ...]] = {
    "join": JOIN_PHRASES,
    "mix": MIX_PHRASES,
    "points": POINT_PHRASES,
    "tags": TAG_PHRASES,
    "trim silence": (
        "(trim|REMOVE) THE SILENCE AWAY [(at|from|off|an|am) (both ends|beiden enden|the ends|den "
        "enden|[the] START (and|und) [the|am] END)] [(below|under|unter) {threshold_dbfs}] [keep "
        "{keep_s}] AWAY",
        "(trim|REMOVE) THE SILENCE (at|from|off|an|am) [the] START [(below|under) "
        "{threshold_dbfs}] [keep {keep_s}] {edges=start}",
        "(trim|REMOVE) THE SILENCE (at|from|off|an|am) [the] END [(below|under) "
        "{threshold_dbfs}] [keep {keep_s}] {edges=end}",
        "(trim|REMOVE) THE (leading|initial|führende) SILENCE {edges=start}",
        "(trim|REMOVE) THE (trailing|final) SILENCE {edges=end}",
        "(trim|REMOVE) THE leading (and|und) trailing SILENCE",
        "SILENCE [(am START (und|and) [am] END)] (entfernen|wegschneiden|abschneiden)",
        "SILENCE am START (entfernen|wegschneiden|abschneiden) {edges=start}",
        "SILENCE am END (entfernen|wegschneiden|abschneiden) {edges=end}",
        "(top and tail|top-and-tail) IT",
    ),
    "clip": (
        f"(keep|clip|take|extract|leave|behalte) [only|nur] {_FIRST} {{end_s}}",
        "(end|stop) IT at {end_s}",
        "(use|take|verwende|nimm) IT from {start_s} (to|till|until|up to|bis) {end_s}",
        "(make|cut|get) IT {end_s} long by (cutting|trimming) [off] the end",
    ),
    "cut": (
        f"REMOVE AWAY THE {_PART} {_FROM} AWAY",
    ),
    "fade": (
        f"fade (in and out|in and fade out) {_OVER} {{in_s,out_s}}",
        f"(fade in|fade-in) {_OVER} {{in_s}} (and|und) [fade] [out] {_OVER} {{out_s}} [fade out]",
        "[add|do] THE {in_s} (fade in|fade-in) and THE {out_s} (fade out|fade-out)",
        "[add|use] THE (fade|fades) [please|bitte] [,|:] {in_s} (in|ein) [at THE START|am START] "
        "[,] (and|und) {out_s} (out|aus) [at THE END|am END]",
        f"[blende] [über] [{_FIRST}] {{in_s}} (ein|einblenden)",
        f"[blende] [über] [{_LAST}] {{out_s}} (aus|ausblenden)",
    ),
    "gain": (
        "turn THE LEVEL up BY {+gain_db}",
        "turn THE LEVEL down BY {-gain_db}",
        "RAISE THE LEVEL BY {+gain_db} [an]",
        "LOWER THE LEVEL BY {-gain_db} [ab]",
        "LOWER ALL BY {-gain_db} [ab]",
        "THE LEVEL up BY {+gain_db}",
        "THE LEVEL down BY {-gain_db}",
        "add {+gain_db} [of gain|gain|to it]",
        "[add|apply] THE gain [of] {gain_db}",
        "{gain_db} [of] gain",
    ),
    "peak level": (
        "[NORM|SET] THE [sample] (peak|peaks|spitzenpegel|spitze|spitzen) AT {target_dbfs}",
    ),
    "loudness": (
        f"(NORM|SET|loudness NORM) IT THE {_LOUD} [at|to|of|auf|for] {{target_lufs}} {_PEAK} "
        f"{_DONE}",
        # A level alone, "to -14 dB", may be meant as a loudness or as a peak.
        f"NORM IT THE {_LOUD} [{_PEAK_ALONE}]",
        f"IT THE {_LOUD} [at|to|of|auf] {{target_lufs}} {_PEAK} {_DONE}",
    ),
    "high-pass": (
        f"{{slope=24}} ADD THE {_HIGH} [filter] IT AT {{cutoff_hz}} [with {{slope}} per octave]",
        f"(REMOVE|reduce) THE [low] (rumble|rumpeln|trittschall) [{_BELOW} {{cutoff_hz}}] "
        "{cutoff_hz=80} {slope=24}",
    ),
    "low-pass": (
        f"{{slope=24}} ADD THE {_LOW} [filter] IT [at|below|from|bei|ab] {{cutoff_hz}} "
        "[with {slope} per octave]",
        f"{{slope=24}} (REMOVE|reduce) THE hiss {_ABOVE} {{cutoff_hz}}",
    ),
    "band-pass": (
        "{slope=24} ADD THE (band-pass|bandpass|band pass|bandpassfilter) [filter] "
        "([from|von] {low_hz} TILL|(between|zwischen) {low_hz} (and|und)) {high_hz}",
    ),
    "hum": (
        f"(REMOVE|reduce|clean up|LOWER) THE [{{hz}}] {_HUM} [(at|around|of|bei|von) {{hz}}] AWAY",
        f"THE [{{hz}}] {_HUM} [(bei|von) {{hz}}] {_GONE}",
        "(de-hum|dehum|hum removal) [IT] [at|around|bei] [{hz}]",
    ),
    "noise": (
        "(REMOVE|LOWER|clean up|suppress|weaken|take) THE NOISE [in the background] AWAY "
        "[BY {reduction_db}]",
        "THE NOISE [um {reduction_db}] (entfernen|reduzieren|verringern|wegmachen|abschwächen)",
        "ADD [some] (noise reduction|noise removal|noise-reduction|rauschunterdrückung|"
        "rauschminderung) [of|by|at|um|von] [{reduction_db}]",
    ),
    "clicks": (
        "(declick|de-click|decrackle|de-crackle) IT",
        "[do|apply] (click removal|declicking|de-clicking)",
    ),
    "de-ess": (
        "ADD THE (de-esser|deesser) [BY {most_db}] [(above|at|from|bei|ab|über) {freq_hz}]",
        "(REMOVE|LOWER|soften|tame|weaken|dämpfe) THE SHARP [BY {most_db}] "
        "[(above|at|from|ab|über) {freq_hz}]",
    ),
    "pauses": (
        "(shorten|tighten|trim|cut|reduce|limit|kürze|verkürze) THE PAUSES "
        "(to|down to|auf) [at most|höchstens|maximal] {longest_s}",
    ),
    "split": (
        "(split|cut|teile|zerteile|schneide) IT [into (files|parts|tracks|pieces)] "
        "(at|on|by|an|bei) THE PAUSES [(of|longer than|von|länger als|ab) "
        "[at least|more than|mindestens] {least_s} [or more|or longer|oder mehr|und mehr|oder "
        "länger]] [into (files|parts|tracks|pieces)|auf]",
        "an THE PAUSES [(ab|von|über|länger als) [mindestens] {least_s}] "
        "(teilen|zerteilen|schneiden)",
    ),
    "leveller": (
        "(even out|level out|balance|smooth out|ride) THE (level|levels|volume|loudness|voices|"
        "speakers|dynamics) [by [up to|at most] {most_db}]",
        "(make|get|keep) THE (volume|level|levels|loudness|voices) [more] (even|consistent|equal|"
        "balanced) [by [up to|at most] {most_db}]",
        "ADD THE (leveller|leveler|auto-leveller|auto-leveler) [of|by|with] "
        "[[up to|at most] {most_db}]",
        "gleiche THE (lautstärke|lautstärken|pegel|stimmen) (aus|an)",
    ),
    "equaliser": (
        f"{{type=peak}} (RAISE|eq) {{freq_hz:hz}} BY {{+gain_db:db}} [an] {_Q}",
        f"{{type=peak}} (LOWER|cut|dip) {{freq_hz:hz}} BY {{-gain_db:db}} [ab] {_Q}",
        f"{{type=peak}} [eq|add|boost] {{gain_db:db}} (at|bei|around) {{freq_hz:hz}} {_Q}",
        "{type=peak} [ein|eine|a] (bell|peak|glocke|glockenfilter) [filter] [at|bei|,] "
        f"{{freq_hz:hz}} [,|mit|with] {{gain_db:db}} {_Q}",
        f"{{type=peak}} {{-gain_db:db}} (down|less|weniger|runter) {_AROUND} {_Q}",
        f"{{type=peak}} {{+gain_db:db}} (up|more|mehr|rauf) {_AROUND} {_Q}",
        f"{{type=peak}} (dip|cut|notch) {{-gain_db:db}} (at|bei|around) {{freq_hz:hz}} {_Q}",
        *(
            phrase
            for kind, side in (("low", _BELOW), ("high", "(above|from|over|über|ab)"))
            for phrase in (
                f"{{type={kind}_shelf}} ADD THE {{gain_db:db}} {_SHELVES[kind]} "
                "[at|from|bei|ab|,] {freq_hz:hz}",
                f"{{type={kind}_shelf}} ADD THE {_SHELVES[kind]} [of|by|with|um|mit|,] "
                "{gain_db:db} [at|from|bei|ab|,] {freq_hz:hz}",
                f"{{type={kind}_shelf}} ADD THE {_SHELVES[kind]} [at|from|bei|ab|,] {{freq_hz:hz}} "
                "[,] [of|by|with|um|mit|plus] {gain_db:db}",
                f"{{type={kind}_shelf}} LOWER ALL {side} {{freq_hz:hz}} BY {{-gain_db:db}} [ab] "
                f"(with|mit) [einem] THE {_SHELVES[kind]}",
                f"{{type={kind}_shelf}} LOWER ALL {side} {{freq_hz:hz}} (with|mit) [einem] THE "
                f"{_SHELVES[kind]} BY {{-gain_db:db}} [ab]",
                f"{{type={kind}_shelf}} RAISE ALL {side} {{freq_hz:hz}} BY {{+gain_db:db}} [an] "
                f"(with|mit) [einem] THE {_SHELVES[kind]}",
                f"{{type={kind}_shelf}} RAISE ALL {side} {{freq_hz:hz}} (with|mit) [einem] THE "
                f"{_SHELVES[kind]} BY {{+gain_db:db}} [an]",
            )
        ),
        "{type=low_shelf} {freq_hz=120} [add] {+gain_db:db} [more|mehr|of] BASS",
        "{type=low_shelf} {freq_hz=120} (less|weniger|LOWER|cut) THE BASS BY {-gain_db:db} [ab]",
        "{type=low_shelf} {freq_hz=120} {gain_db=-3} [there is] (too much|zu viel) [of] THE BASS",
        "{type=high_shelf} {freq_hz=6000} {gain_db=-3} [there is|there are] (too much|zu viel|"
        "zu viele) [of] THE TREBLE",
        "{type=high_shelf} {freq_hz=6000} [add] {+gain_db:db} [more|mehr|of] TREBLE",
        "{type=high_shelf} {freq_hz=6000} (less|weniger|LOWER|cut) THE TREBLE BY {-gain_db:db} "
        "[ab]",
    ),
    "compress": (
        "(compress|komprimiere|komprimier) IT [by|with|at|mit] [a ratio of] [{ratio}] "
        "[(at|above|from|ab|bei|with a threshold of) {threshold_db}] [with {attack_ms} attack] "
        "[with {makeup_db} [of] (makeup|make-up) [gain]]",
        # As settings are listed.
        *(
            f"[{_USE}] {_ARTICLE} [gentle|light|soft|sanften|leichten] {_COMPRESSOR} "
            f"[rein|drauf|settings|please|bitte] [with|mit|at|:|,] [:|,] {first} [,|and|und] "
            f"{second} "
            "[[,|and|und] [THE] attack [of|time|:] {attack_ms}] "
            "[[,|and|und] [THE] release [of|time|:] {release_ms}] [[,|and|und] [mit|with] "
            f"({{makeup_db}} [of] {_MAKEUP} [gain]|{_MAKEUP} [gain] [of] {{makeup_db}})]"
            for first, second in ((_THRESHOLD, _RATIO), (_RATIO, _THRESHOLD))
        ),
        # As the knobs stand on the device: each with its name, in this order.
        "(ADD THE {ratio} (compressor|compression|kompressor|kompression)|(compress|komprimiere|"
        "ADD THE (compressor|compression|kompressor|kompression)) IT [at|with|of|mit|:] "
        "[THE ratio [of]] {ratio}) [,] [[with|mit] THE] ({threshold_db} "
        "threshold|(threshold|schwelle|at|above|ab|bei) [of|at|bei] {threshold_db}) "
        "[[,|and|und] [with|mit] THE ({attack_ms} attack|attack [of|time] {attack_ms})] "
        "[[,|and|und] [with|mit] THE ({release_ms} release|release [of|time] {release_ms})]",
        "ADD THE (compressor|compression|kompressor|kompression) [at|with|of|mit] [a ratio of] "
        "{ratio} [(at|above|from|ab|bei|with a threshold of) {threshold_db}]",
    ),
    "limit": (
        "ADD THE [true peak] limiter [at|to|of|auf|bei|with] {ceiling_dbtp}",
        "ADD THE true peak limit [of|at|to] {ceiling_dbtp}",
    ),
    "noise gate": (
        "ADD THE (gate|noise-gate|noise gate) [the noise|everything] [at|below|bei|unter] "
        "[{threshold_db}]",
    ),
    "reverb": (
        "ADD [some|etwas] (reverb|reverberation|hall|nachhall) [on it|to it|hinzu]",
        "ADD (a little|a bit of|light|some light|slight|ein wenig|ein bisschen|wenig) "
        "(reverb|reverberation|hall) [on it|to it|hinzu] {wet_level=0.1}",
        "ADD (a lot of|much|lots of|viel) (reverb|reverberation|hall) [on it|to it|hinzu] "
        "{wet_level=0.4}",
    ),
    "pitch": (
        "(raise|increase|shift up|transpose up) [the|its] pitch BY {+semitones}",
    ),
    "speed": (
        "(speed IT up|speed up) BY ({+rate:percent}|{+rate:times}) [without changing the pitch]",
        "(slow IT down|slow down) BY ({-rate:percent}|{-rate:times}) [without changing the pitch]",
    ),
    "channels": (
        "[(convert|mix down|downmix|make|mach|fold|wandle|sum)] IT [down] [to|in|nach] mono "
        "[umwandeln] {channels=1}",
    ),
    "sample rate": (
        "(resample|convert) IT [to] {sample_rate_hz} [sample rate]",
        "(sample rate|samplerate|abtastrate) [of|von|auf|=|:] {sample_rate_hz:samples}",
    ),
    "sample format": (
        "[convert|make|reduce|save|wandle] IT [to|as|at|in|auf] {subtype:bit}",
        "[SAVE] IT [to|as|at|in|auf|mit|als] [32] [-] [bit] (float|floating point|fließkomma|"
        "gleitkomma) [samples|format|wav] [umwandeln|speichern] {subtype=FLOAT}",
    ),
    "bitrate": (
        *(
            f"[SAVE] IT [as|to|in|into|als|nach] THE {word} [file|datei] [at|with|in|mit|of] "
            f"{{bitrate_kbps:kbps}} [speichern|exportieren] {{format={name}}}"
            for word, name in _WITH_BITRATE
        ),
        *(
            f"[SAVE] IT [as|to|in|into|als] THE {{bitrate_kbps:kbps}} {word} [file|datei] "
            f"{{format={name}}}"
            for word, name in _WITH_BITRATE
        ),
        *(
            f"[SAVE] IT [as|to|als] THE ({_BEST} mp3 [file|datei]|"
            f"in [the|der] {_BEST} (as|als) [an|a] mp3|mp3 [file|datei] (in|with|mit|at) "
            f"[the|der] {_BEST}) [speichern|exportieren] {{bitrate_kbps=320}} {{format=mp3}}",
        ),
        *(
            f"[SAVE] IT [as|to|als] THE ({{bitrate_kbps:rate}} {word}|{word} [file|datei] [at|with|"
            f"mit] {{bitrate_kbps:rate}}) {{format={name}}}"
            for word, name in _WITH_BITRATE
        ),
        "[at|with|mit] [THE (bitrate|bit rate|datenrate)] [of|von] {bitrate_kbps:kbit}",
    ),
    "distort": (
        "ADD THE (distortion|overdrive) [of|at] {drive_db}",
        "{shape=hard} ADD THE (hard clipping|hard distortion|hard overdrive|hartes clipping|"
        "harte verzerrung|harte übersteuerung) [of|at|with|by|von|mit] {drive_db} [of] [drive]",
    ),
    "polarity": (
        "(invert|flip|turn round|reverse) THE (polarity|phase)",
    ),
    "add noise": (
        "add [some] [{color=white}] [white] noise [at] {snr_db} (below [the signal]|down)",
    ),
    "left and right": (
        f"{_SWAP} THE [stereo] (channels|sides|kanäle|seiten) [round|around|over] {{order=2,1}}",
        f"{_SWAP} [the|den] (left and right|right and left|links und rechts|rechts und links|"
        "linken und rechten|rechten und linken) [channel|channels|kanal|side|sides] "
        "[round|around|over] {order=2,1}",
        f"(copy|duplicate|put|kopiere) THE {_LEFT} (to|onto|on|over to|into|auf) THE {_RIGHT} [too|"
        "as well|auch] {order=1,1}",
        f"(copy|duplicate|put|kopiere) THE {_RIGHT} (to|onto|on|over to|into|auf) THE {_LEFT} [too|"
        "as well|auch] {order=2,2}",
    ),
    "mute": (
        f"(mute|silence|blank) THE {_PART} {_FROM} {{gain_db=-100}}",
    ),
    "padding": (
        "(add|insert|put|leave) {start_s} [of] (silence|quiet) (at|before|in front of) [the] START",
    ),
    "backwards": (
        "(reverse|play) IT (backwards|backward|in reverse)",
        "(reverse|rückwärts) IT",
    ),
    "delay": (
        "(shift|move) IT [later] BY {offset_s} [later]",
    ),
}  # fmt: skip
PHRASES: Mapping[str, tuple[str, ...]] = {
    name: (*phrases, *(phrase for more in (MORE, EVERYDAY, NOTES) for phrase in more.get(name, ())))
    for name, phrases in _OWN.items()
}
"""By the names of wordings."""
