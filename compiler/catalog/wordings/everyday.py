"""What people type every day, short and in their own order, by the names of wordings."""

from __future__ import annotations

from collections.abc import Mapping

_GO = "(remove|cut|cut off|trim|trim off|snip off|chop off|get rid of|lose|take off|strip)"
_WEG = "(weg|weg damit|raus|wegschneiden|abschneiden|entfernen|löschen|rausschneiden|kürzen)"
_QUIET = "(quiet bit|quiet part|silent bit|silent part|empty bit|empty part|dead air)"
_RUHE = "(ruhe|leere stelle|leeren teil|stille stelle|leere)"
_SPEAKING = "(speaking|talking|singing|playing|reading)"
_VORN = "(vorn|vorne|am anfang|ganz am anfang|zu beginn)"
_HINTEN = "(hinten|am ende|am schluss|zum schluss|ganz am ende)"
_PAUSE = "(pause|stille|ruhe|silence|leerlauf)"
_DRAN = "(anhängen|dranhängen|anfügen|dran|ran|hinzufügen|einfügen|dazu|setzen|rein)"
_GAP = "(silence|pause|gap|break|quiet|blank)"
_FADE_IN = "[a|an] [quick|short|gentle|soft|slow|smooth] (fade in|fade-in)"
_FADE_OUT = "[a|an] [long|slow|gentle|soft|quick|short|smooth] (fade out|fade-out)"
_OVER = "[of|over|for|,|across|lasting]"
_RIGHT = (
    "(make|get|set|bring|put|give) IT [to|at] THE (right|correct|proper|recommended) [integrated] "
    "(loudness|level|volume)"
)
_STREAMS = "[the] (spotify|youtube|apple music|tidal|deezer|streaming|streaming services)"
_TOO_MUCH = "[there is|there's|it has|that's|da ist|es hat] (too much|zu viel)"
_TAKE = "[,|.|:] [take] [IT|that|them|um]"
_OFF = "(quieter|down|off|less|runter|weniger|raus|weg|rausnehmen|leiser)"
_EACH_SIDE = "(on|at) (each|both|either) (side|end|sides|ends)"
_EACH_END = "(at|on) (both ends|each end|either end|both sides|the start and [the] end)"
_SPOKEN = "(sound|hit|clip|sample|loop)"
_PART = "[the|this|that|den|die|das] [part|bit|section|teil|abschnitt|stelle]"
_LEAST = "[the] (silence|silences|pauses|gaps|breaks)"
_TOTAL = "(the|its) [total] (length|duration) (must|should|has to|needs to) (stay|remain) the same"
_COUGH = (
    "(cough|sneeze|laugh|swear word|name|mistake|ad|jingle|huster|versprecher|"
    "räusperer|nieser|lacher|fluch|fehler|stelle|werbung|ähm)"
)
_WRAPPED = (
    "[,|und] was hinten (herausfällt|rausfällt|rauskommt) [,] [soll|kommt] (vorn|vorne) wieder "
    "(rein|herein|hinein|dran|reinkommen) {wrap=true}"
)
_RUN = "(laufen lassen|abspielen|laufen|spielen|ablaufen lassen)"
_EFFECT = "[a bit of|some|a touch of|light|heavy]"

EVERYDAY: Mapping[str, tuple[str, ...]] = {
    "trim silence": (
        f"{_GO} THE {_QUIET} (at|from|off) THE (start|beginning|front) {{edges=start}}",
        f"{_GO} THE {_QUIET} (at|from|off) THE (end|back) {{edges=end}}",
        f"{_GO} THE SILENCE before [i|we|he|she|they|anyone] [start|starts|begin|begins] "
        f"{_SPEAKING} {{edges=start}}",
        f"{_GO} THE SILENCE after [i|we|he|she|they] (stop|stopped|finish|finished) "
        f"{_SPEAKING} {{edges=end}}",
        f"[die|der|den] {_RUHE} {_VORN} {_WEG} {{edges=start}}",
        f"[die|der|den] {_RUHE} {_HINTEN} {_WEG} {{edges=end}}",
        f"[die|der|den] {_RUHE} {_VORN} und {_HINTEN} {_WEG}",
        "(clean up|tidy up|tidy) THE (edges|ends)",
    ),
    "clip": (
        "(keep|take|use) (everything|all) (up to|until|till|before) {end_s}",
        "(keep|take|use) (everything|all) (from|after) {start_s} [on|onwards]",
        "(i need|give me|take|keep|just|only|nur) [just|only] [the] [part|bit] [from] {start_s} "
        "(to|till|until|bis|-) {end_s} (as|for|als|für) (a|my|einen|meinen) (ringtone|klingelton)",
        "(cut|chop) IT off at {end_s}",
        "(erst|nur) ab {start_s}",
        "(lass|lasse) IT (bei|um) {end_s} (aufhören|enden)",
        "(lass|lasse) IT (erst|bei|ab) [bei|ab] {start_s} (anfangen|beginnen|losgehen)",
    ),
    "cut": (
        "(cut|delete|remove|take) [out] [from] {start_s} (to|-|till|until) {end_s} [out] and close "
        "(the gap|it up|up the gap)",
        f"{_GO} THE {_COUGH} (at|from|between|bei|von) {{start_s}} (to|till|until|bis|-|and|und) "
        "{end_s}",
        f"[den|die|das] {_COUGH} (bei|von|zwischen) {{start_s}} (bis|und|-) {{end_s}} "
        "(raus|weg|rausschneiden|wegschneiden|entfernen|löschen)",
    ),
    "mute": (
        "(ton|sound|audio) (aus|off) (von|from|zwischen|between) {start_s} (bis|to|and|und|-) "
        "{end_s} "
        "{gain_db=-100}",
        "[mach|mache|schalte|schalt] [den|die] (ton|sound|audio) (von|from|zwischen|between) "
        "{start_s} "
        "(bis|to|and|und|-) {end_s} (aus|off|ausschalten|ausmachen) {gain_db=-100}",
        "turn [the] (sound|audio) off (from|between) {start_s} (to|and|till|until|-) {end_s} "
        "{gain_db=-100}",
        "turn off [the] (sound|audio) (from|between) {start_s} (to|and|till|until|-) {end_s} "
        "{gain_db=-100}",
        "[den|die|das] (namen|name|fluch|wort|ansage|stelle|huster|satz) (von|zwischen|ab) "
        "{start_s} "
        "(bis|und|-) {end_s} (stumm schalten|stummschalten|stumm|muten|stumm machen) "
        "{gain_db=-100}",
        f"(bleep|blank) [out] {_PART} [from|between] {{start_s}} (to|till|until|and|-) {{end_s}} "
        "{gain_db=-100}",
    ),
    "points": (
        "(cut|chop|split) IT (in half|in two) at {first_s:s}",
        "(cut|chop|split) IT (into 2|in 2) [parts|pieces|files] at {first_s:s}",
        "(split|divide|teile|trenne|splitte) IT (after|nach) {first_s:s} [auf]",
        "nach {first_s:s} (und|,) [nach] {second_s:s} (teilen|trennen|aufteilen|splitten|"
        "schneiden)",
        "(at|bei) {first_s:s} (halbieren|durchschneiden|zerschneiden|splitten)",
        "(at|bei) {first_s:s} (and|und) [bei|at] {second_s:s} (zerschneiden|durchschneiden)",
        "IT (at|bei) {first_s:s} [(and|und) [bei|at] {second_s:s}] (zerschneiden|teilen|trennen|"
        "splitten|aufteilen|durchschneiden|schneiden)",
    ),
    "join": (
        "(join|attach|add|stick|glue) {second:file} (after|behind|onto|on to) (this 1|it|this|that|"
        "the end) [(with|using) [a] {crossfade_s} [long] (crossfade|cross-fade|cross fade)]",
        "(merge|join|combine) IT with {second:file} [(with|using) [a] {crossfade_s} "
        "(crossfade|cross-fade|cross fade)]",
        "{first:file} first [,] then (this|it|this 1|mine) [;|,] [with] [a] (crossfade|"
        "cross-fade) of "
        "{crossfade_s}",
        "[danach|dahinter|hinten] {second:file} (anhängen|dranhängen|ankleben|anfügen)",
        "[davor|vorn|vorne] {first:file} (davorhängen|davorsetzen|voranstellen|davor)",
    ),
    "mix": (
        "mit {second:file} (zusammenmischen|mischen|abmischen|mixen)",
        "[zusammen] mit {second:file} (mischen|mixen|abmischen)",
        "(misch|mische|leg|lege) {second:file} [mit|um] {below_db} (leiser|tiefer) (dazu|drunter|"
        "darunter|rein|bei|hinein)",
        "{second:file} (zumischen|dazumischen|beimischen|reinmischen|drunterlegen|unterlegen) "
        "{below_db=12}",
        "{second:file} [mit] {below_db} (leiser|tiefer) (drunter|darunter|drunterlegen|unterlegen|"
        "dazu|dazumischen|drunter legen)",
    ),
    "fade": (
        f"fade in and out [,] {_OVER} {{in_s,out_s}} (each|both|on each side|at each end)",
        f"[make|add] [a|an] [soft|gentle|smooth|quick|slow|short] fade in and [fade] out {_OVER} "
        "{in_s,out_s} [each]",
        f"[add|do|use|put] (fade|fades) [IT] {_OVER} {{in_s,out_s}} (in and out|in and fade out)",
        "[add|do|use] [a|an] {in_s,out_s} [fade] in and [fade] out [fade|fades]",
        f"[add|do|use|put] [a|an] {{in_s,out_s}} (fade|fades) {_EACH_END}",
        f"[{_VORN}|blende] {{in_s}} ein [-] (und|,) [{_HINTEN}] {{out_s}} (ausblenden|aus)",
        "[blende|blend] {in_s,out_s} (ein und aus|ein und ausblenden|ein- und ausblenden) "
        "[blende|blenden]",
        "{in_s,out_s} (fade|blende) [jeweils|je] vorne und hinten",
        "[am anfang und am ende|vorne und hinten|vorn und hinten] [je|jeweils] {in_s,out_s} "
        "(fade|blende|fades|blenden|ein- und ausblenden|ein und ausblenden)",
        f"{_FADE_IN} {_OVER} {{in_s}} (and|,) {_FADE_OUT} {_OVER} {{out_s}}",
        f"(a|an) long (fade out|fade-out) {_OVER} {{out_s}}",
        "ein [-] und (ausblenden|aus blenden) [mit|über] [je|jeweils] {in_s,out_s}",
        "(weich|sanft|langsam|schön) [ein [-] und] ausblenden [,|über|mit|in] {out_s}",
        "(weich|sanft|langsam|schön) einblenden [,|über|mit|in] {in_s}",
        "(let|have) IT fade (out|away) (over|in|during) [the last] {out_s}",
    ),
    "padding": (
        f"(put|add|append|have) [a|an] {{end_s:span}} [of] {_GAP} (at|on) [the] [very] END",
        f"(put|add|insert|have) [a|an] {{start_s:span}} [of] {_GAP} (at [the] [very] START|"
        "before IT [starts|begins]|in front|up front)",
        f"(put|add|append|have|insert) [a|an] {{start_s,end_s:span}} [of] {_GAP} {_EACH_SIDE}",
        f"{{start_s,end_s:span}} [of] {_GAP} {_EACH_SIDE}",
        f"[vorne und hinten|vorn und hinten|am anfang und am ende] [je|jeweils] "
        f"{{start_s,end_s:span}} {_PAUSE} [{_DRAN}]",
        "pad THE (end|tail|back) (with|by) {end_s:span} [of silence]",
        "pad THE (start|beginning|front) (with|by) {start_s:span} [of silence]",
        f"[mach|mache|häng|hänge|setz|setze|füge] {_HINTEN} {{end_s:span}} {_PAUSE} {_DRAN}",
        f"{{end_s:span}} {_PAUSE} {_HINTEN} {_DRAN}",
        f"[noch] {{end_s:span}} {_PAUSE} (dranhängen|anhängen|ranhängen)",
        f"{_VORN} {{start_s:span}} [{_PAUSE}] (,|und) {_HINTEN} {{end_s:span}} {_PAUSE} [{_DRAN}]",
        f"{_VORN} {{start_s:span}} {_PAUSE} (einfügen|dazu|hinzufügen|setzen|davor|rein|ran|dran)",
        f"{{start_s:span}} {_PAUSE} {_VORN} (einfügen|dazu|hinzufügen|setzen|rein|ran|dran)",
        f"{{start_s:span}} {_PAUSE} (davor|voran|vorweg|davorsetzen|vorne dran|vor IT)",
        f"{{end_s:span}} {_PAUSE} (dahinter|danach|hinterher|hintendran|hinten dran)",
    ),
    "backwards": (
        f"(reverse|flip) THE [cymbal|snare|drum|piano|guitar|vocal|crash|kick|bass] {_SPOKEN}",
        "(flip|turn|play|run) IT (back to front|backwards|round backwards|end to start)",
        "(dreh|drehe) IT um [,] (es|er|sie|das) soll rückwärts (laufen|spielen|abgespielt werden)",
        f"rückwärts {_RUN}",
        "(reverse|flip) (the whole thing|everything|all of it|the lot|the entire thing)",
        "(spiel|spiele|mach|lass) IT rückwärts [ab|laufen|abspielen]",
        f"(von hinten nach vorn|von hinten nach vorne) {_RUN}",
        "IT (umdrehen|rumdrehen|reversen) [,] rückwärts",
        "IT [bitte] reversen",
    ),
    "gain": ("{gain_db:db}",),
    "peak level": (
        "NORM IT to {target_dbfs:top}",
        "[IT] auf {target_dbfs:top} (normalisieren|aussteuern)",
        "NORM IT auf {target_dbfs:top}",
        "(normalize|normalise|normalisieren) [to|at|auf|:|,] {target_dbfs:top}",
    ),
    "loudness": (
        "(make|get) IT (radio ready|radio-ready|ready for radio|ready for broadcast|tv ready) "
        "{target_lufs=-23} {max_true_peak_dbtp=-1}",
        "(make|get) IT (podcast ready|podcast-ready|ready for my podcast|ready for our podcast) "
        "{target_lufs=-16} {max_true_peak_dbtp=-1}",
        "(podcasttauglich|podcast-tauglich) laut {target_lufs=-16} {max_true_peak_dbtp=-1}",
        "(mach|mache) [mir|uns] IT [bitte] (podcasttauglich|podcast-tauglich) [laut] "
        "{target_lufs=-16} {max_true_peak_dbtp=-1}",
        f"{_RIGHT} (for|on) {_STREAMS} {{target_lufs=-14}} {{max_true_peak_dbtp=-1}}",
        f"{_RIGHT} for [a|my|our|the] (podcast|podcasts) {{target_lufs=-16}} "
        "{max_true_peak_dbtp=-1}",
        f"{_RIGHT} for [the] (radio|tv|television|broadcast) {{target_lufs=-23}} "
        "{max_true_peak_dbtp=-1}",
        f"[IT] [auf] [die] (richtige|passende) (lautheit|lautstärke) für {_STREAMS} [bringen] "
        "{target_lufs=-14} {max_true_peak_dbtp=-1}",
        "[IT] [auf] [die] (richtige|passende) (lautheit|lautstärke) für [den|einen|meinen|unseren] "
        "podcast [bringen] {target_lufs=-16} {max_true_peak_dbtp=-1}",
        "(streamingtauglich|streaming-tauglich|spotify-tauglich|fertig für spotify) [laut|machen] "
        "{target_lufs=-14} {max_true_peak_dbtp=-1}",
    ),
    "high-pass": (
        "[ADD] THE (rumble filter|rumble-filter|trittschallfilter|subsonic filter) {cutoff_hz=80} "
        "{slope=24}",
    ),
    "equaliser": (
        f"{_TOO_MUCH} BASS {_TAKE} {{-gain_db:db}} {_OFF} {{type=low_shelf}} {{freq_hz=120}}",
        f"{_TOO_MUCH} TREBLE {_TAKE} {{-gain_db:db}} {_OFF} {{type=high_shelf}} {{freq_hz=6000}}",
        "[there is|there's|it has|that's] (too much|zu viel) BASS [,|.] (reduce|lower|turn down|"
        "take "
        "down) (it|that|them) [a little|a bit|slightly] {type=low_shelf} {freq_hz=120} "
        "{gain_db=-3}",
        "[there is|there's|there are|it has|that's] (too much|too many|zu viel) TREBLE [,|.] "
        "(reduce|"
        "lower|turn down|take down) (it|that|them) [a little|a bit|slightly] {type=high_shelf} "
        "{freq_hz=6000} {gain_db=-3}",
        "[da ist|es hat|es sind|da sind] (zu viel|zu viele|zu viele) (bass|bässe|tiefen) [,|.] "
        "[bitte] "
        "[etwas|ein bisschen|leicht] (reduzieren|absenken|runter|weniger) {type=low_shelf} "
        "{freq_hz=120} {gain_db=-3}",
    ),
    "band-pass": (
        "(only|just) keep {low_hz} (to|-|through) {high_hz} {slope=24}",
        "keep (only|just) {low_hz} (to|-|through) {high_hz} {slope=24}",
        "(lass|lasse) [dann] nur [noch] [den bereich] [von|zwischen] {low_hz} (bis|-|und) "
        "{high_hz} "
        "(übrig|stehen|durch|drin) {slope=24}",
    ),
    "pitch": (
        "pitch [by] {semitones} [semitones|halbtöne|steps]",
        "(tune|pitch|shift|transpose) IT down [by] [a|1] {-semitones}",
        "(tune|pitch|shift|transpose) IT up [by] [a|1] {+semitones}",
    ),
    "low-pass": (
        "(höhen|die höhen|hohe frequenzen|hohen frequenzen) (ab|über|oberhalb von) {cutoff_hz} "
        "(abschneiden|wegschneiden|raus|weg|entfernen|rausfiltern|wegfiltern|kappen) {slope=24}",
    ),
    "noise gate": (
        "gate THE (background|background noise|room noise|noise|breaths|bleed)",
        "(noise gate|noise-gate|gate) (drauf|dran|rein|an|setzen) [,] [bitte]",
        "(close|mute) THE noise between THE (words|sentences|phrases) with [a] (gate|noise gate)",
    ),
    "noise": (
        "(da ist|es gibt|ich habe|ich höre|man hört) [so|da] [ein|eine|einen|etwas|lauter|"
        "starkes|leichtes] (rauschen|grundrauschen|hintergrundrauschen) "
        "[drauf|drin|im hintergrund|auf der aufnahme] [,|und] (mach|mache|nimm|krieg|bekomm) [mir] "
        "(das|es|die) [bitte] [mal] (weg|raus)",
    ),
    "clicks": (
        "(da ist|es gibt|ich habe|ich höre|man hört) [so|da] [ein|eine|einen|etwas|lauter|"
        "starkes|leichtes] (knacken|knistern|knackser|knacksen) "
        "[drauf|drin|im hintergrund|auf der aufnahme] [,|und] (mach|mache|nimm|krieg|bekomm) [mir] "
        "(das|es|die) [bitte] [mal] (weg|raus)",
    ),
    "hum": (
        "(da ist|es gibt|ich habe|ich höre|man hört) [so|da] [ein|eine|einen|etwas|lauter|"
        "starkes|leichtes] (brummen|netzbrummen|brummton) "
        "[drauf|drin|im hintergrund|auf der aufnahme] [,|und] (mach|mache|nimm|krieg|bekomm) [mir] "
        "(das|es|die) [bitte] [mal] (weg|raus)",
        "(netzbrumm|brumm|brummton|netzbrummen) [von|bei|mit] {hz} (raus|weg|entfernen)",
    ),
    "de-ess": (
        "ADD THE (de-esser|deesser|de-ess) [on IT] (with|of|by|,) (at most|max|up to|maximum) "
        "{most_db} [of] [gain] [reduction]",
        "(de-esser|deesser) [mit] (maximal|höchstens|bis zu) {most_db} [absenkung|reduktion]",
    ),
    "pauses": (
        "(cut|trim|shorten|bring|take) (every|each|all|any) (pause|pauses|gap|gaps) (down to|to) "
        "{longest_s}",
        "(cut|trim|tighten|shrink) [down|up] [the|all the|all] (long|awkward|big) (gaps|pauses|"
        "silences|breaks)",
        "(long|lange) (gaps|pauses|pausen|lücken) (raus|weg|kürzer|kürzen|straffen)",
        "[the|all|any] [long] (pauses|gaps|breaks|silences) [cut|brought|trimmed|shortened] "
        "(down to|to at most|at most|to|max|max.) {longest_s} [at most]",
        "[alle|die] [langen] (pausen|lücken|sprechpausen) (auf|maximal|max|auf höchstens|höchstens|"
        "auf maximal) {longest_s} [kürzen|kürzer|verkürzen|begrenzen|straffen]",
    ),
    "split": (
        "[make|give me|i want|i need] 1 (file|track) (for|per) [each|every] (song|track|take|"
        "question|word|number|piece|answer|tune) [,|and|:] (split|cut) [IT] (at|on|by) "
        f"(each|every|{_LEAST}) [silence|pause|gap] [of [at least] {{least_s}}]",
        "[make|give me|i want|i need] 1 (file|track) (for|per) [each|every] (song|track|take|"
        "question|word|number|piece|answer|tune) [,|and|:] (split|cut) [IT] (wherever|where) "
        "(it's|it is|there's|there is) (silent|quiet|silence) for [at least] {least_s}",
        "(split|cut|chop) IT (wherever|where|whenever) (it's|it is) (silent|quiet) [for [at least|"
        "more than|over] {least_s}]",
        "(split|cut|chop) IT into (single|separate|individual) (files|tracks|clips|words) (at|on) "
        "(every|each) (pause|silence|gap|break)",
    ),
    "leveller": (
        "(level|balance|match|even) [out|up] THE (voices|speakers|two voices|two speakers|2 voices|"
        "2 speakers|volumes|levels)",
        "(level|even|balance|smooth) (it|that|this|them|things) out",
        "(gleiche|gleich) [die] (lautstärke|lautstärken|pegel) [der] [beiden|einzelnen] (sprecher|"
        "stimmen|sprecherinnen) [aneinander] an",
        "(alles|alle|alle stimmen|die stimmen|beide stimmen|beide sprecher) [soll|sollen] "
        "gleich laut [machen|sein|werden]",
        "(leveller|leveler|leveller effect) (on|over|across|for) IT",
    ),
    "reverb": (
        "[etwas] (hall|nachhall) (hinzufügen|dazu|rein|zugeben|dazugeben) [(und|,) "
        "{tail_s} (ausklingen|nachklingen) [lassen]]",
        "(put|place) IT (in|into) a [nice|big|large] (reverb|hall)",
        "(add|give it|put on|with) [a|some|a bit of] (church|hall|cathedral|room|big hall|studio) "
        "(reverb|reverberation) [on it|to it]",
        "mit (kirchenhall|raumhall|studiohall|saalhall)",
    ),
    "speed": (
        "[spiel|spiele] IT {+rate:times} so schnell [ab] [abspielen|laufen lassen]",
        "(in|mit|at|auf) {-rate:share} [of] [the] [original|normal|full] (speed|tempo|"
        "geschwindigkeit) [abspielen|laufen lassen]",
        "(play|run) IT at {-rate:share} [of] [the] [original|normal] [speed]",
        "[a bit|a little|etwas|leicht|ein bisschen] (slower|langsamer) [,] [auf|to|at|bei] "
        "{-rate:share} [of the speed|tempo|speed|geschwindigkeit]",
        "(etwas|ein bisschen|a bit) schneller [,] auf {+rate:share}",
        "{-rate:share} (speed|tempo|geschwindigkeit)",
    ),
    "distort": (
        "{drive_db} [of] (overdrive|distortion|drive|verzerrung)",
        "{shape=hard} (hard clip|hard clipping|hard-clip) (distortion|overdrive) [,|with|at|of] "
        "{drive_db} [of] [drive]",
        "{shape=hard} (hard clipping|hartes clipping) [,|with|mit] {drive_db} [of|an] [drive]",
        "(add|apply|use) [some|the] (distortion|overdrive|saturation)",
        "(leg|lege|mach|mache|pack|packe) [bitte] [einen|etwas|ein bisschen|die] (overdrive|"
        "verzerrung|verzerrer|distortion) (drauf|dazu|rein|darauf)",
        "[etwas|leichte] (verzerrung|übersteuerung|sättigung|overdrive|distortion) (rein|dazu)",
        "(verzerre|verzerr|distort|overdrive) IT (mit|um|with|by) {drive_db} [drive|of drive]",
        "(distort|overdrive|saturate|verzerr|verzerre) IT [a bit|a little|slightly|leicht|etwas|"
        "ein bisschen]",
        "[add] [etwas|leicht|ein bisschen] (overdrive|distortion|verzerren|verzerrung|übersteuern)",
        f"{_EFFECT} (distortion|overdrive|saturation) [please]",
    ),
    "delay": (
        "(verschieb|verschiebe|schieb|schiebe|zieh|ziehe) IT [um] {-offset_s} (vor|nach vorn|"
        "nach vorne|früher)",
        "(das ganze|alles|the whole thing|everything) [um|by] {-offset_s} (früher|eher|earlier)",
        "(das ganze|alles|the whole thing|everything) [um|by] {offset_s} (später|later)",
        "IT [by] {-offset_s} (earlier|sooner|früher|nach vorn|nach vorne|vorziehen|vorverlegen)",
        "IT [by] {offset_s} (later|später|nach hinten|verzögert|verzögern)",
        "(shift|move|pull|bring) IT {-offset_s} (earlier|forward|ahead|to the front)",
        f"(delay|shift) IT by {{offset_s}} [,] {_TOTAL}",
        "(shift|move|delay) IT [by] {offset_s} [later] [,] [and] (wrap|wrapped|wrapping) "
        "[it] [around|round] {wrap=true}",
        f"[IT] [um] {{offset_s}} nach hinten (schieben|verschieben) {_WRAPPED}",
    ),
    "left and right": (
        "(use|take|keep|give me|i need|nimm|nur|only) [only|just|nur] [the|den|der] "
        "(left|linken|linke) (channel|side|kanal|seite) [please|bitte] {order=1}",
        "(use|take|keep|give me|i need|nimm|nur|only) [only|just|nur] [the|den|der] "
        "(right|rechten|rechte) (channel|side|kanal|seite) [please|bitte] {order=2}",
        "(swap|switch|exchange|flip) [the] (l / r|l/r|l and r|left / right) [channels] {order=2,1}",
        "(l / r|l und r|l/r) (tauschen|vertauschen) {order=2,1}",
    ),
    "polarity": (
        "(phase|polarität) [um 180 [°]] (drehen|umdrehen|invertieren|umkehren)",
        "(flip|invert|turn|rotate) THE phase [by] 180 [°|degrees]",
    ),
    "sample rate": (
        "(resample|convert) IT to 44.1 {sample_rate_hz=44100}",
        "auf 44.1 (umrechnen|resampeln|konvertieren|umwandeln) {sample_rate_hz=44100}",
    ),
}
"""By the names of wordings."""
