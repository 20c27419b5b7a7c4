"""The processes of the drill: two PostgreSQL, two HAProxy, servers, and an object store of objects.py. Each can be started, killed and started again.

Everything is on loopback addresses and in one folder, which goes with the drill.
"""
import glob
import http.client
import json
import os
import pwd
import re
import shutil
import signal
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
NODES = ["127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5", "127.0.0.6"]
BALANCERS = ["127.0.0.1", "127.0.0.7"]
NODE_PORT, HTTP_PORT, TCP_PORT, STORE_PORT, DATABASE_PORTS = 28201, 28200, 28210, 28220, (28230, 28231)
SAMPLE = os.path.join(HERE, "..", "..", "build-tools", "sample")


def wait_until(what, is_true, seconds=60):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if is_true():
            return
        time.sleep(0.05)
    raise SystemExit(f"expected {what} within {seconds} s; it did not happen")


def get(address, port, path, timeout=2):
    """Status and body, or None."""
    connection = http.client.HTTPConnection(address, port, timeout=timeout)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        return answer.status, answer.read().decode()
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()


class ManagedProcess:
    """A process that is started with the same arguments each time."""

    def __init__(self, folder, name, words, environment=None, user=None):
        self.words, self.user = words, user
        self.environment = {**os.environ, **(environment or {})}
        self.log = os.path.join(folder, f"{name}.log")
        self.process = None

    def start(self):
        with open(self.log, "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.words, env=self.environment, stdout=log, stderr=log, user=self.user)

    def kill(self):
        """Kills the process like a power failure: no signal that it could handle."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


class Databases:
    """A PostgreSQL primary with a synchronous replica."""

    def __init__(self, folder):
        binaries = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        if not binaries:
            raise SystemExit("expected PostgreSQL in /usr/lib/postgresql; found none; install Debian's package postgresql")
        self.binaries = binaries[-1]
        self.user = "postgres" if os.geteuid() == 0 else None
        self.folder = os.path.join(folder, "databases")
        os.mkdir(self.folder)
        if self.user:
            os.chmod(folder, 0o755)
            entry = pwd.getpwnam(self.user)
            os.chown(self.folder, entry.pw_uid, entry.pw_gid)
        self.parts = {}
        self.run("initdb", "-U", "daicho", "-A", "trust", "-D", self.data(0), "--no-sync")
        with open(os.path.join(self.data(0), "postgresql.conf"), "a", encoding="ascii") as file:
            file.write("synchronous_standby_names = '*'\nmax_connections = 60\nshared_buffers = 32MB\n"
                       f"unix_socket_directories = '{self.folder}'\n")
        # No synchronous commit before the replica exists.
        self.start(0, "-c", "synchronous_standby_names=")
        self.run("createdb", "-h", "127.0.0.1", "-p", str(DATABASE_PORTS[0]), "-U", "daicho", "daicho")
        self.follow(1, 0)
        self.stop(0)
        self.start(0)

    @property
    def url(self):
        hosts = ",".join(f"127.0.0.1:{port}" for port in DATABASE_PORTS)
        return f"postgres://daicho@{hosts}/daicho?target_session_attrs=read-write&connect_timeout=2"

    def data(self, number):
        return os.path.join(self.folder, f"data-{number}")

    def run(self, program, *words):
        done = subprocess.run([os.path.join(self.binaries, program), *words], capture_output=True, text=True, user=self.user, cwd="/")
        if done.returncode != 0:
            raise SystemExit(f"{program}: {done.stderr}")
        return done.stdout

    def start(self, number, *words):
        port = str(DATABASE_PORTS[number])
        words = [os.path.join(self.binaries, "postgres"), "-D", self.data(number), "-h", "127.0.0.1", "-p", port, *words]
        self.parts[number] = ManagedProcess(os.path.dirname(self.folder), f"database-{number}", words, user=self.user)
        self.parts[number].start()
        ready = [os.path.join(self.binaries, "pg_isready"), "-q", "-h", "127.0.0.1", "-p", port]
        wait_until(f"database {number} to be ready", lambda: subprocess.run(ready, check=False).returncode == 0)

    def follow(self, number, primary):
        """Creates a new replica of the primary."""
        shutil.rmtree(self.data(number), ignore_errors=True)
        port = str(DATABASE_PORTS[primary])
        self.run("pg_basebackup", "-h", "127.0.0.1", "-p", port, "-U", "daicho", "-D", self.data(number), "-R", "-c", "fast", "--no-sync")
        self.start(number)

    def kill(self, number):
        """Kills all processes at once: remaining ones would keep the shared memory and the socket."""
        parent = self.parts[number].process.pid
        children = subprocess.run(["pgrep", "-P", str(parent)], capture_output=True, text=True, check=False).stdout.split()
        self.parts[number].kill()
        for child in children:
            try:
                os.kill(int(child), signal.SIGKILL)
            except ProcessLookupError:
                pass

    def stop(self, number):
        self.parts[number].process.send_signal(signal.SIGINT)
        self.parts[number].process.wait()

    def promote(self, number):
        self.run("psql", "-h", "127.0.0.1", "-p", str(DATABASE_PORTS[number]), "-U", "daicho", "-c", "select pg_promote()", "daicho")

    def end_all(self):
        for number in list(self.parts):
            self.kill(number)


class Cluster:
    """All processes, and the commands that control them."""

    def __init__(self, daicho, store, credentials, drain, folder):
        self.daicho, self.store, self.folder, self.drain = daicho, store, folder, drain
        self.databases = Databases(folder)
        self.environment = {
            **credentials, "AWS_ENDPOINT_URL": store.url(0), "AWS_ALLOW_HTTP": "true", "DAICHO_RELEASES": "s3://depot/daicho",
            "DAICHO_STATE": self.databases.url, "DAICHO_WEBHOOK_KEY": "ZHJpbGxkcmlsbGRyaWxsZHJpbGxkcmlsbGRyaWxsMTI=",
        }
        self.balancers = [self.balancer(number) for number in range(len(BALANCERS))]
        for balancer in self.balancers:
            balancer.start()
        store.make()
        self.snapshots = os.path.join(folder, "snapshots")
        self.run("build", "included", "--out", self.snapshots)
        self.newest = max(os.listdir(os.path.join(self.snapshots, "corporate")))[:10]
        self.nodes = {address: self.node(number, address) for number, address in enumerate(NODES)}

    def run(self, *words):
        done = subprocess.run([self.daicho, *words], env={**os.environ, **self.environment}, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"daicho {' '.join(words)}: {done.stderr}")
        return done.stdout

    def node(self, number, address):
        name = address.replace(".", "-")
        cache = os.path.join(self.folder, f"cache-{name}")
        words = ["serve", "--snapshots", "s3://depot/daicho", "--cache", cache, "--key-cache", f"{cache}.keys", "--drain", self.drain,
                 "--listen", f"{address}:{NODE_PORT}", "--webhook-allow-private", "--connections-per-address", "off", "--log-level", "warn"]
        environment = {**self.environment, "AWS_ENDPOINT_URL": self.store.url(number)}
        return ManagedProcess(self.folder, f"node-{name}", [self.daicho, *words], environment)

    def balancer(self, number):
        """haproxy.cfg from this folder with another address, more servers, and the same servers in TCP mode."""
        with open(os.path.join(HERE, "haproxy.cfg"), encoding="utf-8") as file:
            config = file.read()
        config = re.sub(r"bind \S+", f"bind {BALANCERS[number]}:{HTTP_PORT}", config)
        config = re.sub(r"\n  server .*", "", config).rstrip()
        settings = re.search(r"default-server .*", config).group()
        servers = "".join(f"\n  server {address.replace('.', '-')} {address}:{NODE_PORT}" for address in NODES)
        tcp = (f"\nfrontend daicho-tcp\n  mode tcp\n  bind {BALANCERS[number]}:{TCP_PORT}\n  default_backend nodes-tcp\n"
               "backend nodes-tcp\n  mode tcp\n  balance roundrobin\n  option httpchk GET /readyz\n"
               f"  {settings}{servers}\n")
        path = os.path.join(self.folder, f"haproxy-{number}.cfg")
        with open(path, "w", encoding="utf-8") as file:
            file.write(config + servers + tcp + self.store.balanced.replace("BALANCER", BALANCERS[number]))
        program = shutil.which("haproxy", path=os.environ["PATH"] + ":/usr/sbin")
        if program is None:
            raise SystemExit("expected HAProxy; found none; install Debian's package haproxy")
        return ManagedProcess(self.folder, f"balancer-{number}", [program, "-db", "-f", path])

    def build_day(self, day):
        """Adds one day of changed corporations, made from the sample, to the folder."""
        with open(os.path.join(SAMPLE, "2026-08-03", "diff_20260803.csv"), encoding="utf-8") as file:
            text = file.read().replace("2026-08-03", day)
        path = os.path.join(self.folder, f"diff_{day.replace('-', '')}.csv")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        base = os.path.join(self.snapshots, "corporate", f"{self.newest}.daicho")
        self.run("build", "corporate", "--base", base, "--diff", path, "--version", day, "--out", self.snapshots, "--force")
        self.newest = day
        return text.split("\n", 1)[0].split(",")[1]

    def push(self):
        """Publishes the folder and activates the release; returns its number."""
        return json.loads(self.run("release", "push", "--snapshots", self.snapshots, "--activate", "--json"))["release"]

    def serving(self, release):
        """Waits until every running server answers from the release."""
        wanted = re.compile(rf"^daicho_release {release}$", re.M)
        for address, node in self.nodes.items():
            if node.process is not None and node.process.poll() is None:
                def on_it(address=address):
                    answer = get(address, NODE_PORT, "/metrics")
                    return answer is not None and wanted.search(answer[1]) is not None
                wait_until(f"{address} to serve release {release}", on_it)

    def ready(self, address):
        wait_until(f"{address} to be ready", lambda: (get(address, NODE_PORT, "/readyz") or (0,))[0] == 200)

    def start_node(self, address):
        """Starts the server and waits until the balancers, which check twice a second, have seen it."""
        self.nodes[address].start()
        self.ready(address)
        time.sleep(1.2)

    def stop(self):
        for part in [*self.balancers, *self.nodes.values(), *self.store.parts]:
            part.kill()
        self.databases.end_all()
