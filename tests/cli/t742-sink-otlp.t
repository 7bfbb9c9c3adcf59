#!/bin/sh
# t742-sink-otlp.t - profiles are sent to OpenTelemetry as its protocol requires
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/sinks.sh"
thirty "$tmp/made"

contract otlp
# shellcheck disable=SC2086 # names without blanks
push "otlp+http://127.0.0.1:$port" label:version=2.4 label:pod=a label:team=x label:env=prod label:service.version=1 $files
is_equal "$(sort "$tmp/out" | uniq -c | tr -s ' ')" ' 30 sent 1 of 5 labels are left out' 'thirty profiles are sent'
keeps_rules
# shellcheck disable=SC2086
same_rows 'the server has the stacks, labels and values of the files' $files
is_equal "$(sort -u "$tmp/fake/labels")" 'deployment.environment.name=prod k8s.pod.name=a service.name=shop service.version=2.4 team=x' \
	'labels are attributes of the resource, with the names of the conventions'

# outcomes
one=$TESTDATA/go-cpu.pb.gz
contract otlp 503 429:7 status:502 half partial:0
push "otlp+http://127.0.0.1:$port" "$one"
sed 's/http.*profiles: //' "$tmp/out" >"$tmp/got"
cat >"$tmp/wanted" <<'END'
later 0 HTTP 503: the step of the scenario
later 7 HTTP 429: the step of the scenario
later 0 in a google.rpc.Status
later 0 the server closed the connection early, after 1 bytes
sent too many strings
END
same 'transient statuses are to be sent again, and warnings are passed on' "$tmp/wanted" "$tmp/got"
contract otlp status:400 partial:2 slow
push "otlp+http://127.0.0.1:$port" "$one" "$one" "$one"
cat >"$tmp/wanted" <<'END'
refused in a google.rpc.Status
refused 2 sample types were rejected: too many strings
sent
END
same 'a refusal has the message of the server, a success that rejects is one, and a slow server is awaited' "$tmp/wanted" "$tmp/out"
push otlp+http://127.0.0.1 layout=1.7 "$one"
is_equal "$(cat "$tmp/err")" 'layout=1.7: sinks of the kind otlp have no such setting' 'unknown settings are refused'
push_once otlp ""
done_testing
