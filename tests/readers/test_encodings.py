"""Encodings that few bytes must show: East Asian ones without kana, prices, units."""

import random

import pytest

from tests.readers.raw_files import read

WORDS = {
    "euc_jp": "北海道 青森県 岩手県 宮城県 秋田県 山形県 福島県 茨城県 栃木県 群馬県 埼玉県 "
    "千葉県 東京都 神奈川県 新潟県 富山県 石川県 福井県 山梨県 長野県 岐阜県 静岡県 "
    "愛知県 三重県 滋賀県 京都府 大阪府 兵庫県 奈良県 和歌山県 鳥取県 島根県 岡山県 "
    "広島県 ",
    "gb18030": "北京市 天津市 河北省 山西省 辽宁省 吉林省 黑龙江省 上海市 江苏省 浙江省 安徽省 "
    "福建省 江西省 山东省 河南省 湖北省 湖南省 广东省 海南省 四川省 贵州省 云南省 "
    "陕西省 甘肃省 青海省 重庆市 苹果 香蕉 橙子 葡萄 西瓜 草莓 ",
    "big5": "臺北市 新北市 桃園市 臺中市 臺南市 高雄市 基隆市 新竹市 嘉義市 宜蘭縣 苗栗縣 "
    "彰化縣 南投縣 雲林縣 屏東縣 花蓮縣 臺東縣 澎湖縣 蘋果 香蕉 ",
    "euc_kr": "서울 부산 대구 인천 광주 대전 울산 세종 수원 청주 전주 "
    "포항 사과 바나나 포도 수박 딸기 오렌지 우유 커피 의자 책상 "
    "창문 ",
}
WORDS["cp932"] = WORDS["euc_jp"]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("encoding", WORDS)
def test_a_short_table_of_east_asian_words_is_decoded_or_told_as_uncertain(tmp_path, encoding, seed):
    words = random.Random(seed).sample(WORDS[encoding].split(), 8)
    text = "id,name,n\n" + "".join(f"{n},{word},{n * 7}\n" for n, word in enumerate(words))
    table, rows = read(tmp_path, "t.csv", text.encode(encoding))
    if [row[1] for row in rows] != words:
        assert any("the encoding is uncertain" in issue and encoding in issue for issue in table.issues)


@pytest.mark.parametrize("encoding", WORDS)
def test_a_table_of_all_words_is_decoded_without_a_note(tmp_path, encoding):
    words = WORDS[encoding].split()
    text = "id,name,n\n" + "".join(f"{n},{word},{n * 7}\n" for n, word in enumerate(words))
    table, rows = read(tmp_path, "t.csv", text.encode(encoding))
    assert [row[1] for row in rows] == words and not any("encoding" in issue for issue in table.issues)


def test_bytes_that_are_words_of_two_languages_are_told_as_uncertain(tmp_path):
    table, _ = read(tmp_path, "t.csv", "id,name\n1,蟹\n2,鎌\n3,艦\n".encode("euc_jp"))
    assert any("the encoding is uncertain" in issue and "euc_jp" in issue for issue in table.issues)


@pytest.mark.parametrize(
    ("encoding", "cells"),
    [
        ("cp932", ["1200円", "350円", "98円", "1980円"]),
        ("cp932", ["品名", "価格", "表", "能"]),
        ("cp1250", ["1 234,50 zł", "99,90 zł", "5,00 zł", "-7,00 zł"]),
        ("iso8859_2", ["1 234,50 zł", "99,90 zł", "5,00 zł", "-7,00 zł"]),
        ("cp1252", ["5 m³", "7 cm³", "9 ft³", "12 m²"]),
        ("cp1252", ["5 m³", "7 m³", "9 m³", "12 m³"]),
        ("cp1252", ["R² = 0.5", "R² = 0.7", "R² = 0.9", "R² = 0.1"]),
        ("cp1252", ["5‰", "7‰", "9‰", "12‰"]),
        ("cp1252", ["“Yes”", "“No”", "“Perhaps”", "don’t"]),
    ],
)
def test_a_column_of_prices_or_units_shows_its_encoding(tmp_path, encoding, cells):
    text = "id;cell\n" + "".join(f"{n};{cell}\n" for n, cell in enumerate(cells * 2))
    _, rows = read(tmp_path, "t.csv", text.encode(encoding))
    assert [row[1] for row in rows] == cells * 2


def test_second_bytes_that_are_latin_letters_are_no_words_around_a_run(tmp_path):
    names = "資料区分,都道府県コード,警察署等コード,本票番号,道路管理者区分,曲線半径,縦断勾配,トンネル番号"
    table, _ = read(tmp_path, "t.csv", (names + "\n" + "3,10,059,0001,01,9,0,000\n" * 20).encode("cp932"))
    assert list(table.columns) == names.split(",")


def test_curly_apostrophes_alone_are_windows_1252(tmp_path):
    text = "text,n\n" + "".join(f"don’t it’s we’ll {n},{n}\n" for n in range(20))
    _, rows = read(tmp_path, "t.csv", text.encode("cp1252"))
    assert rows[0][0] == "don’t it’s we’ll 0"
