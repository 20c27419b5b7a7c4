#!/usr/bin/env python3
"""Measures how long servers still answer from the old release after the first answer from the new one.

  switch.py --daicho target/release/daicho --snapshots SNAPSHOTS --newer SNAPSHOTS2 [--nodes 4] [--rounds 10] [--store s3://bucket/x]

Pushes both folders as releases, starts servers that follow them, and activates one after the other in turn while each server is asked
every few milliseconds. The folders have different newest versions of the banks. Without --store the releases are in a folder; a store needs
its variables in the environment, see docs/operating/releases.md.
"""
import argparse
import contextlib
import http.client
import json
import os
import statistics
import subprocess
import tempfile
import threading
import time

PORT = 28401


class Client(threading.Thread):
    """Queries one server over one connection; records the time and the data version of each answer."""

    def __init__(self, port, key):
        super().__init__(daemon=True)
        self.port, self.key = port, key
        self.answers, self.failed, self.is_stopping = [], 0, False

    def run(self):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=5)
        while not self.is_stopping:
            # Keeps CPU time for the servers.
            time.sleep(0.003)
            try:
                connection.request("GET", "/v1/bank/0001", headers={"Authorization": f"Token {self.key}"})
                answer = connection.getresponse()
                version = json.loads(answer.read()).get("version")
                self.answers.append((time.monotonic(), version))
                self.failed += answer.status != 200
            except (OSError, http.client.HTTPException, ValueError):
                self.failed += 1
                connection.close()


def overlap(clients, since):
    """Seconds between the first answer from the new version and the last from the old one; number of answers."""
    answers = sorted(answer for client in clients for answer in list(client.answers) if answer[0] >= since)
    old, new = answers[0][1], answers[-1][1]
    if old == new or {version for _, version in answers} != {old, new}:
        raise SystemExit(f"expected one change of the version; found {old} to {new}")
    first = min(at for at, version in answers if version == new)
    last = max(at for at, version in answers if version == old)
    return max(0.0, last - first), len(answers)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daicho", required=True, help="path of the daicho program")
    parser.add_argument("--snapshots", required=True, help="a folder with banks")
    parser.add_argument("--newer", required=True, help="a folder with newer banks")
    parser.add_argument("--nodes", type=int, default=4, help="number of servers (default: 4)")
    parser.add_argument("--rounds", type=int, default=10, help="number of activations and rollbacks (default: 10)")
    parser.add_argument("--store", help="URL for the releases (default: a folder)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="daicho-switch-") as folder, contextlib.ExitStack() as stack:
        store = arguments.store
        if not store:
            os.mkdir(os.path.join(folder, "store"))
            store = f"file://{folder}/store"
        state = os.path.join(folder, "daicho.db")
        run = lambda *words: subprocess.run([arguments.daicho, *words], check=True, capture_output=True, text=True).stdout
        release = lambda *words: json.loads(run("release", *words, "--json", "--releases", store))
        run("account", "create", "switch", "--plan", "enterprise", "--state", state)
        key = json.loads(run("key", "create", "--account", "switch", "--kind", "secret", "--json", "--state", state))["key"]
        numbers = [release("push", "--snapshots", path)["release"] for path in (arguments.snapshots, arguments.newer)]
        release("activate", str(numbers[0]))
        for number in range(arguments.nodes):
            words = [arguments.daicho, "serve", "--snapshots", store, "--cache", f"{folder}/cache-{number}", "--state", state]
            words += ["--listen", f"127.0.0.1:{PORT + number}", "--dashboard", "off"]
            log = stack.enter_context(open(f"{folder}/{number}.log", "w", encoding="utf-8"))
            server = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=log)
            stack.callback(lambda server=server: (server.terminate(), server.wait()))
        listed = lambda: json.loads(run("node", "list", "--json", "--releases", store))
        while sum(node["active"] == numbers[0] and node["state"] == "live" for node in listed()) < arguments.nodes:
            time.sleep(0.2)
        clients = [Client(PORT + number, key) for number in range(arguments.nodes)]
        for client in clients:
            client.start()
        times, took = [], []
        for number in range(2 * arguments.rounds):
            time.sleep(0.5)
            begun = time.monotonic()
            words = ("rollback",) if number % 2 else ("activate", str(numbers[1]))
            release(*words)
            took.append(time.monotonic() - begun)
            time.sleep(1.5)
            seconds, count = overlap(clients, begun)
            times.append(seconds)
            print(f"{' '.join(words):12} {took[-1]:5.2f} s; old answers until {1000 * seconds:6.1f} ms after the first new one, {count} answers")
        for client in clients:
            client.is_stopping = True
        failed = sum(client.failed for client in clients)
        print(f"{arguments.nodes} servers, {len(times)} switches: longest {1000 * max(times):.1f} ms, median "
              f"{1000 * statistics.median(times):.1f} ms; an activation took {statistics.median(took):.1f} s; {failed} requests failed")


if __name__ == "__main__":
    main()
