#!/bin/sh
# t744-sink-gcp.t - profiles are sent to Google's Cloud Profiler as its API requires
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/sinks.sh"
thirty "$tmp/made"
echo token-file >"$tmp/token" && chmod 600 "$tmp/token"
one=$TESTDATA/go-cpu.pb.gz heap=$TESTDATA/go-heap1.pb.gz
gcp() { push "gcp+http://127.0.0.1:$port/v2/projects/shop-prod" "$@"; }
# wanted DESCRIPTION: compares the outcomes with standard input
wanted() {
	cat >"$tmp/wanted"
	sed 's/http.*profiles[^ ]*: //' "$tmp/out" >"$tmp/got"
	same "$1" "$tmp/wanted" "$tmp/got"
}

# each file has its own instance, since the profiles of an instance must be in order
contract gcp
: >"$tmp/all"
for file in $files; do
	gcp bearer-file="$tmp/token" label:instance="$file" label:version=2.4 label:K8S.Pod=a label:zone=europe-west1-b label:long="$(printf '%0600d' 0)" "$file"
	cat "$tmp/out" >>"$tmp/all"
done
is_equal "$(sort "$tmp/all" | uniq -c | tr -s ' ')" " 1 refused Cloud Profiler has no profiles of the kind threadcreate
 29 sent 1 of 5 labels are left out: Cloud Profiler accepts 1024 bytes" 'kinds that Cloud Profiler does not have are refused'
keeps_rules
# shellcheck disable=SC2046
same_rows 'the server has the stacks, labels and values of the files' $(echo "$files" | grep -v threadcreate)
is_equal "$(head -n 1 "$tmp/fake/labels" | sed 's/instance=[^ ]*/instance=X/')" 'shop language=go zone=europe-west1-b version=2.4 instance=X k8s-pod=a' \
	'labels that Cloud Profiler knows are first, and names are made valid'

# outcomes
contract gcp aborted:3.5s 503 429:7 error:500 half error:403
gcp bearer-file="$tmp/token" "$one" "$one"
wanted 'transient statuses are to be sent again, after the time in RetryInfo, and others refuse the profile or the sender' <<'END'
later 3 HTTP 409: no quota for the deployment
later 0 HTTP 503: the step of the scenario
later 7 HTTP 429: the step of the scenario
later 0 HTTP 500: an error in JSON
later 0 the server closed the connection early, after 4 bytes
denied HTTP 403: an error in JSON
END
contract gcp ok 503 ok ok
gcp bearer-file="$tmp/token" "$heap" "$heap"
wanted 'a heap is two profiles, of which none is repeated' <<'END'
later 0 HTTP 503: the step of the scenario
sent
sent
END
is_equal "$(find "$tmp/fake" -name 'body.*' | wc -l) $(cat "$tmp/fake/broken")" '5 ' 'there were five requests, all valid'
gcp bearer-file="$tmp/token" "$tmp/made/cpu/005.pb.gz" "$tmp/made/cpu/004.pb.gz"
wanted 'profiles of a series must be in order' <<'END'
sent
refused the profile is older than another of its series that was sent, by 60 s
END

# online, with tokens of the metadata server
contract gcp ok aborted:2s ok 503 ok
gcp online=yes metadata="http://127.0.0.1:$port" "$one"
wanted 'a profile is created when the server wants it, and its bytes follow' <<'END'
later 2 HTTP 409: no quota for the deployment
later 0 HTTP 503: the step of the scenario
sent
END
contract gcp 503 ok error:401 ok ok error:401 ok ok
gcp metadata="http://127.0.0.1:$port" "$one" "$one" "$one"
wanted 'without a token a profile is kept, a new token that is refused denies it, and an old one is replaced' <<'END'
later 0 HTTP 503: the step of the scenario
denied HTTP 401: an error in JSON
sent
later 0 HTTP 401: an error in JSON
sent
END
keeps_rules
contract gcp expires:-99999999999999999999 ok expires:1e400 ok
gcp metadata="http://127.0.0.1:$port" "$one" "$one"
is_equal "$(tr '\n' ' ' <"$tmp/out")" 'sent sent ' 'tokens that end at once are replaced'
# settings
for url in https://cloudprofiler.googleapis.com https://cloudprofiler.googleapis.com/v2/projects/UP https://cloudprofiler.googleapis.com/v2/projects/shop-prod/x; do
	push "gcp+$url" "$one"
	is_equal "$(cat "$tmp/err")" 'the URL does not end with /v2/projects/PROJECT' "$url is refused"
done
push gcp+https://cloudprofiler.googleapis.com/v2/projects/shop-prod online=maybe "$one"
is_equal "$(cat "$tmp/err")" 'online=maybe: use online=yes or online=no' 'flags are yes or no'
push_once gcp /v2/projects/shop-prod --bearer-file="$tmp/token" --label=zone=europe-west1-b
done_testing
