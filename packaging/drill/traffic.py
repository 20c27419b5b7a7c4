"""Traffic of the drill: look-ups through the balancers, requests that need the database, and webhooks."""
import http.client
import http.server
import json
import random
import threading
import time

CLIENTS, RETRY_PAUSE = 6, 0.2


class Load:
    """Clients that look up codes and check what they get. One that cannot connect takes the other balancer; a request that fails
    is made once more, a moment later: what was just killed may still take connections while the system takes it down."""

    def __init__(self, key, codes, balancers):
        self.key, self.codes, self.balancers = key, codes, balancers
        self.port, self.pause, self.stopping = None, 0.0, False
        self.lock, self.faults = threading.Lock(), []
        self.clear()
        self.threads = []

    def clear(self):
        with self.lock:
            self.times, self.first, self.second, self.stored, self.stored_failed = [], [], [], 0, 0

    def start(self, port):
        self.port, self.stopping = port, False
        look_ups = [threading.Thread(target=self.look_up, args=(number,), daemon=True) for number in range(CLIENTS)]
        self.threads = [*look_ups, threading.Thread(target=self.use_store, daemon=True)]
        for thread in self.threads:
            thread.start()

    def stop(self):
        self.stopping = True
        for thread in self.threads:
            thread.join()

    def connect(self, preferred):
        """Connects to a balancer that listens, trying the one with the index `preferred` first."""
        for number in range(len(self.balancers)):
            connection = http.client.HTTPConnection(self.balancers[(preferred + number) % len(self.balancers)], self.port, timeout=15)
            try:
                connection.connect()
                return connection
            except OSError:
                connection.close()
        return None

    def request(self, connection, path):
        connection.request("GET", path, headers={"Authorization": f"Token {self.key}"})
        answer = connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise http.client.HTTPException(f"status {answer.status}: {body[:80]!r}")
        return body

    def look_up(self, number):
        choose, connection = random.Random(number), None
        while not self.stopping:
            code, began, faults = choose.choice(self.codes), time.perf_counter(), []
            while len(faults) < 2:
                try:
                    connection = connection or self.connect(number)
                    if connection is None:
                        raise OSError("no balancer listens")
                    if code.encode() not in self.request(connection, f"/v1/postalcode/{code}"):
                        raise http.client.HTTPException("another answer")
                    break
                except (OSError, http.client.HTTPException) as error:
                    faults.append(repr(error))
                    if connection is not None:
                        connection.close()
                    connection = None
                    time.sleep(RETRY_PAUSE)
            with self.lock:
                self.times.append(time.perf_counter() - began)
                self.first += faults[:1]
                self.second += faults[1:]
            time.sleep(self.pause)

    def use_store(self):
        """Requests the watch list, which is in the database, five times a second."""
        while not self.stopping:
            failed = 0
            connection = self.connect(0)
            try:
                self.request(connection, "/v1/houjinbangou/radar/corporate_numbers")
            except (AttributeError, OSError, http.client.HTTPException):
                failed = 1
            if connection is not None:
                connection.close()
            with self.lock:
                self.stored, self.stored_failed = self.stored + 1, self.stored_failed + failed
            time.sleep(0.2)

    def rate(self, seconds=3):
        """Look-ups per second with the current pause."""
        time.sleep(1)
        self.clear()
        time.sleep(seconds)
        return len(self.times) / seconds

    def calibrate(self):
        """Measures the rate without pauses, then finds the pause for 60% of it. Returns both rates."""
        self.pause = 0.0
        highest = rate = self.rate()
        for _ in range(3):
            self.pause = max(0.0, self.pause + CLIENTS / (0.6 * highest) - CLIENTS / rate)
            rate = self.rate()
        return highest, rate

    def during(self, name, work):
        self.clear()
        began = time.monotonic()
        remark = work() or ""
        seconds = time.monotonic() - began
        with self.lock:
            times, first, second = sorted(self.times), list(self.first), list(self.second)
            stored = f"{self.stored_failed} of {self.stored}"
        p99 = 1e3 * times[int(len(times) * 0.99)]
        print(f"| {name} | {seconds:.0f} s | {len(times):,} | {len(first)} | {len(second)} | {stored} | {p99:.0f} ms | "
              f"{1e3 * times[-1]:.0f} ms | {remark} |", flush=True)
        for fault in sorted(set(first)):
            self.faults.append(f"{name}: {first.count(fault)} times {fault}")
        return [name, first, second]


class Receiver:
    """Accepts every webhook and records account, day and delivery id."""

    def __init__(self):
        self.arrivals = []
        arrivals = self.arrivals

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                arrivals.append((self.path, body["date"], self.headers["webhook-id"]))
                self.send_response(204)
                self.end_headers()

            def log_message(self, *_words):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def url(self, account):
        return f"http://127.0.0.1:{self.server.server_port}/{account}"


def watch(address, port, keys, number):
    """Adds the number to the watch list of each account."""
    for key in keys.values():
        connection = http.client.HTTPConnection(address, port, timeout=10)
        body = json.dumps({"data": [number]})
        headers = {"Authorization": f"Token {key}", "Content-Type": "application/json"}
        connection.request("POST", "/v1/houjinbangou/radar/corporate_numbers/add", body, headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status != 200:
            raise SystemExit(f"expected the number to be added to the watch list; found status {answer.status}: {text[:200]!r}")
