"""Runs the unchanged Python clients of other services: python clients.py BASE. Prints what each found, as JSON. Only the
base address is set."""

import asyncio
import json
import sys
from dataclasses import asdict

from jpzip import AsyncJpzipClient, JpzipClient

BASE = sys.argv[1]


def jpzip():
    mismatches = []
    with JpzipClient(base_url=BASE, on_spec_mismatch=lambda *versions: mismatches.append(versions)) as client:
        meta = client.get_meta()
        everything = client.lookup_all()
        one = client.lookup("1000001")
        found = {
            "one": one and asdict(one),
            "unknown": client.lookup("0000000"),
            "office": client.lookup("1008111"),
            "prefix": sorted(client.lookup_group("100")),
            "two_digits": sorted(client.lookup_group("10")),
            "group": sorted(client.lookup_group("1")),
            "all": len(everything),
            "meta": asdict(meta),
            "mismatches": mismatches,
        }

    async def asynchronous():
        async with AsyncJpzipClient(base_url=BASE) as client:
            return await client.lookup("1000001")

    found["same"] = asyncio.run(asynchronous()) == one
    return found


print(json.dumps({"jpzip": jpzip()}))
