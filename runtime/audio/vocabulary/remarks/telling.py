"""Verbs of what people and things do beside a sound: who says so tells something."""

from __future__ import annotations

from collections.abc import Iterator

from ..words.circumstances import words_of

_ENGLISH = words_of(
    "reject reach match air allow announce answer appear argue arrive attend bark bash bang boil "
    "boom borrow bounce breathe brush bubble bump burn camp capture carry chat cheer chew clap "
    "clatter climb collect compose confuse connect consist contain cook cough cover crash creak "
    "croak cry dance depend describe die dictate digitise digitize direct disturb dress drift "
    "drip drone drown dub enjoy enter exist explain face film fit flap flow flutter focus follow "
    "fumble gather giggle glitch groan grumble growl happen hiccup honk host howl hurt import "
    "include interrupt interview introduce invite jump kick knock land laugh launch lean learn "
    "listen live load look love manage march marry mention mispronounce move mumble murmur "
    "narrate notice open operate overlap pack paint park pass perform plan play plug point "
    "polish post pour practise practice praise pray preach present press print produce promise "
    "publish purr rain ramble rattle realise realize receive recite record refuse rehearse "
    "release relax remember rent reply report return rip roar rush rustle scan scream scrape "
    "search seem serve settle share shout show shuffle sigh slam slip slurp smile smoke sneeze "
    "sniff snore squeak squeal stream study stumble stutter submit suffer surprise swallow talk "
    "tap teach test touch tour transfer travel tremble trip trust type upload use vibrate visit "
    "voice volunteer wait walk wander warn wash watch whine whisper whistle wonder work worry "
    "wrap yawn yell translate retire speculate celebrate combine discuss demonstrate lecture "
    "parade patrol sample sing-along coach chant bleed warble gallop hammer drill saw vacuum mow "
    "hoover chirp crow moo sizzle simmer slosh splash tick toll beep ping charge ship mail last "
    "age cost matter own sponsor store stretch tend train treat view weigh witness work-out zoom "
    "edit"
)
_IRREGULAR = words_of(
    "begins blows breaks brings builds buys catches does draws drinks drives eats falls feels "
    "finds flies forgets gives grows hits holds keeps knows leads lends lies lay loses makes "
    "meets pays puts reads rings ringing rises runs says sees sells sends shakes shines shoots "
    "shuts sings sits sleeps speaks spends stands steals strikes swims swears takes teaches "
    "tears tells thinks throws wakes wears wins writes read think speak sing live teach sit "
    "stand"
)
_IRREGULAR_PAST = words_of(
    "mixed began blew broke brought built bought caught chose did drank drew drove ate fell felt "
    "fought found flew forgot froze gave grew had held hid kept knew led lent lost made met paid "
    "ran rang rose said sang sat saw sold sent shook shone shot slept spoke spent stood stole "
    "struck swam swore took taught tore told thought threw understood woke wore went won wrote "
    "happened got came became been recorded filmed"
)
_GERMAN = words_of(
    "verschick versend hochlad schick raschel rasch arbeit atm bau bell benutz besuch blätter "
    "bohr brüll dauer dien digitalisier diktier dröhn druck erzähl film flüster fühl führ gähn "
    "glaub hämmer handel heul hup hust jubel kauf keuch kicher klapper klatsch klingel klopf "
    "knall knarr knarz koch komponier lach leb lehr lern liefer mach mal miet moderier murmel "
    "näh nies nuschel nutz öffn pack park passier plauder plapper prob prüf quietsch rassel red "
    "regn reis räusper sag sammel schaff schau schenk schepper schimpf schluck schmatz schnarch "
    "schnauf schnief seufz spiel sprudel stell stör stotter stolper such surr tanz tick träum "
    "trommel tropf üb überleg unterricht veröffentlich vibrier wander wart wechsel wein wohn "
    "zahl zeichn zeig zitter zwitscher nenn kenn renn bring denk steck brech heiß rauf putz "
    "stapel protokollier fotografier lauf streich trampel piep tut knurr mäh säg saug staubsaug "
    "krach krächz kräh quak summ-mit wirk stimm-ein verwend erklär bereit-vor präsentier "
    "konzertier studier referier"
)
_STRONG = words_of(
    "fährt fahren fällt fallen findet finden fliegt fliegen gibt hält hängt liegt liegen läuft "
    "liest nennt ruft rufen sitzt sitzen sieht singt singe singen schläft schreit schreien "
    "schreibt schreibe spricht spreche sprechen steht stehen steigt höre schreie schaut schauen "
    "streiten tut trifft trägt trinkt unterbricht verliert weiß wissen wächst wäscht zieht "
    "kommentiert pfeift pfeifen passt passen stammt stammen bekommt verstummt"
)
_STRONG_PAST = words_of(
    "fuhr fuhren fiel fand fanden flog gab gaben ging gingen hielt hing kam kamen kannte lag "
    "lagen lief liefen las nahm nahmen nannte rannte rief riefen saß saßen sah sang sangen "
    "schlief schrie schrieb schwieg sprach standen stand starb stieg stritt tat traf trug trank "
    "unterbrach verlor wusste wuchs warf zog zogen pfiff dachte brachte bekam"
)
_STRONG_PARTICIPLES = words_of(
    "gelaufen gefallen gegeben gelegen geschrieben gesessen gestanden gesungen gesprochen "
    "getroffen verloren verstanden entstanden aufgenommen gemacht geworden verhaspelt geklingelt "
    "gehustet unterhalten nachgedacht durcheinandergeraten gegangen gekommen gewesen gelesen "
    "gesehen been written spoken sung taken made held done given"
)


def _present() -> Iterator[str]:
    yield from _IRREGULAR | _STRONG
    for verb in _ENGLISH:
        yield from (
            verb,
            f"{verb}s",
            f"{verb}es",
            f"{verb.removesuffix('e')}ing",
            f"{verb}{verb[-1]}ing",
        )
        if verb[-1] == "y":
            yield f"{verb[:-1]}ies"
    for stem in _GERMAN:
        yield from (f"{stem}{ending}" for ending in ("e", "st", "t", "en", "n", "et", "est"))


def _past() -> Iterator[str]:
    yield from _IRREGULAR_PAST | _STRONG_PAST
    for verb in _ENGLISH:
        yield from (f"{verb.removesuffix('e')}ed", f"{verb}{verb[-1]}ed")
        if verb[-1] == "y":
            yield f"{verb[:-1]}ied"
    for stem in _GERMAN:
        yield from (f"{stem}te", f"{stem}ten", f"{stem}ete", f"{stem}eten")


def _participles() -> Iterator[str]:
    yield from _STRONG_PARTICIPLES | {*_past()}
    before = (
        "",
        "an",
        "auf",
        "aus",
        "ein",
        "vor",
        "mit",
        "ab",
        "zu",
        "um",
        "nach",
        "weg",
        "vorbei",
    )
    for stem in _GERMAN:
        yield from (f"{one}ge{stem}{end}" for one in before for end in ("t", "et", "en"))
        yield from (f"{stem}t", f"{stem}et") if stem.endswith("ier") else ()


PASTS = frozenset(_past())
PARTICIPLES = frozenset(_participles())
VERBS = frozenset(_present()) | PASTS
