"""Words of what a sound is, who made it, where and for whom: they ask for nothing.

What all of a sound is ("the sermon") adds nothing. People add nothing behind "for", places and
things behind a preposition ("the hum of my amp"); elsewhere they may be what is to be changed
("lower the audience"). Parts of a sound ("the chorus", "the solo") are none of these: what is asked
for them is asked for less than all of it.
"""

from __future__ import annotations


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text with blanks between them."""
    return frozenset(text.split())


WHOLE = (
    "backing track|backing tracks|"
    "sermon|sermons|lecture|lectures|talk|talks|seminar|webinar|lesson|lessons|meeting|show|"
    "programme|program|audiobook|novel|dictation|tutorial|demo|session|rehearsal|gig|concert|"
    "performance|production|project|voice memo|audio guide|podcast episode|recordings|footage|"
    "predigt|andacht|gottesdienst|vorlesung|vortrag|vorträge|unterricht|besprechung|sitzung|"
    "hörbuch|hörspiel|lesung|diktat|übungsaufnahme|probe|konzert|konzertmitschnitt|mitschnitt|"
    "mitschnitts|auftritt|aufführung|projekt|mischung|sprachnachricht|audioguide|vokabelliste|"
    "digitalisat|tonspur|audiospur|audiodatei|audio file|audio track|wav file|wave file|"
    "wav-datei|tondatei|sprachaufnahme|sprecherspur|shellac record|schellackplatte|service"
)
"""What all of a sound is."""
NEUTRAL = (
    "old|alte|alten|today|tonight|yesterday|tomorrow|heute|gestern|morgen|this morning|"
    "last night|last week|this week|monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    "montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|nun|später mal|soon|bald|leider|"
    "unfortunately|sadly|painfully|terribly|awfully|horribly|annoyingly|ugly|bloody|damn|awkward|"
    "schlimm|schlimme|schlimmen|lästigen|eklig|hässlich|blöd|blöde|blöden|dumme|dummen|"
    "furchtbare|furchtbaren|lovely|beautiful|usual|normal|typical|standard one|üblich|übliche|"
    "üblichen|gewohnt|gewohnte|gewohnten|proper|decent|please note|kindly|freundlicherweise|"
    "netterweise|audible|hörbar|hörbare|hörbaren|obvious|obviously|constantly|ständigen|dauernd|"
    "dauernde|permanent|permanente|permanenten|therefore|hence|thus|deshalb|deswegen|daher|darum|"
    "nämlich|zwar|und zwar|hingegen|dagegen|jedoch|allerdings|though|however|ideally|"
    "idealerweise|preferably|am liebsten|"
    "geh mal|gehe mal|geh|ihm|ihnen|schließlich|at last|zusätzlich|additionally|"
    "entsprechend|accordingly|tidy|neat|neatly|carefully|vorsichtig|behutsam|anyway|unsere|unser|"
    "unserer|unseren|unserem|unseres|euer|eure|deren|dessen|ihr|ihre|ihren|ihrem|ihrer|his|her|"
    "their|your|deine|dein|deinen|someone's|dieser|dieses|diesem|those|such|solche|solch|solchen|"
    "one's|still|still want|anymore|any more|immer noch|too close|too far|too near|zu nah|"
    "zu nahe|zu weit|zu dicht|each one|selbst|selber|myself|kriegst|kriegt|bekommst|krieg|"
    "schaffst|drin|darin|small|kleine|kleines|kleiner|single|new|neue|neuen|neues|another|"
    "sound bite|soundbite|my piece|mein stück|meinem stück|any chance of|any chance you could|"
    "any chance|would it be possible to|is it possible to|wäre es möglich|ist es möglich|i'd say|"
    "i'd guess|würde ich sagen|desk|tisch|ziehen|zieh|may|may go|go|dafür|einschleifen|einsetzen|"
    "anwenden|anlegen|müsste|müssten|könnte|könnten|in dieser reihenfolge|in this order|"
    "in that order|in der reihenfolge|this 1|that 1|the other 1|chain|signal chain|signalkette|"
    "settings|setting|einstellungen|ja|eben|halt|bloss mal|together with that|in addition|"
    "by the way|übrigens|this take|that take|kept on|cancelling each other|cancel each other|"
    "away from|weg von|far away|weit weg|weit entfernt|right through|the whole way through|"
    "all the way through|die ganze zeit|all the time|all over the place|you can hear|you hear|"
    "man hört|hört man|one can hear|zu hören|schalte|schalt|schalten|alles zusammen|all together|"
    "everything together|livestream|ne|nen|came back|go online|online gehen|zum üben|here's|"
    "here is|hier ist|hier kommt|set|night|dann|then|anschließend|richtig|rein|kommt|kommen|"
    "180 grad|180 degrees|hab|habe|hast|mich|dich|total|komplett|komplettes|völlig|freundlichen|"
    "abend|heute abend|wünschen|wünscht|for ages|ages|outdoors|what's left|what is left|"
    "right now|right away|right at|rechtzeitig"
)
"""Words and groups of words that add nothing beside others."""
FILLERS = (
    "i think|ich denke|ich glaube|ich finde|i believe|i'm afraid|would do the job|will do the job|"
    "should do the job|would do the trick|should do the trick|will do the trick|would be great|"
    "would be nice|would be perfect|would be lovely|wäre super|wäre toll|wäre schön|wäre prima|"
    "would you mind|hinterher|am besten|am besten gleich|müsste es passen|dann müsste es passen|"
    "then it should be fine|"
    "if possible|if that's possible|if you can|if it's possible|if you could|wenn möglich|"
    "wenn's geht|wenn es geht|falls möglich|soweit möglich|soweit es geht|as far as possible|"
    "as best you can|so gut es geht|cheers|mate|dear|liebe|lieber kollege|guten tag|moin|servus|"
    "good morning|good evening|dank dir|vielen dank|many thanks|thanks a lot|thanks so much|"
    "thank you so much|thanks in advance|danke im voraus|im voraus|in advance|lg|vg|best regards|"
    "kind regards|viele grüße|liebe grüße|greetings|god bless|take care|schöne grüße|gruß|grüße|"
    "you know|i guess|i suppose|oops|ups|well|naja|also gut|right then|that's all|"
    "that's all we need|that's all i need|that's it|nothing else|nothing more|"
    "mehr muss nicht passieren|mehr nicht|das war's|das wär's|sonst nichts|weiter nichts|"
    "das ist alles|mehr brauche ich nicht|no other changes|no further changes|danke dir|"
    "danke schön|dankeschön|merci|guten morgen|guten abend|hallo zusammen|hi all|hi there|"
    "hello there|hi folks|hi|hello|hallo|hey|huhu|hallöchen|tach|yo|digga|bro|alter|dude|okay|ok|"
    "thanks|danke|bitte schön|mit freundlichen grüßen|sincerely|yours|fyi|btw|ta|pls|plz|"
    "all right|alright|would you|please|bitte|tausend dank|kind|namaste"
)
"""Greetings and the like, which add nothing, and stand alone."""
CONTENTS = words_of(
    "call conversation discussion dialogue dialog monologue story report reportage feature "
    "documentary documentation poem reading exercise trailer teaser memo message voicemail "
    "announcement gebet gespräch diskussion beitrag beiträge gedicht nachricht ansage geschichte "
    "kommentar commentary"
)
"""What all of a sound is, though a level may be that of it alone: "lower the dialogue"."""
PEOPLE = (
    "frau|mann|woman|lady|guy|dude|kerl|dame|oma|opa|mama|papa|tante|onkel|bruder|schwester|sohn|tochter|enkelin|grandma|granny|grandpa|"
    "grandmother|grandfather|mum|mom|dad|uncle|aunt|brother|sister|son|daughter|wife|husband|bride|"
    "groom|nurse|doctor|judge|braut|bräutigam|ärztin|arzt|richter|richterin|kinderchor|neighbour|"
    "visitors|visitor|besucherin|patient|patients|patientin|mutter|vater|eltern|parents|call|conversation|discussion|dialogue|dialog|monologue|story|report|reportage|feature|documentary|documentation|"
    "poem|reading|exercise|trailer|teaser|memo|message|voicemail|announcement|gebet|gespräch|diskussion|"
    "beitrag|beiträge|gedicht|nachricht|ansage|geschichte|kommentar|commentary|"
    "boss|colleague|colleagues|client|client's|clients|customer|customers|editor|producer|"
    "students|student|pupils|pupil|class|classes|kids|children|audience|listeners|listener|"
    "viewers|viewer|fans|followers|members|team|crew|staff|guys|folks|people|friend|friends|"
    "family|teacher|professor|lecturer|pastor|preacher|minister|reverend|congregation|parish|"
    "reporter|journalist|author|publisher|label|mastering engineer|engineer|partner|colleague's|"
    "chef|chefin|kollege|kollegin|kollegen|kunde|kunden|kundin|redaktion|redakteur|redakteurin|"
    "schüler|schülerinnen|studierende|studenten|klasse|kinder|publikum|hörer|hörerinnen|zuhörer|"
    "zuschauer|freunde|freund|familie|lehrer|lehrerin|pfarrer|gemeinde|verlag|autor|autorin|"
    "erzähler|erzählerin|besucher|gäste|mitglieder|chorleiter|teilnehmer|director|regisseur|"
    "trainees|trainee|agent|caller|callers|training group|group|gruppe|hoster|interviewpartner|"
    "interviewpartnerin|gitarrist|enkel|regie|father|mother|co-host"
)
PLACES = (
    "klimaanlage|heizung|kühlschrank|beamer|projektor|projector|fridge|heater|heating|"
    "air conditioning|ventilator|server|drucker|printer|neighbour|neighbours|nachbar|nachbarn|"
    "mouth|mund|rang|mic|mics|microphone|microphones|mike|mikro|mikrofon|mikrofone|mikrophon|"
    "headset|recorder|field recorder|phone's|smartphone|handy|laptop|computer|pc|camera|kamera|"
    "amp|amplifier|verstärker|console|mixer|mischpult|interface|preamp|cable|cables|kabel|"
    "lautsprecher|headphones|kopfhörer|turntable|record player|plattenspieler|tape deck|"
    "tape machine|kassettenrekorder|kassettendeck|tonband|bandmaschine|cassette tape|gerät|"
    "geräte|device|devices|setup|gear|equipment|player|daw|logic|pro tools|ableton|reaper|"
    "audacity|garageband|premiere|final cut|resolve|davinci|kitchen|küche|bathroom|bedroom|"
    "schlafzimmer|living room|wohnzimmer|office|büro|studio|home studio|church|kirche|chapel|"
    "kapelle|school|schule|classroom|klassenzimmer|university|uni|garden|garten|street|straße|"
    "car|auto|train|zug|stage|bühne|pulpit|kanzel|museum|exhibition|ausstellung|house|haus|home|"
    "zuhause|outdoors|indoors|app|archiv|archive|audio book|aufgabe|"
    "bibliothek|book|broadcast piece|buch|collection|"
    "e-mail|email|exam|"
    "film|game|homepage|homily|insta|instagram|"
    "internet|library|mail|mixtape|movie|netz|o-ton|"
    "o-töne|offline|online|page|prüfung|regie|roman|sammlung|"
    "schnitt|site|snippet|station|stations|text|the edit|tiktok|training|"
    "urlaubsvideo|video|vlog|vlog-voiceover|vocabulary list|voice message|web|webseite|"
    "website|word list|übung"
)
"""Places, things and what else a sound comes from."""
SCOPES = words_of(
    "chorus choruses verse verses refrain strophe solo bridge hook breakdown drop riff scene "
    "szene introduction einleitung chapter kapitel question questions frage fragen answer "
    "answers antwort antworten applause applaus laughter gelächter song-part word words wort "
    "wörter sentence satz sätze phrase beat beats note notes ending start intro outro middle "
    "mitte half hälfte passage passages section sections part parts take takes"
)
"""Words for a part in time: what is asked for it is not asked for all of the sound."""
