#!/usr/bin/env python3
"""Runs the systemd units under a systemd of its own, changes program and settings under load, and prints what clients saw.

  units.py --daicho target/release/daicho

systemd gets namespaces of its own: processes, mounts, network. Everything that it or the server writes is in memory and gone at
the end; it sees nothing of /tmp. Needs root, systemd, util-linux and iproute2. Exits with 1 if a request failed that no kill
explains, or if the server did not do what a phase says.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

import drill

UNITS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "systemd")
IN_NETWORK = "DAICHO_DRILL_NETWORK"

# What a container's systemd leaves alone, and what this machine's own services would do.
MASKED = """systemd-udevd.service systemd-udev-trigger.service systemd-udevd-control.socket systemd-udevd-kernel.socket
systemd-sysctl.service systemd-modules-load.service systemd-remount-fs.service systemd-logind.service
systemd-networkd.service systemd-resolved.service systemd-timesyncd.service networking.service dev-hugepages.mount
dev-mqueue.mount sys-kernel-debug.mount sys-kernel-tracing.mount sys-kernel-config.mount
sys-fs-fuse-connections.mount"""

# systemd-tmpfiles empties /tmp at a start, so that it must be another /tmp before anything else.
INSIDE = """set -e
mount --make-rprivate /
program=$(mktemp -p /dev/shm)
trap 'rm -f "$program"' EXIT
cp "$1" "$program"
units=$(cd "$2" && pwd)
mount -t tmpfs tmpfs /run
mkdir -p /run/units /run/lock /run/systemd/system
cp "$units"/daicho.service "$units"/daicho.socket /run/units
for folder in /tmp /var/tmp /var/lib /var/log; do mount -t tmpfs tmpfs $folder; done
mount -t proc proc /proc
for folder in usr/bin etc; do
  mkdir -p /run/layers/$folder/upper /run/layers/$folder/work
  mount -t overlay overlay -o lowerdir=/$folder,upperdir=/run/layers/$folder/upper,workdir=/run/layers/$folder/work /$folder
done
install -m 755 "$program" /usr/bin/daicho
rm "$program"
cp /run/units/* /etc/systemd/system/
for unit in $3; do ln -sf /dev/null /run/systemd/system/$unit; done
printf '[Unit]\\nRequires=basic.target\\nAfter=basic.target\\n' > /run/systemd/system/drill.target
echo DAICHO_LISTEN=127.0.0.1:8080 > /etc/default/daicho
echo DAICHO_CONFIG=/etc/daicho.toml >> /etc/default/daicho
touch /etc/daicho.toml
export container=lxc
exec /lib/systemd/systemd --system --unit=drill.target
"""


class Systemd:
    def __init__(self, program):
        command = ["unshare", "--fork", "--kill-child", "--pid", "--mount", "--uts", "--ipc", "bash", "-c", INSIDE,
                   "inside", program, UNITS, MASKED.replace("\n", " ")]
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        deadline = time.time() + 60
        while self.state() not in ("running", "degraded"):
            if time.time() > deadline or self.process.poll() is not None:
                self.log.seek(0)
                sys.exit(f"systemd did not start:\n{self.log.read()[-3000:]}")
            time.sleep(0.2)

    def enter(self):
        """The words before a command that runs beside systemd; none before its process is there."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children", encoding="utf-8") as file:
            children = file.read().split()
        return ["nsenter", "--target", children[0], "--pid", "--mount", "--uts", "--ipc", "--"] if children else []

    def state(self):
        if not (enter := self.enter()):
            return "none"
        found = subprocess.run([*enter, "systemctl", "is-system-running"], capture_output=True, text=True)
        return found.stdout.strip()

    def run(self, *words, may_fail=False):
        found = subprocess.run([*self.enter(), *words], capture_output=True, text=True, timeout=120)
        if found.returncode != 0 and not may_fail:
            sys.exit(f"{' '.join(words)}: expected status 0; found {found.returncode}: {found.stderr or found.stdout}")
        return found.stdout

    def shell(self, text):
        return self.run("sh", "-c", text)

    def reload(self):
        """Reloads the server, and returns whether another process serves now."""
        before = self.show("MainPID")
        self.run("systemctl", "reload-or-restart", "daicho")
        deadline = time.time() + 10
        while self.show("MainPID") == before and "reload failed" not in self.show("StatusText"):
            if time.time() > deadline:
                return False
            time.sleep(0.05)
        return self.show("MainPID") != before

    def show(self, name):
        return self.run("systemctl", "show", "--value", "--property", name, "daicho").strip()

    def as_operator(self, *words):
        """Runs a command as packaging/README.md says."""
        user = ["--property=DynamicUser=yes", "--property=User=daicho", "--property=StateDirectory=daicho"]
        state = "--setenv=DAICHO_STATE=/var/lib/daicho/daicho.db"
        return self.run("systemd-run", "--quiet", "--pipe", "--wait", *user, state, "daicho", *words)


def reload_five_times(systemd):
    for _ in range(5):
        if not systemd.reload():
            return False
        time.sleep(2)
    return True


def install_anew(systemd):
    systemd.shell("cp /usr/bin/daicho /usr/bin/daicho.new && mv /usr/bin/daicho.new /usr/bin/daicho")
    return systemd.reload()


def refuse_settings(systemd):
    systemd.shell("echo 'drain = \"soon\"' > /etc/daicho.toml")
    return not systemd.reload() and "the last reload failed" in systemd.show("StatusText")


def accept_settings(systemd):
    systemd.shell("echo 'drain = \"1s\"' > /etc/daicho.toml")
    return systemd.reload() and "failed" not in systemd.show("StatusText")


def refuse_program(systemd):
    systemd.shell("mv /usr/bin/daicho /usr/bin/good && ln -s /bin/false /usr/bin/daicho")
    is_refused = not systemd.reload() and "the last reload failed" in systemd.show("StatusText")
    systemd.shell("mv /usr/bin/good /usr/bin/daicho")
    return is_refused and systemd.reload()


def restart(systemd):
    systemd.run("systemctl", "restart", "daicho")
    return systemd.show("ActiveState") == "active"


def kill(systemd):
    systemd.run("systemctl", "kill", "--kill-whom=main", "--signal=KILL", "daicho")
    time.sleep(6)
    return systemd.show("NRestarts") == "1" and systemd.show("ActiveState") == "active"


# Name, what is done, and how many requests may fail.
PHASES = [
    ("calm", lambda systemd: time.sleep(5) is None, 0),
    ("reloaded five times", reload_five_times, 0),
    ("the program installed anew, reloaded", install_anew, 0),
    ("a bad settings file, reloaded: the server goes on", refuse_settings, 0),
    ("a good settings file, reloaded", accept_settings, 0),
    ("a program that does not start, reloaded: the server goes on", refuse_program, 0),
]
WITH_SOCKET = [
    ("with the socket unit: restarted", restart, 0),
    ("with the socket unit: reloaded five times", reload_five_times, 0),
    ("with the socket unit: killed, started again by systemd", kill, drill.CLIENTS),
]


def run_phases(systemd, key, phases):
    load, is_sound = drill.Load(key, ["1000001"], port=8080, reconnecting=3), True
    try:
        for name, act, failures_max in phases:
            is_done, failed = load.during(name, lambda: act(systemd))
            if not is_done or failed > failures_max:
                is_sound = False
                print("    NOT AS PROMISED")
    finally:
        load.stop()
    return is_sound


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--daicho", required=True)
    args = parser.parse_args()
    if IN_NETWORK not in os.environ:
        os.environ[IN_NETWORK] = "1"
        os.execvp("unshare", ["unshare", "--net", "--", sys.executable, *sys.argv])
    subprocess.run(["ip", "link", "set", "lo", "up"], check=True)
    systemd = Systemd(os.path.abspath(args.daicho))
    try:
        is_sound = run(systemd)
    finally:
        systemd.process.kill()
    sys.exit(0 if is_sound else 1)


def run(systemd):
    systemd.run("systemctl", "start", "daicho")
    systemd.as_operator("account", "create", "drill", "--plan", "premium")
    created = systemd.as_operator("key", "create", "--account", "drill", "--kind", "secret")
    key = "dk_sec_" + created.split("dk_sec_", 1)[1].split()[0]
    # The server reads new keys within a second.
    time.sleep(2)
    is_sound = run_phases(systemd, key, PHASES)
    systemd.run("systemctl", "stop", "daicho")
    systemd.run("systemctl", "start", "daicho.socket", "daicho.service")
    return run_phases(systemd, key, WITH_SOCKET) and is_sound


if __name__ == "__main__":
    main()
