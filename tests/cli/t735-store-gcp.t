#!/bin/sh
# t735-store-gcp.t - Google's Cloud Profiler is read as a store: the answers are those of a store with the same profiles
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
python="${PYTHON3:-python3} -S"
cd "$tmp" || exit 1
fakes=
# shellcheck disable=SC2086 # words
trap 'kill $fakes 2>/dev/null; wait; rm -rf "$tmp"' EXIT
start=1795348800 every=1800 n=12
# shellcheck disable=SC2034 # of lib.sh
CPA_STORE=$tmp/store
export CPA_STORE
compat=$top_srcdir/tests/compat/clickhouse

# contentions of Cloud Profiler are those of the duration of a profile, which a second gzip member adds here
$python "$compat/history.py" history 1 $start $every $n
printf '\120\200\310\257\240\045' | gzip >duration.gz
rm -r history/shop-eu history/*/*/c:1
for file in history/*/mutex/*/*/*.gz; do
	cat duration.gz >>"$file"
done
groups=
for folder in history/*/*/*/*; do
	IFS=/ read -r _ service kind instance version <<-END
		$folder
	END
	language=$([ "$kind" = goroutine ] && echo go || echo cpp)
	case $kind in cpu) type=CPU ;; heap) type=HEAP ;; mutex) type=CONTENTION ;; goroutine) type=THREADS ;; esac
	groups="$groups -- $folder $service $type profile:instance=$instance version=$version language=$language"
	"$CPA" store import --service="$service" --kind="$kind" --label=instance="$instance" --label=version="$version" --label=language="$language" \
		"$folder" || exit 1
done >out

# fake NAME PAGE STEP... -- FOLDER...: starts a project; its place is in $place, its requests in NAME.log
fake() {
	name=$1
	shift
	$python "$top_srcdir/tests/cli/gcp_fake.py" secret-token "$@" >>"$name.log" 2>"$name.err" &
	fakes="$fakes $!"
	for _ in $(seq 600); do
		[ -s "$name.log" ] && break
		sleep 0.1
	done
	place=gcp+http://$(head -n 1 "$name.log")/v2/projects/shop-prod
}
CLOUDSDK_AUTH_ACCESS_TOKEN=secret-token
export CLOUDSDK_AUTH_ACCESS_TOKEN

# shellcheck disable=SC2086 # words
fake main 80 $groups
main=$place
$python "$compat/questions.py" "$CPA" "${QUESTIONS:-12}" 7 $start $((start + every * n)) "$tmp/store" "$place" >out 2>&1
result $? "$(tail -n 1 out)"
grep -q ' 0 answers differ' out || note out
is_equal "$(grep -c -v -e '^200 ' -e '^127' main.log)" 0 'every request keeps the rules'
"$CPA" top "store:$place#shop@all" >out 2>err
is_equal "$(sed -n 's/ list .*//p' out)" 'store: 3 pages of the project shop-prod' 'the pages that were read are named'
: >main.log
"$CPA" store ls --store="$place" >out 2>err
is_equal "$(sort main.log | uniq -c | tr -s ' ')" ' 3 200 heads' 'a list of series needs no bytes'
"$CPA" push --to=pyroscope+http://127.0.0.1:1 --dry-run "store:$place#cart/cpu{instance=a:1}@all" >out 2>err
is_equal "$? $(grep -c 'cart/cpu{instance=a:1,language=cpp,version=1' out)" "0 $(find history/cart/cpu/a:1 -name '*.gz' | wc -l)" 'single profiles can be sent to other systems'

# tokens
echo secret-token >token && chmod 600 token
CLOUDSDK_AUTH_ACCESS_TOKEN=old
is_equal "$("$CPA" top --bearer-file=token "store:$place#shop@all" 2>err | grep -c pages)" 1 'a file with a token comes before the environment'
fails '401 Unauthorized.*: Request had invalid authentication credentials' top "store:$place#shop@all"
fails 'the token of .CLOUDSDK_AUTH_ACCESS_TOKEN is not sent without TLS' top "store:gcp+http://example.com/v2/projects/shop-prod#shop"
CLOUDSDK_AUTH_ACCESS_TOKEN=$(printf 'a\nX-Header: b')
fails 'is not a single token' top "store:$place#shop@all"
CLOUDSDK_AUTH_ACCESS_TOKEN=secret-token

# a quota, profiles that are skipped, and those that cannot be read
one=history/shop/cpu/a:1/1.0
mkdir odd
set -- $one/*.gz
cp "$1" odd/000.pb.gz
cp "$2" odd/empty.pb.gz
cp "$3" odd/nameless.pb.gz
echo nothing >odd/bad-$((start + 60)).pb.gz
fake odd 100 429 skip:1 skip:1 ok -- odd shop CPU
"$CPA" top "store:$place#shop@all" >out 2>err
is_equal "$?" 2 'an answer that lacks profiles has the exit status 2'
sed -n 's/^cpa: \(store: [^;]*\); .* missing.*/\1/p' err >got
cat >wanted <<'END'
store: 1 profiles of a list of 4 have no name, service, type or time
store: 1 profiles were returned without bytes
store: 1 profiles cannot be read
END
same 'what is missing is named, and skipped profiles are read again' wanted got
is_equal "$(grep -c heads odd.log) $(grep -c '^429' odd.log)" '4 1' 'a quota that is exceeded is waited for'
"$CPA" top "store:$place#shop@all+partial" >out 2>err
is_equal "$?" 0 'with +partial the status is 0'
fake skips 100 skip:1 skip:2 skip:1 -- $one shop CPU
"$CPA" top "store:$place#shop@all" >out 2>err
is_equal "$? $(grep -c "skipped 1 profiles in a list of $(($# - 1)); they are missing here" err)" '2 1' 'profiles that the server skips are named'
fake busy 100 503 503 503 -- $one shop CPU
fails '503 Service Unavailable.*: Quota exceeded' top "store:$place#shop@all"
fake loop 4 ok loop -- $one shop CPU
fails 'page 2 has its own token as that of the next' top "store:$place#shop@all"
mkdir many
for i in $(seq 510); do
	ln "$1" "many/$i.pb.gz"
done
fake many 1 -- many shop CPU
fails 'more than the 500 pages with 500 profiles that were read (0 were skipped by the server), and Cloud Profiler has no conditions' \
	top "store:$place#shop@-1h"

# places
for url in https://cloudprofiler.googleapis.com https://cloudprofiler.googleapis.com/v2/projects/UP; do
	fails 'the URL does not end with /v2/projects/PROJECT' top "store:gcp+$url#shop"
done
fails 'there is no pin x; Cloud Profiler has no pins' top "store:$main#shop@pin:x"
fails 'nothing of nosuch' top "store:$main#nosuch@all"
done_testing
