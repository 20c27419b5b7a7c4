#!/usr/bin/env python3
"""Scores `daicho normalize` on public sets of hard addresses: `make accuracy`.

  accuracy.py DAICHO SNAPSHOTS [--misses]

The sets are in tests/address/accuracy:
  t-sagara.csv     77 addresses of t-sagara/Japanese-Address-testdata (MIT, its licence is beside it)
  abr-issues.tsv   inputs of the issues of digital-go-jp/abr-geocoder with the values that its tests expect: facts only

An address is right by its municipality if prefecture, county, city and ward are right, and by its town if the town is too.
Names are compared after NFKC, without 大字, 字 and islands, with one letter for ケ ヶ が and for ノ の. A koaza or a chome
behind the town is neither wrong nor required. A row whose answer depends on what the writer meant (中央区中央1-1) is right
if the columns of the answer leave the place open. Only the standard library is used.
"""
import csv
import io
import json
import os
import re
import subprocess
import sys
import unicodedata

HERE = os.path.dirname(os.path.abspath(__file__))
SETS = os.path.join(HERE, "..", "tests", "address", "accuracy")
DIGITS = "〇一二三四五六七八九"


def fold(name):
    name = unicodedata.normalize("NFKC", name or "")
    name = re.sub("大字|小字|字|\\s", "", name)
    name = re.sub("[ヶヵがガ]", "ケ", name)
    name = re.sub("[の之乃]", "ノ", name)
    name = name.replace("ッ", "ツ").replace("つ", "ツ").replace("澤", "沢").replace("礒", "磯")
    return re.sub("[0-9]+", lambda found: kanji(int(found.group())), name)


def kanji(number):
    tens, ones = divmod(number, 10)
    return ("" if tens == 0 else ("" if tens == 1 else DIGITS[tens % 10]) + "十") + (DIGITS[ones] if ones or not tens else "")


def sagara():
    """(input, expected places, whether several are right)"""
    rows = list(csv.DictReader(open(os.path.join(SETS, "t-sagara.csv"), encoding="utf-8")))
    inputs = [row["表記"] for row in rows]
    for row in rows:
        city = row["郡・支庁"] + row["市町村"] + row["特別区"]
        towns = {row["大字"], row["大字"] + row["字"], row["大字"] + row["丁目"], row["大字"] + row["丁目"] + row["字"]}
        yield row["表記"], (row["都道府県"], {city, row["島"] + city}, row["政令市の区"], towns), inputs.count(row["表記"]) > 1


def abr():
    rows = csv.DictReader(open(os.path.join(SETS, "abr-issues.tsv"), encoding="utf-8", newline=""), delimiter="\t", quoting=csv.QUOTE_NONE)
    for row in rows:
        known = lambda cell: None if row[cell] == "?" else row[cell]
        towns = None if known("town") is None else {row["town"]}
        city = row["county"].replace("?", "") + row["city"]
        yield row["input"], (known("prefecture"), {city}, known("city_ward"), towns), False


def is_city(answer, expected):
    prefecture, cities, ward, _ = expected
    city = (answer["county"] or "") + (answer["city"] or "")
    right = [prefecture is None or fold(answer["prefecture"]) == fold(prefecture)]
    right.append(fold(city) in {fold(city) for city in cities} or fold(answer["city"]) in {fold(city) for city in cities})
    right.append(ward is None or fold(answer["city_ward"]) == fold(ward))
    return all(right)


def is_town(answer, expected):
    towns = expected[3]
    if towns is None:
        return True
    town = fold(answer["town"])
    wanted = {fold(town) for town in towns}
    return town in wanted or any(want and town.startswith(want) for want in wanted) or wanted == {""}


def main():
    daicho, snapshots = sys.argv[1:3]
    for name, rows in (("t-sagara", list(sagara())), ("abr-geocoder issues", list(abr()))):
        text = "\n".join(row[0] for row in rows) + "\n"
        command = [daicho, "normalize", "--json", "--quiet", "--snapshots", snapshots]
        run = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, check=True)
        answers = [json.loads(line) for line in io.StringIO(run.stdout.decode())]
        if len(answers) != len(rows):
            sys.exit("%d answers for %d addresses of %s" % (len(answers), len(rows), name))
        cities = towns = 0
        for (address, expected, several), answer in zip(rows, answers):
            # Where several places are right, the answer must name none of them.
            open_place = several and not answer["prefecture"] and not answer["postal_code"]
            city = is_city(answer, expected) or open_place
            town = city and (is_town(answer, expected) or open_place)
            cities, towns = cities + city, towns + town
            if not town and "--misses" in sys.argv:
                print("  %s: %s" % (address, {key: value for key, value in answer.items() if value and key != "input"}))
        print("%-22s %4d addresses, municipality right in %d, town too in %d" % (name, len(rows), cities, towns))


if __name__ == "__main__":
    main()
