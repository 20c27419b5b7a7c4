#!/usr/bin/env python3
"""Look-ups per second of one, two and three servers, each with the same share of a core, compared with linear scaling.

  linear.py --daicho target/release/daicho --snapshots SNAPSHOTS --codes KEN_ALL.CSV [--share 0.12] [--rounds 5]

Each server is in a control group of its own that gives it the share, and has a wrk of its own on eight connections: what is
measured is whether servers that share a store and a folder of snapshots stand in each other's way. Needs root, wrk (Debian's
package of that name), and as many cores as three shares and three wrk take.
"""
import argparse
import contextlib
import csv
import json
import os
import re
import statistics
import subprocess
import tempfile
import time
import urllib.request

NODES = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]
PORT, CONNECTIONS, SECONDS, PERIOD_US = 28301, 8, 4, 10_000


def group(number, share):
    """Creates a control group with this share of a core; returns its folder."""
    second = "/sys/fs/cgroup"
    has_one = os.path.exists(os.path.join(second, "cgroup.controllers"))
    path = os.path.join(second if has_one else os.path.join(second, "cpu"), f"daicho-linear-{number}")
    os.makedirs(path, exist_ok=True)
    quota = int(share * PERIOD_US)
    settings = {"cpu.max": f"{quota} {PERIOD_US}"} if has_one else {"cpu.cfs_period_us": PERIOD_US, "cpu.cfs_quota_us": quota}
    for name, value in settings.items():
        with open(os.path.join(path, name), "w", encoding="ascii") as file:
            file.write(str(value))
    return path


def start(arguments, folder, state, number):
    path = group(number, arguments.share)
    join = f'echo $$ > {path}/cgroup.procs && exec "$@"'
    words = [arguments.daicho, "serve", "--snapshots", arguments.snapshots, "--state", state, "--listen", f"{NODES[number]}:{PORT}"]
    log = open(os.path.join(folder, f"{number}.log"), "w", encoding="utf-8")
    return subprocess.Popen(["sh", "-c", join, "sh", *words], stdout=subprocess.DEVNULL, stderr=log)


def wait(address):
    for _ in range(400):
        with contextlib.suppress(OSError):
            if urllib.request.urlopen(f"http://{address}:{PORT}/readyz", timeout=1).status == 200:
                return
        time.sleep(0.05)
    raise SystemExit(f"expected {address} to be ready within 20 s; found it not ready")


def measure(script, count):
    """Total requests per second of the first `count` servers."""
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "-s", script]
    running = [subprocess.Popen([*command, f"http://{address}:{PORT}/"], stdout=subprocess.PIPE, text=True) for address in NODES[:count]]
    reports = [process.communicate()[0] for process in running]
    if any("Non-2xx" in report or "Socket errors" in report for report in reports):
        raise SystemExit("\n".join(reports))
    return sum(float(re.search(r"Requests/sec:\s*([\d.]+)", report).group(1)) for report in reports)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daicho", required=True, help="path of the daicho program")
    parser.add_argument("--snapshots", required=True, help="a folder with postal data")
    parser.add_argument("--codes", required=True, help="KEN_ALL.CSV or utf_ken_all.csv of the same data")
    parser.add_argument("--share", type=float, default=0.12, help="share of a core for each server (default: 0.12)")
    parser.add_argument("--rounds", type=int, default=5, help="measurements per number of servers (default: 5)")
    arguments = parser.parse_args()
    with open(arguments.codes, encoding="utf-8", errors="replace", newline="") as file:
        codes = sorted({row[2] for row in csv.reader(file)})[::7]
    with tempfile.TemporaryDirectory(prefix="daicho-linear-") as folder, contextlib.ExitStack() as stack:
        state = os.path.join(folder, "daicho.db")
        run = lambda *words: subprocess.run([arguments.daicho, *words, "--state", state], check=True, capture_output=True, text=True).stdout
        run("account", "create", "linear", "--plan", "enterprise")
        key = json.loads(run("key", "create", "--account", "linear", "--kind", "secret", "--json"))["key"]
        script = os.path.join(folder, "codes.lua")
        with open(script, "w", encoding="ascii") as file:
            names = ",".join(f'"{code}"' for code in codes)
            file.write(f'codes = {{{names}}}\nat = 0\nwrk.headers["Authorization"] = "Token {key}"\n'
                       'request = function()\n  at = at % #codes + 1\n  return wrk.format("GET", "/v1/postalcode/" .. codes[at])\nend\n')
        for number, address in enumerate(NODES):
            process = start(arguments, folder, state, number)
            stack.callback(process.wait)
            stack.callback(process.kill)
            wait(address)
        measure(script, len(NODES))
        found = {count: [] for count in (1, 2, 3)}
        for _ in range(arguments.rounds):
            for count in found:
                found[count].append(measure(script, count))
    one = statistics.median(found[1])
    for count, speeds in found.items():
        speed = statistics.median(speeds)
        print(f"{count} servers, {arguments.share} of a core each: {speed:>8.0f} look-ups/s, {speed / (count * one):.3f} of linear scaling")


if __name__ == "__main__":
    main()
