"""Calls every method of the Python client and prints the results as JSON.

python calls.py BASE KEY API_VERSION...
The API version "" stands for calls without one.
"""

import dataclasses
import inspect
import json
import re
import sys

from kenallclient import KenAllClient

base, key, *versions = sys.argv[1:]
client = KenAllClient(key, api_url=base)


def cities(api):
    # Before 1.2.0 the client has no get_cities, only its two steps.
    if hasattr(client, "get_cities"):
        return client.get_cities("13", api)
    return client.fetch_city_result(client.create_city_request("13", api), api)


# By the name of the call in calls.rs: the client's method, and the call.
CALLS = {
    "address": ("get", lambda api: client.get("1000001", api)),
    "address_with_hyphen": ("get", lambda api: client.get("100-0001", api)),
    "address_of_a_version": ("get", lambda api: client.get("1000001", api, version="2026-05-29")),
    "business": ("get", lambda api: client.get("0608611", api)),
    "cities": ("create_city_request", cities),
    "search_address": (
        "search",
        lambda api: client.search(
            t="東京都千代田区千代田1-1", q=None, limit=5, offset=0, api_version=api
        ),
    ),
    "search_query": (
        "search",
        lambda api: client.search(q="千代田", t=None, limit=3, api_version=api),
    ),
    "search_facet": (
        "search",
        lambda api: client.search(q="千代田", t=None, facet="/", api_version=api),
    ),
    "corporation": ("get_houjin", lambda api: client.get_houjin("6010001999901", api)),
    "corporation_closed": ("get_houjin", lambda api: client.get_houjin("5010001999902", api)),
    "search_corporations": (
        "search_houjin",
        lambda api: client.search_houjin(
            "台帳", mode="partial", limit=100, offset=0, api_version=api
        ),
    ),
    "search_corporations_facet": (
        "search_houjin",
        lambda api: client.search_houjin("台帳", facet_area="/", api_version=api),
    ),
    "invoice": (
        "get_invoice_issuer",
        lambda api: client.get_invoice_issuer("T6010001999901", api),
    ),
    "banks": ("get_banks", lambda api: client.get_banks(api)),
    "bank": ("get_bank", lambda api: client.get_bank("0001", api)),
    "branches": ("get_bank_branches", lambda api: client.get_bank_branches("0001", api)),
    "branch": ("get_bank_branch", lambda api: client.get_bank_branch("0001", "010", api)),
    "search_banks": (
        "search_banks",
        lambda api: client.search_banks(q="みほん", api_version=api),
    ),
    "search_branches": (
        "search_bank_branches",
        lambda api: client.search_bank_branches("0001", q="会津", api_version=api),
    ),
    "holidays": ("search_holiday", lambda api: client.search_holiday(year=2026, api_version=api)),
    "holidays_between": (
        "search_holiday",
        lambda api: client.search_holiday(from_="2026-05-01", to="2026-05-31", api_version=api),
    ),
    "business_day": (
        "check_business_day",
        lambda api: client.check_business_day("2026-11-24", api),
    ),
    "whoami": ("whoami", lambda api: client.whoami(api)),
    "school": ("get_school", lambda api: client.get_school("F108110009907", api)),
    "search_schools": ("search_school", lambda api: client.search_school("大学", api_version=api)),
}


def offers(name):
    """Whether this version of the client has the method and the parameters of the call."""
    method = getattr(client, CALLS[name][0], None)
    if method is None:
        return False
    return name != "address_of_a_version" or "version" in inspect.signature(method).parameters


# Lists the methods of the class that no call uses, so that a new method is noticed.
called = {method for method, _ in CALLS.values()} | {"get_cities"}
whole = [name for name in dir(KenAllClient) if re.match("get|search|check_|whoami", name)]
overlooked = [name for name in whole if name not in called]

results = {}
for version in versions:
    found = results[version] = {}
    for name, (_, call) in CALLS.items():
        if not offers(name):
            continue
        try:
            value = call(version or None)
            found[name] = {"value": dataclasses.asdict(value)}
        except Exception as error:  # any exception is a result
            found[name] = {"error": f"{type(error).__name__}: {error}"}

json.dump({"overlooked": overlooked, "results": results}, sys.stdout, ensure_ascii=False)
