"""THINGS: the words for what is changed, made or wanted, each of one sense."""

from __future__ import annotations

from collections.abc import Mapping

from ..details.manners import SAME_PITCH, SAME_SPEED

THINGS: Mapping[str, str] = {
    "HIGHPASS": "high-pass|highpass|high pass|hpf|hp|low-cut|low cut|lowcut|hochpass|"
    "hochpassfilter|trittschallfilter|low-cut filter|low cut filter|high-pass filter|"
    "highpass filter|high pass filter|rumble filter|bass cut|hochpass-filter|low-frequency cut|"
    "subsonic filter|trittschall-filter|low-end cut|hi-pass|hipass|lo-cut|locut",
    "LOWPASS": "low-pass|lowpass|low pass|lpf|high-cut|high cut|highcut|tiefpass|"
    "tiefpassfilter|high-cut filter|high cut filter|low-pass filter|lowpass filter|"
    "low pass filter|tiefpass-filter|hi-cut|hicut|treble cut|lo-pass|lopass|höhenfilter",
    "BASS": "bass|bässe|bässen|lows|low end|low frequencies|tiefen|bottom end|"
    "bass frequencies|low-end|low frequency|bottom|tiefbass|tieftöne|tieftön|bassbereich|"
    "deep end|subs|the bass|tiefe frequenzen|bassanteil|bassanteile",
    "TREBLE": "treble|highs|top end|high frequencies|höhen|top|high end|high-end|"
    "high frequency|hochtöne|hochton|höhenbereich|hohe frequenzen|trebles|the treble",
    "FREQUENCY": "frequency|frequencies|frequenz|frequenzen|cutoff|band|frequency band|"
    "frequency range|range|bandwidth|frequenzband|frequenzbereich|bandbreite|region|area|"
    "grenzfrequenz|cut-off|cutoff frequency|corner frequency|corner|mark|marke|bereich um|air|"
    "presence|sparkle|brilliance|body|warmth|präsenz|brillanz|wärme|luftigkeit|mids|midrange|"
    "mid-range|mitten|mittenbereich",
    "ABOVE": "above|over|über|oberhalb|oberhalb von|louder than|beyond|higher than|"
    "greater than|exceed|exceeds|exceeding|überschreit|überschreiten|übersteig|übersteigen|"
    "jenseits|mehr als|more than|go above|goes above|get above|gets above|go over|goes over|"
    "go past|rise above|come above|kommt über|geht über|darüber|drüber|upwards of|north of|"
    "longer than|länger als",
    "BELOW": "below|under|unter|unterhalb|unterhalb von|underneath|beneath|darunter|"
    "darunterleg|quieter than|lower than|less than|south of|beneath it|under it|under that|"
    "underneath it|underneath that|unterlegen|unterleg|drunter|drunterleg|druntermisch|"
    "druntersetz|untermisch|untermal|untermalen|behind it|behind the voice|fall below|"
    "falls below|go below|goes below|drops below|kleiner als|leiser als|weaker than|softer than|"
    "dahinterlegen",
    "PEROCTAVE": "per octave|per oct|/ oct|/ octave|/ oktave|pro oktave|je oktave|slope|steilheit|"
    "flankensteilheit"
    "|/octave|db/oct|an octave slope"
    "|/ okt|/okt",
    "EQ": "eq|equalizer|equaliser|bell|peak filter|bell filter|glockenfilter|entzerr|"
    "entzerrer|equalize at|equalise at",
    "HUM": "hum|humming|buzz|buzzing|brumm|brummen|netzbrummen|brummschleife|ground loop|"
    "power line hum|mains hum|mains buzz|electrical hum|cycle hum|dehum|de-hum|mains|mains noise|"
    "mains frequency|mains frequency hum|power hum|ac hum|earth hum|ground hum|earth loop|"
    "electric hum|electrical buzz|electric buzz|low hum|brummton|brummtöne|netzbrumm|netzton|"
    "brummgeräusch|stromnetzbrummen|netzfrequenz|hums|buzzes|droning|drone|power line noise|"
    "powerline hum|line hum|hum noise|brummgeräusche|summen|surren|brummt",
    "NOISE": "noise|noises|hiss|hissing|rauschen|hintergrundrauschen|grundrauschen|"
    "background noise|fan noise|hintergrundgeräusche|störgeräusche|nebengeräusche|constant noise|"
    "steady noise|background hiss|tape hiss|bandrauschen|room noise|raumrauschen|rauschteppich|"
    "hintergrundlärm|ambient noise|ambience noise|noise floor|rauschpegel|hiss noise|"
    "air conditioning noise|air conditioner noise|aircon noise|lüfterrauschen|lüftergeräusch|"
    "lüftergeräusche|rauschanteil|noise in the background|hiss in the background|störrauschen|"
    "mic hiss|microphone hiss|preamp hiss|umgebungsgeräusche|umgebungsrauschen|static|"
    "static noise|broadband noise|grundgeräusch|computer fan noise|ventilation noise|steady hiss|"
    "room hiss"
    "|airco|klimaanlagenrauschen|fan|computer fan|lüfter"
    "|air con noise|ac noise|air con|air conditioner|laptop fan|pc fan|projector fan|lüftung"
    "|geräusch|das geräusch|störgeräusch|brummt und rauscht",
    "MUCH": "too much|zu viel|too|way too|far too|too strong|zuviel|viel zu|zu stark|"
    "zu viele|excessive|excessively|allzu|a lot|a lot of|lots of|lots|so much|so viel|viel|viele|"
    "much|overly|zu scharf|ziemlich|plenty of|viel zu viel|terrible|horrible|awful|bad|"
    "disturbing|annoying|störend|störende|störenden|störendes|nervig|nervige|nervigen|nervt|"
    "stört|stören|nasty|distracting|lästig|lästige|bothers me|bothering|schrecklich|furchtbar|"
    "muddy|boomy|boxy|nasal|honky|overpowering|dominant|mulmig|dumpf|wummert|wummern|dröhnt|"
    "dröhnen|ständig|ständige|ständiges|persistent|full of|voller|überall",
    "BACKGROUND": "background|in the background|hintergrund|im hintergrund|background music|bed|"
    "music bed|hintergrundmusik|background bed|as background|as a background|as background music|"
    "as a music bed|as a bed|als hintergrund|als hintergrundmusik|als untermalung|untermalung|"
    "als bett|musikbett|musikteppich|als musikbett|backing|backing track|backing music|"
    "underscore|hintergrund-musik|im hintergrund laufen|quietly behind"
    "|atmosphere|ambience|ambient sound|as atmosphere|atmo darunter",
    "DENOISE": "denoise|de-noise|entrauschen|entrausche|noise reduction|noise removal|"
    "rauschunterdrückung|rauschminderung|denoised|denoising|denoiser|noise suppression|"
    "noise reducer|de-noiser|rauschen reduzieren|rauschfilter|rauschreduktion|rauschreduzierung|"
    "entrauscht|entrauschung|entrauscher|rauschentfernung|noise cleanup|noise clean-up|"
    "hiss reduction|hiss removal",
    "CLICKS": "mouth noises|mundgeräusche|"
    "click|clicks|crackle|crackles|crackling|crackling noise|crackling noises|"
    "ticks|knackser|knacken|knistern|pops and clicks|clicks and pops|vinyl crackle|"
    "crackle from the vinyl|record crackle|record crackles|declick|de-click|decrackle|declicking|"
    "pops|vinyl|vinyl crackles|vinyl noise|vinyl clicks|vinyl pops|vinyl-knistern|vinylknistern|"
    "schallplattenknistern|plattenknistern|plattenknacken|knackgeräusche|knackgeräusch|knacker|"
    "klicks|klicken|klickgeräusche|click noises|clicking noises|clicking sounds|clicky|"
    "mouth clicks|crackly|crackling sounds|knacks|knackt|knistert|knack|scratches|scratch noise|"
    "kratzer|scratchy noise|digital clicks|ticking|ticking noise|ticking noises|"
    "clicks and crackles|knisterei|declicker|de-clicker|decrackler|impulse noise|impulsstörungen"
    "|mouth noises|lip smacks|lip smacking|schmatzer|schmatzgeräusche|mundgeräusche|klick|"
    "plops"
    "|mundklicks|mundklick",
    "SHARP": "sibilance|sibilant|sibilants|s sounds|esses|s-laute|zischlaute|"
    "scharfe s-laute|harsh s|harsh esses|sharp s|s sound|ess sounds|zischen|hissy s|"
    "harsh s sounds|sharp s sounds|piercing s|piercing s sounds|s-sounds|harsh sibilance|s's|"
    "the esses|sss|s-laut|s laute|scharfe s|scharfen s-laute|scharfen s|zischlaut|zischelnd|"
    "sibilant sounds|sibilances|zischende|zischenden s|zischende s-laute|s and sh sounds|"
    "harte s-laute|sibilanten|zischel|hissing s|hissing s sounds",
    "DEESS": "de-ess|deess|de-esser|deesser|de-essing|ess reduction|sibilance reduction|"
    "de-sibilance|entzischen|s-laut-reduktion|de-essed|deessed|de-esse|deesse",
    "HARSH": "harsh|scharf|scharfe|sharp|piercing|shrill|grell|schrill|spitz|stechend|"
    "stechende|aggressive|prominent|biting|schneidend|hart|harte|strong|stark",
    "PAUSES": "pause|pauses|gap|gaps|breaks|pausen|sprechpausen|silences|long pauses|"
    "long gaps|pause lengths|silent gaps|sprechpause|lücken|lücke|lange pausen|denkpausen|"
    "denkpause|atempausen|redepausen|redepause|hesitations|hesitation|long silences|quiet gaps|"
    "long breaks|periods of silence|stretches of silence|silent stretch|moments of silence|"
    "pausenlängen|stille pausen",
    "LONG": "long|lange|langen|longer|länger|längere|längeren|longest|überlang|überlange|"
    "überlangen|overlong|lengthy|ausgedehnte|which last|that last|lasting|dauern",
    "MOST": "at most|höchstens|maximal|no longer than|not longer than|max|maximum|"
    "no higher than|not higher than|no louder than|not louder than|no more than|not more than|"
    "not above|nicht über|nicht höher als|nicht mehr als|nicht länger als|nicht lauter als|"
    "at the most|tops|capped at|maximum of|a maximum of|a max of|max of|maximale|maximalen|"
    "maximal bis|bis maximal|bis höchstens|bis zu maximal|höchstwert|never above|never over|"
    "never exceed|not exceed|not exceeding|never exceeding|nie über|niemals über|upper limit|"
    "obergrenze|stays below|stay below|stays under|stay under|bleiben unter|bleibt unter|"
    "unter bleiben|not to exceed|must not exceed|don't exceed|without exceeding|"
    "ohne zu überschreiten|or less|or lower|oder weniger|oder kürzer|or shorter"
    "|at the very most|allerhöchstens|at most by|höchstens um",
    "EVEN": "same volume|same level|same loudness|even out|even|level out|balance|"
    "smooth out|consistent|ausgleich|angleich|gleichmäßig|equal|equalise the volume|equally loud|"
    "equally|even them out|more consistent|evened out|evening out|evenly|more even|evener|"
    "even it out|even that out|even this out|level that out|level this out|level them out|"
    "level things out|even things out|balance things out|"
    "smooth it out|level it out|levelled|leveled|"
    "levelled out|leveled out|make consistent|uniform|uniformly|steadier|more uniform|"
    "more steady|balanced|balance out|balance it out|balance them|equalise out|gleichmäßiger|"
    "gleichmäßigere|einheitlich|einheitlicher|einheitliche|ausgeglichen|ausgeglichener|"
    "ausgeglichene|ausgewogen|ausgewogener|angeglichen|egalisier|egalisieren|ausbalancier|"
    "ausbalancieren|gleich laut|gleichlaut|gleiche lautstärke|auf gleiche lautstärke|"
    "gleichen pegel|konstant|konstanter|konstante|ride|riding|ride the fader|ride the faders|"
    "ride the gain|ride the level|ride the levels|at the same level|at the same volume|"
    "to the same level|to the same volume|equally loud throughout|matching levels|similar volume|"
    "similar level|similar loudness|glätten|glätte|nivellier|nivellieren|nivelliere|homogenize|"
    "homogenise|leveller|leveler|auto-leveller|auto-leveler|autoleveller|levelling|leveling|"
    "constant|angleichen|ausgleichen|gleiche|gleiche an|gleich an|gleich aus|gleiche aus"
    "|aneinander angleichen|aneinander anpassen",
    "VOICES": "speakers|voices|stimmen|sprecher|volumes|levels|different volumes|"
    "lautstärkeunterschiede|level differences|volume differences|lautstärken|quiet and loud|"
    "loud and quiet|both speakers|both voices|all speakers|everyone|all voices|speaker levels|"
    "voice levels|beide sprecher|beiden sprecher|beide stimmen|beiden stimmen|alle sprecher|"
    "alle stimmen|sprecherinnen|pegelunterschiede|pegelschwankungen|lautstärkeschwankungen|"
    "volume changes|level changes|volume jumps|level jumps|jumps in volume|pegelsprünge|"
    "lautstärkesprünge|loudness differences|loudness changes|dynamikunterschiede|"
    "laute und leise stellen|leise und laute stellen|leise und laute|laute und leise|"
    "laut und leise|leise und laut|loud and soft|soft and loud|louder and quieter parts|"
    "participants|guests|guest|host|gast|moderator|moderatorin|interviewer|interviewee|caller|"
    "callers|anrufer|narrator|sprecherin|2 voices|2 speakers",
    "QUIETPARTS": "quiet parts as loud as the loud parts|quiet parts as loud as the rest",
    "COMPRESS": "compress|comp|komprimiere|komprimier|compressor|kompressor|compression|"
    "kompression|"
    "compressing|compressed|compressor on it|komprimierung|komprimieren|komprimiert|kompressors|"
    "squeeze|squash|squish|glue compression|dynamikkompression|dynamikkompressor|"
    "dynamic compression|dynamics compression|dynamic range compression|compresser|"
    "audio compressor|verdichte|verdichten|zusammendrück|stauch|dynamic compressor",
    "THRESHOLD": "threshold|thr|thresh|schwelle|schwellwert|schwellenwert|thresholds|"
    "einsatzschwelle|"
    "einsatzpunkt|ansprechschwelle|einsetzend|kicking in|kick in|kicks in|einsatz|setzt ein",
    "RATIO": "ratio|verhältnis|kompressionsverhältnis|ratios|compression ratio|"
    "kompressionsrate",
    "LIMIT": "limit|limiter|brickwall|brick wall|begrenze|begrenz|limitier|cap|"
    "true peak limiter|limited|limiting|capped|cap it|ceil|hard limit|hard limiter|peak limiter|"
    "peak-limiter|true-peak limiter|limitieren|limitiert|limitierung|begrenzer|begrenzt|"
    "begrenzung|deckeln|deckel|deckle|clamp|catch|abfangen|abfang|fang ab|peakbegrenzer|"
    "spitzenbegrenzer|brick-wall|brickwalled|brickwall limiter|brick-wall limiter",
    "CEILING": "ceiling|true peak|true peaks|true-peak|true-peaks|true peak level|"
    "true peak maximum|peak ceiling|ceil at|max true peak|maximum true peak|decke|"
    "spitzenpegelgrenze|grenze|intersample peaks|inter-sample peaks|true-peak-pegel|truepeak|tp",
    "GATE": "gate|noise gate|noise-gate|noisegate|gated|gating|gate out|geräuschgate|"
    "rauschsperre|rausch-gate|noise gating|gates|gate it",
    "PITCH": "stimm|stimm ihn|stimm es|stimm sie|pitch|shift|tonhöhe|transpose|transponier|"
    "transponiere|tuning|tune|pitch it|"
    "pitched|tonlage|stimmlage|transposed|transposition|transponieren|repitch|pitch-shift|"
    "pitchshift|pitch shift",
    "FASTER": "faster|quicker|schneller|speed up|beschleunig|speed it up|as fast|so schnell|"
    "accelerate|sped up|speeding up|speed this up|speed that up|speed the whole thing up|"
    "more quickly|faster by|rascher|zügiger|flotter|beschleunigen|beschleunigt|beschleunige|"
    "quicken|at a faster pace|schneller abspielen|make faster"
    "|rushing|rushed",
    "SLOWER": "slower|langsamer|slow down|verlangsam|slow it down|slow|slowed|slowed down|"
    "slowing|slow this down|slow that down|slow the whole thing down|more slowly|decelerate|"
    "verlangsamen|verlangsame|verlangsamt|abbrems|gemächlicher|langsamer abspielen|"
    "at a slower pace|make slower",
    "SPEED": "speed|geschwindigkeit|tempo|fach|fache|playback speed|abspiel|pace|"
    "rate of play|original speed|normal speed|of the speed|of the original speed|of normal speed|"
    "abspielgeschwindigkeit|wiedergabegeschwindigkeit|der geschwindigkeit|"
    "der originalgeschwindigkeit|originalgeschwindigkeit|run|run it|playing|playback|abspielen|"
    "wiedergabe|tempos|times speed|times the speed|mal so schnell|x speed|speedup|laufen|"
    "laufen lassen",
    "SAMEPITCH": SAME_PITCH + "|"
    "ohne die tonhöhe zu verändern|ohne tonhöhe zu verändern|tonhöhe unverändert|"
    "tonhöhe nicht ändern|tonhöhe nicht verändern|ohne änderung der tonhöhe|"
    "without changing the pitch|keep the pitch|same pitch|at the same pitch|"
    "keeping the pitch|ohne die tonhöhe zu ändern|without chipmunk voices|"
    "without the chipmunk effect|bei gleicher tonhöhe|keep pitch|keep the same pitch|"
    "pitch unchanged|with the pitch unchanged|with pitch unchanged|pitch preserved|"
    "preserving pitch|preserving the pitch|preserve the pitch|preserve pitch|maintaining pitch|"
    "maintaining the pitch|without altering the pitch|without altering pitch|"
    "without changing pitch|without affecting the pitch|without affecting pitch|"
    "without shifting the pitch|without a pitch change|no pitch change|don't change the pitch|"
    "leave the pitch alone|leave the pitch|leaving the pitch alone|leave the pitch as it is|"
    "mit gleicher tonhöhe|tonhöhe beibehalten|tonhöhe soll bleiben|die tonhöhe bleibt|"
    "tonhöhe bleibt|ohne tonhöhenänderung|ohne tonhöhe zu ändern|tonhöhe gleich|"
    "bei gleichbleibender tonhöhe|tonhöhe behalten|same key|in the same key|pitch stays|"
    "ohne dass die stimme tiefer wird|ohne dass die stimme höher wird|ohne dass es tiefer wird|"
    "ohne dass es höher wird|without making the voice deeper|without making the voice higher|"
    "pitch stays the same|the pitch should stay|the pitch should stay the same"
    "|with the same pitch|the same pitch|tonhöhe soll dabei gleich bleiben|"
    "die tonhöhe soll dabei gleich bleiben|tonhöhe soll gleich bleiben|"
    "die tonhöhe soll gleich bleiben|tonhöhe bleibt gleich|die tonhöhe bleibt gleich",
    "MONO": "mono|1 channel|single channel|monophonic|monaural|mono file|mono-datei|"
    "monodatei|monospur|mono track|ein kanal|einen kanal|1 kanal|einkanalig|nur ein kanal|"
    "1-channel|one-channel|single-channel|in mono",
    "STEREO": "stereo|stereo file|stereo-datei|stereodatei|2 channels|2-channel|two-channel|"
    "2 kanäle|zweikanalig|stereophonic|in stereo",
    "FOLD": "sum|fold|mix|downmix|mix down|fold down|mixdown|zusammenmisch|collapse|"
    "merge to|merge down|combine to|combined|folding|folded|summed|summe|summiere|summier|"
    "zusammenfass|zusammenleg|reduce to one|bounce down|downmixed|mixed down|mixen|"
    "mische zusammen|runtermisch|heruntermisch|abmisch|convert down|merge the channels|"
    "combine the channels|beide kanäle zusammen|5.1 down|5.1 to|5.1 nach|5.1 auf|from 5.1|"
    "von 5.1|surround down|surround to",
    "CONVERT": "convert|umwandel|wandle|wandel|konvertier|change|ändere|converted|converting|"
    "conversion|turn into|transform|umgewandelt|umwandlung|konvertierung|konvertieren|umformen|"
    "transcode|transkodier|transcoded|recode|re-encode|umkodier|switch over|verwandle|verwandel|"
    "umstellen|umstell|stell um|changed|changing|altered|geändert|ändern",
    "RATE": "downsample|upsample|sample rate|sampling rate|abtastrate|samplerate|resample|"
    "umrechne|umrechn|sampling frequency|for speech recognition|for transcription|"
    "für die spracherkennung|für spracherkennung|für die transkription|sampled|sampled at|"
    "resampled|resampling|re-sample|cd rate|cd sample rate|cd quality sample rate|cd|sampling|"
    "samples per second|samplingrate|abtastfrequenz|abtastung|sample-rate|sampling-rate|sr|"
    "hochrechnen|runterrechnen|herunterrechnen|rechne um|downsampled|upsampled|down-sample|"
    "up-sample|sample frequency|samplefrequenz|sampelrate",
    "DEPTH": "bit depth|bittiefe|word length|depth|wortlänge|bits per sample|sample depth|"
    "bit-depth|auflösung|resolution|bits deep|quantisierung|bit resolution|samples",
    "SAVE": "export|save|write|encode|render|output|speicher|abspeicher|exportier|"
    "format|vorbis|saved|saving|exported|export it|exporting|"
    "writing|written|"
    "outputs|out as|store|stored|deliver as|delivered as|save it|rausgeben|ausgeben|ausgib|"
    "gib aus|ausgabe|ausgegeben|speichern|gespeichert|sichern|sichere|ablegen|leg ab|exportieren|"
    "exportiert|export als|rendern|render it|rendered|encoded|kodier|kodiere|kodieren|encodier|"
    "encoding|schreib|schreibe|schreiben|in the format|dateiformat|spit out|bounce|bounce it|"
    "return|liefer|ausliefern als|abgeben|exportiere"
    "|send|send back|send me|send it back|hand back|give back|schick|schicke|schicken|"
    "zurückschicken|mp3s"
    "|raus als",
    "BITRATE": "bitrate|bit rate|datenrate|bit-rate|data rate|bitrates|datenraten",
    "REVERB": "reverb|reverberation|hall|nachhall|raumhall|hallfahne|reverb effect|"
    "halleffekt|hall-effekt|verhall|verhallen|room reverb|nachhalls|raumklang",
    "ROOMY": "roomier|roomy|more spacious|räumlicher|more room|more space|halliger",
    "FLIP": "invert|flip|switch|umkehr|umdreh|drehe|reverse|inverted|inverting|inversion|"
    "flipped|flipping|turn round|turn around|turn upside down|umgekehrt|umgedreht|umdrehen|"
    "umkehren|invertier|invertiere|invertieren|negate|negier|drehen|dreh",
    "PHASE": "phase|polarity|polarität|polarities|phasenlage|waveform polarity|"
    "signalpolarität|absolute phase|phasen",
    "LAY": "lay|stick|leg|lege|misch|mische|blend|layer|place|placed|laid|laying|put in|"
    "drop in|mix in|mixing|mixed|mixed in|add in|reinmisch|hineinmisch|dazumisch|beimisch|"
    "hinzumisch|einmisch|blend in|blended|slide|run under|lass laufen|overlay|play|spiel|spiele|"
    "spielen|abspielen lassen|kleben|hang|häng an|positionier|einspiel|einspielen|hinterlegen|"
    "hinterleg|hinterlege|unterlegt|unterlege"
    "|playing"
    "|zumischen|zumisch|beimischen",
    "SPLIT": "split|teile|split up|zerteile|chop up|zerleg|splitting|splitted|divide|"
    "divided|divide up|break up|break|break it up|break into|separate|separated|aufteil|aufteile|"
    "aufteilen|teile auf|teil auf|zerteil|zerschneid|zerschneide|trenne|trennen|trenn|auftrennen|"
    "auftrenn|slice up|slice into|chop into|cut up|cut into|teilen|unterteil|unterteile|"
    "unterteilen|aufspalten|spalte|partition|segment it|in stücke schneid",
    "EACH": "every|each|jeder|jedem|wherever|where|wherever there is|wherever there are|"
    "whenever|überall wo|wo|immer wenn|sobald|every time|each time|jede|jeden|jedes|at any|"
    "an jeder|an allen|bei jeder|bei allen"
    "|je|jeweils|apiece|respectively",
    "LITTLE": "a bit|bit of|a bit of|gently|gentle|sanft|a little|a little bit|"
    "a little bit of|little|slightly|slight|a touch|a touch of|a tad|lightly|light|subtle|subtly|"
    "leicht|leichte|leichten|leichtes|ein wenig|wenig|ein bisschen|bisschen|ein kleines bisschen|"
    "some light|dezent|dezenten|short|brief|kurz|kurze|kurzen|kurzer|a quick|a short"
    "|ein klein wenig|klein wenig|ein ganz klein wenig",
    "QUIET": "quiet|leise|leisen|quietly|faint|soft",
    "LOUD": "loud|laut|lauten|hot",
    "BANDPASS": "band-pass|bandpass|band pass|band-pass filter|bandpass filter|bandpassfilter|"
    "bandpass-filter|restrict|restrict it|confine|confine it|band-limit|bandlimit|"
    "beschränken auf|eingrenz|begrenze auf den bereich",
    "PHONE": "telephone|phone|telefon|telefonklang|telefoneffekt|phone call|telephone call|"
    "phone line|telephone line|old phone|old telephone|am telefon|wie am telefon|like a phone|"
    "like a telephone|telephone effect|phone effect"
    "|old phone sound|phone sound|telephone sound|telefonsound",
    "RUMBLE": "rumble|rumbling|rumpeln|rumpelt|trittschall|low rumble|low-frequency rumble|"
    "low frequency rumble|footstep noise|subsonic rumble|stage rumble|traffic rumble|poltern|"
    "gepolter|grummeln|rumpel|low-end rumble|tieffrequentes rumpeln"
    "|tiefes rumpeln",
    "NOT": "don't let|do not let|never let|nicht|not|no|never|nie|niemals|keine|kein|"
    "keinen|don't want|do not want|shouldn't|should not|must not|mustn't|darf nicht|dürfen nicht|"
    "soll nicht|sollen nicht|can't|cannot",
    "NOTHING": "nothing|nichts|nix|nothing should be|nothing may be|nothing must be|"
    "nichts darf|no frequencies|no frequency|keine frequenzen|no signal",
    "DYNAMICS": "dynamics|dynamic range|dynamikumfang|dynamikbereich|dynamik|the dynamics|"
    "dynamic",
    "FILES": "files|dateien|einzelne dateien|einzelne|separate files|several files|"
    "individual files|individual|several|mehrere|mehrere dateien|own files|einzeldateien|tracks|"
    "einzelne tracks|einzelne teile|einzelnen|separate tracks|separate pieces|separate parts|"
    "own file|eigene datei|eigene dateien|multiple files|multiple|different files|clips|"
    "single files|stücke|spuren|einzelspuren|chapters|kapitel|takes"
    "|single file each"
    "|separate tunes|tunes|separate songs|schnipsel|einzelne songs|einzelne lieder",
    "DELAY": "delay|delayed|delaying|verzöger|verzögere|verzögern|verzögert|verzögerung|"
    "later|später|nach hinten|push back|pushed back|postpone|move back|move it back|shift back|"
    "shift it back|move later|verschieb|verschiebe|verschieben|schieb|schiebe|schieben|versetz|"
    "versetze|versetzen|offset|hold back|move|moved|starts later|start later|beginnt später|"
    "start it later",
    "DISTORT": "distort|distorted|distorting|distortion|overdrive|overdriven|overdriving|"
    "saturate|saturation|saturated|übersteuer|übersteuere|übersteuern|übersteuerung|verzerr|"
    "verzerre|verzerren|verzerrt|verzerrung|sättigung|crunch|drive|grit|fuzz|overdrive it|"
    "distortion effect",
    "WHITE": "white|weiß|weißes|white noise|weißes rauschen",
    "PINK": "pink|rosa|pink noise|rosa rauschen|rosarauschen",
    "BROWN": "brown|brown noise|braun|braunes|braunes rauschen|red noise",
    "JOIN": "join|joined|join together|verbind|verbinde|merge|concatenate|concat|combine|"
    "aneinanderhäng|aneinander|zusammenfüg|füge zusammen|string together|one after the other|"
    "hintereinander|nacheinander|back to back|chain|stick together|paste|zusammensetz|"
    "zusammenhäng|zusammenschneid|zusammen|together|stitch together|splice together|link"
    "|string"
    "|einfach alles hintereinander",
    "CROSSFADE": "crossfade|cross-fade|cross fade|crossfaded|crossfading|crossfades|"
    "überblendung|überblenden|überblend|overlap|überlappung|overlapping|überlappend|blend over|"
    "x-fade|xfade",
    "LEFT": "left|links|linke|linken|linker|linkes|left-hand|left hand|l|der linke|left one"
    "|left 1",
    "RIGHT": "right|rechts|rechte|rechten|rechter|rechtes|right-hand|right hand|right one"
    "|right 1|right one only"
    "|r",
    "CHANNEL": "channel|channels|kanal|kanäle|kanälen|stereo channels|stereokanäle|stereoseiten|"
    "stereo sides|stereo image|stereobild|stereo field"
    "|side|seite|that side|this side",
    "SWAP": "swap|swapped|swapping|exchange|interchange|vertausch|vertausche|vertauscht|"
    "vertauschen|tausch|tausche|tauschen|getauscht|the wrong way round|the wrong way around|"
    "wrong way round|seitenverkehrt|falsch herum",
    "MUTE": "mute|muted|muting|stumm|stummschalt|stummschalten|stumm schalten|schalte stumm|"
    "stumm machen|blank out|silence out|schalt stumm|stummgeschaltet|bring to silence|"
    "black out|lautlos|make silent|go silent|turn to silence|ton weg|ohne ton"
    "|stummschalte",
    "BACKWARDS": "back to front|"
    "backwards|backward|rückwärts|in reverse|reversed|reverse|umgekehrt abspiel|"
    "von hinten nach vorn|von hinten nach vorne|rückwärts abspiel|play backwards|"
    "run backwards|the other way round in time|play in reverse"
    "|verkehrt herum",
    "COPY": "copy|copied|duplicate|duplicated|kopiere|kopier|kopieren|dupliziere|duplizieren|"
    "duplizier",
    "ADD": "insert|füge|fügen|einfüg|einfüge|einfügen|pad|padding|padded|pad out|add a gap|setze",
    "DOUBLESPEED": "double speed|twice as fast|twice the speed|doppelt so schnell|"
    "doppelte geschwindigkeit|doppelter geschwindigkeit|doppeltes tempo|doppeltem tempo",
    "HALFSPEED": "half speed|half the speed|half as fast|halb so schnell|halbe geschwindigkeit|"
    "halber geschwindigkeit|halbes tempo|halbem tempo|in halbem tempo|0.5 speed",
    "DULL": "dull|muffled|dumpf|muddy|boxy|mulmig|dumpfe|dunkel|dark|blechern|tinny|nasal",
    "DECLICK": "de-click|declick|de-clicking|declicking|de-crackle|decrackle|entklicken|"
    "entknistern|entklick",
    "QUARTERSPEED": "at a quarter of the speed|mit einem viertel der geschwindigkeit|"
    "in viertelgeschwindigkeit|viertelgeschwindigkeit|quarter speed|"
    "a quarter of the speed|viertel geschwindigkeit|"
    "viertelter geschwindigkeit",
    "FLOAT": "float|floating point|floating-point|fließkomma|gleitkomma|float wav|float-wav",
    "ATLEAST": "at least|mindestens|or more|or longer|oder mehr|oder länger|und mehr",
    "EXCEPT": "except|except for|besides|außer|ausgenommen|other than|everything but|all but|"
    "everything bar|alles bis auf|alle bis auf|alles außer|outside|outside of|außerhalb|"
    "außerhalb von|unless|excluding|apart from|"
    "abgesehen von|make that|rather|lieber|besser gesagt|scratch that|no wait|stattdessen",
    "WITHOUT": "without|ohne",
    "SNR": "snr|abstand|signal-to-noise ratio|signal to noise ratio|signal-to-noise|rauschabstand|"
    "signal-rausch-abstand|störabstand",
    "SAMESPEED": SAME_SPEED + "|ohne das tempo zu verändern|ohne die geschwindigkeit zu verändern|"
    "without changing the speed|without changing speed|at the same speed|"
    "same speed|keep the speed|keeping the speed|keep the tempo|keeping the tempo|"
    "without changing the tempo|without changing tempo|same tempo|at the same tempo|"
    "without affecting the speed|without altering the speed|with the same length|same length|"
    "same duration|keep the length|keeping the length|bei gleichem tempo|"
    "ohne das tempo zu ändern|bei gleicher geschwindigkeit|ohne die geschwindigkeit zu ändern|"
    "tempo beibehalten|bei gleicher länge|gleiches tempo|gleiche geschwindigkeit|gleiche länge|"
    "tempo bleibt|tempo soll bleiben|tempo bleibt gleich|speed unchanged|tempo unchanged|"
    "without making it faster|without making it slower|"
    "speed stays the same"
    "|without changing its length|without changing the length|same duration as before|"
    "the length stays the same|length stays|die länge bleibt|die länge bleibt gleich|"
    "länge bleibt gleich|die länge soll bleiben|bei gleichbleibender länge|"
    "ohne die länge zu ändern|ohne die länge zu verändern|keep its length|keep the duration|"
    "without making it longer"
    "|gesamtlänge unverändert|gleiche gesamtlänge|länge unverändert|die dauer bleibt|"
    "dauer bleibt gleich|total length unchanged|length unchanged|"
    "dauer der datei soll dieselbe bleiben|soll dieselbe bleiben|but keep the length|"
    "with the length kept"
    "|keep the file length|without making the file any longer|without making it any longer|"
    "gesamtlänge bleibt gleich"
    "|keep the same length|same length kept|gesamtlänge bleibt erhalten|länge bleibt erhalten|"
    "without shortening the file|without shortening it|ohne die datei zu kürzen|"
    "ohne sie zu kürzen|dateilänge bleibt gleich",
}  # fmt: skip
"""The words and groups of words of each sense."""
