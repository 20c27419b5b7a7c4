"""Calls every method of kendama with the base address of the first argument, and prints what it returns as JSON."""

import datetime
import json
import sys

import kendama

api = kendama.V1Api(kendama.ApiClient(kendama.Configuration(host=sys.argv[1])))
ID, JSON = "Ktest01test01", "21"


def by_number(*numbers):
    return api.get_announcement_by_number(id=ID, number=",".join(numbers), type=JSON)


def on_day(number, *day):
    return api.get_announcement_by_valid(id=ID, number=number, day=datetime.date(*day), type=JSON)


def changed(first, last, division):
    days = {"var_from": datetime.date(*first), "to": datetime.date(*last)}
    return api.get_announcement_by_diff(id=ID, type=JSON, division=division, **days)


def refused(call, *arguments):
    try:
        call(*arguments)
    except kendama.ApiException as error:
        return [error.status, error.body.split(",")[0]]


def issuer(entry):
    return [entry.registrated_number, entry.name, str(entry.registration_date), entry.address]


found = by_number("T2010005999901", "T9810999999901")
unknown = by_number("T7000012050002")
valid = on_day("T5430001999901", 2026, 8, 4)
before = on_day("T5430001999901", 2023, 9, 30)
individuals = changed((2026, 8, 4), (2026, 8, 4), "1")
print(
    json.dumps(
        {
            "number": [found.count, [issuer(entry) for entry in found.announcement]],
            "unknown": [unknown.count, unknown.announcement],
            "valid": [valid.count, valid.announcement[0].expire_date],
            "before": [before.count, before.announcement or None],
            "individuals": [
                individuals.count,
                [entry.registrated_number for entry in individuals.announcement],
            ],
            "too many": refused(by_number, *["T2010005999901"] * 11),
            "a day that is not known": refused(changed, (2026, 8, 3), (2026, 8, 4), "1"),
        }
    )
)
