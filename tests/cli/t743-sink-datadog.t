#!/bin/sh
# t743-sink-datadog.t - profiles are uploaded to Datadog as its clients do
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/sinks.sh"
thirty "$tmp/made"

contract datadog
# shellcheck disable=SC2086 # names without blanks
push "datadog+http://127.0.0.1:$port" label:version=2.4 label:env=prod label:instance=10.0.0.7:6060 label:k8s.pod=a,b label:__session=1 label:language=python label:service=x $files
is_equal "$(sort "$tmp/out" | uniq -c | tr -s ' ')" " 1 refused Datadog has no profiles of the kind threadcreate in the family go
 1 refused Datadog has no profiles of the kind wall in the family go
 28 sent 1 labels with names of other tags are left out" 'kinds that Datadog does not have are refused'
keeps_rules
# shellcheck disable=SC2046
same_rows 'the server has the stacks, labels and values of the files' $(echo "$files" | grep -v -e threadcreate -e node-wall)
is_equal "$(sort -u "$tmp/fake/labels")" 'env:prod host:10.0.0.7 instance:10.0.0.7:6060 k8s.pod:a_b language:python runtime:go service:shop version:2.4 x__session:1' \
	'labels are tags, and the host is that of the instance'

# outcomes; the number of an upload is used until it is sent, and each process counts its own
one=$TESTDATA/go-cpu.pb.gz
contract datadog ok 503 429:7 half 202 ok
push "datadog+http://127.0.0.1:$port" "$one" "$one" "$one"
sed 's/http.*input: //' "$tmp/out" >"$tmp/got"
cat >"$tmp/wanted" <<'END'
sent
later 0 HTTP 503: the step of the scenario
later 7 HTTP 429: the step of the scenario
later 0 the server closed the connection early, after 2 bytes
sent
sent
END
same 'transient statuses are to be sent again' "$tmp/wanted" "$tmp/got"
is_equal "$(cat "$tmp/fake/broken")" '' 'a profile has the same number in each try'
contract datadog 400 404
push "datadog+http://127.0.0.1:$port" "$one" "$one"
cat >"$tmp/wanted" <<'END'
refused HTTP 400: the step of the scenario
denied HTTP 404: the agent has no endpoint for profiles; it needs Datadog Agent 7.20 or later
END
same 'other statuses refuse the profile, or concern the sender' "$tmp/wanted" "$tmp/out"
contract datadog
push "datadog+http://127.0.0.1:$port" family=node label:long="$(printf '%0300d' 0)" "$TESTDATA/node-wall.pb.gz"
is_equal "$(cat "$tmp/out")" 'sent 1 tags are cut to 200 bytes' 'other families have one name for all files, and tags that are cut are named'
keeps_rules

# the intake
certificate intake.profile.localhost
echo 'DD-API-KEY: 0123456789abcdef0123456789abcdef' >"$tmp/key" && chmod 600 "$tmp/key"
contract datadog
push "datadog+https://intake.profile.localhost:$port" tls-ca="$tmp/cert.pem" header-file="$tmp/key" "$one"
is_equal "$(cat "$tmp/out")" sent 'the intake has another path, and gets the key'
keeps_rules
unset CONTRACT_CERT

# settings
push datadog+https://intake.profile.datadoghq.eu "$one"
is_equal "$(cat "$tmp/err")" 'the intake of Datadog needs a key; write "DD-API-KEY: KEY" to a file, and use header-file=FILE' 'the intake needs a key'
push datadog+http://127.0.0.1 family=C++ "$one"
is_equal "$(cat "$tmp/err")" 'family=C++: use a language, such as family=go' 'families are words'
push_once datadog "" --set=family=node
done_testing
