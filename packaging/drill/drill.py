#!/usr/bin/env python3
"""Servers behind HAProxy under load: restarts each in turn, then kills one; prints the errors that clients saw.

  drill.py --daicho target/release/daicho --snapshots SNAPSHOTS --codes KEN_ALL.CSV [--drain 2s] [--retries 0]

Starts three servers on loopback addresses and HAProxy with haproxy.cfg beside this file, over an account and a key of its own, and
asks for postal codes of the file (its third column) on six connections. Needs HAProxy, of Debian's package of that name. Uses the
standard library only, and the port 28201 of 127.0.0.2 to 127.0.0.4 and 28200 of 127.0.0.1.
"""
import argparse
import csv
import http.client
import json
import os
import random
import re
import signal
import subprocess
import tempfile
import threading
import time

NODES = ["127.0.0.2", "127.0.0.3", "127.0.0.4"]
PORT, BALANCER_PORT = 28201, 28200
CLIENTS = 6
HERE = os.path.dirname(os.path.abspath(__file__))


def configuration(retries):
    """The configuration of the balancer, which repeats no request if there are no retries."""
    with open(os.path.join(HERE, "haproxy.cfg"), encoding="utf-8") as file:
        config = file.read()
    if not retries:
        config = re.sub(r"\n  (retries|option redispatch|retry-on|http-request disable-l7-retry).*", "", config)
        config = config.replace("defaults\n", "defaults\n  retries 0\n")
    return config


class Cluster:
    """Three servers with one store, behind a balancer."""

    def __init__(self, daicho, snapshots, drain, retries, folder):
        self.daicho, self.snapshots, self.drain, self.folder = daicho, snapshots, drain, folder
        self.state = os.path.join(folder, "daicho.db")
        self.run("account", "create", "drill", "--plan", "enterprise")
        self.key = json.loads(self.run("key", "create", "--account", "drill", "--kind", "secret", "--json"))["key"]
        self.nodes = {address: self.start(address) for address in NODES}
        for address in NODES:
            self.wait(address)
        config = configuration(retries)
        path = os.path.join(folder, "haproxy.cfg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(config)
        self.balancer = subprocess.Popen(["haproxy", "-f", path], stdout=subprocess.DEVNULL)
        time.sleep(2)

    def run(self, *words):
        done = subprocess.run([self.daicho, *words, "--state", self.state], capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        return done.stdout

    def start(self, address):
        words = ["serve", "--snapshots", self.snapshots, "--state", self.state, "--listen", f"{address}:{PORT}", "--drain", self.drain]
        log = open(os.path.join(self.folder, f"{address}.log"), "a", encoding="utf-8")
        return subprocess.Popen([self.daicho, *words], stdout=subprocess.DEVNULL, stderr=log)

    def wait(self, address):
        """Waits until the server is ready."""
        for _ in range(400):
            try:
                connection = http.client.HTTPConnection(address, PORT, timeout=1)
                connection.request("GET", "/readyz")
                if connection.getresponse().status == 200:
                    return
            except OSError:
                pass
            time.sleep(0.05)
        raise SystemExit(f"expected {address} to be ready within 20 s; found it not ready; see {self.folder}")

    def restart_in_turn(self):
        for address in NODES:
            self.nodes[address].send_signal(signal.SIGTERM)
            self.nodes[address].wait()
            self.restart(address)

    def kill_one(self):
        self.nodes[NODES[1]].kill()
        self.nodes[NODES[1]].wait()
        time.sleep(3)
        self.restart(NODES[1])

    def restart(self, address):
        self.nodes[address] = self.start(address)
        self.wait(address)
        # The balancer checks twice a second.
        time.sleep(1.2)

    def stop(self):
        for process in [self.balancer, *self.nodes.values()]:
            process.kill()
            process.wait()


class Load:
    """Clients that look up codes and check what they get. The first `reconnecting` ones open a connection for each request."""

    def __init__(self, key, codes, port=BALANCER_PORT, reconnecting=0):
        self.key, self.codes, self.port, self.stopping = key, codes, port, False
        self.reconnecting = reconnecting
        self.times, self.faults = [], []
        self.clients = [threading.Thread(target=self.send_requests, args=(number,)) for number in range(CLIENTS)]
        for client in self.clients:
            client.start()

    def send_requests(self, number):
        choose, connection = random.Random(number), None
        while not self.stopping:
            code, began = choose.choice(self.codes), time.perf_counter()
            try:
                connection = connection or http.client.HTTPConnection("127.0.0.1", self.port, timeout=15)
                connection.request("GET", f"/v1/postalcode/{code}", headers={"Authorization": f"Token {self.key}"})
                answer = connection.getresponse()
                body = answer.read()
                if answer.status != 200 or code.encode() not in body:
                    self.faults.append(f"{answer.status} {body[:80]!r}")
                if number < self.reconnecting:
                    connection.close()
            except (OSError, http.client.HTTPException) as error:
                self.faults.append(repr(error))
                connection = None
            self.times.append(time.perf_counter() - began)
            time.sleep(0.004)

    def during(self, name, work):
        """Prints what clients saw during the work. Returns what the work returned, and how many requests failed."""
        self.times, self.faults = [], []
        done = work()
        times, faults = sorted(self.times), self.faults
        print(f"{name:<60} {len(times):>6} requests {len(faults):>4} failed   "
              f"p99 {1e3 * times[int(len(times) * 0.99)]:>5.1f} ms   longest {1e3 * times[-1]:>5.0f} ms")
        for fault in faults[:3]:
            print("   ", fault)
        return done, len(faults)

    def stop(self):
        self.stopping = True
        for client in self.clients:
            client.join()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daicho", required=True, help="path of the daicho program")
    parser.add_argument("--snapshots", required=True, help="a folder with postal data")
    parser.add_argument("--codes", required=True, help="KEN_ALL.CSV or utf_ken_all.csv of the same data")
    parser.add_argument("--drain", default="2s", help="value of --drain for each server (default: 2s)")
    parser.add_argument("--retries", type=int, choices=[0, 3], default=3, help="retries of the balancer (default: 3)")
    arguments = parser.parse_args()
    with open(arguments.codes, encoding="utf-8", errors="replace", newline="") as file:
        codes = sorted({row[2] for row in csv.reader(file)})
    with tempfile.TemporaryDirectory(prefix="daicho-drill-") as folder:
        cluster = Cluster(arguments.daicho, arguments.snapshots, arguments.drain, arguments.retries, folder)
        load = Load(cluster.key, codes)
        try:
            load.during("calm", lambda: time.sleep(5))
            load.during("each server restarted in turn", cluster.restart_in_turn)
            load.during("kill -9 of a server", cluster.kill_one)
        finally:
            load.stop()
            cluster.stop()


if __name__ == "__main__":
    main()
