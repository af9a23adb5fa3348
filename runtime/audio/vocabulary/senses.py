"""SENSES: words by what they mean, and MEANINGS: what they mean together, in whatever order.

What no phrase of a tool fits word for word is read by these. A word counts in its other endings as
well ("clicks", "clicking"), one that stands nowhere here is never passed over, and a row of
MEANINGS fits only what says all that it needs and nothing that it does not name.
"""

from __future__ import annotations

from collections.abc import Mapping

PASSED = "*"
"""The sense of words that add nothing."""
ANYWHERE = frozenset({PASSED, "BY", "AT", "OF", "WITH", "IN", "JUST", "AND", "SOME", "NACH"})
"""Senses that every row takes."""
SENSES: Mapping[str, str] = {
    PASSED: "the|a|an|it|its|it's|this|that|these|them|my|our|all|me|us|for me|i|we|you|please|"
    "bitte|can|could|would|can you|could you|kannst|könntest|du|want|need|would like|i'd|i'd like|"
    "like|should|must|be|to be|is|are|have|has|let|make|mach|do|get|give|gib|set|setz|bring|put|"
    "use|apply|target|ziel|hit|sit|end up|aim for|so|thanks|danke|turn|one of|der|die|das|den|dem|"
    "des|ein|eine|einen|einem|es|ihn|sie|dies|diese|diesen|mein|meine|ist|sind|soll|sollen|sollte|"
    "muss|müssen|haben|werden|wird|sein|ich|wir|möchte|brauche|will|mir|mal|doch|ganze|tun|"
    "there's|there is|there's a|i can hear|hear|ich höre|file|datei|overall|match|slowly|annoying|"
    "version|out of this|a bit|bit of|gently|sanft|sich|think|i think|draus|throughout|recording|"
    "audio|sound|track|voice|speech|music|song|episode|signal|whole thing|thing|aufnahme|ton|"
    "klang|stimme|spur|musik|lied|folge|sprache",
    "FILTER": "filter|filtere",
    "BY": "by|um",
    "SOME": "some|etwas",
    "AT": "at|bei|@",
    "OF": "of|von|around|about|=|:",
    "WITH": "with|mit|for|für|fürs|using|per|during|while",
    "IN": "in|im|on|am|ans|onto",
    "JUST": "just|only|nur|lediglich|bloß",
    "AND": "and|und",
    "TO": "to|down to|up to|auf|into|zu|zur|zum|als|as|-",
    "NACH": "nach",
    "TILL": "till|until|bis|through|bis zu|up until",
    "FROM": "from|between|zwischen|ab",
    "LOUDER": "louder|lauter|hotter|more volume|mehr lautstärke|amplify|verstärke",
    "QUIETER": "quieter|softer|leiser|less volume|less loud|weniger laut",
    "TOOQUIET": "too quiet|zu leise",
    "TOOLOUD": "too loud|zu laut",
    "UP": "up|raise|increase|boost|lift|bump|crank|push|pump|anheben|erhöhe|hebe|heb|rauf|hoch|"
    "hinauf",
    "HIGHER": "higher|höher",
    "DEEPER": "deeper|tiefer",
    "MORE": "more|mehr|add|extra|plus|dazu|hinzu|drauf",
    "DOWN": "down|lower|reduce|decrease|attenuate|knock|pull|dip|senke|senk|absenken|runter|"
    "herunter|verringere|reduziere|reduzier|herabsetzen|scoop|abmilder|soften|tame|dämpf|abschwäch",
    "LESS": "less|weniger|minus|fewer",
    "DROP": "drop|throw",
    "CUT": "cut|schneide|schneid|chop|snip|abschneid|ausschneid|rausschneid|wegschneid|"
    "herausschneid",
    "REMOVE": "remove|delete|strip|eliminate|kill|erase|lose|get rid of|rid|removal|clean|"
    "clean up|clean that up|suppress|entfern|entferne|lösch|beseitig|wegmach|rausfilter|wegfilter|"
    "herausfilter|fix|fix that|repair|repariere|should go|must go|can go|go away|drop out|notch",
    "TAKE": "take|nimm|nehm|roll|shave",
    "AWAY": "off|away|out|weg|raus|heraus|fort",
    "LEVEL": "volume|level|gain|lautstärke|pegel",
    "LOUDNESS": "loudness|lautheit|integrated|integriert",
    "NORM": "normalise|normalize|normalisier|normalisiere|normalisation|normalization",
    "PEAK": "peak|peaks|spitze|spitzen|spitzenpegel|loudest peak|sample peak|highest peak",
    "PODCAST": "podcast|podcasts|podcasttauglich|podcast-ready",
    "STREAM": "spotify|youtube|streaming|tidal|amazon music|streaming services|streaming service|"
    "deezer",
    "BROADCAST": "broadcast|broadcasting|tv|television|rundfunk|fernsehen|r128|r 128|ebu|ebu r128|"
    "ebu r 128|sendefähig",
    "READY": "ready|prepare|fertig|vorbereit|conform|optimise|optimize|optimier|master|tauglich|"
    "konform|standard|wie|suitable|compliant|comply|gemäß",
    "START": "at the start|at the beginning|at start|at the front|from the start|start|beginning|"
    "front|head|anfang|beginn|vorne|begin|intro silence|very start",
    "END": "at the end|at end|at the very end|end|ende|tail|hinten|schluss|back|very end",
    "BOTH": "both|beide|both ends|both sides|ends|enden|edges|sides|seiten|rändern",
    "LEADING": "leading|initial|before i start|before i speak|before i start talking|führend",
    "TRAILING": "trailing",
    "SILENCE": "silence|silent|stille|dead air|leerlauf|quiet bits|quiet parts|silent bits|"
    "silent parts",
    "KEEP": "keep|extract|behalte|behalt|crop|clip",
    "TRIM": "trim|shorten|kürze|kürz|verkürze|verkürz|tighten",
    "FIRST": "first|ersten|erste",
    "SKIP": "skip|überspringe",
    "LAST": "last|final|letzten|letzte",
    "BEFORE": "before|vor|davor|in front|in front of|ahead of|prepend|voran|before it",
    "AFTER": "after|append|attach|behind|hänge|häng|danach|dahinter|after it|anhäng",
    "SECTION": "section|part|piece|segment|everything|alles|teil|abschnitt|stück|stelle|bereich|"
    "passage|bit",
    "STOP": "stop|finish",
    "FADE": "fade|blende|blenden",
    "FADEIN": "fade in|fade-in|fadein|einblend|einblendung",
    "FADEOUT": "fade out|fade-out|fadeout|ausblend|ausblendung",
    "HIGHPASS": "high-pass|highpass|high pass|hpf|low-cut|low cut|lowcut|hochpass|hochpassfilter|"
    "trittschallfilter",
    "LOWPASS": "low-pass|lowpass|low pass|lpf|high-cut|high cut|highcut|tiefpass|tiefpassfilter",
    "BASS": "bass|bässe|bässen|lows|low end|low frequencies|tiefen|bottom end|bass frequencies",
    "TREBLE": "treble|highs|top end|high frequencies|höhen|top|high end",
    "FREQUENCY": "frequency|frequencies|frequenz|frequenzen|cutoff",
    "ABOVE": "above|over|über|oberhalb|oberhalb von|louder than",
    "BELOW": "below|under|unter|unterhalb|unterhalb von|underneath|beneath|darunter|darunterleg|"
    "quieter than",
    "EQ": "eq|equalizer|equaliser|bell",
    "HUM": "hum|humming|buzz|buzzing|brumm|brummen|netzbrummen|brummschleife|ground loop|"
    "power line hum|mains hum|mains buzz|electrical hum|cycle hum|dehum|de-hum",
    "NOISE": "noise|noises|hiss|hissing|rauschen|hintergrundrauschen|grundrauschen|"
    "background noise|fan noise|hintergrundgeräusche|störgeräusche|nebengeräusche|constant noise|"
    "steady noise",
    "MUCH": "too much|zu viel",
    "BACKGROUND": "background|in the background|hintergrund|im hintergrund|background music|bed|"
    "music bed|hintergrundmusik",
    "DENOISE": "denoise|de-noise|entrauschen|entrausche|noise reduction|noise removal|"
    "rauschunterdrückung|rauschminderung",
    "CLICKS": "click|clicks|crackle|crackles|crackling|crackling noise|crackling noises|ticks|"
    "knackser|knacken|knistern|pops and clicks|clicks and pops|vinyl crackle|"
    "crackle from the vinyl|record crackle|record crackles|declick|de-click|decrackle|declicking",
    "SHARP": "sibilance|sibilant|sibilants|s sounds|esses|s-laute|zischlaute|scharfe s-laute|"
    "harsh s|harsh esses|sharp s|s sound|ess sounds|zischen",
    "DEESS": "de-ess|deess|de-esser|deesser|de-essing",
    "HARSH": "harsh|scharf|scharfe|sharp",
    "PAUSES": "pause|pauses|gap|gaps|breaks|pausen|sprechpausen|silences",
    "LONG": "long|lange|langen",
    "MOST": "at most|höchstens|maximal|no longer than|not longer than|max|maximum",
    "NOPAUSE": "no pause longer than|no pauses longer than|no gap longer than|no gaps longer than|"
    "keine pause länger als|keine pausen länger als",
    "EVEN": "same volume|same level|same loudness|even out|even|level out|balance|smooth out|"
    "consistent|constant|ausgleich|angleich|gleichmäßig|equal|equalise the volume|equally loud|"
    "equally|even them out|more consistent",
    "VOICES": "speakers|voices|stimmen|sprecher|dynamics|volumes|levels|different volumes|"
    "lautstärkeunterschiede|level differences|volume differences|lautstärken|quiet and loud|"
    "loud and quiet",
    "QUIETPARTS": "quiet parts as loud as the loud parts|quiet parts as loud as the rest",
    "COMPRESS": "compress|komprimiere|komprimier|compressor|kompressor|compression|kompression",
    "THRESHOLD": "threshold|schwelle|schwellwert",
    "RATIO": "ratio|verhältnis",
    "LIMIT": "limit|limiter|brickwall|brick wall|begrenze|begrenz|limitier|cap|true peak limiter",
    "NOPEAK": "don't let peaks go above|no peaks above|no peak above|keep peaks below|"
    "keep the peaks below|keep peaks under|keep the peaks under|keine spitzen über",
    "CEILING": "ceiling|true peak|true peaks",
    "GATE": "gate|noise gate|noise-gate|noisegate",
    "PITCH": "pitch|shift|tonhöhe|transpose|transponier|transponiere",
    "FASTER": "faster|quicker|schneller|speed up|beschleunig|speed it up|as fast|so schnell",
    "SLOWER": "slower|langsamer|slow down|verlangsam|slow it down|slow",
    "SPEED": "speed|geschwindigkeit|tempo|play|fach|fache|playback speed|spiele|abspiel",
    "SAMEPITCH": "without changing the pitch|keep the pitch|same pitch|at the same pitch|"
    "keeping the pitch|ohne die tonhöhe zu ändern|without chipmunk voices|"
    "without the chipmunk effect|bei gleicher tonhöhe",
    "MONO": "mono|1 channel|single channel",
    "STEREO": "stereo|two channels",
    "FOLD": "sum|fold|mix|downmix|mix down|fold down|mixdown|zusammenmisch",
    "CONVERT": "convert|umwandel|wandle|wandel|konvertier|change|ändere",
    "RATE": "downsample|upsample|sample rate|sampling rate|abtastrate|samplerate|resample|"
    "umrechne|umrechn|sampling frequency|for speech recognition",
    "DEPTH": "bit depth|bittiefe|word length|depth|wortlänge",
    "SAVE": "export|save|write|encode|render|output|speicher|abspeicher|exportier|best quality|"
    "format|vorbis",
    "BITRATE": "bitrate|bit rate|datenrate",
    "REVERB": "reverb|reverberation|hall|nachhall",
    "ROOMY": "roomier|roomy",
    "FLIP": "invert|flip|switch|umkehr|umdreh|drehe|reverse",
    "PHASE": "phase|polarity|polarität",
    "LAY": "lay|stick|leg|lege|misch|mische|blend",
    "SPLIT": "split|teile|separate files|split up|zerteile|chop up|zerleg",
    "EACH": "every|each|jeder|jedem",
}  # fmt: skip
_REMOVES = "REMOVE~AWAY~CUT~DOWN~LESS~FILTER~DROP"
_CUTS = "REMOVE~CUT~AWAY~FILTER~DROP"
_CUT_WORDS = "REMOVE TAKE CUT AWAY SECTION FROM DROP"
MEANINGS: tuple[tuple[str, str, str, str], ...] = (
    ("gain", "{+gain_db}", "LOUDER~UP~MORE", "LOUDER UP MORE LEVEL TOOQUIET"),
    ("gain", "{+gain_db}", "HIGHER LEVEL", ""),
    ("gain", "{-gain_db}", "DEEPER LEVEL", ""),
    ("gain", "{-gain_db}", "QUIETER~DOWN~LESS~AWAY~DROP",
     "QUIETER DOWN LESS TAKE AWAY LEVEL TOOLOUD SECTION"),
    ("loudness", "{target_lufs} {max_true_peak_dbtp}?", "",
     "NORM LOUDNESS LEVEL TO UP DOWN PEAK CEILING READY LAST !BY"),
    ("loudness", "{target_lufs=-16} {max_true_peak_dbtp=-1}", "PODCAST",
     "NORM LOUDNESS LEVEL READY TO"),
    ("loudness", "{target_lufs=-14} {max_true_peak_dbtp=-1}", "STREAM",
     "NORM LOUDNESS LEVEL READY TO"),
    ("loudness", "{target_lufs=-23} {max_true_peak_dbtp=-1}", "BROADCAST",
     "NORM LOUDNESS LEVEL READY TO"),
    ("peak level", "{target_dbfs}", "PEAK", "NORM TO LEVEL UP DOWN !BY"),
    ("trim silence", "", "SILENCE START END", f"{_CUT_WORDS} TRIM BOTH"),
    ("trim silence", "", "SILENCE BOTH", f"{_CUT_WORDS} TRIM"),
    ("trim silence", "", "SILENCE TRIM~AWAY", "CUT REMOVE TAKE AWAY"),
    ("trim silence", "{edges=start}", "SILENCE START~LEADING REMOVE~CUT~AWAY~TRIM",
     f"{_CUT_WORDS} TRIM"),
    ("trim silence", "{edges=end}", "SILENCE END~TRAILING REMOVE~CUT~AWAY~TRIM",
     f"{_CUT_WORDS} TRIM"),
    ("clip", "{end_s}", "FIRST JUST~KEEP~TRIM~TO", "KEEP TRIM CUT TO"),
    ("clip", "{end_s}", "TRIM TO", ""),
    ("clip", "{start_s} {end_s}", "KEEP~JUST TO~TILL~AND", "KEEP TAKE FROM SECTION TO TILL"),
    ("clip", "{start_s}", "FIRST REMOVE~CUT~AWAY~SKIP~DROP", _CUT_WORDS),
    ("clip", "{start_s}", "START AT", ""),
    ("clip", "{end_s}", "STOP", "AFTER AT"),
    ("clip", "{end_s}", f"AFTER~NACH {_CUTS}", _CUT_WORDS),
    ("cut", "{start_s} {end_s}", f"{_CUTS} TO~TILL~AND", f"{_CUT_WORDS} TILL TO !JUST"),
    ("fade", "{out_s}", "FADEOUT", "ABOVE LAST END MORE !AT"),
    ("fade", "{out_s}", "FADE AWAY", "ABOVE LAST END MORE !AT"),
    ("fade", "{out_s}", "FADE END", "MORE !AT"),
    ("fade", "{in_s}", "FADEIN", "ABOVE FIRST START MORE !AT"),
    ("fade", "{in_s}", "FADE IN", "ABOVE FIRST START MORE !AT"),
    ("fade", "{in_s}", "FADE START", "MORE !AT"),
    ("fade", "{in_s} {out_s}", "FADEIN FADEOUT AND", "START END ABOVE !AT"),
    ("high-pass", "{cutoff_hz} {slope=24}", "HIGHPASS", "MORE FREQUENCY"),
    ("high-pass", "{cutoff_hz} {slope=24}", f"BELOW {_CUTS}",
     f"{_CUT_WORDS} BASS FREQUENCY"),
    ("low-pass", "{cutoff_hz} {slope=24}", "LOWPASS", "MORE FREQUENCY"),
    ("low-pass", "{cutoff_hz} {slope=24}", f"ABOVE {_CUTS}",
     f"{_CUT_WORDS} TREBLE FREQUENCY"),
    ("equaliser", "{+gain_db:db} {freq_hz:hz} {type=peak}", "UP~MORE", "UP MORE EQ"),
    ("equaliser", "{-gain_db:db} {freq_hz:hz} {type=peak}", "DOWN~LESS~CUT~AWAY~DROP",
     "DOWN LESS CUT TAKE AWAY EQ"),
    ("equaliser", "{+gain_db:db} {type=low_shelf} {freq_hz=120}", "BASS UP~MORE", "UP MORE LEVEL"),
    ("equaliser", "{-gain_db:db} {type=low_shelf} {freq_hz=120}", "BASS DOWN~LESS~CUT~AWAY~DROP",
     "DOWN LESS CUT TAKE AWAY"),
    ("equaliser", "{+gain_db:db} {type=high_shelf} {freq_hz=6000}", "TREBLE UP~MORE",
     "UP MORE LEVEL"),
    ("equaliser", "{-gain_db:db} {type=high_shelf} {freq_hz=6000}",
     "TREBLE DOWN~LESS~CUT~AWAY~DROP", "DOWN LESS CUT TAKE AWAY"),
    ("compress", "{ratio} {threshold_db}?", "COMPRESS", "THRESHOLD RATIO ABOVE FROM MORE"),
    ("limit", "{ceiling_dbtp}", "LIMIT", "PEAK CEILING TO MORE MOST !BY"),
    ("limit", "{ceiling_dbtp}", "CEILING MOST", "!BY"),
    ("limit", "{ceiling_dbtp}", "NOPEAK", ""),
    ("noise gate", "{threshold_db}", "GATE", "THRESHOLD BELOW TO MORE SECTION FROM !BY"),
    ("hum", "{hz}?", f"HUM {_REMOVES}", "REMOVE TAKE AWAY CUT"),
    ("noise", "{reduction_db}?", "NOISE REMOVE~AWAY~DOWN~LESS~QUIETER",
     "REMOVE TAKE AWAY DOWN LESS BACKGROUND MUCH QUIETER LEVEL"),
    ("noise", "{reduction_db}?", "DENOISE", "MORE BACKGROUND"),
    ("clicks", "", f"CLICKS {_REMOVES}", "REMOVE TAKE AWAY CUT"),
    ("de-ess", "{most_db}?", f"SHARP {_REMOVES}",
     "REMOVE TAKE AWAY DOWN LESS HARSH MUCH !AT"),
    ("de-ess", "{most_db}?", "DEESS", "MORE !AT"),
    ("de-ess", "{most_db}? {freq_hz}", "DEESS", "MORE ABOVE FROM"),
    ("pauses", "{longest_s}", "PAUSES TRIM~DOWN~MOST~CUT~LIMIT",
     "TRIM DOWN MOST CUT LONG TO LIMIT !BY"),
    ("pauses", "{longest_s}", "NOPAUSE", ""),
    ("leveller", "", "EVEN LEVEL~LOUDNESS~VOICES", "LEVEL LOUDNESS VOICES MORE KEEP"),
    ("leveller", "", "QUIETPARTS", ""),
    ("pitch", "{+semitones}", "UP~HIGHER", "PITCH UP"),
    ("pitch", "{-semitones}", "DOWN~DEEPER~DROP", "PITCH DOWN"),
    ("speed", "{+rate:percent}", "FASTER", "SPEED SAMEPITCH"),
    ("speed", "{+rate:percent}", "SPEED UP~MORE", "SAMEPITCH"),
    ("speed", "{-rate:percent}", "SPEED DOWN~LESS", "SAMEPITCH"),
    ("speed", "{-rate:percent}", "SLOWER", "SPEED SAMEPITCH"),
    ("speed", "{+rate:times}", "FASTER~SPEED", "SPEED SAMEPITCH FASTER TO"),
    ("speed", "{+rate:share}", "FASTER TO", "SPEED SAMEPITCH"),
    ("speed", "{-rate:share}", "SLOWER TO", "SPEED SAMEPITCH"),
    ("channels", "{channels=1}", "MONO", "FOLD DOWN CONVERT TO SAVE"),
    ("channels", "{channels=2}", "STEREO", "CONVERT TO SAVE"),
    ("sample rate", "{sample_rate_hz}", "", "RATE TO CONVERT SAVE"),
    ("sample format", "{subtype:bit}", "", "DEPTH TO CONVERT SAVE DOWN"),
    ("bitrate", "{bitrate_kbps:kbps} {format}", "", "SAVE TO CONVERT BITRATE"),
    ("sample format", "{subtype:bit} {format}", "", "SAVE TO CONVERT"),
    ("file format", "{format}", "", "SAVE TO CONVERT"),
    ("reverb", "", "REVERB MORE~WITH~IN~ROOMY~SOME", "MORE ROOMY"),
    ("polarity", "", "PHASE FLIP", ""),
    ("join", "{first:file} {second=}", "START~BEFORE", "START BEFORE MORE LAY"),
    ("join", "{first=} {second:file}", "END~AFTER", "END AFTER MORE TO LAY"),
    ("mix", "{second:file} {below_db}?", "BELOW~BACKGROUND",
     "BELOW BACKGROUND DOWN QUIETER LESS LAY MORE FOLD TO"),
    ("mix", "{second:file} {below_db}", "LAY~FOLD", "BELOW BACKGROUND LAY MORE FOLD"),
    ("split", "{least_s}?", "SPLIT~CUT SILENCE~PAUSES", "SPLIT CUT TO EACH SAVE"),
)  # fmt: skip
"""The wording, the values that have to be said (`?` may be), one word of each of these senses, and
the senses that may be said beside them."""
