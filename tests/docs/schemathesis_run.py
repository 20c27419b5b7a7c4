"""Runs schemathesis against a server: python schemathesis_run.py URL KEY. The seed is fixed and the number of examples is
limited, so that each run finds the same faults and ends within a minute. Its hooks are in schemathesis_hooks.py."""

import os
import subprocess
import sys

url, key = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
checks = [
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "negative_data_rejection",
]
command = [
    os.path.join(os.path.dirname(sys.executable), "schemathesis"),
    "run",
    f"{url}/openapi.json",
    f"--header=Authorization: Token {key}",
    "--checks=" + ",".join(checks),
    "--phases=examples,coverage,fuzzing",
    "--max-examples=15",
    "--seed=20260801",
    "--generation-deterministic",
    "--no-shrink",
    "--workers=1",
    "--warnings=off",
]
hooks = {"SCHEMATHESIS_HOOKS": "schemathesis_hooks", "PYTHONPATH": here}
done = subprocess.run(command, env={**os.environ, **hooks, "PYTHONDONTWRITEBYTECODE": "1"})
sys.exit(done.returncode)
