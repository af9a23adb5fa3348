"""SENSES: words by what they mean: what is done, where and how much.

What no phrase of a tool fits word for word is read by these. A word counts in its other endings as
well ("clicks", "clicking"), and one that stands nowhere here is never passed over. Things that are
changed stand in THINGS, what senses mean together in MEANINGS.
"""

from __future__ import annotations

from collections.abc import Mapping

from ..details.manners import NOT_CLIPPED, NOTHING_ELSE
from .circumstances import FILLERS, NEUTRAL, PEOPLE, PLACES, WHOLE
from .things import THINGS

PASSED = "*"
"""The sense of words that add nothing."""
SENSES: Mapping[str, str] = {
    "FILLER": f"{FILLERS}|{NOT_CLIPPED}|{NOTHING_ELSE}",
    PASSED: "the|a|an|it|its|it's|this|that|these|them|my|our|me|us|for me|i|we|you|please|"
    "bitte|can|could|would|can you|could you|kannst|könntest|du|want|need|would like|i'd|"
    "should|must|be|to be|is|are|have|has|let|make|mach|do|get|give|gib|set|setz|bring|put|use|"
    "apply|target|ziel|hit|sit|end up|aim for|so|thanks|danke|turn|one of|daraus|"
    "der|die|das|den|dem|"
    "des|ein|eine|einen|einem|es|ihn|sie|dies|diese|diesen|mein|meine|ist|sind|soll|sollen|"
    "sollte|muss|müssen|haben|werden|wird|sein|ich|wir|möchte|brauche|will|mir|mal|doch|ganze|"
    "tun|there's|there is|there's a|i can hear|hear|ich höre|file|datei|overall|match|slowly|"
    "version|out of this|sich|think|i think|draus|throughout|recording|audio|sound|track|song|"
    "episode|signal|whole thing|thing|aufnahme|ton|klang|spur|lied|folge|has to|"
    "have to|needs to|need to|needs|has to be|have to be|i want it|"
    "i need it|make sure|wants|will you|would you|würdest|würden|einmal|jetzt|now|here|hier|"
    "simply|einfach|done|going|help me|go ahead|we'd|we'd like|i'll|kann|können|sodass|so that|"
    "damit|dass|wäre|gern|gerne|darf|dürfen|dürfte|wir brauchen|bräuchte|hätte|hätten|hätte gern|"
    "hätte gerne|ich hätte|which|what's|there|da|dort|da ist|es gibt|gibt es|there are|i've got|"
    "got|gotta|got to|hat|vom|am ende vom|results|result|ergebnis|copy|take a|recording's|"
    "vocal recording|the lot|lot|whole|gesamte|gesamten|komplette|kompletten|insgesamt|entire|"
    "entirely|complete|completely|own|sounds|sounding|klingt|klingen|wieder|them all|"
    "auch|as well|also|noch|okay|ok|hi|hello|hallo|hey|really|very|sehr|quite|nicely|properly|"
    "ordentlich|schön|sauber|cleanly|smooth|smoothly|lang|of length|in length|length|länge|dauer|"
    "duration|worth|worth of|goes|geht|gehen|going to|nudge|come|reach|comes|would be nice|nice|"
    "would be great|great|lovely|cool|wäre schön|wäre toll|toll|super|mach's|recorded|i recorded|"
    "aufgenommen|wurde|were|been|got to be|sitting|sits|land|lands|lande|landen|liegen|lieg|"
    "liegt|want it to|ends up|go to|bitte schön|the clip|clip's|interview|"
    "the take|my take|job|task|quick|quickly|schnell mal|kurz mal|"
    "hiermit|erst|somehow|irgendwie|actually|eigentlich|maybe|vielleicht|basically|generally|came|"
    "came out|come out|comes out|turned out|transfer|transfers|tape|tapes|vinyl|platte|"
    "von der platte|von der schallplatte|von der kassette|vom band|from the tape|from the vinyl|"
    "from tape|from vinyl|on the tape|auf der platte|auf dem band|auf der kassette|"
    "schallplatte|kassette|cassette|digitisation|digitalisierung|überspielung|"
    + WHOLE
    + "|"
    + NEUTRAL,
    "PERSON": PEOPLE,
    "ASIDE": PLACES,
    "PART": "voiceover|voice-over|narration|"
    "vocals|voice|speech|music|stimme|musik|sprache|vocal|vocals take|gesang|speaker's|spoken|"
    "gesprochene|singing"
    "|talking",
    "STEM": "drum|drums|guitar|piano|snare|kick drum|hi-hat|cymbals|percussion|violin|singer|choir|"
    "instrument|schlagzeug|gitarre|klavier|geige|sänger|sängerin|chor|trompete|trumpet|host|guest|"
    "moderator|moderatorin|gast|backing vocals|lead vocals|melody|melodie|"
    "soprano|sopranos|sopran|soprane|altos|tenor|tenors|tenöre|kick|tom|toms|cymbal|hihat|hi-hats|"
    "shaker|tambourine|conga|congas|bongo|bongos|timpani|marimba|xylophone|glockenspiel|vibraphone|"
    "flute|flutes|clarinet|oboe|bassoon|recorder part|saxophone|sax|horn|horns|trombone|tuba|brass|"
    "strings|fiddle|viola|cello|cellos|double bass|harp|banjo|ukulele|mandolin|lute|sitar|guitars|"
    "organ|harpsichord|accordion|harmonica|keys|synth|synths|synthesizer|pad part|bagpipes|"
    "pianos|violins|drummer|pianist|guitarist|bassist|violinist|cellist|flautist|"
    "trompeten|posaune|posaunen|horngruppe|flöte|flöten|blockflöte|klarinette|oboe|fagott|"
    "saxofon|saxophon|bläser|streicher|geigen|bratsche|bratschen|celli|kontrabass|harfe|laute|"
    "orgel|cembalo|akkordeon|mundharmonika|gitarren|pauke|pauken|trommel|trommeln|becken|triangel|"
    "rassel|keyboard|keyboards|e-gitarre|e-bass|schlagzeuger|pianistin|geiger|stems|stem|"
    "backing track vocals|chöre|alto|altstimme|bassstimme|tenorstimme|sopranstimme|"
    "instruments|instrumente|soloist|solist|solistin",
    "FILTER": "filter|filtere",
    "BY": "by|um|in the amount of|um rund|um etwa",
    "SOME": "some|etwas",
    "AT": "at|bei|@",
    "OF": "of|von|around|about|=|:|roughly|approximately|approx|circa|ca|etwa|ungefähr|"
    "exactly|genau|sich um|there or thereabouts|than",
    "WITH": "with|mit|for|für|fürs|using|per|during|while|via|by means of|through a|"
    "mittels|bei einer|at a|having|mit einer|mit einem",
    "IN": "in|im|on|am|ans|onto",
    "JUST": "just|only|nur|lediglich|bloß|solely|nichts als|nothing but|ausschließlich|"
    "no more than the"
    "|allein|alleine|lediglich noch"
    "|only 1|the only 1|only one",
    "AND": "and|und",
    "TO": "→|to|down to|"
    "up to|auf|into|zu|zur|zum|als|as|-|nach unten auf|hinunter auf|"
    "runter auf|rauf auf|hoch auf|to about|to around|so it's|so that it is|so it is|in ein|"
    "in eine|in einen|into a|as a|as an|als ein|als eine",
    "NACH": "nach",
    "TILL": "till|until|bis|through|bis zu|up until|up to and including|bis zur|bis zum|"
    "und zwar bis|all the way to",
    "FROM": "from|between|zwischen|ab|starting from|starting at|starting|beginning at|"
    "ab der|ab dem|between the|von der|from around|out of|aus dem|in the range",
    "LOUDER": "louder|lauter|hotter|more volume|mehr lautstärke|amplify|verstärke|more loud|"
    "louder overall|kräftiger|noch lauter|etwas lauter|bit louder|more level|mehr pegel|"
    "more gain|mehr gain|boosted|verstärken|verstärkt|verstärk|lauterdrehen|lauter machen|"
    "lauter drehen|lauterstellen",
    "QUIETER": "quieter|softer|leiser|less volume|less loud|weniger laut|less level|"
    "weniger pegel|less gain|more quiet|more quietly|softly|leiserdrehen|leiser machen|"
    "leiser drehen|leiserstellen|fainter",
    "TOOQUIET": "a bit quiet|a little quiet|a touch quiet|a bit low|etwas leise|etwas zu leise|"
    "ein bisschen leise|too quiet|zu leise|too soft|too low|too faint|zu niedrig|zu schwach|"
    "too quietly|way too quiet|far too quiet|viel zu leise",
    "TOOLOUD": "a bit loud|a little loud|a touch loud|a bit hot|a little hot|a touch hot|"
    "etwas laut|"
    "etwas zu laut|ein bisschen laut|too loud|zu laut|too hot|zu hoch|zu kräftig|"
    "zu stark ausgesteuert|"
    "way too loud|far too loud|viel zu laut|too loudly",
    "UP": "up|raise|increase|boost|lift|bump|crank|push|pump|anheben|erhöhe|hebe|heb|"
    "rauf|hoch|hinauf|turn up|upwards|higher by|raising|raised|boosting|lifted|anheb|hochdreh|"
    "hochzieh|hochsetz|aufdreh|aufdrehen|nach oben|steigern|steigere|steiger|erhöhen|jack up|"
    "jack it up|beef up|goose|dreh auf|emphasise|emphasize|betone|betonen|bring up|bring out|"
    "verstärkung|anhebung"
    "|angehoben|hervorheb|heb hervor",
    "HIGHER": "higher|höher|up in pitch|rauf in der tonhöhe",
    "DEEPER": "deeper|tiefer|lower in pitch|down in pitch|tiefer gestimmt",
    "MORE": "more|mehr|add|extra|plus|dazu|hinzu|drauf"
    "|added|hinzuzufügen"
    "|drauflegen|dazugeben|hinzugeben|dazutun",
    "DOWN": "down|duck|lower|reduce|decrease|attenuate|knock|pull|dip|senke|senk|absenken|"
    "runter|herunter|verringere|reduziere|reduzier|herabsetzen|scoop|abmilder|soften|tame|dämpf|"
    "abschwäch|nudge down|turn down|downwards|lowering|lowered|nach unten|zurücknehm|zurückdreh|"
    "runterdreh|runterzieh|runtersetz|herunterdreh|herunterreg|runterregel|drosseln|drossel|"
    "mindern|minder|vermindern|verminder|abdämpf|dämpfen|dampen|tone down|tone it down|ease off|"
    "trim down|cut back|cut down|bring down|take down|pull back|dial down|dial back|knock down|"
    "attenuated|diminish|squash down|nimm zurück|nimm runter|abschwächen|schwäch|schwäche|"
    "senk ab|absenk|de-emphasise|de-emphasize|notch down|calm|beruhig|minimise|minimize|minimier|"
    "take the edge off|entschärf|entschärfe|entschärfen|zähm|zähme|zähmen|mildern|ease back|"
    "pare back|cool down|absenkung"
    "|bändigen|bändige|bändig|zurück|gedämpft|abgesenkt|reduziert|turned down|brought down|"
    "abgesenkt werden",
    "LESS": "less|weniger|minus|fewer|lesser|not so much|nicht so viel",
    "DROP": "drop|throw|discard|ditch|dump|scrap|verwerfen|verwirf|wegwerf|wirf",
    "CUT": "cut|schneide|schneid|chop|snip|abschneid|ausschneid|rausschneid|wegschneid|"
    "herausschneid|slice|slice off|cutting|chop off|crop off|cut off|cut away|trim off|trim away|"
    "lop off|abtrenn|kappen|kapp|abhacken|kürz weg|cut out|excise|snip out|snip off|carve out|"
    "schnippel|schneide raus|schneide weg|rauskürz|herauskürz|rausschnippel|wegkürz|loskürz",
    "REMOVE": "remove|delete|strip|eliminate|kill|erase|lose|get rid of|rid|removal|clean|"
    "clean up|clean that up|suppress|entfern|entferne|lösch|beseitig|wegmach|rausfilter|"
    "wegfilter|herausfilter|fix|fix that|repair|repariere|should go|must go|can go|go away|"
    "drop out|notch|have to go|has to go|have got to go|gotta go|needs to go|need to go|"
    "got to go|goes away|gone|be gone|to be gone|wipe|wipe out|zap|purge|take care of|deal with|"
    "get rid|getting rid of|ridding|dispose of|banish|cancel|cancel out|reduce or remove|clear|"
    "clear out|clear up|cleanup|clean out|clean off|scrub|scrub out|filter out|filter away|"
    "kick out|edit out|weg damit|bereinig|bereinige|säuber|säubere|säubern|putz|ausmerz|"
    "eliminier|unterdrück|unterdrücke|wegbekomm|rausbekomm|loswerden|loszuwerden|tilgen|tilge|"
    "rausnehm|herausnehm|herauslös|wegnehm|rauswerf|rausschmeiß|rausmach|muss weg|soll weg|"
    "kann weg|können weg|sollen weg|müssen weg|weghaben|weg haben|verschwinden|"
    "verschwinden lassen|verschwinde|should disappear|disappear|vanish|make disappear|"
    "take it out|fix it|get it out|get them out|kill it|killing|notch out|reparieren|reparier|"
    "wegmachen|rauslöschen|löschen"
    "|cleaning that up|cleaning it up|cleaning up|cleaning"
    "|befreien|befrei|davon befreien|clicks removed",
    "TAKE": "take|nimm|nehm|roll|shave|nehme|nimmst|taking|taken",
    "AWAY": "off|away|out|weg|raus|heraus|fort|aus|davon|hinaus|raus damit|out of it|"
    "out of there|from it|heraus aus",
    "LEVEL": "volume|level|gain|lautstärke|pegel|volume level|output level|gesamtpegel|"
    "gesamtlautstärke|lautstärkepegel|loudness level|overall level|overall volume|sound level|"
    "lautstärke insgesamt|signal level|recording level|playback level|master volume|amplitude|"
    "fader|the fader|regler",
    "LOUDNESS": "loud enough|laut genug|"
    "loudness|lautheit|integrated|integriert|loudness target|target loudness|"
    "integrated loudness|perceived loudness|overall loudness|programme loudness|program loudness|"
    "lautheitsziel|ziellautheit|programmlautheit|lautheitspegel|lufs target|lautheitsnorm"
    "|zielwert|target value|zielpegel|target level of",
    "NORM": "normalise|normalize|normalisier|normalisiere|normalisation|normalization|"
    "normalised|normalized|normalising|normalizing|normalisierung|normieren|normier|"
    "loudness-normalise|loudness-normalize|aussteuern|aussteuer|aussteuerung|pegle|pegel ein|"
    "einpegel"
    "|ausgepegelt|einpegeln|auspegeln",
    "PEAK": "peak|peaks|spitze|spitzen|spitzenpegel|loudest peak|sample peak|highest peak|"
    "maximum peak|max peak|highest sample|loudest sample|peak level|peak value|peak amplitude|"
    "spitzenwert|spitzenwerte|maximalpegel|pegelspitze|pegelspitzen|höchste spitze|"
    "lauteste stelle|lauteste spitze|any peak|the highest peaks|peaking|peak-normalise|"
    "peak-normalize",
    "PODCAST": "podcast|podcasts|podcasttauglich|podcast-ready|podcasting|podcast-tauglich|"
    "podcast loudness|podcast level|podcast-lautheit|podcast-pegel|podcastlautheit|"
    "podcast delivery|apple podcasts|podcast-standard|podcaststandard|podcast standard|"
    "podcast norm|for podcast use|podcast feed|podcastfolge",
    "STREAM": "spotify|youtube|streaming|tidal|amazon music|streaming services|"
    "streaming service|deezer|streamingplattformen|streaming platforms|streaming platform|"
    "streaming loudness|streaming-lautheit|streaming level|streamingdienste|streaming-dienste|"
    "streaming delivery|apple music|soundcloud|youtube music|online streaming|spotify loudness|"
    "spotify level|youtube loudness|streams|stream|music streaming",
    "BROADCAST": "broadcast|broadcasting|tv|television|rundfunk|fernsehen|r128|r 128|ebu|"
    "ebu r128|ebu r 128|sendefähig|ebu r-128|ebu-r128|r-128|radio broadcast|broadcast loudness|"
    "broadcast level|broadcast standard|broadcast standards|broadcast delivery|sendung|"
    "ausstrahlung|sendelautheit|for air|for radio|sendenorm|sendepegel|"
    "fernsehnorm|european broadcast|"
    "broadcast-ready|broadcast ready|tv broadcast|fürs radio|radiosendung|on air|ard|zdf|orf"
    "|sendefertig|sendefertige",
    "READY": "ready|prepare|fertig|vorbereit|conform|optimise|optimize|optimier|master|"
    "tauglich|konform|standard|wie|suitable|compliant|comply|gemäß|readied|preparing|prepared|"
    "prep|aufbereit|aufbereiten|aufbereitung|mastern|mastered|mastering|meet|meets|fulfil|"
    "fulfill|fulfils|conforming|compliance|passend|anpassen|anpass|passe|adapt|tailor|"
    "requirement|requirements|spec|specs|specification|spezifikation|vorgaben|vorgabe|"
    "anforderungen|norm|delivery|deliver|ausliefern|auslieferung|veröffentlichung|publishing|"
    "good to go|level appropriate|appropriate|geeignet|fit|target level|targets|adjust|justier|"
    "einstell|einstellen|einricht|bereit|bereitmach|fertigmach|fertig machen|suited|guidelines|"
    "richtlinien|richtlinie"
    "|ausgesteuert|vorbereiten|vorbereitet",
    "START": "at the start|at the beginning|at start|at the front|from the start|start|"
    "beginning|front|head|anfang|beginn|vorne|begin|intro silence|very start|opening|"
    "very beginning|the very beginning|at the very start|at the very beginning|start of it|"
    "the start of it|up front|at the top|top of it|from the beginning|the front|beginnt|"
    "am anfang|am beginn|zu beginn|zum beginn|ganz am anfang|vorn|ganz vorne|vom anfang|anfangs|"
    "startpunkt|the head|an den anfang",
    "END": "at the end|at end|at the very end|end|ende|tail|hinten|schluss|back|very end|"
    "very last|end of it|the end of it|from the end|the back|the tail|am ende|am schluss|"
    "zum schluss|zum ende|ganz am ende|ganz hinten|hinten dran|vom ende|at the tail|at the back|"
    "on the end|onto the end|to the end|ans ende|hintendran|an das ende"
    "|ending|new ending|the ending|endings",
    "BOTH": "both|beide|both ends|both sides|ends|enden|edges|sides|seiten|rändern|"
    "either end|each end|either side|on both ends|on both sides|at both ends|at either end|"
    "beide enden|beiden enden|an beiden enden|beidseitig|auf beiden seiten|rand|ränder|"
    "head and tail|top and tail|tops and tails|start and end|beginning and end|front and back|"
    "anfang und ende|vorne und hinten|vorn und hinten|at the start and end|"
    "at the start and the end|the start and the end|the beginning and the end|from start and end|"
    "from the start and end|at the beginning and end|at beginning and end|"
    "at beginning and the end|am anfang und am ende|am anfang und ende|an anfang und ende"
    "|beider"
    "|before and after|before and behind|davor und danach|davor und dahinter|"
    "vorher und nachher|on either side",
    "LEADING": "leading|initial|before i start|before i speak|before i start talking|führend|"
    "before it starts|before it begins|before it gets going|before the speech|"
    "before the speech starts|before the music|before the music starts|before the talking starts|"
    "before anyone speaks|before the first word|before the first sound|bevor es losgeht|"
    "bevor es anfängt|bevor es beginnt|bevor jemand spricht|vor dem ersten wort|"
    "vor dem ersten ton|vor beginn|pre-roll|lead-in|vorlauf|führende|einleitend|einleitende"
    "|before the song starts|before the song begins|before the track starts|"
    "before the talk starts|bevor das lied beginnt|bevor der song anfängt",
    "TRAILING": "trailing|after it ends|after it finishes|after the last word|"
    "after the last sound|after the music stops|after the end|nach dem ende|"
    "nach dem letzten wort|nach dem letzten ton|nachlauf|lead-out|post-roll|abschließend|"
    "abschließende|anhängende|wenn es vorbei ist",
    "SILENCE": "silence|silent|stille|dead air|leerlauf|quiet bits|quiet parts|silent bits|"
    "silent parts|empty|empty bits|empty parts|empty space|empty sections|empty part|blank|"
    "blank space|blank bits|blank parts|leere|leere stellen|leere teile|leeren|stumme stellen|"
    "stumme|stillen|stillen stellen|silent part|silent section|silent sections|silent stretches|"
    "silent passages|it's silent|it is silent|"
    "dead space|dead time|dead-air|schweigen|leerstellen|leerstelle",
    "KEEP": "keep|extract|behalte|behalt|crop|clip|keeping|kept|leave me with|leave|"
    "preserve|retain|hold on to|behält|behalten|erhalten|erhalte|pull out|grab|lift out|excerpt|"
    "crop to|cropped|crop down|extrahier|extrahiere|auszug|ausschnitt|beschränk|beschränke|"
    "stehen lassen|stehenlassen|übrig|übriglassen|übrig lassen|übrig bleiben|drin lassen|bleiben|"
    "bleibt|lass stehen|lass übrig|stehen bleiben|stehen bleibt|soll stehen bleiben|remain|stay|"
    "should stay|sollen bleiben|durchlassen|durchlass|let through|pass through|lass durch",
    "TRIM": "trim|shorten|kürze|kürz|verkürze|verkürz|tighten|trimmed|shortened|shortening|"
    "trimming|kürzer|einkürz|einkürze|zusammenkürz|stutz|stutzen|stutze|shrink|squeeze down|"
    "condense|compact|make shorter|shorter|straffen|straff|straffe|abkürzen|truncate|truncated",
    "FIRST": "first|ersten|erste|anfänglich|anfänglichen|erster|erstes",
    "SKIP": "skip|überspringe|skip over|jump over|jump past|leave out|omit|auslassen|"
    "auslass|weglassen|weglass|lass weg|übersprungen",
    "LAST": "last|last chord|last note|final chord|final note|letzten akkord|letzten ton|"
    "schlussakkord|final|letzten|letzte|closing|letzter|letztes|allerletzten|concluding",
    "BEFORE": "before|vor|davor|in front|in front of|ahead of|prepend|voran|before it|"
    "preceding|prior to|up front of|voranstell|voranstelle|davorsetz|davor setz|davorhäng|"
    "voransetz|vorneweg|vorne dran|vorschalt|vorher|zuvor|davorkleb|ahead|before this|"
    "before that|before everything|beforehand|as an intro|as intro|als intro|as the intro|"
    "lead in with|prefix|vorne anfüg|vorn anfüg|vorne anhäng",
    "ATTACH": "attach|glue|glue on|tack on|tack|join on|splice|stitch|kleb|klebe|häng|hänge|"
    "füge an"
    "|angehängt|dranhängen|drangehängt|angefügt",
    "AFTER": "after|append|behind|danach|dahinter|after it|anhäng|"
    "following|afterwards play|followed by|gefolgt von|dranhäng|häng dran|dranhängen|"
    "hinten dran häng|hintenan|dahinterhäng|dahintersetz|anschließ|anfüg|anfügen|"
    "hinzufüg|add on|tail with|as an outro|as outro|als outro|"
    "as the outro|suffix|schließ mit|dahinterkleb|ankleb|after this|after that|"
    "after everything|past",
    "SECTION": "section|part|piece|segment|teil|abschnitt|stück|stelle|bereich|passage|bit|"
    "portion|stretch|chunk|bits|parts|pieces|sections|passages|stellen|abschnitte|segments|"
    "stretches|spots|what's between|what is between|what lies between|whatever is|what is|"
    "was zwischen|das zwischen|anything|stuff|section between|content between|material|"
    "the stretch",
    "STOP": "ist schluss|ist ende|is over|"
    "stop|finish|endet|enden lassen|finishes|terminate|conclude|aufhör|aufhören|"
    "schluss machen|stopp|stoppe|ende bei|end at|end it at|stop at|stop it at|finish at"
    "|zu ende|vorbei|ends|ended",
    "FADE": "fade|blende|blenden|fades|fading"
    "|blendet",
    "FADEIN": "fade in|fade-in|fadein|einblend|einblendung|ease in|ease it in|fade up|"
    "fade it up|fade it in|fades in|fading in|fade-ins|rise from silence|come in gradually|"
    "come up gradually|fade in from silence|fade from silence|fade in gradually|einfad|einfaden|"
    "reinfad|einblenden|reinblend|hereinblend|eingeblendet|blende ein|blend ein|sanft einblend|"
    "langsam einblend|start gradually|swell in|gradual start",
    "FADEOUT": "langsam ausblend|langsam ausblenden|sanft ausblend|"
    "fade out|fade-out|fadeout|ausblend|ausblendung|ease out|ease it out|fade down|"
    "fade it down|fade it out|fade to silence|fade to nothing|fade into silence|fades out|"
    "fading out|die away|trail off|ausfad|ausfaden|rausfad|ausblenden|rausblend|herausblend|"
    "ausgeblendet|ausklingen|ausklingen lassen|ausklang|verklingen|verklingen lassen|blende aus|"
    "blend aus|fade away|fade it away|fade off|tail off|gradual end|end gradually|taper off"
    "|blendet aus|blendet langsam aus",
    "WANT": "ich brauch|give me|"
    "i want|i need|gib mir|ich will|ich brauche|ich möchte|hand me|we need|"
    "we want|i'd like|i would like|give us|ich hätte gern|ich hätte gerne|let me have|get me|"
    "ich bräuchte"
    "|asks for|ask for|asked for|expects|expect|requires|require|demands|wants a|wants an|"
    "verlangt|verlangen|erwartet|erwarten|fordert|wünscht sich|braucht|brauchen"
    "|matter|matters|is enough|are enough|reicht|reichen|genügt|genügen|suffices|will do|"
    "is plenty|are plenty|is fine|are fine|is sufficient|would be enough|reichen völlig|"
    "reicht völlig",
    "ALL": "everything|alles|all|any",
    **THINGS,
}  # fmt: skip
"""The words and groups of words of each sense."""
