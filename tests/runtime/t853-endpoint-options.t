#!/bin/sh
# t853-endpoint-options.t - where cpa run listens, whom it answers, and what it refuses
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/endpoint.sh"
compile serves -Wall

refused() { # PATTERN OPTION...: a sentence that it matches, and the program is not started
	pattern=$1
	shift
	rm -f started
	"$CPA" run "$@" -- touch started 2>err
	status=$?
	grep -q -- "$pattern" err && [ "$(wc -l <err)" = 1 ] && [ "$status" = 2 ] && [ ! -e started ]
	same=$?
	[ $same = 0 ] || sed 's/^/# /' err
	ok $same "$*"
}
head -c 64 /dev/urandom | base64 -w 0 >secret
chmod 600 secret
cp secret open-secret
chmod 644 open-secret
echo short >short-secret
chmod 600 short-secret
refused 'a port is a number' --profile-port=70000
refused 'a port is a number' --profile-port=http
refused 'one of --profile-port' --profile-port=0 --profile-socket=s
refused 'takes a path' --profile-socket=
refused 'HOST:PORT' --profile-address=
refused 'secret' --profile-address=0.0.0.0:0 --profile-any-address
refused '0\.0\.0\.0' --profile-address=0.0.0.0:0 --profile-secret=secret
refused 'for --profile-address' --profile-any-address
refused 'no-such' --profile-secret=no-such
refused 'open-secret' --profile-secret=open-secret
refused 'short-secret' --profile-secret=short-secret
refused 'not the name of a host' --profile-allow-host='a b'
refused 'from 1 to' --profile-max-seconds=0
refused 'there is no file' --enable-profiling --every=1s
refused 'at least 1' --heap-rate=0
refused 'file of the heap' --enable-profiling --heap-rate=0 --heap=h.pb.gz
refused 'no/such/folder' --profile-socket=no/such/folder/s
"$CPA" record --profile-port=1 -- true 2>err
is "$? $(grep -c 'cpa run --enable-profiling' err)" '2 1' 'cpa record says who serves'
"$CPA" run --enable-profiling=false --cpu=p.pb.gz -- true 2>err
is "$? $(cat err)" '0 ' 'nobody serves who was not asked to'

serve_ready --profile-socket=s.sock --profile-hide-cmdline -- ./serves 600 0 0
is "$base" "unix:$tmp/s.sock" 'a socket has an absolute path'
is "$(stat -c %a s.sock)" 600 'and is for this user alone'
is "$(get /cmdline) $(cat body)" "200 text/plain; charset=utf-8 - $tmp/serves" 'without arguments if they are hidden'
is "$("$CPA" top "$base:/debug/pprof/heap" 2>/dev/null | grep -c '^Type: ')" 1 'cpa reads from it'
refused 's.sock' --profile-socket=s.sock
end TERM
[ ! -e s.sock ]
ok $? 'it goes with the program'
mkdir -m 700 xdg
XDG_RUNTIME_DIR=$tmp/xdg
export XDG_RUNTIME_DIR
serve_ready --profile-socket=auto -- ./serves 600 0 0
is "$base" "unix:$tmp/xdg/cpa/serves-$cpa.sock" 'or is where such sockets are'
is "$(stat -c %a xdg/cpa) $(get /heap | cut -d ' ' -f 1)" '700 200' 'in a folder for this user alone'
end TERM

serve_ready --profile-secret=secret --profile-allow-host=box.example -- ./serves 600 0 0
is "$(get /heap | cut -d ' ' -f 1)" 401 'with a secret nobody else is answered'
is "$(get /heap body "Authorization:Bearer wrong$(cat secret)" | cut -d ' ' -f 1)" 401 'nor with a wrong one'
is "$(get /heap body "Authorization:Bearer $(cat secret)" | cut -d ' ' -f 1)" 200 'but who has it'
is "$(get /heap body "X-Cpa-Secret:$(cat secret)" | cut -d ' ' -f 1)" 200 'in either header'
is "$(get /heap body "X-Cpa-Secret:$(cat secret)" Host:box.example | cut -d ' ' -f 1)" 200 'by a name that was allowed'
is "$(get /heap body "X-Cpa-Secret:$(cat secret)" Host:evil.example | cut -d ' ' -f 1)" 403 'and no other'
is "$(get /heap body "X-Cpa-Secret:$(cat secret)" Origin:http://evil.example | cut -d ' ' -f 1)" 403 'nor a page'
(umask 077 && printf 'X-Cpa-Secret: %s\nOrigin: http://evil.example\n' "$(cat secret)" >headers)
"$CPA" top --header-file=headers "$base/debug/pprof/heap" >out 2>err
is "$? $(grep -c '403 Forbidden - Pages of a browser' err)" '2 1' 'and who asks is told why, as pprof is too'
is "$(tr '\0' ' ' <"/proc/$pid/environ" | grep -c -F "$(cat secret)") $(tr '\0' ' ' <"/proc/$pid/cmdline" | grep -c secret)" '0 0' \
	'the program knows nothing of the secret'
port=${base##*:}
refused "$port" --profile-port="$port"
is "$(get '/profile?seconds=301' body "X-Cpa-Secret:$(cat secret)" | cut -d ' ' -f 1)" 400 'captures end after five minutes'
end TERM
serve_ready --profile-port="$port" --profile-max-seconds=2 -- ./serves 600 0 0
is "$base" "http://127.0.0.1:$port" 'a port that was chosen'
is "$(get '/profile?seconds=3' | cut -d ' ' -f 1)" 400 'or earlier'
end TERM
serve_ready --enable-profiling --heap-rate=0 -- ./serves 600 0 0
get / >/dev/null
end TERM
hints=$(sed -n 's/.*It is not measured now.*cpa run \([^<]*\)<.*/\1/p' body | sort -u | tr '\n' ' ')
is "$hints" '--block-rate=10us --heap-rate=512kB --mutex-fraction=1 ' 'the index says how to have what is not measured'
# shellcheck disable=SC2086 # options
serve_ready --enable-profiling $hints -- ./serves 600 0 0
get / >/dev/null
is "$(grep -c 'It is not measured' body)" 0 'and so it is measured'
end TERM

# a sanitizer has the heap: all else is there
if ${CC:-cc} -fsanitize=address -O1 -g -o serves-asan "$top_srcdir/tests/runtime/serves.c" -pthread 2>/dev/null; then
	serve_ready --enable-profiling -- ./serves-asan 600 1 0
	is "$(grep -c 'no heap profile' err)" 1 'of a heap that cannot be sampled cpa says so'
	is "$(get '/profile?seconds=1' cpu.pb.gz | cut -d ' ' -f 1)" 200 'and serves the rest'
	used=$(ask used "$pid" "$base" '/debug/pprof/profile?seconds=2' cpu.pb.gz)
	between "$(total cpu.pb.gz)" $((used / 2)) $((used + 50000000)) 'with the time that it used'
	between "$(share cpu.pb.gz burner)" 10000000 "$used" 'as ever'
	end TERM
fi
done_testing
