#!/usr/bin/env python3
"""Mines the readings of kanji from the names of prefectures, municipalities and towns.

  readings.py DATA OUT

DATA is a folder with postal/2026-05/utf_ken_all.csv.xz. OUT gets readings.tsv: a kanji, and its readings without voiced marks,
the most frequent first. Each name is divided among its kanji so that the readings of all names are as probable as possible;
four rounds of that are enough. A reading counts if it occurs twice and in three of a hundred names with the kanji, or eight
times.
"""
import collections
import csv
import io
import lzma
import math
import os
import re
import sys
import unicodedata

VOICED = str.maketrans(
    "ガギグゲゴザジズゼゾダヂヅデドバビブベボパピプペポヴァィゥェォャュョッヮ",
    "カキクケコサシスセソタチツテトハヒフヘホハヒフヘホウアイウエオヤユヨツワ")
ROUNDS = 4
LONGEST = 5
# How improbable a reading of this many kana is before any is known.
PRIOR = {1: 4.2, 2: 3.6, 3: 4.6, 4: 6.5, 5: 8.5}
UNLIKELY = 9


def is_kanji(letter):
    return "一" <= letter <= "鿿"


def hiragana_as_katakana(letter):
    return chr(ord(letter) + 0x60) if "ぁ" <= letter <= "ゖ" else letter


def names(path):
    """The names of the file with their readings, each once."""
    found = set()
    for row in csv.reader(io.StringIO(lzma.open(path).read().decode("utf-8"))):
        for name, kana in ((row[8], row[5]), (row[7], row[4]), (row[6], row[3])):
            name = re.sub("（.*", "", name)
            kana = re.sub("（.*|\\(.*", "", unicodedata.normalize("NFKC", kana)).translate(VOICED)
            is_name = re.fullmatch("[一-鿿々ヶケノぁ-んァ-ヶ]+", name) and len(name) <= 8 and "以下に" not in name
            if is_name and re.fullmatch("[ァ-ヶー]+", kana):
                letters = []
                for letter in name:
                    letters.append(letters[-1] if letter == "々" and letters else letter)
                found.add((tuple(letters), kana))
    return sorted(found)


def divide(letters, kana, cost):
    """The cheapest division of a reading among the letters of its name; None if there is none."""
    best = [{0: (0.0, None)}]
    for letter in letters:
        following = {}
        for start, (so_far, _) in best[-1].items():
            longest = LONGEST if is_kanji(letter) else 1
            for length in range(0 if letter == "ノ" else 1, longest + 1):
                if start + length > len(kana):
                    break
                reading = kana[start:start + length]
                total = so_far + cost(letter, reading)
                if start + length not in following or total < following[start + length][0]:
                    following[start + length] = (total, (start, reading))
        best.append(following)
    if len(kana) not in best[-1] or best[-1][len(kana)][0] > UNLIKELY * len(letters):
        return None
    readings, end = [], len(kana)
    for index in range(len(letters), 0, -1):
        start, reading = best[index][end][1]
        readings.append((letters[index - 1], reading))
        end = start
    return readings


def main():
    data, out = sys.argv[1:]
    pairs = names(os.path.join(data, "postal", "2026-05", "utf_ken_all.csv.xz"))
    counts = {}
    for _ in range(ROUNDS):
        totals = {kanji: sum(readings.values()) for kanji, readings in counts.items()}

        def cost(letter, reading):
            if not is_kanji(letter):
                if letter in "ヶケ":
                    return 0.5 if reading in ("カ", "ケ", "コ") else UNLIKELY
                if letter == "ノ":
                    return 0.2 if reading in ("ノ", "") else UNLIKELY
                return 0.1 if reading == hiragana_as_katakana(letter).translate(VOICED) else UNLIKELY
            if not reading:
                return 12
            seen = counts.get(letter, {}).get(reading, 0)
            return -math.log((seen + 2 * math.exp(-PRIOR[len(reading)])) / (totals.get(letter, 0) + 2))

        following = collections.defaultdict(collections.Counter)
        for letters, kana in pairs:
            for letter, reading in divide(letters, kana, cost) or ():
                if is_kanji(letter):
                    following[letter][reading] += 1
        counts = following
    with open(os.path.join(out, "readings.tsv"), "w", encoding="utf-8") as file:
        for kanji in sorted(counts):
            total = sum(counts[kanji].values())
            kept = [reading for reading, count in counts[kanji].most_common() if count >= 2 and count >= 0.03 * total or count >= 8]
            if kept:
                file.write("%s\t%s\n" % (kanji, " ".join(kept)))


if __name__ == "__main__":
    main()
