"""Words of what a sound is, who made it, where and for whom: they ask for nothing.

Who says "the hum of my amp" or "for the class" wants what he would want without these words. Parts
of a sound ("the chorus", "the solo") do not stand here: what is asked for them is asked for less
than all of it.
"""

from __future__ import annotations


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text with blanks between them."""
    return frozenset(text.split())


NEUTRAL = (
    # people
    "boss|colleague|colleagues|client|client's|clients|customer|customers|editor|producer|"
    "students|student|pupils|pupil|class|classes|kids|children|audience|listeners|listener|"
    "viewers|viewer|fans|followers|members|team|crew|staff|guys|folks|everybody|people|friend|"
    "friends|family|teacher|professor|lecturer|pastor|preacher|minister|reverend|congregation|"
    "parish|reporter|journalist|author|publisher|label|mastering engineer|engineer|partner|"
    "colleague's|chef|chefin|kollege|kollegin|kollegen|kunde|kunden|kundin|redaktion|redakteur|"
    "redakteurin|schüler|schülerinnen|studierende|studenten|klasse|kinder|publikum|hörer|"
    "hörerinnen|zuhörer|zuschauer|leute|alle|freunde|freund|familie|lehrer|lehrerin|pfarrer|"
    "gemeinde|verlag|autor|autorin|erzähler|erzählerin|besucher|gäste|mitglieder|chorleiter|"
    "teilnehmer|"
    # what it is
    "sermon|sermons|homily|service|mass|prayer|lecture|lectures|talk|talks|speech's|seminar|"
    "webinar|lesson|lessons|meeting|call|conversation|discussion|dialogue|dialog|monologue|show|"
    "programme|program|broadcast piece|story|report|reportage|feature|documentary|documentation|"
    "audiobook|audio book|book|novel|poem|reading|dictation|exercise|exam|tutorial|trailer|"
    "teaser|ad|spot|jingle itself|demo|session|rehearsal|gig|concert|performance|production|"
    "project|memo|voice memo|voice message|message|voicemail|announcement|audio guide|station|"
    "stations|piece of audio|podcast episode|recordings|tracks of ours|sounds like this|"
    "material of mine|footage|video|clip of mine|movie|film|game|app|website|site|page|web|"
    "internet|online|offline|predigt|andacht|gottesdienst|gebet|vorlesung|vortrag|vorträge|"
    "unterricht|stunde selbst|besprechung|sitzung|gespräch|diskussion|beitrag|beiträge|hörbuch|"
    "hörspiel|buch|roman|gedicht|lesung|diktat|übung|übungsaufnahme|prüfung|probe|konzert|"
    "konzertmitschnitt|mitschnitt|mitschnitts|auftritt|aufführung|projekt|mischung|"
    "sprachnachricht|nachricht|ansage|audioguide|vokabelliste|aufgabe|webseite|homepage|netz|"
    "archiv|archive|sammlung|collection|library|bibliothek|o-ton|o-töne|atmo|mixtape|digitalisat|"
    "tonspur|audiospur|audiodatei|audio file|audio track|wav file|wave file|wav-datei|tondatei|"
    "sprachaufnahme|sprecherspur|"
    # where and with what
    "mic|mics|microphone|microphones|mike|mikro|mikrofon|mikrofone|mikrophon|headset|recorder|"
    "field recorder|phone's|smartphone|handy|laptop|computer|pc|camera|kamera|amp|amplifier|"
    "verstärker|console|mixer|mischpult|interface|preamp|cable|cables|kabel|lautsprecher|"
    "headphones|kopfhörer|turntable|record player|plattenspieler|tape deck|tape machine|"
    "kassettenrekorder|kassettendeck|tonband|bandmaschine|record|records|cassette tape|gerät|"
    "geräte|device|devices|system|setup|gear|equipment|player|daw|logic|pro tools|ableton|reaper|"
    "audacity|garageband|premiere|final cut|resolve|davinci|kitchen|küche|bathroom|bedroom|"
    "schlafzimmer|living room|wohnzimmer|office|büro|studio|home studio|church|kirche|chapel|"
    "kapelle|school|schule|classroom|klassenzimmer|university|uni|hall of ours|garden|garten|"
    "street|straße|car|auto|train|zug|stage|bühne|pulpit|kanzel|museum|exhibition|ausstellung|"
    "house|haus|home|zuhause|outside|draußen|outdoors|indoors|"
    # when
    "today|tonight|yesterday|tomorrow|heute|gestern|morgen|this morning|last night|last week|"
    "this week|monday|tuesday|wednesday|thursday|friday|saturday|sunday|montag|dienstag|mittwoch|"
    "donnerstag|freitag|samstag|sonntag|live|nun|später mal|soon|bald|"
    # how it is said
    "leider|unfortunately|sadly|painfully|terribly|awfully|horribly|annoyingly|ugly|bloody|damn|"
    "awkward|schlimm|schlimme|schlimmen|lästigen|eklig|hässlich|blöd|blöde|blöden|dumme|dummen|"
    "furchtbare|furchtbaren|lovely|beautiful|usual|normal|typical|standard one|üblich|übliche|"
    "üblichen|gewohnt|gewohnte|gewohnten|proper|decent|please note|kindly|freundlicherweise|"
    "netterweise|if possible|if that's possible|if you can|if it's possible|if you could|"
    "wenn möglich|wenn's geht|wenn es geht|falls möglich|soweit möglich|soweit es geht|"
    "as far as possible|as best you can|so gut es geht|audible|hörbar|hörbare|hörbaren|obvious|"
    "obviously|constantly|ständigen|dauernd|dauernde|permanent|permanente|permanenten|therefore|"
    "hence|thus|deshalb|deswegen|daher|darum|nämlich|zwar|und zwar|hingegen|dagegen|jedoch|"
    "allerdings|though|however|ideally|idealerweise|preferably|am liebsten|lieber|rather|"
    "schließlich|at last|zusätzlich|additionally|entsprechend|accordingly|tidy|neat|neatly|"
    "carefully|vorsichtig|behutsam|pls|plz|ta|cheers|mate|dear|liebe|lieber kollege|guten tag|"
    "moin|servus|good morning|good evening|dank dir|vielen dank|many thanks|thanks a lot|"
    "thanks so much|thank you so much|thanks in advance|danke im voraus|im voraus|in advance|lg|"
    "vg|best regards|kind regards|viele grüße|liebe grüße|greetings|god bless|take care|"
    "schöne grüße|gruß|grüße|you know|i guess|i suppose|oops|ups|well|anyway|naja|also gut|"
    "right then|unsere|unser|unserer|unseren|unserem|unseres|euer|eure|deren|dessen|ihr|ihre|"
    "ihren|ihrem|ihrer|his|her|their|your|deine|dein|deinen|someone's|dieser|dieses|diesem|those|"
    "such|solche|solch|solchen|man|one's|that's all|that's all we need|that's all i need|"
    "that's it|nothing else|nothing more|mehr muss nicht passieren|mehr nicht|das war's|"
    "das wär's|sonst nichts|weiter nichts|das ist alles|mehr brauche ich nicht|no other changes|"
    "no further changes|still|still want|anymore|any more|immer noch|too close|too far|too near|"
    "zu nah|zu nahe|zu weit|zu dicht|each one|itself|selbst|selber|myself|kriegst|kriegt|"
    "bekommst|krieg|schaffst|drin|darin|rest|the rest|den rest|der rest|small|kleine|kleines|"
    "kleiner|single|new|neue|neuen|neues|old|alte|alten|another|sound bite|soundbite|my piece|"
    "mein stück|meinem stück|any chance of|any chance you could|any chance|"
    "would it be possible to|is it possible to|wäre es möglich|ist es möglich|vocabulary list|"
    "word list|list|liste|i'd say|i'd guess|würde ich sagen|desk|tisch|huhu|hallöchen|tach|"
    "ziehen|zieh|may|may go|go|dafür|einschleifen|einsetzen|anwenden|anlegen|müsste|müssten|"
    "könnte|könnten|in dieser reihenfolge|in this order|in that order|in der reihenfolge|"
    "reihenfolge|order|this 1|that 1|the other 1|text|sometimes|manchmal|ab und zu|"
    "every now and then|director|regisseur|chain|signal chain|signalkette|settings|setting|"
    "einstellungen|style|stil|effect|effekt|ja|eben|halt|bloss mal|together with that|"
    "in addition|by the way|übrigens|fyi|btw|whole piece|the piece itself|rang|this take|"
    "that take|kept on|cancelling each other|cancel each other|away from|weg von|far away|"
    "weit weg|weit entfernt|right through|the whole way through|all the way through|"
    "die ganze zeit|all the time|all over the place|you can hear|you hear|man hört|hört man|"
    "one can hear|zu hören|or more|or longer|oder mehr|oder länger|und mehr|danke dir|"
    "danke schön|dankeschön|merci|schalte|schalt|schalten|guten morgen|guten abend|"
    "hallo zusammen|hi all|hi there|hello there|hi folks|alles zusammen|all together|"
    "everything together|livestream|ne|nen|trainees|trainee|agent|caller|callers|kommentar|"
    "commentary|training|training group|group|gruppe|came back|go online|online gehen|zum üben|"
    "hoster|mail|e-mail|email|urlaubsvideo|schnitt|the edit|interviewpartner|interviewpartnerin|"
    "gitarrist|sänger selbst"
)
"""Words and groups of words."""
SCOPES = words_of(
    "chorus choruses verse verses refrain strophe solo bridge hook breakdown drop riff scene "
    "szene introduction einleitung chapter kapitel question questions frage fragen answer "
    "answers antwort antworten applause applaus laughter gelächter song-part word words wort "
    "wörter sentence satz sätze phrase beat beats note notes ending start intro outro"
)
"""Words for a part in time: what is asked for it is not asked for all of the sound."""
