#!/bin/sh
# t853-endpoint-options.t - listening addresses, access control and invalid options of cpa run
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
. "$top_srcdir/tests/runtime/endpoint.sh"
compile serves -Wall

refused() { # PATTERN OPTION...: a sentence that it matches, and the program is not started
	pattern=$1
	shift
	rm -f started
	"$CPA" run --quiet "$@" -- touch started 2>err
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
refused 'not a port from 0' --profile-port=70000
refused 'not a port from 0' --profile-port=http
refused 'give only one of --profile-port' --profile-port=0 --profile-socket=s
refused 'expected a path or auto' --profile-socket=
refused 'HOST:PORT' --profile-address=
refused 'secret' --profile-address=0.0.0.0:0 --profile-any-address
refused '0\.0\.0\.0' --profile-address=0.0.0.0:0 --profile-secret=secret
refused 'needs --profile-address' --profile-any-address
refused 'no-such' --profile-secret=no-such
refused 'open-secret' --profile-secret=open-secret
refused 'short-secret' --profile-secret=short-secret
refused 'not a host name' --profile-allow-host='a b'
refused 'must be 1 to' --profile-max-seconds=0
refused 'no file to write' --enable-profiling --every=1s
refused 'at least 1' --heap-rate=0
refused 'write a heap profile' --enable-profiling --heap-rate=0 --heap=h.pb.gz
refused 'no/such/folder' --profile-socket=no/such/folder/s
"$CPA" record --profile-port=1 -- true 2>err
is "$? $(grep -c 'cpa run --enable-profiling' err)" '2 1' 'cpa record refuses the option and names cpa run'
"$CPA" run --quiet --enable-profiling=false --cpu=p.pb.gz -- true 2>err
is "$? $(cat err)" '0 ' 'without --enable-profiling there is no server'

serve_ready --profile-socket=s.sock --profile-hide-cmdline -- ./serves 600 0 0
is "$base" "unix:$tmp/s.sock" 'the socket is reported with its absolute path'
is "$(stat -c %a s.sock)" 600 'a socket is private to the user'
is "$(get /cmdline) $(cat body)" "200 text/plain; charset=utf-8 - $tmp/serves" '--profile-hide-cmdline hides the arguments'
is "$("$CPA" top "$base:/debug/pprof/heap" 2>/dev/null | grep -c '^Type: ')" 1 'cpa reads a profile from a socket'
refused 's.sock' --profile-socket=s.sock
end TERM
[ ! -e s.sock ]
ok $? 'the socket is removed when the program ends'
mkdir -m 700 xdg
XDG_RUNTIME_DIR=$tmp/xdg
export XDG_RUNTIME_DIR
serve_ready --profile-socket=auto -- ./serves 600 0 0
is "$base" "unix:$tmp/xdg/cpa/serves-$cpa.sock" 'the default socket is in XDG_RUNTIME_DIR'
is "$(stat -c %a xdg/cpa) $(get /heap | cut -d ' ' -f 1)" '700 200' 'the default socket is in a private folder'
end TERM

serve_ready --profile-secret=secret --profile-allow-host=box.example -- ./serves 600 0 0
is "$(get /heap | cut -d ' ' -f 1)" 401 'a server with a secret refuses requests without the secret'
is "$(get /heap body "Authorization:Bearer wrong$(cat secret)" | cut -d ' ' -f 1)" 401 'a wrong secret is refused'
is "$(get /heap body "Authorization:Bearer $(cat secret)" | cut -d ' ' -f 1)" 200 'the right secret is accepted'
is "$(get /heap body "X-Cpa-Secret:$(cat secret)" | cut -d ' ' -f 1)" 200 'the secret is accepted in either header'
is "$(get /heap body "X-Cpa-Secret:$(cat secret)" Host:box.example | cut -d ' ' -f 1)" 200 'an allowed host name is accepted'
is "$(get /heap body "X-Cpa-Secret:$(cat secret)" Host:evil.example | cut -d ' ' -f 1)" 403 'other host names are refused'
is "$(get /heap body "X-Cpa-Secret:$(cat secret)" Origin:http://evil.example | cut -d ' ' -f 1)" 403 'requests from web pages are refused'
(umask 077 && printf 'X-Cpa-Secret: %s\nOrigin: http://evil.example\n' "$(cat secret)" >headers)
"$CPA" top --header-file=headers "$base/debug/pprof/heap" >out 2>err
is "$? $(grep -c '403 Forbidden - requests from web pages' err)" '2 1' 'cpa prints the reason of a refused request'
is "$(tr '\0' ' ' <"/proc/$pid/environ" | grep -c -F "$(cat secret)") $(tr '\0' ' ' <"/proc/$pid/cmdline" | grep -c secret)" '0 0' \
	'the program cannot see the secret'
port=${base##*:}
refused "$port" --profile-port="$port"
is "$(get '/profile?seconds=301' body "X-Cpa-Secret:$(cat secret)" | cut -d ' ' -f 1)" 400 'captures are limited to five minutes'
end TERM
serve_ready --profile-port="$port" --profile-max-seconds=2 -- ./serves 600 0 0
is "$base" "http://127.0.0.1:$port" '--profile-port chooses a port'
is "$(get '/profile?seconds=3' | cut -d ' ' -f 1)" 400 '--profile-max-seconds sets a shorter time limit for captures'
end TERM
serve_ready --enable-profiling --heap-rate=0 -- ./serves 600 0 0
get / >/dev/null
end TERM
hints=$(sed -n 's/.*Not enabled.*cpa run \([^<]*\)<.*/\1/p' body | sort -u | tr '\n' ' ')
is "$hints" '--block-rate=10us --heap-rate=512kB --mutex-fraction=1 ' 'the index page shows how to enable missing profiles'
# shellcheck disable=SC2086 # options
serve_ready --enable-profiling $hints -- ./serves 600 0 0
get / >/dev/null
is "$(grep -c 'Not enabled' body)" 0 'with all options the index page lists no missing profile'
end TERM

# under a sanitizer the heap cannot be sampled; all other profiles are served
if ${CC:-cc} -fsanitize=address -O1 -g -o serves-asan "$top_srcdir/tests/runtime/serves.c" -pthread 2>/dev/null; then
	serve_ready --enable-profiling -- ./serves-asan 600 1 0
	is "$(grep -c 'no heap profile' err)" 1 'a heap that cannot be sampled is reported'
	is "$(get '/profile?seconds=1' cpu.pb.gz | cut -d ' ' -f 1)" 200 'other profiles are served without a heap profile'
	used=$(ask used "$pid" "$base" '/debug/pprof/profile?seconds=2' cpu.pb.gz)
	between "$(total cpu.pb.gz)" $((used / 2)) $((used + 50000000)) 'without a heap profile the CPU profile still contains the time of the program'
	between "$(share cpu.pb.gz burner)" 10000000 "$used" 'without a heap profile the CPU profile still contains the right function'
	end TERM
fi
done_testing
