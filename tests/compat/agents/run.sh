#!/bin/sh
# run.sh - let real agents push to a collector, and compare the pushed profiles with those in the store
#
# SPDX-License-Identifier: Apache-2.0
#
# usage: run.sh AGENTS CPA WORK [SECONDS]
# AGENTS is the folder that install.sh has made: go-VERSION/agent, py/bin/python, node/node_modules. Those that are missing
# are reported. WORK is an empty folder for the store and the requests.
here=$(cd "$(dirname "$0")" && pwd)
agents=$1 cpa=$2 work=$3 seconds=${4:-16}
mkdir -p "$work" || exit 1
export XDG_RUNTIME_DIR="$work/run"
mkdir -m 700 "$work/run"
trap 'kill $pids 2>/dev/null; wait' EXIT
"$cpa" collect --store="$work/store" --listen=127.0.0.1:0 >"$work/out" 2>"$work/log" &
pids=$!
for _ in $(seq 100); do
	at=$("$cpa" collect --status --store="$work/store" --json 2>/dev/null |
		python3 -c 'import json, sys; print(json.load(sys.stdin)["listen"][1].rpartition("/")[2])' 2>/dev/null) && break
	sleep 0.1
done

# agent SERVICE COMMAND...: runs an agent with a recorder of its own, and compares; "URL" in the command is its address
agent() {
	service=$1
	shift
	mkdir "$work/$service"
	python3 "$here/record.py" "$at" "$work/$service" >"$work/$service.port" &
	recorder=$!
	pids="$pids $recorder"
	for _ in $(seq 100); do
		[ -s "$work/$service.port" ] && break
		sleep 0.1
	done
	"$@" "http://127.0.0.1:$(cat "$work/$service.port")" "$service" "$seconds" >"$work/$service.log" 2>&1 ||
		{ sed 's/^/# /' "$work/$service.log" && echo "not ok - $service ends without an error"; }
	kill "$recorder"
	if [ -n "$by_types" ]; then
		python3 "$here/compare_types.py" "$work/$service" "$cpa" "$work/store" "${stored:-$service}" "$agents/decode/agent"
	else
		python3 "$here/compare.py" "$work/$service" "$cpa" "$work/store" "$service"
	fi
}

by_types=

for go in "$agents"/go*/agent; do
	[ -x "$go" ] && agent "pyroscope-$(basename "$(dirname "$go")")" "$go"
done
[ -x "$agents/py/bin/python" ] && agent pyroscope-io "$agents/py/bin/python" "$here/agent.py"
[ -d "$agents/node/node_modules/@pyroscope" ] && cd "$agents/node" && agent pyroscope-nodejs node "$here/agent.js"
if [ -x "$agents/decode/agent" ]; then
	by_types=1
	export RECORDING_JAVA="$here/Recording.java"
	for go in datadog otlp parca; do
		[ -x "$agents/$go/agent" ] && agent "go-$go" "$agents/$go/agent"
	done
	for kind in pyroscope pyroscope-otlp datadog; do
		jar=$agents/java/${kind%-otlp}.jar
		# its OTLP does not have the name of the application
		stored=$([ $kind != pyroscope-otlp ] || echo unknown_service)
		[ -f "$jar" ] && agent "java-$kind" sh "$here/java.sh" "$kind" "$jar"
	done
	stored=
	[ -d "$agents/py-datadog" ] && agent ddtrace "$agents/py-datadog/bin/python" "$here/datadog.py"
	[ -d "$agents/node-datadog/node_modules/dd-trace" ] && cd "$agents/node-datadog" && agent dd-trace-js node "$here/datadog.js"
fi
grep -e 'push=' -e 'label=' -e failed "$work/log" | sed 's/^/# log: /'
