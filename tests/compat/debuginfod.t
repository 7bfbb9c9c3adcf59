#!/bin/sh
# debuginfod.t - names from a real debuginfod server, and from servers that fail or send wrong files
# SPDX-License-Identifier: Apache-2.0
: "${top_srcdir:?}" "${CC:?}"
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}
for tool in debuginfod objcopy strip nm; do
	command -v "$tool" >/dev/null || skip_all "no $tool (packages debuginfod, binutils)"
done
[ -n "${PYTHON3:-}" ] || skip_all "no python3"
export names=yes
. "$top_srcdir/tests/cli/lib.sh"
: "${tmp:?}"

export HOME="$tmp/home" DEBUGINFOD_CACHE_PATH="$tmp/cache" XDG_CACHE_HOME="$tmp/xdg"
mkdir -p "$HOME" "$tmp/served"
server=
trap '[ -z "$server" ] || kill "$server" 2>/dev/null; rm -rf "$tmp"' EXIT

# A program with a name that only its debug file contains, and a profile of two addresses in it.
cat >"$tmp/prog.c" <<-'END'
	volatile int sink;
	static __attribute__((noinline)) void spin_in_debug_file(int n)
	{
		while (n--)
			sink += n;
	}
	int main(void)
	{
		spin_in_debug_file(10);
		return 0;
	}
END
(cd "$tmp" && $CC -g -O1 -no-pie -Wl,--build-id -o prog prog.c && objcopy --only-keep-debug prog served/prog.debug) ||
	skip_all "$CC cannot make a program"
address=$(nm "$tmp/prog" | sed -n 's/^0*\([0-9a-f]*\) t spin_in_debug_file$/\1/p')
cp "$tmp/prog" "$tmp/whole"
strip "$tmp/prog"
start=$(printf '%x' "$((0x$address & ~0xfff))") limit=$(printf '%x' "$(((0x$address & ~0xfff) + 0x1000))")
"$PYTHON3" "$top_srcdir/tests/symbol/make_profile.py" "$tmp/p.pb" "$start-$limit@1000=$tmp/prog" "$address*7"

# free_port: an unused port of this machine
free_port() {
	"$PYTHON3" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# answers PORT: wait until a server listens there
answers() {
	"$PYTHON3" - "$1" <<-'END'
		import socket, sys, time
		for i in range(200):
		    try:
		        socket.create_connection(("127.0.0.1", int(sys.argv[1]))).close()
		        sys.exit(0)
		    except OSError:
		        time.sleep(0.05)
		sys.exit(1)
	END
}

# top ARG...: run cpa top on the profile; save output, messages, status, and seconds
top() {
	before=$(date +%s)
	"$CPA" top "$@" "$tmp/p.pb" >"$tmp/out" 2>"$tmp/err"
	status=$?
	took=$(($(date +%s) - before))
}

# named DESCRIPTION: the report contains the name from the debug file
# unnamed DESCRIPTION PATTERN: the report does not contain that name, and one message matches PATTERN
named() {
	[ "$status" -eq 0 ] && grep -q 'spin_in_debug_file' "$tmp/out"
	good=$?
	[ "$good" -eq 0 ] || note "$tmp/err"
	result "$good" "$1"
}

unnamed() {
	[ "$status" -eq 0 ] && grep -q '^ *7 .*100%' "$tmp/out" && ! grep -q spin_in "$tmp/out" &&
		[ "$(grep -c "$2" "$tmp/err")" -eq 1 ] && [ "$(grep -c debuginfod "$tmp/err")" -le 1 ]
	good=$?
	[ "$good" -eq 0 ] || { note "$tmp/out" && note "$tmp/err"; }
	result "$good" "$1"
}

port=$(free_port)
debuginfod -p "$port" -d "$tmp/db" -t 1 -F "$tmp/served" >"$tmp/log" 2>&1 &
server=$!
answers "$port" || skip_all "debuginfod does not start"
export DEBUGINFOD_URLS="http://127.0.0.1:$port"
for wait in 1 2 3 4 5 6 7 8 9 10; do # it listens before it has seen the files
	rm -rf "$tmp/cache" "$tmp/xdg"
	top
	grep -q spin_in "$tmp/out" && break
	sleep "0.$wait"
done
named "a stripped program gets its names from the server"
top -lines
grep -q 'prog.c:[0-9]' "$tmp/out"
result $? "a stripped program gets its lines from the server"

rm -rf "$tmp/cache" "$tmp/xdg"
top --no-debuginfod
unnamed "--no-debuginfod sends no request" '^cpa: symbolized 0 of 1 address'
[ ! -d "$tmp/cache" ]
result $? "--no-debuginfod writes no cache"

top
kill "$server" && wait "$server" 2>/dev/null
server=
rm -rf "$tmp/xdg"
top
named "files in the cache need no server"
rm -rf "$tmp/cache" "$tmp/xdg"
top
unnamed "a stopped server is reported in one line" '^cpa: debuginfod failed for prog: Connection refused$'

# serve WHAT: start a Python server that hangs, or answers all requests with a file
serve() {
	port=$(free_port)
	"$PYTHON3" - "$port" "$1" <<-'END' &
		import http.server, socket, sys, time
		port, what = int(sys.argv[1]), sys.argv[2]
		class Handler(http.server.BaseHTTPRequestHandler):
		    def do_GET(self):
		        data = open(what, "rb").read()
		        self.send_response(200)
		        self.send_header("Content-Length", str(len(data)))
		        self.end_headers()
		        self.wfile.write(data)
		    def log_message(self, *args):
		        pass
		if what == "hang":
		    s, kept = socket.create_server(("127.0.0.1", port)), []
		    while True:
		        kept.append(s.accept())
		http.server.HTTPServer(("127.0.0.1", port), Handler).serve_forever()
	END
	server=$!
	answers "$port"
	export DEBUGINFOD_URLS="http://127.0.0.1:$port"
	rm -rf "$tmp/cache" "$tmp/xdg"
}

serve hang
top --debuginfod-timeout=2
unnamed "a server that hangs is reported in one line" '^cpa: debuginfod failed for prog: no answer within 2 seconds'
[ "$took" -le 5 ]
result $? "waits no longer than the timeout for a server that hangs"
[ -z "$(find "$tmp/cache" -name debuginfo -size 0)" ]
result $? "a timeout leaves nothing in the cache"
rm -rf "$tmp/cache" "$tmp/xdg"
TERM=xterm "$PYTHON3" "$top_srcdir/tests/cli/terminal.py" 'no such word' "$CPA" top --debuginfod-timeout=2 "$tmp/p.pb" \
	>"$tmp/out" 2>"$tmp/err"
grep -q 'querying debuginfod for prog' "$tmp/err" && ! grep -q querying "$tmp/out"
result $? "progress is shown on a terminal"
rm -rf "$tmp/cache" "$tmp/xdg"
top --debuginfod-timeout=2
! grep -q querying "$tmp/err"
result $? "progress is not shown without a terminal"
kill "$server"

printf 'int main(void) { return 3; }\n' >"$tmp/other.c"
$CC -g -Wl,--build-id -o "$tmp/other" "$tmp/other.c"
for lie in "$tmp/other" "$tmp/prog.c"; do
	serve "$lie"
	top
	unnamed "a server that sends ${lie##*/} is reported in one line" \
		'^cpa: debuginfod failed for prog: http.* sent a different file than requested$'
	[ -z "$(find "$tmp/cache" -name debuginfo)" ]
	result $? "a wrong file is not kept in the cache"
	kill "$server"
done
serve "$tmp/whole"
top
named "accepts a server that sends the program itself"
kill "$server"
server=
done_testing
