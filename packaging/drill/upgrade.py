#!/usr/bin/env python3
"""Upgrades four servers behind HAProxy one by one, and back again, under load; prints the errors that clients saw.

  upgrade.py --older OLD/daicho --newer NEW/daicho --snapshots SNAPSHOTS --codes KEN_ALL.CSV [--older-snapshots SNAPSHOTS] [--state URL] [--retries 0]

Each server has a program file of its own, which is replaced as a package does: first the servers are restarted with the other program, then
they hand over to it (SIGUSR2), each time in both directions. Exits with 1 if a request failed, or if a server runs another program than
the installed one. All share one store, a file unless --state names a PostgreSQL database. --older-snapshots is for an older program that
reads another snapshot format. Needs HAProxy and the standard library, and the port 28201 of 127.0.0.2 to 127.0.0.5 and 28200 of 127.0.0.1.
"""
import argparse
import csv
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time

import drill

NODES = [*drill.NODES, "127.0.0.5"]


class Node:
    """A server with a program file of its own. Its processes tell their state to a socket, as to systemd."""

    def __init__(self, folder, address, words):
        self.folder, self.address, self.words = os.path.join(folder, address), address, words
        os.mkdir(self.folder)
        self.program, self.process, self.main = os.path.join(self.folder, "daicho"), None, None
        self.manager = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.manager.bind(os.path.join(self.folder, "notify"))
        self.manager.settimeout(90)

    def install(self, program):
        shutil.copy(program, self.program + ".new")
        os.rename(self.program + ".new", self.program)

    def wait_for(self, start):
        """The rest of the first line that begins so."""
        while True:
            for line in self.manager.recv(65536).decode().splitlines():
                if line.startswith(start):
                    return line[len(start):]

    def start(self, snapshots):
        log = open(os.path.join(self.folder, "log"), "a", encoding="utf-8")
        environment = {**os.environ, "NOTIFY_SOCKET": self.manager.getsockname()}
        words = [self.program, "serve", "--snapshots", snapshots, *self.words]
        self.process = subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=log, env=environment)
        self.main = self.process.pid
        self.wait_for("READY=1")

    def restart(self, program, snapshots):
        os.kill(self.main, signal.SIGTERM)
        # A process that took over is no child of this one.
        while os.path.exists(f"/proc/{self.main}") and self.process.poll() is None or self.is_main_alive():
            time.sleep(0.02)
        self.install(program)
        self.start(snapshots)

    def is_main_alive(self):
        try:
            with open(f"/proc/{self.main}/stat", encoding="utf-8") as file:
                return file.read().rsplit(")", 1)[1].split()[0] != "Z"
        except OSError:
            return False

    def hand_over(self, program):
        self.install(program)
        os.kill(self.main, signal.SIGUSR2)
        self.main = int(self.wait_for("MAINPID="))
        self.wait_for("READY=1")

    def stop(self):
        if self.main is not None and self.is_main_alive():
            os.kill(self.main, signal.SIGKILL)
        if self.process is not None:
            self.process.wait()


class Fleet:
    def __init__(self, arguments, folder):
        self.older, self.newer = arguments.older, arguments.newer
        self.snapshots = {self.newer: arguments.snapshots, self.older: arguments.older_snapshots or arguments.snapshots}
        state = arguments.state or os.path.join(folder, "daicho.db")
        self.run(self.older, "account", "create", "drill", "--plan", "enterprise", "--state", state)
        made = self.run(self.older, "key", "create", "--account", "drill", "--kind", "secret", "--json", "--state", state)
        self.key, self.nodes, self.faults = json.loads(made)["key"], [], []
        for address in NODES:
            words = ["--state", state, "--listen", f"{address}:{drill.PORT}", "--drain", "2s", "--trusted-proxy", "127.0.0.1/32"]
            node = Node(folder, address, words)
            node.install(self.older)
            node.start(self.snapshots[self.older])
            self.nodes.append(node)
        config = drill.configuration(arguments.retries).rstrip("\n") + f"\n  server d {NODES[3]}:{drill.PORT}\n"
        path = os.path.join(folder, "haproxy.cfg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(config)
        self.balancer = subprocess.Popen([shutil.which("haproxy", path=os.environ["PATH"] + ":/usr/sbin"), "-f", path], stdout=subprocess.DEVNULL)
        time.sleep(2)

    def run(self, program, *words):
        done = subprocess.run([program, *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        return done.stdout

    def restart_all(self, program):
        for node in self.nodes:
            node.restart(program, self.snapshots[program])
            # The balancer checks twice a second.
            time.sleep(1.2)
        self.check(program)

    def hand_over_all(self, program):
        for node in self.nodes:
            node.hand_over(program)
        self.check(program)

    def check(self, program):
        """Whether every server runs the program that is installed, and shows its version."""
        wanted = self.run(program, "--version").split()[-1]
        for node in self.nodes:
            connection = drill.http.client.HTTPConnection(node.address, drill.PORT, timeout=5)
            connection.request("GET", "/version")
            found = json.loads(connection.getresponse().read())["version"]
            target = os.readlink(f"/proc/{node.main}/exe")
            if found != wanted or target != node.program:
                self.faults.append(f"{node.address}: expected {wanted} of {node.program}; found {found} of {target}")

    def stop(self):
        self.balancer.kill()
        self.balancer.wait()
        for node in self.nodes:
            node.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--older", required=True, help="path of the older daicho program")
    parser.add_argument("--newer", required=True, help="path of the newer daicho program")
    parser.add_argument("--snapshots", required=True, help="a folder with postal data for the newer program")
    parser.add_argument("--older-snapshots", help="the same for the older program (default: the same folder)")
    parser.add_argument("--state", help="a PostgreSQL database (default: a file)")
    parser.add_argument("--retries", type=int, choices=[0, 3], default=3, help="retries of the balancer (default: 3)")
    parser.add_argument("--codes", required=True, help="KEN_ALL.CSV or utf_ken_all.csv of the same data")
    arguments = parser.parse_args()
    with open(arguments.codes, encoding="utf-8", errors="replace", newline="") as file:
        codes = sorted({row[2] for row in csv.reader(file)})
    failed = []
    with tempfile.TemporaryDirectory(prefix="daicho-upgrade-") as folder:
        fleet = Fleet(arguments, folder)
        load = drill.Load(fleet.key, codes)

        def phase(name, work):
            load.during(name, work)
            failed.extend(load.faults)

        try:
            phase("calm", lambda: time.sleep(5))
            phase("restarted with the newer program", lambda: fleet.restart_all(arguments.newer))
            phase("restarted with the older program", lambda: fleet.restart_all(arguments.older))
            if not arguments.older_snapshots:
                for number in range(3):
                    phase(f"handed over to the newer program, {number + 1}", lambda: fleet.hand_over_all(arguments.newer))
                    phase(f"handed back to the older one, {number + 1}", lambda: fleet.hand_over_all(arguments.older))
        finally:
            load.stop()
            fleet.stop()
        for fault in fleet.faults:
            print(fault)
        raise SystemExit(1 if failed or fleet.faults else 0)


if __name__ == "__main__":
    main()
