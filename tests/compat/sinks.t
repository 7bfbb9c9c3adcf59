#!/bin/sh
# sinks.t - profiles that are sent to Parca and to OpenTelemetry's Collector are those that these return
# SPDX-License-Identifier: Apache-2.0
#
# PARCA and OTELCOL are the programs, by default parca and otelcol; what is missing is skipped. PROFCHECK is that of open-telemetry/sig-profiling.
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/sinks.sh"
thirty "$tmp/made"
server_pid=
trap 'kill $fake_pid $server_pid 2>/dev/null; wait; rm -rf "$tmp"' EXIT

# free: prints a port that is free now
free() { "${PYTHON3:-python3}" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
# answers URL: waits until a server answers
answers() {
	for _ in $(seq 300); do
		curl -s -o "$tmp/answer" "$1" && return
		sleep 0.2
	done
}

if command -v "${PARCA:-parca}" >/dev/null; then
	for rpc in grpc-web grpc; do
		at=127.0.0.1:$(free)
		mkdir "$tmp/$rpc"
		printf 'object_storage:\n  bucket:\n    type: FILESYSTEM\n    config:\n      directory: %s\n' "$tmp/$rpc" >"$tmp/parca.yaml"
		"${PARCA:-parca}" --config-path="$tmp/parca.yaml" --http-address="$at" >"$tmp/parca.log" 2>&1 &
		server_pid=$!
		answers "http://$at/metrics"
		# shellcheck disable=SC2086 # names without blanks
		push "parca+http://$at" rpc=$rpc label:k8s.pod=a $files
		is_equal "$(sort "$tmp/out" | uniq -c | tr -s ' ')" ' 30 sent' "Parca accepts thirty profiles with $rpc"
		# shellcheck disable=SC2086
		"${PYTHON3:-python3}" "$top_srcdir/tests/compat/parca.py" "http://$at" $files | cut -c 1-200 | head -n 20 >"$tmp/differences"
		is_equal "$(cat "$tmp/differences")" '1290 rows' "Parca returns what was sent with $rpc"
		"$CPA" push --to="parca+http://$at" --set=rpc=$rpc --service=counters "$tmp"/made/heap/*.pb.gz >"$tmp/out" 2>&1
		curl -s -G "http://$at/api/profiles/query_range" -d step=60s -d start=2026-11-29T00:00:00Z -d end=2026-11-30T00:00:00Z \
			-d 'query=memory:alloc_space:bytes:inuse_space:bytes:delta%7Bservice_name=%22counters%22%7D' >"$tmp/answer"
		is_equal "$(grep -o '"valuePerSecond":[0-9]*' "$tmp/answer" | uniq -c | tr -s ' ')" ' 5 "valuePerSecond":83' "increases are deltas, with values per second, with $rpc"
		kill "$server_pid" && wait "$server_pid"
	done
else
	result 0 'Parca # SKIP there is no parca; set PARCA'
fi

if command -v "${OTELCOL:-otelcol}" >/dev/null; then
	contract otlp
	at=127.0.0.1:$(free)
	cat >"$tmp/otelcol.yaml" <<-END
		receivers: {otlp: {protocols: {http: {endpoint: "$at"}}}}
		exporters: {otlphttp: {endpoint: "http://127.0.0.1:$port", retry_on_failure: {enabled: false}, sending_queue: {enabled: false}}}
		service: {telemetry: {metrics: {level: none}}, pipelines: {profiles: {receivers: [otlp], exporters: [otlphttp]}}}
	END
	"${OTELCOL:-otelcol}" --config="$tmp/otelcol.yaml" --feature-gates=service.profilesSupport >"$tmp/otelcol.log" 2>&1 &
	server_pid=$!
	answers "http://$at/"
	# shellcheck disable=SC2086
	push "otlp+http://$at" label:version=2 $files
	is_equal "$(sort "$tmp/out" | uniq -c | tr -s ' ')" ' 30 sent' 'the Collector accepts thirty profiles'
	keeps_rules
	# shellcheck disable=SC2086
	same_rows 'the Collector passes on what was sent' $files
else
	result 0 'Collector # SKIP there is no otelcol; set OTELCOL'
fi

if command -v "${PROFCHECK:-profcheck}" >/dev/null; then
	contract otlp
	# shellcheck disable=SC2086
	push "otlp+http://127.0.0.1:$port" label:version=2 $files
	for body in "$tmp"/fake/body.*; do
		gzip -dc <"$body" >"$tmp/message"
		"${PROFCHECK:-profcheck}" -check-dupes -check-sample-shapes "$tmp/message" >>"$tmp/profcheck" 2>&1 || echo refused >>"$tmp/refused"
	done
	is_equal "$(cat "$tmp/refused" 2>/dev/null)" '' 'profcheck accepts each message'
else
	result 0 'profcheck # SKIP there is no profcheck; set PROFCHECK'
fi
done_testing
