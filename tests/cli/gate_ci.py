# gate_ci.py - check the files that cpa gate writes for CI servers
# SPDX-License-Identifier: Apache-2.0
#
# gate_ci.py SCHEMA FOLDER STATUS: FOLDER contains the files sarif, github and markdown of a gate that exited with STATUS.
import json
import re
import sys

import jsonschema


def no_constant(name):
    raise ValueError(name + " is not JSON")


def read(folder, name):
    with open(folder + "/" + name, encoding="utf-8") as file:
        return file.read()


def check_sarif(schema, text, status):
    report = json.loads(text, parse_constant=no_constant)
    jsonschema.Draft201909Validator.check_schema(schema)
    check = jsonschema.Draft201909Validator(schema)
    check.validate(report)
    report["unknown"] = 1
    assert not check.is_valid(report), "the schema is not strict"
    run = report["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    seen = set()
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert (result["level"] == "error") == (result["properties"]["verdict"] == "fail")
        key = result["partialFingerprints"]["primaryLocationLineHash"]
        assert key not in seen, "two alerts with one fingerprint"
        seen.add(key)
    invocation = run["invocations"][0]
    assert invocation["exitCode"] == status
    assert invocation["executionSuccessful"] == (status != 2) == (run["properties"]["verdict"] != "ERROR")
    errors = [note for note in invocation["toolExecutionNotifications"] if note["level"] == "error"]
    assert len(errors) == (status in (2, 3))
    assert any(result["level"] == "error" for result in run["results"]) == (run["properties"]["verdict"] == "FAIL")


def check_github(text, verdict):
    lines = text.split("\n")
    assert lines.pop() == ""
    kinds = []
    for line in lines:
        command = re.fullmatch("::(error|warning|notice) ([^:]*)::(.+)", line)
        assert command, line
        kinds.append(command[1])
        values = dict(part.split("=", 1) for part in command[2].split(","))
        assert set(values) <= {"file", "line", "title"} and values["title"].startswith("cpa gate"), line
        assert ("file" in values) == ("line" in values), line
        assert not values.get("file", "").startswith("/"), line
        assert not re.search("%(?!25|0A|0D|3A|2C)", line), line
    assert kinds.count("error") <= 10 and kinds.count("warning") <= 10
    assert ("error" in kinds) == (verdict in ("FAIL", "ERROR", "INCONCLUSIVE"))
    assert ("notice" in kinds) == (verdict == "PASS")


def check_markdown(text, verdict):
    assert text.startswith("### cpa gate: " + verdict + (": " if verdict == "INCONCLUSIVE" else ", ")), text[:80]
    assert len(text) < 65536
    assert text.count("<details>") == text.count("</details>") <= 1
    for line in text.split("\n"):
        if line.startswith("|"):
            assert len(re.findall(r"(?<!\\)\|", line)) == 9, line


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        schema = json.load(file)
    sarif = read(sys.argv[2], "sarif")
    check_sarif(schema, sarif, int(sys.argv[3]))
    verdict = json.loads(sarif)["runs"][0]["properties"]["verdict"]
    check_github(read(sys.argv[2], "github"), verdict)
    check_markdown(read(sys.argv[2], "markdown"), verdict)


main()
