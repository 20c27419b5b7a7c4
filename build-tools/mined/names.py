#!/usr/bin/env python3
"""Mines the tables that lead from names that are no longer, or not, Japan Post's to those that are.

  names.py DATA OUT

DATA is a folder with official files of many dates:
  postal/series/KEN_ALL.tar.xz        editions of KEN_ALL.CSV, `2014-12/KEN_ALL.CSV` and so on
  postal/series/utf_ken_all.tar.xz    the same in UTF-8; the newest edition is today
  postal/series/JIGYOSYO.tar.xz       business addresses, in the spelling of the businesses
  municipality-events/events.csv.xz   mergers, renamings and wards since 1970, of e-Stat
  address-base/abr_town_202205.csv.xz the town master of the address base registry
  corporate/**/*.csv.zst, *.tar.zst   addresses of corporations with the codes that the tax agency has for them

OUT gets three tables, sorted, UTF-8, tabs:
  buildings.tsv       municipality, town, name as it was, name of today, first month without it
  municipalities.tsv  prefecture, name as it was (county or city in front), codes of today, last day or month
  towns.tsv           municipality, name that is not Japan Post's, Japan Post's name, why, first month without it
Why is `r` for a name that Japan Post had for the same code, `k` for one of the same reading in the registry,
`c` for one of the same postal code there, `t` for a town after an old village (南長野南県町) by the tax agency's
codes: twice at least, and nine times of ten. A name that leads to two places is left out, as is one that is a
name of today in the same municipality.
"""
import collections
import csv
import glob
import io
import lzma
import os
import re
import subprocess
import sys
import tarfile
import unicodedata

CATCH_ALL = re.compile("以下に掲載がない場合|の次に.*番地がくる場合|一円$")
FLOOR = re.compile("（([0-9０-９]+階|地階・階層不明)）$")
STREET = re.compile("通.*(上る|下る|東入|西入)")
NUMERALS = "〇一二三四五六七八九"


def editions(path, encoding):
    with tarfile.open(path) as tar:
        for member in sorted(tar.getmembers(), key=lambda m: m.name):
            if member.isfile():
                text = tar.extractfile(member).read().decode(encoding, "replace")
                yield member.name.split("/")[0], list(csv.reader(io.StringIO(text)))


def table(path):
    with lzma.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def town(raw):
    return re.sub("（.*", "", raw)


def kanji_number(digits):
    number = int(digits)
    ten = number // 10
    return ("" if ten == 0 else "十" if ten == 1 else NUMERALS[ten] + "十") + (NUMERALS[number % 10] if number % 10 or not ten else "")


def key(name):
    """A name without what the normaliser reads alike anyway."""
    name = unicodedata.normalize("NFKC", name)
    name = re.sub("大字|小字|字", "", name)
    name = re.sub("[ヶがガヵ]", "ケ", name)
    name = re.sub("[の之乃]", "ノ", name)
    name = re.sub("[ッっつ]", "ツ", name)
    return re.sub("[0-9]{1,2}", lambda m: kanji_number(m.group()), name)


def reading(kana):
    """A reading without what registries write differently: small kana, long vowels, じ and ぢ."""
    kana = unicodedata.normalize("NFKC", re.sub("[（(].*", "", kana))
    kana = kana.translate(str.maketrans("ァィゥェォッャュョヮヂヅヲ", "アイウエオツヤユヨワジズオ"))
    return re.sub("[ー・ ]", "", kana)


def municipalities(data, editions_of_names, today):
    """(prefecture, old name) -> codes of today, last day."""
    events = table(os.path.join(data, "municipality-events", "events.csv.xz"))
    later = collections.defaultdict(lambda: collections.defaultdict(set))
    for event in events:
        if event["from_code"] and event["to_code"]:
            later[event["from_code"]][event["date"]].add(event["to_code"])

    def now(code, date, depth=0):
        for next_date in sorted(later.get(code, ())):
            if next_date > date and depth < 20:
                found = set()
                for to in later[code][next_date]:
                    found |= now(to, next_date, depth + 1)
                return found
        return {code}

    # A designated city has a code of its own, while Japan Post's files have the codes of its wards.
    city_of = {event["to_code"]: event["to_name"] or event["to_county"] for event in events}
    city_of = {code: name for code, name in city_of.items() if name.endswith("市")}

    def listed(code):
        if code in today:
            return {code}
        city = city_of.get(code)
        is_ward = lambda ward, name: city and ward[:2] == code[:2] and re.match(city + ".+区$", name)
        return {ward for ward, name in today.items() if is_ward(ward, name)}

    found = collections.defaultdict(lambda: [set(), ""])
    for event in events:
        if not event["from_code"] or not event["from_name"] or event["from_name"].endswith("郡"):
            continue
        county = event["from_county"] if re.search("[郡市]$", event["from_county"]) else ""
        name = county + event["from_name"]
        codes = {code for to in [event["to_code"]] if to for code in now(to, event["date"])}
        entry = found[event["from_code"][:2], name]
        for code in codes:
            entry[0] |= listed(code)
        entry[1] = max(entry[1], event["date"])
    for (code, name), month in editions_of_names.items():
        if code in today and today[code] != name:
            entry = found[code[:2], name]
            entry[0].add(code)
            entry[1] = max(entry[1], month)
    names = {(code[:2], name) for code, name in today.items()}
    cities = {(code[:2], re.sub("(?<=市).+区$", "", name)) for code, name in today.items()}
    kept = {}
    for (prefecture, name), (codes, date) in found.items():
        if codes and (prefecture, name) not in names | cities:
            kept[prefecture, name] = (sorted(codes), date)
    return kept


def towns(data, today_rows, old_towns, cities_now):
    """(municipality, name) -> (Japan Post's name, why, month)."""
    names, by_code, by_reading = collections.defaultdict(dict), collections.defaultdict(set), collections.defaultdict(set)
    for row in today_rows:
        if CATCH_ALL.search(row[8]):
            continue
        name = town(row[8])
        names[row[0]][key(name)] = name
        by_code[row[0], row[2]].add(name)
        by_reading[row[0], reading(row[5])].add(name)
    found = collections.defaultdict(set)

    def begins_as_one(city, name):
        return any(name.startswith(other) and len(other) > 1 for other in names[city])

    for (city, name), (codes, month) in old_towns.items():
        if city not in names or key(name) in names[city]:
            continue
        to = set.union(*(by_code.get((city, code), set()) for code in codes))
        if len(to) == 1:
            found[city, name].add((to.pop(), "r", month))
    for row in table(os.path.join(data, "address-base", "abr_town_202205.csv.xz")):
        old = row["全国地方公共団体コード"][:5]
        name, kana, code = row["大字・町名"], row["大字・町名_カナ"], row["郵便番号"]
        if not name:
            continue
        for city in cities_now.get(old, [old]):
            if city not in names or key(name) in names[city]:
                continue
            same = by_reading.get((city, reading(kana)), set()) if kana else set()
            if len(same) == 1:
                found[city, name].add((next(iter(same)), "k", ""))
            elif not same and code and not begins_as_one(city, key(name)):
                of_code = by_code.get((city, code), set())
                if len(of_code) == 1:
                    found[city, name].add((next(iter(of_code)), "c", ""))
    kept = {}
    for (city, name), places in found.items():
        if len({place[0] for place in places}) == 1:
            kept[city, name] = min(places, key=lambda place: "rkc".index(place[1]))
    return kept


def corporate_addresses(data):
    """(municipality, street, postal code) of corporations, each once."""
    found = set()
    for path in sorted(glob.glob(os.path.join(data, "corporate", "**", "*.zst"), recursive=True)):
        content = subprocess.run(["zstd", "-dcq", path], capture_output=True, check=True).stdout
        files = [content]
        if path.endswith(".tar.zst"):
            with tarfile.open(fileobj=io.BytesIO(content)) as tar:
                files = [tar.extractfile(m).read() for m in tar.getmembers() if m.name.endswith(".csv")]
        for file in files:
            try:
                text = file.decode("utf-8")
            except UnicodeDecodeError:
                text = file.decode("cp932", "replace")
            for row in csv.reader(io.StringIO(text)):
                if len(row) > 15 and row[11]:
                    found.add((row[13] + row[14], row[11], row[15]))
    return found


def behind_villages(data, today_rows):
    """(municipality, village and town) -> (Japan Post's town, `t`, "")."""
    of_code, names, streets = collections.defaultdict(set), collections.defaultdict(lambda: collections.defaultdict(set)), set()
    for row in today_rows:
        if "上る" in row[8]:
            streets.add(row[0])
        if not CATCH_ALL.search(row[8]):
            of_code[row[2]].add((row[0], town(row[8])))
            names[row[0]][key(town(row[8]))].add(row[2])
    codes = collections.defaultdict(collections.Counter)
    for city, street, code in corporate_addresses(data):
        name = re.match("[^0-9０-９]+", street)
        if name:
            codes[city, key(name.group())][code] += 1
    found = {}
    for (city, name), counts in codes.items():
        code, count = counts.most_common(1)[0]
        if count < 2 or count < 0.9 * sum(counts.values()) or len(of_code[code]) != 1 or city in streets or STREET.search(name):
            continue
        (place, to), = of_code[code]
        # What begins with a town of the same code, or is one, is read as it stands.
        if any(name.startswith(other) and code in codes for other, codes in names[city].items()):
            continue
        if place == city and name.endswith(key(to)) and len(to) > 1 and "＿" not in name:
            found[city, name] = (to, "t", "")
    return found


def buildings(names_of_codes, today, following):
    """(municipality, town, name) -> (name of today, first month without it), of buildings whose floors kept their codes."""
    found = {}
    towns_of = collections.defaultdict(set)
    for row in today:
        towns_of[row[0]].add(town(row[8]))
    for (city, _), names in names_of_codes.items():
        present = [name for name, last in names.items() if last not in following]
        for name, last in names.items():
            if last in following and len(present) == 1:
                both = os.path.commonprefix([name, present[0]])
                of = max((it for it in towns_of[city] if both.startswith(it)), key=len, default="")
                found[city, of, name[len(of):]] = (present[0][len(of):], following[last][:7])
    return found


def main():
    data, out = sys.argv[1:]
    series = os.path.join(data, "postal", "series")
    names, old_towns, months, old_buildings = {}, {}, [], collections.defaultdict(dict)
    for month, rows in editions(os.path.join(series, "KEN_ALL.tar.xz"), "cp932"):
        months.append(month)
        for row in rows:
            names[row[0], row[7]] = month
            if FLOOR.search(row[8]):
                old_buildings[row[0], row[2]][FLOOR.sub("", row[8])] = month
            if "（" in row[8] or "）" in row[8] or "、" in row[8] or CATCH_ALL.search(row[8]):
                continue
            entry = old_towns.setdefault((row[0], row[8]), [set(), month])
            if entry[1] != month:
                entry[0].clear()
            entry[0].add(row[2])
            entry[1] = month
    _, today_rows = list(editions(os.path.join(series, "utf_ken_all.tar.xz"), "utf-8"))[-1]
    today = {row[0]: row[7] for row in today_rows}
    former = municipalities(data, names, today)
    # Towns of a municipality of 2022 or before in the one that it is in today.
    cities_now = collections.defaultdict(list)
    by_name = {(prefecture, name): codes for (prefecture, name), (codes, _) in former.items()}
    for (code, name), _ in names.items():
        if code not in today and (code[:2], name) in by_name:
            cities_now[code] = by_name[code[:2], name]
    moved = {}
    for (code, name), entry in old_towns.items():
        for city in cities_now.get(code, [code]):
            moved.setdefault((city, name), (set(), entry[1]))[0].update(entry[0])
    renamed = behind_villages(data, today_rows)
    renamed.update(towns(data, today_rows, moved, cities_now))
    with open(os.path.join(out, "municipalities.tsv"), "w", encoding="utf-8") as file:
        for (prefecture, name), (codes, date) in sorted(former.items()):
            file.write("%s\t%s\t%s\t%s\n" % (prefecture, name, " ".join(codes), date))
    following = dict(zip(months, months[1:]))
    with open(os.path.join(out, "buildings.tsv"), "w", encoding="utf-8") as file:
        for (city, of, name), (to, month) in sorted(buildings(old_buildings, today_rows, following).items()):
            file.write("%s\t%s\t%s\t%s\t%s\n" % (city, of, name, to, month))
    with open(os.path.join(out, "towns.tsv"), "w", encoding="utf-8") as file:
        for (city, name), (to, why, last) in sorted(renamed.items()):
            if last and last not in following:
                continue
            month = following.get(last, "")
            file.write("%s\t%s\t%s\t%s\t%s\n" % (city, name, to, why, month))


if __name__ == "__main__":
    main()
