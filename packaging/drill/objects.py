"""The object store of the drill: one s3s-fs, or three nodes of Garage behind the balancers. Each can be started and killed as a whole."""
import os
import re
import subprocess

from parts import BALANCERS, STORE_PORT, ManagedProcess, get, wait_until

KEY, SECRET, BUCKET, REGION = "GK" + "0123456789ab" * 2, "5ec4e7" * 10 + "5ec4", "depot", "ap-northeast-1"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": REGION}
GARAGE_NODES = ["127.0.0.11", "127.0.0.12", "127.0.0.13"]
RPC_PORT, S3_PORT, ADMIN_PORT = 28241, 28242, 28243


class S3sFs:
    """One process over a folder. It has conditional writes."""

    balanced = ""

    def __init__(self, program, folder):
        os.makedirs(os.path.join(folder, "objects", BUCKET))
        words = [program, "--host", "127.0.0.1", "--port", str(STORE_PORT), "--access-key", KEY, "--secret-key", SECRET]
        self.parts = [ManagedProcess(folder, "objects", [*words, os.path.join(folder, "objects")])]

    def make(self):
        self.start()
        wait_until("the object store to listen", lambda: get("127.0.0.1", STORE_PORT, "/") is not None)

    def start(self):
        for part in self.parts:
            part.start()

    def kill(self):
        for part in self.parts:
            part.kill()

    def url(self, _number):
        return f"http://127.0.0.1:{STORE_PORT}"


class Garage:
    """Three nodes that keep every object three times. It has no conditional writes."""

    # Configuration for the balancers: a node without quorum reports that on its administration port.
    balanced = (
        "\nfrontend objects\n  bind BALANCER:" + str(STORE_PORT) + "\n  http-request disable-l7-retry if !{ method GET HEAD }\n"
        "  default_backend objects\nbackend objects\n  balance roundrobin\n  option httpchk GET /health\n"
        f"  default-server check port {ADMIN_PORT} inter 500ms fall 1 rise 1 observe layer4 error-limit 1 on-error mark-down"
        + "".join(f"\n  server {address.replace('.', '-')} {address}:{S3_PORT}" for address in GARAGE_NODES) + "\n")

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        secret = os.urandom(32).hex()
        self.parts = [self.node(number, address, secret) for number, address in enumerate(GARAGE_NODES)]

    def node(self, number, address, secret):
        data = os.path.join(self.folder, f"objects-{number}")
        with open(f"{data}.toml", "w", encoding="ascii") as file:
            file.write(f'metadata_dir = "{data}/meta"\ndata_dir = "{data}/data"\ndb_engine = "lmdb"\nreplication_factor = 3\n'
                       f'rpc_bind_addr = "{address}:{RPC_PORT}"\nrpc_public_addr = "{address}:{RPC_PORT}"\nrpc_bind_outgoing = true\n'
                       f'rpc_secret = "{secret}"\nallow_world_readable_secrets = true\n'
                       f'[s3_api]\napi_bind_addr = "{address}:{S3_PORT}"\ns3_region = "{REGION}"\n'
                       f'[admin]\napi_bind_addr = "{address}:{ADMIN_PORT}"\n')
        return ManagedProcess(self.folder, f"objects-{number}", [self.program, "-c", f"{data}.toml", "server"], {"RUST_LOG": "warn"})

    def make(self):
        """Starts the nodes, joins them to a cluster, and creates the bucket and its key."""
        for part in self.parts:
            part.start()
        for address in GARAGE_NODES:
            wait_until(f"{address} to listen", lambda address=address: get(address, ADMIN_PORT, "/health") is not None)
        names = [self.run(number, "node", "id", "-q").strip() for number in range(len(self.parts))]
        for name in names[1:]:
            self.run(0, "node", "connect", name)
        for number, name in enumerate(names):
            self.run(0, "layout", "assign", "-z", f"zone-{number}", "-c", "1GB", name.split("@")[0])
        self.run(0, "layout", "apply", "--version", "1")
        self.wait()
        self.run(0, "key", "import", "--yes", "-n", "drill", KEY, SECRET)
        self.run(0, "bucket", "create", BUCKET)
        self.run(0, "bucket", "allow", "--read", "--write", "--owner", BUCKET, "--key", "drill")

    def run(self, number, *words):
        config = os.path.join(self.folder, f"objects-{number}.toml")
        done = subprocess.run([self.program, "-c", config, *words], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(f"garage {' '.join(words)}: {done.stderr}")
        return done.stdout

    def is_whole(self):
        """Whether each node sees the two others."""
        status = self.run(0, "status")
        return len(re.findall(r"^[0-9a-f]{16} ", status.split("FAILED")[0], re.M)) == len(GARAGE_NODES) and "FAILED" not in status

    def wait(self):
        for address in GARAGE_NODES:
            wait_until(f"{address} to be healthy", lambda address=address: (get(address, ADMIN_PORT, "/health") or (0,))[0] == 200)
        wait_until("all nodes of the object store", self.is_whole)

    def start(self):
        for part in self.parts:
            part.start()
        self.wait()

    def kill(self):
        for part in self.parts:
            part.kill()

    def url(self, number):
        """Half of the servers use one balancer for it, half the other."""
        return f"http://{BALANCERS[number % len(BALANCERS)]}:{STORE_PORT}"
