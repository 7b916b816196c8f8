"""Words of the generated files: per language, one list to tune with and one that is held out."""

from __future__ import annotations

# Per language: places, people and things. The two lists share no word; none was used to make the readers' tables.
TUNING = {
    "english": "Springfield,Riverside,Anna Miller,Tom O'Neil,blue chair,steel pipe,Northern Ireland,garden hose,"
    "Mary Smith,coffee beans,wooden table,Old Mill Road,apple juice,James Carter,rain barrel,copper wire",
    "german": "Köln,Düsseldorf,Jürgen Müller,Grüner Weg,Bäckerei Weiß,Österreich,Fußmatte,Schlüssel,Käthe Groß,"
    "Lübeck,Tür aus Holz,Rührgerät,Saarbrücken,Größe,Hängeleuchte,Münster",
    "french": "Orléans,Besançon,Hélène Lefèvre,Forêt,Crème brûlée,Angoulême,Théâtre,Gérard Prévost,Noël,Nîmes,"
    "Fenêtre,Poêle,Société Générale,Évreux,Maïs,Garçon",
    "spanish": "Málaga,Córdoba,José Muñoz,Año,Niño,Cádiz,Begoña Ibáñez,Camión,España,León,Jamón,Teléfono,Ávila,"
    "Pequeño,Jardín,Almería",
    "portuguese": "São Paulo,Maranhão,João Gonçalves,Pão,Limões,Açúcar,Ceará,Goiânia,Avião,Coração,Brasília,Útil,"
    "Estação,Amanhã,Câmara,Três",
    "danish": "Ærø,Tønder,Søren Kjær,Blåbær,Rødgrød,Hørsholm,Gård,Håndklæde,Næstved,Åbenrå,Smørrebrød,Køge,Fårup,"
    "Skræp,Øl,Børge",
    "polish": "Łódź,Kraków,Grażyna Wiśniewska,Żółty,Gdańsk,Ślęza,Zażółć gęślą jaźń,Częstochowa,Świętokrzyskie,Piła,"
    "Książka,Poznań,Łukasz Dąbrowski,Krzesło,Mąka,Rzeszów",
    "czech": "Plzeň,České Budějovice,Jiří Dvořák,Židle,Ústí nad Labem,Břeclav,Růže,Kůň,Děčín,Šárka Nováková,Žďár,"
    "Stůl,Černá,Třebíč,Mléko světlé,Říčany",
    "hungarian": "Győr,Székesfehérvár,László Kovács,Szőlő,Tűzoltó,Bőrönd,Pécs,Kőszeg,Fűrész,Zöld szék,Ágnes Szűcs,"
    "Hódmezővásárhely,Körte,Erdő,Nyíregyháza,Gőz",
    "russian": "Москва,Новосибирск,Ирина Петрова,Зелёный стол,Екатеринбург,Дверь,Сергей Кузнецов,Чай,Хлеб ржаной,"
    "Самара,Молоко,Щётка,Тюмень,Объект,Юлия Шевцова,Ярославль",
    "ukrainian": "Київ,Чернігів,Оксана Ткаченко,Їжак,Львів,Хмельницький,Стілець,Євген Бойко,Вінниця,Зошит,Ґанок,"
    "Молоко,Івано-Франківськ,Суміш,Щастя,Річка",
    "greek": "Αθήνα,Θεσσαλονίκη,Μαρία Παππά,Ηράκλειο,Τραπέζι,Γιώργος Νικολάου,Ψωμί,Καρέκλα,Πάτρα,Ελιές,Ξύλο,"
    "Λάρισα,Φεγγάρι,Χαρτί,Ώρα,Ύψος",
    "turkish": "İzmir,Eskişehir,Çağlar Yılmaz,Şeker,Diyarbakır,Ağaç,Kırmızı sandalye,Gülşah Öztürk,Muğla,Süt,"
    "Balıkesir,Işık,Aydın,Güneş,Taşlı yol,Niğde",
    "japanese": "東京都,大阪府,山田太郎,鉛筆,緑の椅子,北海道,コーヒー,さくら,"
    "名古屋市,リンゴ,鈴木花子,図書館,机,ひらがな,京都,電車",
    "chinese": "北京市,上海,李小明,绿色的椅子,广州,苹果,王芳,图书馆,咖啡,深圳,铅笔,火车站,张伟,成都,牛奶,桌子",
}
HELD_OUT = {
    "english": "Brighton,Lake County,Peter Brown,Susan D'Arcy,garden fork,paper bag,Western Cape,iron gate,Lucy Green,"
    "green tea,glass bottle,Church Street,orange peel,Henry Wood,water tank,silver spoon",
    "german": "Nürnberg,Würzburg,Günther Schäfer,Weißer Hirsch,Gemüse,Thüringen,Straße,Löffel,Bärbel Höfer,Göttingen,"
    "Stühle,Geschäft,Osnabrück,Maßband,Überzug,Töpferei",
    "french": "Grenoble-Échirolles,Alençon,Benoît Chrétien,Rivière,Pâtisserie,Châteauroux,Musée,Zoé Béranger,Été,"
    "Sète,Clé,Hôtel,Compiègne,Île de Ré,Façade,Chêne",
    "spanish": "Cáceres,Logroño,Ángel Peña,Montaña,Señal,Mérida,Ramón Núñez,Jabón,Aragón,Gijón,Melón,Música,"
    "Úbeda,Otoño,Sábana,Cartón",
    "portuguese": "Belém do Pará,Florianópolis,Conceição Simões,Feijão,Maçã,Paraná,Macapá,Porção,Irmãos,Caminhão,"
    "Ação,Ônibus,Canções,Manhã,Ciência,Mês",
    "danish": "Sønderborg,Ballerup-Måløv,Jørgen Bæk,Jordbær,Brød,Helsingør,Skål,Træ,Ringkøbing,Ålborg,Kød,Rødby,"
    "Fåborg,Hæk,Ørsted,Grøn",
    "polish": "Białystok,Toruń,Małgorzata Król,Zielone jabłko,Wałbrzych,Źródło,Święta Góra,Elbląg,Małopolskie,Łomża,"
    "Krzyż,Kołobrzeg,Paweł Woźniak,Półka,Sól,Zamość",
    "czech": "Olomouc-Hejčín,Hradec Králové,Tomáš Procházka,Skříň,Liberec-Růžodol,Přerov,Jablíčko,Dveře,Mělník,"
    "Zdeňka Veselá,Žatec,Láhev,Zelené křeslo,Uherské Hradiště,Bílé víno,Šumperk",
    "hungarian": "Szombathely-Herény,Gyöngyös,Zoltán Török,Kenyér,Gyűrű,Szőnyeg,Érd,Kecskemét-Hetényegyháza,Gyümölcs,"
    "Fehér ajtó,Erzsébet Dömötör,Dunaújváros,Könyv,Mező,Füzesabony,Hűtő",
    "russian": "Казань,Владивосток,Ольга Смирнова,Красный стул,Челябинск,Окно,Дмитрий Волков,Сахар,Сыр твёрдый,"
    "Пермь,Яблоко,Ложка,Иркутск,Подъезд,Наталья Жукова,Рязань",
    "ukrainian": "Одеса,Запоріжжя,Наталія Шевченко,Їдальня,Тернопіль,Житомир,Олівець,Єлизавета Мельник,Рівне,Папір,"
    "Ґудзик,Цукор,Кам'янець-Подільський,Вікно,Чотири,Міст",
    "greek": "Πειραιάς,Ιωάννινα,Ελένη Δημητρίου,Χανιά,Πόρτα,Κώστας Αντωνίου,Γάλα,Παράθυρο,Βόλος,Τυρί,Σίδερο,Καβάλα,"
    "Ήλιος,Βιβλίο,Έτος,Όνομα",
    "turkish": "İstanbul,Kırşehir,Özgür Şahin,Çay,Gümüşhane,Yağmur,Yeşil masa,Ayşe Demirağ,Iğdır,Peynir tabağı,"
    "Adıyaman,Çiçek,Nevşehir,Kapı,Köprülü,Tekirdağ",
    "japanese": "横浜市,福岡県,佐藤次郎,消しゴム,赤い机,沖縄,"
    "ミルク,もみじ,神戸,バナナ,田中美香,病院,窓,カタカナ,奈良,空港",
    "chinese": "天津市,重庆,刘强,红色的桌子,武汉,香蕉,陈静,医院,茶叶,杭州,钢笔,飞机场,赵敏,西安,面包,窗户",
}
SENTENCES = {
    "tuning": [
        "The bridge was closed, then opened again after two weeks",
        "Delivered late; the customer asked for a refund, but kept the chair",
        "See page 12, table 3, for the complete list of parts",
        "Paint it twice: once in spring, once before winter",
        "No one knew where the key was, so we waited",
    ],
    "held-out": [
        "The boat left early, with most of the crew still on land",
        "Repaired in May; a part was missing, and nobody had ordered it",
        "Compare with section 4, which lists prices, sizes and weights",
        "Water them daily: at dawn, or after the sun has set",
        "He wrote down all names, even those of the children",
    ],
}


def words_of(language: str, held_out: bool) -> list[str]:
    return (HELD_OUT if held_out else TUNING)[language].split(",")
