#!/usr/bin/env python3
"""Counts which letter people write for which in names of towns.

  letters.py DATA OUT

The tax agency's addresses have a municipality and a postal code, and Japan Post has the towns of that code. Where
the address begins with the name of that town but for one letter, and with no other town of the municipality, the
two letters are a pair. The same is asked of the names in the address base that have the reading of a town, and of
the business addresses (postal/series/JIGYOSYO.tar.xz). DATA is the folder of official files:
corporate/*/diff_*.csv.zst and the like, postal/series.
OUT/letters.tsv: the letter of the official name, the letter written, how often, in how many names; sorted.
"""
import collections, csv, glob, io, os, re, subprocess, sys, tarfile
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import names as common

def main():
    data, out = sys.argv[1:]
    series = os.path.join(data, "postal", "series")
    with tarfile.open(os.path.join(series, "utf_ken_all.tar.xz")) as tar:
        newest = max(m.name for m in tar.getmembers() if m.isfile())
        rows = list(csv.reader(io.TextIOWrapper(tar.extractfile(newest), "utf-8")))
    codes, towns = collections.defaultdict(set), collections.defaultdict(set)
    for row in rows:
        if not common.CATCH_ALL.search(row[8]):
            name = common.key(common.town(row[8]))
            codes[row[0], row[2]].add(name); towns[row[0]].add(name)
    pairs = collections.defaultdict(collections.Counter)
    def compare(city, text, name):
        text = common.key(text)
        if len(name) < 2 or len(text) < len(name): return
        if any(text.startswith(t) for t in towns[city]): return
        wrong = [(a, b) for a, b in zip(name, text) if a != b]
        if len(wrong) == 1 and not re.search("[0-9A-Za-z〇一二三四五六七八九十東西南北上下中大小本新元]", wrong[0][0] + wrong[0][1]):
            pairs[wrong[0]][city + name] += 1
    for path in sorted(glob.glob(os.path.join(data, "corporate", "**", "*.csv.zst"), recursive=True)):
        text = subprocess.run(["zstd", "-dcq", path], capture_output=True).stdout
        for enc in ("utf-8", "cp932"):
            try: text = text.decode(enc); break
            except UnicodeDecodeError: continue
        if isinstance(text, bytes): text = text.decode("cp932", "replace")
        for row in csv.reader(io.StringIO(text)):
            if len(row) < 16: continue
            city, code, street = row[13] + row[14], row[15], row[11]
            for name in codes.get((city, code), ()): compare(city, street, name)
    tar = tarfile.open(os.path.join(series, "JIGYOSYO.tar.xz"))
    seen = set()
    for m in tar.getmembers():
        if not m.isfile(): continue
        for row in csv.reader(io.StringIO(tar.extractfile(m).read().decode("cp932", "replace"))):
            if len(row) > 8 and (row[0], row[5], row[6]) not in seen:
                seen.add((row[0], row[5], row[6]))
                t = row[5] + row[6]
                k = common.key(t)
                if any(k.startswith(x) for x in towns[row[0]]): continue
                near = [n for n in towns[row[0]] if 2 <= len(n) <= len(k) and sum(a != b for a, b in zip(n, k)) == 1 and re.match(r"[0-9一二三四五六七八九十]|$", k[len(n):])]
                if len(near) == 1: compare(row[0], t, near[0])
    for line in open(os.path.join(out, "towns.tsv"), encoding="utf-8"):
        city, name, to, why, _ = line.rstrip("\n").split("\t")
        if why in "rk":
            a, b = common.key(to), common.key(name)
            wrong = [(x, y) for x, y in zip(a, b) if x != y]
            if len(a) == len(b) and len(wrong) == 1 and not re.search("[0-9A-Za-z〇一二三四五六七八九十東西南北上下中大小本新元]", "".join(wrong[0])):
                pairs[wrong[0]][city + a] += 1
    with open(os.path.join(out, "letters.tsv"), "w", encoding="utf-8") as file:
        for (a, b), found in sorted(pairs.items()):
            file.write("%s\t%s\t%d\t%d\n" % (a, b, sum(found.values()), len(found)))
main()
