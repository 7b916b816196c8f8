"""How do languages use the letters beyond ASCII? Some common words of each, from which pairs of letters are counted.

The words were chosen so that every special letter of a language occurs about as often, and in the neighbourhoods, as
in its ordinary texts.
"""

from __future__ import annotations

LATIN = {
    "german": "für über können würde müssen später ähnlich möglich größer heißt schön früh öffnen "
    "ältere während zurück fünf zwölf natürlich gehört länder städte männer häuser bücher maß außerdem "
    "schließlich süd höhe führen prüfung gemäß jährlich täglich österreichisch übung ärzte ämter düse lösung gebäude "
    "bevölkerung verfügung französisch erklärung wählen bürger grüße nächste schüler",
    "french": "déjà même où très après année années première être naître français française côté hôpital "
    "élève école père mère frère général numéro région québec naïve cœur sœur œuvre ça reçu leçon "
    "août dîner maître âge château gâteau tête fête prêt intérêt bientôt goût sûr brûler français mangé "
    "près succès modèle système célèbre égalité université développement sécurité qualité aïeul "
    "événement étranger équipe énergie économie état à là voilà façon français représenté",
    "spanish": "años niña señor español mañana más está también así después según día días país países "
    "número público región nación acción información población educación administración qué cuándo "
    "cómo dónde aquí allí café árbol último única línea río compañía policía economía historia pequeña "
    "montañas señora cigüeña pingüino vergüenza jóvenes inglés francés interés autobús ciudadanía él sí mí",
    "portuguese": "não então mão mãe irmã nação informação população educação atenção relação "
    "você português inglês até é já lá só pé avó avô público número história família águas último "
    "única econômico câmbio pânico experiência importância também além ninguém cabeça preço começo "
    "força lições nações regiões aviões milhões põe fácil difícil possível saúde país índice área à às",
    "italian": "è perché più già può così città università società libertà possibilità qualità attività età "
    "sarà però né caffè tè lunedì venerdì giù virtù gioventù però ciò martedì felicità verità papà metà",
    "danish": "på så også når være før både måske første største både større små går får år åben ånd å "
    "æble ære æg læse skole lære værdi færre træer være død køb køre høre søndag lørdag før øje øst ønske "
    "gøre større nødvendig område måned året både også råd stå forår æske nær kærlighed dør fødsel ",
    "swedish": "och är på för från när där här också måste många några år åtta två små så får går stå både "
    "mål språk område månad väg värld län människa kärlek träd bär hjälp lära största äpple ägg ära över öster ö "
    "höst söndag lördag död bröd kött sköta möte större först högre någon större åren böcker söker gör öppen",
    "finnish": "että mitä tämä hän mä päivä päälle nähdä hyvä kysymys väli äiti älä käyttää tehdä mennä sää työ yö "
    "löytää pöytä käännös jälkeen täällä siellä näin ystävä elämä kesä metsä isä sisään pää jää lähellä pitäisi",
    "polish": "się że być są już także może będzie który która więc przez więcej między część częściej działać "
    "dzień dzięki książek księżyc łatwo ładny był była było miał mała głowa człowiek pół który ból wóz "
    "również źle źródeł późno woźny żeby życie duży już każdy można ćwiczyć pięć sześć dziewięć miłość sześćdziesiąt "
    "świat święto środa ścieżka myśl coś jeść koń słońce dłoń państwo wrzesień tydzień kończyć pieniądze mąż ręka "
    "zęby język gałąź łąka łóżko różny trójkąt powiązań",
    "czech": "že být není ještě může více že když který která také protože rok měsíc den žena muž dítě děti člověk "
    "město dům země řeka moře řada říci přes při před přijít třetí čtyři čas část často více život žít běžet věc "
    "něco někdo vždy dvě pět šest devět život šířka škola štěstí dívka většina největší léto těžký říjen září "
    "únor úkol účet půl dobrý důvod průměr působit můj svůj stůj ťuk šťastný loď teď ďábel píseň síň kámen něm "
    "číslo počet úroveň příklad místo výsledek území společnost",
    "slovak": "že byť môže môj kôň stôl vôľa čas človek ľudia ľahko kráľ soľ deň mať päť deväť pamäť mesto rieka "
    "škola život žiť žena muž dieťa mäso viac väčší najväčší štvrtý šťastie teľa ktorý ktorá príklad číslo dĺžka "
    "stĺp vŕba tŕň hĺbka obyvateľ spoločnosť časť účet únia október máj jún júl",
    "hungarian": "és hogy még már után között több első második jól így úgy kell lehet nélkül előtt mögött fölött "
    "nő férfi gyermek város falu ország út víz tűz föld ég idő erő jövő szülő esőben főváros nőtt őket tőle "
    "belőle időben kettő őszi ősz fő hőmérséklet öröm öt hét év hónap hét műszer művész fű szűk gyűlés hűvös "
    "egyszerű könnyű különböző összes egyéb szám érték magyarország köszönöm újra új húsz három négy íz híd címke "
    "üzlet üveg ülés általános előző következő megyék",
    "romanian": "și să că în înainte într până după fără când cât mână pâine sâmbătă român românesc țară țări "
    "oraș orașe județ populație informație și acești aceștia câteva apă masă casă fată mamă împreună încă înțeles "
    "şi ţară oraşe judeţ staţie preţ viaţă bucureşti aceşti înălţime curăţenie pădure",
    "croatian": "što više može još već kuća noć moć kći čovjek žena muž život ožujak siječanj veljača riječ čaša "
    "žuti šuma široko nešto znači dođe mlađi grad građani đak uređaj između država općina županija područje "
    "prošle godišnje najčešće sljedeći hrvatske književnost",
    "slovene": "še že več če kaj človek žena mož življenje hiša šola mesto občina področje prašanje največ večina "
    "čas čez drugače država števila število leta težko hčerka življenjski",
    "turkish": "için çok daha sonra gün yıl yılı değil olduğu şey şimdi iş kişi baş dış değer eğitim sağlık doğru "
    "büyük küçük öğrenci öğretmen göre önce özel üç dört gör güzel üniversite ülke ülkesi şehir ilçe köy bölge "
    "nüfus sayısı kadın adı yaş aynı ayrı altı yedi sekiz dokuz kırk ışık ısı sınır sıra çalışma çocuk açık "
    "geçen içinde böyle şöyle öyle müdürlüğü bakanlığı başkan yapılan olarak arasında dağ ağır boğaz iyi hız "
    "yazılı kayıtlı başlık toplamı türkiye türk",
    "estonian": "on või öö töö köök söök sõna mõte põhi õhtu õpetaja võib kõik mõni võrdne äär väga päev käsi "
    "jää läbi hästi üks üle külm küla süsi tüdruk ülikool žanr šokk",
    "lithuanian": "yra kaip ąžuolas žmogus žmonės šalis šiandien četvirtis čia kuriuos mūsų jūsų dėl gėlė tėvas "
    "moteris vyrų metų metų įmonė įvairūs žemė širdis šeši šimtas tūkstantis draugų ūkis būti ęs kęsti",
    "latvian": "ir nav kā tā šis šī ļoti ļaudis ģimene ķermenis ķīna ņemt viņš viņa gads gadā vārds māja pilsēta "
    "latvijā rīga ēka ēst īss ūdens jūra šodien žēl četri acīs",
}
CYRILLIC = {
    "russian": "и в не на что он с как это по но они мы этот который человек время год дело жизнь день рука работа "
    "слово место лицо друг глаз вопрос дом сторона страна мир случай голова ребёнок сила конец вид система часть "
    "город отношение женщина деньги земля машина вода отец проблема час право нога решение образ история "
    "власть закон война бог голос тысяча книга возможность результат ночь имя область статья число компания "
    "народ жена группа развитие процесс суд условие средство начало свет пора путь душа уровень форма связь минута "
    "улица вечер качество мысль дорога мать действие государство количество цена объём подъём съезд щека общество "
    "ещё всё её моё большой новый первый последний хороший русский высокий январь февраль июль сентябрь октябрь "
    "наименование адрес дата сумма итого район край республика федерация население женский мужской школа",
    "ukrainian": "і в не на що він як це по але вони ми який людина час рік справа життя день рука робота слово "
    "місце обличчя друг око питання дім сторона країна світ випадок голова дитина сила кінець вид система частина "
    "місто відношення жінка гроші земля машина вода батько проблема година право нога рішення двері образ історія "
    "її їхній їсти заїзд українська європа єдиний має знає п'ять ім'я об'єкт ґрунт область район назва адреса дата "
    "сума більше перший останній січень лютий травень липень серпень жовтень грудень населення",
    "bulgarian": "и в не на че той как това по но те ние този който човек време година дело живот ден ръка работа "
    "дума място лице приятел око въпрос къща страна свят случай глава дете сила край вид система част град жена "
    "пари земя машина вода баща проблем час право крак решение врата образ история българия български съвет ъгъл "
    "първи последен добър голям януари октомври население община област брой общо име дата",
}
GREEK = {
    "greek": "και το να του η της με που την από για είναι ότι στο στη στην δεν οι τα των ένα μια θα αυτό πολύ "
    "όταν άλλο μετά πρέπει μπορεί χρόνος χρόνια ημέρα νύχτα άνθρωπος γυναίκα άντρας παιδί ζωή χώρα πόλη κόσμος "
    "νερό γη σπίτι δρόμος εργασία σχολείο λέξη γλώσσα ελλάδα ελληνική μήνας εβδομάδα λεπτό μεγάλος "
    "μικρός νέος παλιός καλός πρώτος δεύτερος τελευταίος όλα κάθε μέσα έξω πάνω κάτω εδώ εκεί τώρα σήμερα αύριο "
    "χθες πρόβλημα λύση αριθμός σύνολο πληθυσμός περιοχή νομός δήμος διεύθυνση τιμή ποσό ημερομηνία "
    "έργο σχέση δύναμη φωνή ψυχή ξένος ζεστό βάση",
}
SEMITIC = {
    "hebrew": "של את על לא זה הוא היא אני עם כל יום שנה בית עיר ארץ ישראל ירושלים מים ספר איש אישה ילד ילדה שם מספר "
    "תאריך רחוב מדינה חדש גדול קטן ראשון אחרון טוב יותר מאוד שלום תודה בוקר ערב לילה עבודה זמן דרך צפון דרום מזרח "
    "מערב סך הכל אוכלוסייה חודש שבוע עץ כסף פרי צבע קו גן",
    "arabic": "في من على إلى عن هذا هذه التي الذي كان لا ما أن إن كل بعد قبل بين يوم سنة شهر مدينة بلد دولة شارع اسم "
    "رقم تاريخ عدد السكان الاسم العنوان المجموع جديد كبير صغير أول آخر ماء كتاب بيت رجل امرأة ولد بنت شمال جنوب شرق "
    "غرب محافظة منطقة وزارة التعليم الصحة العمل قيمة سعر شيء مسؤول هيئة ثلاثة ضوء ظهر غذاء حق خط طريق",
}
