#!/usr/bin/python3
# grafana_client.py - requests of Pyroscope's API to a collector, and comparisons with the reports of cpa
# SPDX-License-Identifier: Apache-2.0
"""usage: grafana_client.py replay ADDRESS FILE      prints the responses to recorded requests in JSON; those in protobuf must be equal
       grafana_client.py compare ADDRESS CPA STORE N [SEED]   asks N random questions, and compares the numbers with those of cpa

Recorded requests: PATH CONTENT-TYPE CONTENT-ENCODING BASE64, a line each, made with connect-go and the Go types of
github.com/grafana/pyroscope/api v1.6.0, for the calls that Grafana's data source and Explore Profiles make.
"""
import base64
import datetime
import http.client
import json
import random
import struct
import subprocess
import sys

from wire import integers, raw_fields, signed

SERVICE = "/querier.v1.QuerierService/"
START = 1795356000  # 2026-11-22T14:00:00Z
PAIR = {1: ("name", "text"), 2: ("value", "text")}
FLAME = {1: ("names", ["text"]), 2: ("levels", [{1: ("values", ["int"])}]), 3: ("total", "int"), 4: ("maxSelf", "int"),
         5: ("leftTicks", "int"), 6: ("rightTicks", "int")}
TYPE = {1: ("type", "int"), 2: ("unit", "int")}
PROFILE = {
    1: ("sampleType", [TYPE]),
    2: ("sample", [{1: ("locationId", ["int"]), 2: ("value", ["int"]),
                    3: ("label", [{1: ("key", "int"), 2: ("str", "int"), 3: ("num", "int"), 4: ("numUnit", "int")}])}]),
    3: ("mapping", [{1: ("id", "int"), 2: ("memoryStart", "int"), 3: ("memoryLimit", "int"), 4: ("fileOffset", "int"),
                     5: ("filename", "int"), 6: ("buildId", "int")}]),
    4: ("location", [{1: ("id", "int"), 2: ("mappingId", "int"), 3: ("address", "int"),
                      4: ("line", [{1: ("functionId", "int"), 2: ("line", "int")}])}]),
    5: ("function", [{1: ("id", "int"), 2: ("name", "int"), 3: ("systemName", "int"), 4: ("filename", "int"), 5: ("startLine", "int")}]),
    6: ("stringTable", ["text"]), 9: ("timeNanos", "int"), 10: ("durationNanos", "int"), 11: ("periodType", TYPE),
    12: ("period", "int"), 14: ("defaultSampleType", "int")}
RESPONSES = {
    "ProfileTypes": {1: ("profileTypes", [{1: ("ID", "text"), 2: ("name", "text"), 4: ("sampleType", "text"), 5: ("sampleUnit", "text"),
                                           6: ("periodType", "text"), 7: ("periodUnit", "text")}])},
    "LabelNames": {1: ("names", ["text"])},
    "LabelValues": {1: ("names", ["text"])},
    "Series": {2: ("labelsSet", [{1: ("labels", [PAIR])}])},
    "SelectMergeStacktraces": {1: ("flamegraph", FLAME), 2: ("tree", "bytes")},
    "SelectMergeSpanProfile": {1: ("flamegraph", FLAME)},
    "SelectMergeProfile": PROFILE,
    "SelectSeries": {1: ("series", [{1: ("labels", [PAIR]), 2: ("points", [{1: ("value", "double"), 2: ("timestamp", "int")}])}])},
    "Diff": {1: ("flamegraph", FLAME)},
    "GetProfileStats": {1: ("dataIngested", "bool"), 2: ("oldestProfileTime", "int"), 3: ("newestProfileTime", "int")},
}


def value_of(kind, v):
    if isinstance(kind, dict):
        return decode(kind, v)
    if kind == "text":
        return v.decode()
    if kind == "bytes":
        return base64.b64encode(v).decode()
    if kind == "double":
        return struct.unpack("<d", v)[0]
    return bool(v) if kind == "bool" else str(signed(v))


def decode(schema, data):
    """A message as the object that its JSON is."""
    out = {}
    for field, _, value, _ in raw_fields(data):
        name, kind = schema[field]
        if not isinstance(kind, list):
            out[name] = value_of(kind, value)
        elif kind[0] == "int":
            out.setdefault(name, []).extend(str(signed(n)) for n in integers(value))
        else:
            out.setdefault(name, []).append(value_of(kind[0], value))
    return out


def post(address, path, kind, body, encoding="identity"):
    c = http.client.HTTPConnection(address, timeout=120)
    headers = {"Content-Type": kind, "Connect-Protocol-Version": "1"}
    if encoding != "identity":
        headers["Content-Encoding"] = encoding
    c.request("POST", path, body, headers)
    r = c.getresponse()
    return r.status, r.read()


def ask(address, method, **request):
    status, body = post(address, SERVICE + method, "application/json", json.dumps(request))
    if status != 200:
        raise SystemExit(f"{method}: {status} {body.decode()}")
    return json.loads(body)


def replay(address, path):
    proto = []
    for line in open(path):
        path, kind, encoding, body = line.rstrip("\n").split(" ")
        status, got = post(address, path, kind, base64.b64decode(body), encoding)
        method = path.rpartition("/")[2]
        if kind == "application/json":
            want_status, want = proto.pop(0)
            got = json.loads(got)
            print(f"{method}: {status} {json.dumps(got, sort_keys=True)}")
            # 0 and "" are absent in protobuf
            if status != want_status or (status == 200 and decode(RESPONSES[method], want) != got):
                raise SystemExit(f"{method}: protobuf and JSON differ: {want_status} {decode(RESPONSES[method], want)}")
            proto.append((status, want))
        elif kind == "application/proto":
            proto.append((status, got))
        else:
            want_status, want = proto.pop(0)
            frame = b"\0" + struct.pack(">I", len(want)) + want if want_status == 200 else b""
            code = b"grpc-status: 0\r\n" if want_status == 200 else b"grpc-status: 12\r\n"
            if status != 200 or not got.startswith(frame) or got[len(frame)] != 0x80 or not got[len(frame) + 5:].startswith(code):
                raise SystemExit(f"{method}: gRPC-web differs: {status} {got}")


def flat_of(flame):
    """Self values by function."""
    flat = {}
    for level in flame["levels"][1:]:
        values = [int(v) for v in level["values"]]
        for i in range(0, len(values), 4):
            flat[flame["names"][values[i + 3]]] = flat.get(flame["names"][values[i + 3]], 0) + values[i + 2]
    return {name: v for name, v in flat.items() if v}


def report(cpa, *args):
    out = subprocess.run([cpa, *args], capture_output=True, text=True, check=False)
    if "nothing of" in out.stderr:
        return None
    if out.returncode:
        raise SystemExit(f"{args}: {out.stderr}")
    return json.loads(out.stdout)


QUESTIONS = {
    "process_cpu:cpu:nanoseconds:cpu:nanoseconds": ("cpu", "cpu"),
    "process_cpu:samples:count:cpu:nanoseconds": ("cpu", "samples"),
    "memory:inuse_space:bytes:space:bytes": ("heap", "inuse_space"),
    "memory:alloc_space:bytes:space:bytes": ("heap", "alloc_space"),
    "mutex:contentions:count:contentions:count": ("mutex", "contentions"),
}
MATCHES = ["", 'instance="h1:6060"', 'instance=~"h[12].*"', 'instance!="h1:6060"', 'version=~"1.[23]"', 'route="/a"', 'route!~"/b.*"']


def compare_one(address, cpa, store, r):
    profile_type = r.choice(list(QUESTIONS))
    kind, index = QUESTIONS[profile_type]
    match = r.choice(MATCHES[:4] if kind != "cpu" else MATCHES)
    service = r.choice(["shop", "shop", "cart"])
    t0 = START + 60 * r.randrange(50)
    t1 = t0 + 60 * r.randrange(1, 30)
    source = f"store:{service}/{kind}{{{match}}}@" if match else f"store:{service}/{kind}@"
    source += "..".join(datetime.datetime.fromtimestamp(t, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ") for t in (t0, t1))
    selector = f'{{service_name="{service}"' + (f",{match}}}" if match else "}")
    window = {"profileTypeID": profile_type, "labelSelector": selector, "start": t0 * 1000, "end": t1 * 1000 - 1}
    flame = ask(address, "SelectMergeStacktraces", **window)["flamegraph"]
    store = f"--store={store}"
    top = report(cpa, "top", "--json", store, f"-sample_index={index}", "-nodecount=-1", "-nodefraction=0", source)
    want = {row["name"]: row["flat"] for row in top["rows"] if row["flat"]} if top else {}
    total = top["total"] if top else 0
    if flat_of(flame) != want or int(flame.get("total", 0)) != total:
        raise SystemExit(f"{source} {index}: {flame} instead of {want}")
    profile = base64.b64encode(post(address, SERVICE + "SelectMergeProfile", "application/json", json.dumps(window))[1])
    compare_profile(json.loads(base64.b64decode(profile)), want, source)
    step = 60 * r.randrange(1, 10)
    steps = -(-(t1 - t0) // step)
    points = ask(address, "SelectSeries", **{**window, "start": (t0 + step) * 1000 - 1, "end": (t0 + steps * step) * 1000 - 1,
                                             "step": step}).get("series", [])
    points = {int(p["timestamp"]): p.get("value", 0) for p in (points[0]["points"] if points else [])}
    source = source.rpartition("..")[0] + ".." + datetime.datetime.fromtimestamp(
        t0 + steps * step, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ") + f"+step={step}s"
    series = report(cpa, "series", "--json", store, f"-sample_index={index}", source)
    rows = [row for row in series["rows"] if row["profiles"]] if series else []
    if sum(row["total"] for row in rows) != sum(points.values()) or len(rows) != len(points):
        raise SystemExit(f"{source} {index}: {points} instead of {rows}")
    return bool(want)


def compare_profile(profile, want, source):
    strings, names = profile.get("stringTable", []), {}
    functions = {f["id"]: strings[int(f["name"])] for f in profile.get("function", [])}
    leaf = {x["id"]: functions[x["line"][0]["functionId"]] for x in profile.get("location", [])}
    for sample in profile.get("sample", []):
        name = leaf[sample["locationId"][0]]
        names[name] = names.get(name, 0) + int(sample["value"][0])
    if {n: v for n, v in names.items() if v} != want:
        raise SystemExit(f"{source}: the profile has {names} instead of {want}")


def main():
    if sys.argv[1] == "replay":
        replay(sys.argv[2], sys.argv[3])
        return
    r = random.Random(int(sys.argv[6]) if len(sys.argv) > 6 else 1)
    filled = sum(compare_one(*sys.argv[2:5], r) for _ in range(int(sys.argv[5])))
    print(f"{sys.argv[5]} questions have the numbers of cpa; {filled} with samples")


if __name__ == "__main__":
    main()
