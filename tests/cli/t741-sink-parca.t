#!/bin/sh
# t741-sink-parca.t - profiles are sent to Parca and Polar Signals as their servers require
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/sinks.sh"
thirty "$tmp/made"

contract parca
# shellcheck disable=SC2086 # names without blanks
push "parca+http://127.0.0.1:$port" label:instance=10.0.0.7:6060 label:k8s.pod=a label:k8s_pod=b label:9lives=c label:empty= $files
is_equal "$(grep -c '^sent' "$tmp/out")" 30 'thirty profiles are sent'
is_equal "$(sort -u "$tmp/out")" 'sent 1 labels are left out: Parca would give them the names of others' 'labels that are left out are named'
keeps_rules
# shellcheck disable=SC2086
same_rows 'the server has the stacks, labels and values of the files' $files
is_equal "$(grep -o '__name__=[^ ]*' "$tmp/fake/labels" | sort -u | tr '\n' ' ')" \
	'__name__=goroutine __name__=memory __name__=mutex __name__=process_cpu __name__=threadcreate __name__=wall ' 'names are those of the scrapes of Parca'
is_equal "$(sort -u "$tmp/fake/labels" | grep process_cpu)" \
	'_9lives=c __name__=process_cpu instance=10.0.0.7:6060 k8s_pod=a service_name=shop' 'names of labels are made valid'

# profiles of other tools: no period type, a type that is no metric name, a heap with a duration
printf 'main;work 3\n' >"$tmp/folded"
printf 'prog  1 [000]  1.000000:          5 cache-misses/u: \n\t          401000 work+0x1 (/bin/prog)\n\n' >"$tmp/perf-script"
contract parca
push "parca+http://127.0.0.1:$port" duration=60 "$tmp/folded" "$tmp/perf-script" "$TESTDATA/go-heap1.pb.gz"
is_equal "$(tr '\n' ' ' <"$tmp/out")" 'sent sent sent ' 'profiles of other tools are changed to fit'
keeps_rules
is_equal "$(cut -d ' ' -f 1,2 "$tmp/fake/rows" | sort -u | tr '\n' ' ')" 'alloc_objects count alloc_space bytes cache_misses_u count inuse_objects count inuse_space bytes samples count ' \
	'all sample types are sent'

# increases of counters are deltas with the time since the profile before; the first has none, and gauges are none
contract parca
"$CPA" push --to="parca+http://127.0.0.1:$port" --service=shop "$tmp"/made/heap/*.pb.gz "$tmp"/made/mutex/*.pb.gz >"$tmp/out" 2>"$tmp/err"
is_equal "$? $(tail -n 1 "$tmp/out")" '0 sent 12 of 12 profiles' 'cpa push sends counters'
is_equal "$(sort "$tmp/fake/metrics" | uniq -c | tr -s ' ')" " 5 memory:alloc_objects:count:inuse_space:bytes:delta 60
 5 memory:alloc_space:bytes:inuse_space:bytes:delta 60
 6 memory:inuse_objects:count:inuse_space:bytes
 6 memory:inuse_space:bytes:inuse_space:bytes
 5 mutex:contentions:count:delay:nanoseconds:delta 60
 5 mutex:delay:nanoseconds:delay:nanoseconds:delta 60" 'increases are deltas of a minute, and gauges are none'
is_equal "$(awk '/^alloc_space/ { sum += $3 } END { print sum }' "$tmp/fake/rows")" 25000 'the increases are those of the files'
keeps_rules

# outcomes
one=$TESTDATA/go-cpu.pb.gz
contract parca 503 503 429:7 grpc:14 half ok
push "parca+http://127.0.0.1:$port" "$one"
cat >"$tmp/wanted" <<'END'
later 0 HTTP 503: the step of the scenario
later 0 HTTP 503: the step of the scenario
later 7 HTTP 429: the step of the scenario
later 0 gRPC status 14: the step of the scenario, 50%
END
head -4 "$tmp/out" >"$tmp/got"
same 'transient statuses are to be sent again, after the time that the server asks for' "$tmp/wanted" "$tmp/got"
is_equal "$(sed -n '5s/http.*Raw: //p' "$tmp/out")" 'later 0 the server closed the connection early, after 3 bytes' 'half a response is no success'
contract parca grpc:3 head:16 404 slow
push "parca+http://127.0.0.1:$port/" "$one" "$one" "$one" "$one"
cat >"$tmp/wanted" <<'END'
refused gRPC status 3: the step of the scenario, 50%
denied gRPC status 16: in the header
denied HTTP 404: the step of the scenario
sent
END
same 'other statuses refuse the profile, or concern the sender, and a slow server is awaited' "$tmp/wanted" "$tmp/out"
push parca+http://127.0.0.1:1 "$one"
is_equal "$(grep -c 'later 0 .*connect: Connection refused' "$tmp/out")" 5 'a server that is down is tried again'

# gRPC over HTTP/2, as Polar Signals has it
if "${PYTHON3:-python3}" -c 'import h2' 2>/dev/null; then
	certificate localhost
	echo token-of-the-project >"$tmp/token" && chmod 600 "$tmp/token"
	contract polarsignals
	push "polarsignals+https://localhost:$port" tls-ca="$tmp/cert.pem" bearer-file="$tmp/token" "$one" "$TESTDATA/go-heap1.pb.gz" "$tmp"/made/*/*.pb.gz
	is_equal "$(grep -c '^sent' "$tmp/out")" 20 'twenty profiles are sent with gRPC over HTTP/2 and TLS'
	keeps_rules
	same_rows 'Polar Signals has the stacks, labels and values of the files' "$one" "$TESTDATA/go-heap1.pb.gz" "$tmp"/made/*/*.pb.gz
	unset CONTRACT_CERT
	contract polarsignals grpc:8 503 half head:7
	push "parca+http://127.0.0.1:$port" rpc=grpc bearer-file="$tmp/token" "$one"
	cat >"$tmp/wanted" <<-END
		later 0 gRPC status 8: the step of the scenario, 50%
		later 0 HTTP 503: the step of the scenario
		later 0 the response has no gRPC status
		denied gRPC status 7: in the header
	END
	same 'statuses in trailers are read' "$tmp/wanted" "$tmp/out"
else
	result 0 'gRPC over HTTP/2 # SKIP needs the Debian package python3-h2'
fi

# settings
push parca+http://127.0.0.1 rpc=soap "$one"
is_equal "$(cat "$tmp/err")" 'rpc=soap: use rpc=grpc or rpc=grpc-web' 'unknown protocols are refused'
push parca+http://127.0.0.1 tenant=a "$one"
is_equal "$(cat "$tmp/err")" 'tenant=a: is not a setting of this sink, which has rpc=' 'unknown settings are refused'
push 'parca+http://user:secret@127.0.0.1:x' "$one"
is_equal "$(grep -c secret "$tmp/err")" 0 'messages have no secrets'
push_once parca "" --set=rpc=grpc-web
done_testing
