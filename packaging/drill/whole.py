#!/usr/bin/env python3
"""Kills every part of a multi-server installation in turn under load; prints a table of the errors that clients saw.

  whole.py --daicho target/release/daicho --garage target/tools/bin/garage --codes utf_ken_all.csv [--away 600] [--drain 2s]

Starts a PostgreSQL and its streaming replica, an object store (three nodes of Garage, or one s3s-fs with --s3s), four servers that follow its releases (a fifth later) and two HAProxy,
all on loopback addresses; asks at 60% of what this machine reaches with its clients, in HTTP mode and then in TCP mode. Ends with 1 if
a delivery was lost or made twice, or a request failed that should not. Needs PostgreSQL and HAProxy of Debian's packages, and Garage,
which `make garage` builds, or s3s-fs, which `make fleet` builds. The codes are those of the postal data that come with the program (May 2026).
"""
import argparse
import collections
import csv
import json
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import objects
from parts import BALANCERS, HTTP_PORT, NODES, NODE_PORT, TCP_PORT, Cluster, wait_until
from traffic import Load, Receiver, watch

ACCOUNTS = ["drill-a", "drill-b", "drill-c"]
# First day of data. Webhooks about it are sent if the servers find it after the watch lists were created.
FIRST_DAY = "2026-08-03"
DAYS = ["2026-08-04", "2026-08-05", "2026-08-06"]


class Drill:
    def __init__(self, cluster, load, receiver, away):
        self.cluster, self.load, self.receiver, self.away = cluster, load, receiver, away
        self.days = []

    def kill_each_node(self):
        for address in NODES[:4]:
            self.cluster.nodes[address].kill()
            time.sleep(2)
            self.cluster.start_node(address)

    def restart_each_node(self):
        for address in NODES[:4]:
            self.cluster.nodes[address].stop()
            self.cluster.start_node(address)

    def add_node(self):
        self.cluster.start_node(NODES[4])
        time.sleep(4)
        self.cluster.nodes[NODES[4]].stop()

    def activate(self):
        day = DAYS[len(self.days)]
        self.cluster.build_day(day)
        began = time.monotonic()
        release = self.cluster.push()
        self.days.append(day)
        return f"release {release} everywhere {self.serving(release, began)} after the push began"

    def serving(self, release, began):
        self.cluster.serving(release)
        return f"{time.monotonic() - began:.1f} s"

    def activate_and_kill(self):
        """The killed server may be the one that found the new day."""
        said = self.activate()
        for address in NODES[:2]:
            self.cluster.nodes[address].kill()
        time.sleep(1)
        for address in NODES[:2]:
            self.cluster.start_node(address)
        return said

    def roll_back(self):
        began = time.monotonic()
        before = json.loads(self.cluster.run("release", "rollback", "--json"))["active"]
        back = self.serving(before, began)
        time.sleep(2)
        began = time.monotonic()
        self.cluster.run("release", "activate", str(before + 1))
        return f"back after {back}, and forward after {self.serving(before + 1, began)}"

    def kill_balancer(self):
        for balancer in self.cluster.balancers:
            balancer.kill()
            time.sleep(2)
            balancer.start()
            time.sleep(2)

    def kill_each_store_node(self):
        """With one of three nodes down, a release is still activated."""
        before = json.loads(self.cluster.run("release", "rollback", "--json"))["active"]
        for number, part in enumerate(self.cluster.store.parts):
            part.kill()
            time.sleep(2)
            if number == 0:
                began = time.monotonic()
                self.cluster.run("release", "activate", str(before + 1))
                took = self.serving(before + 1, began)
            part.start()
            self.cluster.store.wait()
            time.sleep(2)
        return f"a release activated while one was away, everywhere after {took}"

    def store_away(self):
        self.cluster.store.kill()
        time.sleep(self.away / 2)
        self.cluster.nodes[NODES[2]].kill()
        self.cluster.start_node(NODES[2])
        time.sleep(self.away / 2)
        self.cluster.store.start()
        return "a server killed meanwhile started from its cache"

    def kill_replica(self):
        self.cluster.databases.kill(1)
        time.sleep(5)
        self.cluster.databases.start(1)
        time.sleep(2)

    def promote(self):
        databases = self.cluster.databases
        databases.kill(0)
        time.sleep(3)
        databases.promote(1)
        time.sleep(3)
        databases.follow(0, 1)
        time.sleep(4)
        return "promoted after 3 s"

    def database_away(self):
        databases = self.cluster.databases
        databases.kill(0)
        databases.kill(1)
        time.sleep(5)
        self.cluster.nodes[NODES[3]].kill()
        self.cluster.start_node(NODES[3])
        time.sleep(5)
        databases.start(1)
        databases.start(0)
        time.sleep(5)
        return "a server killed meanwhile started from its keys"

    def run(self):
        """The phases, each with the number of requests that may fail once: those in flight on the killed part."""
        load, flight = self.load, 6
        found = []
        def phase(name, work, first):
            found.append((load.during(name, work), first))
        print("| Phase | Time | Look-ups | Failed at first | Failed twice | Of the database | p99 | Longest | |")
        print("|---|---|---|---|---|---|---|---|---|")
        phase("calm", lambda: time.sleep(10), 0)
        phase("each server restarted in turn", self.restart_each_node, 0)
        phase("each server killed in turn", self.kill_each_node, 0)
        phase("a fifth server comes and goes", self.add_node, 0)
        phase("a release activated", self.activate, 0)
        phase("rolled back, and activated again", self.roll_back, 0)
        phase("a release activated, two servers killed", self.activate_and_kill, 0)
        phase("each balancer killed in turn", self.kill_balancer, 2 * flight)
        if len(self.cluster.store.parts) > 1:
            phase("each node of the object store killed in turn", self.kill_each_store_node, 0)
        phase(f"the object store down for {self.away} s", self.store_away, 0)
        phase("the replica killed", self.kill_replica, 0)
        phase("the primary killed, the replica promoted", self.promote, 0)
        phase("both databases killed, then back", self.database_away, 0)
        phase("a release activated after all that", self.activate, 0)
        load.stop()
        load.start(TCP_PORT)
        phase("TCP mode: calm", lambda: time.sleep(5), 0)
        phase("TCP mode: each server restarted in turn", self.restart_each_node, 0)
        phase("TCP mode: each server killed in turn", self.kill_each_node, 4 * flight)
        phase("TCP mode: each balancer killed in turn", self.kill_balancer, 2 * flight)
        return found

    def deliveries(self):
        """Errors of the webhook deliveries; empty if each account got each day once."""
        wanted = {(f"/{account}", day) for account in ACCOUNTS for day in self.days}
        wait_until("every delivery", lambda: wanted <= {arrival[:2] for arrival in self.receiver.arrivals}, 180)
        time.sleep(5)
        by_day = collections.defaultdict(set)
        for path, day, delivery in self.receiver.arrivals:
            by_day[path, day].add(delivery)
        again = len(self.receiver.arrivals) - len({arrival[2] for arrival in self.receiver.arrivals})
        days = {day for _, day in by_day}
        print(f"\n{len(by_day)} deliveries of {len(days)} days to {len(ACCOUNTS)} accounts; {again} came again under the same id")
        twice = [key for key, deliveries in by_day.items() if len(deliveries) > 1]
        wrong = [key for key in set(by_day) - wanted if key[1] != FIRST_DAY]
        return [f"{key} has several deliveries" for key in twice] + [f"{key} was not expected" for key in wrong]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daicho", required=True, help="path of the daicho program")
    store = parser.add_mutually_exclusive_group(required=True)
    store.add_argument("--garage", help="path of Garage; starts three nodes as the object store")
    store.add_argument("--s3s", help="path of s3s-fs, used as the object store instead")
    parser.add_argument("--codes", required=True, help="utf_ken_all.csv or KEN_ALL.CSV")
    parser.add_argument("--away", type=int, default=600, help="seconds for which the object store is down (default: 600)")
    parser.add_argument("--drain", default="2s", help="value of --drain for each server (default: 2s)")
    arguments = parser.parse_args()
    with open(arguments.codes, encoding="utf-8", errors="replace", newline="") as file:
        codes = sorted({row[2] for row in csv.reader(file)})
    with tempfile.TemporaryDirectory(prefix="daicho-drill-") as folder:
        store = objects.Garage(arguments.garage, folder) if arguments.garage else objects.S3sFs(arguments.s3s, folder)
        cluster, receiver = Cluster(arguments.daicho, store, objects.CREDENTIALS, arguments.drain, folder), Receiver()
        try:
            keys = {}
            for account in ACCOUNTS:
                cluster.run("account", "create", account, "--plan", "enterprise")
                cluster.run("account", "set", account, "--webhook", receiver.url(account))
                keys[account] = json.loads(cluster.run("key", "create", "--account", account, "--kind", "secret", "--json"))["key"]
            number = cluster.build_day(FIRST_DAY)
            release = cluster.push()
            for address in NODES[:4]:
                cluster.nodes[address].start()
            cluster.serving(release)
            watch(NODES[0], NODE_PORT, keys, number)
            time.sleep(2)
            load = Load(keys[ACCOUNTS[0]], codes, BALANCERS)
            load.start(HTTP_PORT)
            most, asked = load.calibrate()
            print(f"{most:,.0f} look-ups/s at most, {asked:,.0f}/s from here on\n", flush=True)
            drill = Drill(cluster, load, receiver, arguments.away)
            found = drill.run()
            load.stop()
            wrong = drill.deliveries()
        finally:
            cluster.stop()
    print(*load.faults, sep="\n")
    for (name, first, second), expected in found:
        if len(first) > expected or second:
            wrong.append(f"{name}: {len(first)} failed at first and {len(second)} twice, such as {(second or first)[0]}")
    for fault in wrong:
        print("WRONG:", fault)
    raise SystemExit(1 if wrong else 0)


if __name__ == "__main__":
    main()
