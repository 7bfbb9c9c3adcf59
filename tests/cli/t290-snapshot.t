#!/bin/sh
# t290-snapshot.t - all profiles of a server in a folder, as they were sent, and what is said of them
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/server.sh"
server=snapshot_server.py
server_start "$TESTDATA"
cd "$tmp" || exit 1

# snap WAY ARG...: capture that server to the folder WAY; its exit status is in $status
snap() {
	way=$1
	shift
	rm -rf "$way"
	"$CPA" snapshot "http://$host/$way/debug/pprof" -o "$way" --seconds=1 "$@" 9>&- >out 2>err
	status=$?
}

# is GOT WANTED DESCRIPTION
is() {
	[ "$1" = "$2" ] || printf '# got:    %s\n# wanted: %s\n' "$1" "$2"
	[ "$1" = "$2" ]
	result $? "$3"
}

# whole FILE: are its bytes those of this file, with something behind them?
whole() {
	"${PYTHON3:-python3}" - "$TESTDATA/$1" "$2" <<'PY'
import gzip, sys
def plain(name):
    data = open(name, "rb").read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
sent, kept = plain(sys.argv[1]), plain(sys.argv[2])
print(kept[: len(sent)] == sent and len(kept) > len(sent))
PY
}

json() { # FILE EXPRESSION: of m, the manifest, and f, its files by name
	"${PYTHON3:-python3}" -c "import json, sys
m = json.load(open(sys.argv[1]))
f = {x['name']: x for x in m['files']}
print($2)" "$1"
}

umask 022
snap go --version=1.4.2 --comment='built by CI' --comment='branch main'
is "$status $(cat err)" '0 ' 'a snapshot of a server'
is "$(find go -type f | sort | tr '\n' ' ')" \
	'go/allocs.pb.gz go/block.pb.gz go/cpu.pb.gz go/goroutine.pb.gz go/heap.pb.gz go/manifest.json go/mutex.pb.gz ' \
	'has a file for each profile, and a manifest'
is "$(stat -c %a go go/heap.pb.gz go/manifest.json | tr '\n' ' ')" '755 644 644 ' 'which others may read'
is "$(head -2 out | sed 's/ [0-9.]*kB/ SIZE/') $(wc -l <out)" "go:
  cpu.pb.gz          SIZE       548 samples 7" 'and says what it wrote'
is "$(server_log | sort | tr '\n' ' ' | sed 's,/go/debug/pprof/,,g')" \
	'GET allocs GET block GET cmdline GET goroutine GET heap GET mutex GET profile?seconds=1 GET threads ' \
	'the server is asked once for each'
for pair in profile:cpu heap1:heap allocs:allocs goroutine:goroutine block:block mutex:mutex; do
	sent=${pair%:*} kept=${pair#*:}
	[ "$sent" = profile ] && sent=cpu
	is "$(whole "go-$sent.pb.gz" "go/$kept.pb.gz")" True "$kept is byte for byte what was sent, and comments"
done
"$CPA" comments go/cpu.pb.gz | sed 's/:[0-9]*:[0-9]*Z$/Z/; s/[0-9-]*T[0-9:]*Z/TIME/; s/ cpa .*/ cpa/' >got
cat >want <<END
version: 1.4.2
host: $(uname -n)
url: http://$host/go/debug/pprof/profile
time: TIME
cmdline: /bin/prog -addr :80 80
seconds: 1
snapshot: cpa
built by CI
branch main
END
same 'comments say where and when, what it was, and what the user said' want got
"$CPA" comments go/heap.pb.gz | grep -c '^seconds' >got
is "$(cat got)" 0 'seconds are only those of the profile of CPU time'
for kind in cpu heap allocs goroutine block mutex; do
	sent=$kind
	[ $kind = heap ] && sent=heap1
	"$CPA" raw "$TESTDATA/go-$sent.pb.gz" | sed '/^Comment/d' >want
	"$CPA" raw "go/$kind.pb.gz" | sed '/^Comment/d; /^PeriodType/,$!d' >got
	sed -i '/^PeriodType/,$!d' want
	same "a report of $kind is the same before and after" want got
done
is "$(json go/manifest.json "m['version'], m['comments'], m['cmdline'], m['interrupted']")" \
	"1.4.2 ['built by CI', 'branch main'] ['/bin/prog', '-addr', ':80 80'] False" 'the manifest has it all'
is "$(json go/manifest.json "f['heap.pb.gz']['bytes'], [t['type'] for t in f['heap.pb.gz']['sample_types']]")" \
	"$(wc -c <go/heap.pb.gz) ['alloc_objects', 'alloc_space', 'inuse_objects', 'inuse_space']" 'of each file'

# used afterwards
snap later
"$CPA" -top -base=go/heap.pb.gz later/heap.pb.gz >got 2>err
is "$? $(grep -c flat got)" '0 1' 'two snapshots are compared'
"$CPA" gate -base=go/cpu.pb.gz later/cpu.pb.gz >got 2>err
is "$?" 0 'and held against each other by the gate'

# what is there stays
server_log >/dev/null
"$CPA" snapshot "http://$host/go/debug/pprof" -o go --seconds=1 9>&- >out 2>err
is "$? $(cat out err) $(cat log)" '2 cpa: go/cpu.pb.gz is there already; --force replaces it ' \
	'files that are there stay, and the server is not asked'
mkdir half && echo '{}' >half/manifest.json
"$CPA" snapshot "http://$host/go/debug/pprof" -o half --seconds=1 9>&- >out 2>err
is "$? $(cat err)" '2 cpa: half/manifest.json is there already; --force replaces it' 'so does a manifest'
ln -s /nowhere/else half/cpu.pb.gz
"$CPA" snapshot "http://$host/go/debug/pprof" -o half/ --seconds=1 --force 9>&- >out 2>err
is "$? $(cat err) $(find half -type l)" '0  ' 'unless they are to be replaced, and links are not followed'
: >file
"$CPA" snapshot "$host" -o file 9>&- >out 2>err
is "$? $(cat err)" '2 cpa: file is no folder' 'a file is no folder'

# which server it is
snap ours --dump
is "$status $(cd ours && echo *)" \
	'0 allocs.pb.gz block.pb.gz cpu.pb.gz heap.pb.gz manifest.json mutex.pb.gz threads.pb.gz threads.txt' \
	'a server that has threads is asked for them instead of goroutines'
is "$(grep -c '^thread 4711' ours/threads.txt)" 1 'and for their dump'
snap go --dump
is "$(head -1 go/goroutine.txt)" 'goroutine 1 [select, 12 minutes]:' 'others for that of goroutines'
snap bare
is "$status $(cat err)" '0 ' 'a server without block, mutex and command line is no error'
is "$(grep -c 'the server has no such profile' out) $(json bare/manifest.json "f['block.pb.gz']['state'], m['cmdline']")" \
	'2 missing None' 'but told'
snap bare --kinds=heap,block
is "$status $(cat err)" '2 cpa: block: server response: 404 Not Found - Unknown profile' 'but for what was asked for by name'
snap go --kinds=threadcreate,fds --cmdline=false
is "$status $(cd go && echo *) $("$CPA" comments go/fds.pb.gz | grep -c cmdline)" \
	'0 fds.pb.gz manifest.json threadcreate.pb.gz 0' 'names of its own, and no command line if so wanted'
server_log >/dev/null
for where in "$host" "http://$host/debug/pprof/" "http://$host/debug/pprof/heap?debug=1&seconds=9&x=y" "unix:$sock" \
	"unix:$sock:/debug/pprof/"; do
	rm -rf place
	"$CPA" snapshot "$where" -o place --kinds=profile,heap --seconds=1 --gc 9>&- >out 2>err || note err
	is "$(cat err) $(server_log | sort | tr '\n' ' ' | sed 's/x=y&//g; s/?x=y//')" \
		' GET /debug/pprof/cmdline GET /debug/pprof/heap?gc=1 GET /debug/pprof/profile?seconds=1 ' "a server may be named $(
			echo "$where" | sed "s,$host,HOST:PORT,; s,$sock,SOCKET,"
		)"
done
"$CPA" snapshot "http://bob:secret@$host/go/debug/pprof?token=hush" -o secret --kinds=heap 9>&- >out 2>err
is "$? $(cat err) $("$CPA" comments secret/heap.pb.gz | grep '^url') $(grep -c 'secret\|hush' secret/manifest.json)" \
	"0  url: http://$host/go/debug/pprof/heap 0" 'secrets of the URL are written nowhere'
is "$(grep -c 'token=hush.*Authorization=Basic' log)" 2 'but told the server'
echo tok-123 >token && chmod 600 token
rm -rf secret && "$CPA" snapshot "http://$host/secret/debug/pprof" -o secret --kinds=heap --bearer-file=token 9>&- >out 2>err
is "$? $(cat err)" '0 ' 'a token opens what is closed'
rm -rf secret && "$CPA" snapshot "http://$host/secret/debug/pprof" -o secret --kinds=heap 9>&- >out 2>err
is "$? $(head -1 err) $(ls secret 2>&1)" \
	"2 cpa: heap: server response: 401 Unauthorized - who are you ls: cannot access 'secret': No such file or directory" \
	'which else is said, and no folder made'
snap together
is "$status $(cat err)" '0 ' 'all are asked side by side'

# servers that go wrong
snap broken
is "$status $(cd broken && echo *)" '2 cpu.pb.gz goroutine.pb.gz manifest.json' 'what is good is kept of a server that is half broken'
sed 's/damaged near byte [0-9]*: .*/damaged/; s/too early, after [0-9]* bytes/too early/' err >got
cat >want <<'END'
cpa: heap: gzip data ends too early
cpa: allocs: the server sent a web page and not a profile: "Please \x1b[31mlog in"
cpa: block: the server sent nothing
cpa: mutex: the server sent another profile, of alloc_objects, alloc_space, inuse_objects, inuse_space
END
same 'each failure is one sentence' want got
is "$(json broken/manifest.json "f['heap.pb.gz']['state'], f['heap.pb.gz']['error'][:4], f['cpu.pb.gz']['state']")" \
	'failed gzip written' 'and in the manifest'
snap noheap
is "$status $(cat err)" '2 cpa: heap: server response: 404 Not Found - Unknown profile' 'a server without heap is one that fails'
snap busy
is "$status $(cat err)" \
	'2 cpa: cpu: server response: 500 Internal Server Error - Could not enable CPU profiling: \x1b[31mcpu profiling already in use' \
	'what the server says is told, harmless'
snap short
is "$status $(grep -c 'heap: .*closed the connection early' err) $(find short -name '*heap*')" '2 1 ' 'half an answer is none'
snap nothing
is "$status $(tail -1 err) $(ls nothing 2>/dev/null)" '2 cpa: nothing is written ' 'of a server without profiles there is no folder'
snap down
is "$status $(cat err) $(ls down 2>/dev/null)" \
	"2 cpa: http fetch: Get \"http://$host/down/debug/pprof/cmdline\": the server closed the connection without an answer " \
	'one that does not answer is told once'
snap bomb --kinds=heap --max-inflated=1000000
is "$status $(head -1 err)" '2 cpa: heap: inflates to more than 1000000 bytes; --max-inflated lifts this limit' \
	'what unpacks to too much is refused'
snap bomb --kinds=goroutine,heap --max-input=10000
is "$status $(grep -c 'heap: more than 10000 bytes; --max-input lifts' err) $(cd bomb && echo *)" \
	'2 1 goroutine.pb.gz manifest.json' 'so is too long an answer'
snap empty
is "$status $(grep -c 'no samples: it used no CPU time' out) $(json empty/manifest.json "f['cpu.pb.gz']['note']")" \
	'0 1 no samples: it used no CPU time' 'no samples are a note'
snap legacy
"$CPA" top "$TESTDATA/go-heap.txt" 2>/dev/null | sed '1,/^Showing/d' >want
"$CPA" top legacy/heap.pb.gz 2>/dev/null | sed '1,/^Showing/d' >got
same 'an older format becomes one that has comments' want got
is "$status $(json legacy/manifest.json "f['heap.pb.gz']['note']") $("$CPA" comments legacy/heap.pb.gz | grep -c '^host')" \
	'0 was in an older format 1' 'which is told'
for pair in unknown:unknown-fields.pb.gz comments:comments.pb.gz bare:bare.pb names:names-hostile.pb.gz packed:packed-and-unpacked.pb.gz; do
	snap shapes "--kinds=${pair%%:*}"
	is "$status $(cat err) $(whole "edge/${pair#*:}" "shapes/${pair%%:*}.pb.gz")" '0  True' "${pair#*:} loses nothing"
done
snap shapes --kinds=zstd
is "$status $(cat err) $("$CPA" comments shapes/zstd.pb.gz | grep -c ^host)" '0  1' 'what is packed otherwise is packed anew'
snap hostile --kinds=cpu --comment="$(printf '\033[31m\377x')"
is "$status $("$CPA" comments hostile/cpu.pb.gz | grep -a -c '[[:cntrl:]]') $(grep -c '[[:cntrl:]]' hostile/manifest.json)" '0 0 0' \
	'texts of strangers do nothing to a terminal'

# Ctrl-C
rm -rf slow
"${PYTHON3:-python3}" - "$CPA" "http://$host/slow/debug/pprof" "$tmp/log" <<'PY' >out 2>err
import signal, subprocess, sys, time
open(sys.argv[3], "w").close()
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell without jobs ignores it for what is behind
p = subprocess.Popen([sys.argv[1], "snapshot", sys.argv[2], "-o", "slow", "--seconds=30"], stdin=subprocess.DEVNULL)
for _ in range(200):
    time.sleep(0.1)
    if open(sys.argv[3]).read().count("\n") == 8:
        break
time.sleep(1)
p.send_signal(signal.SIGINT)
print(p.wait(20))
PY
is "$(tail -1 out) $(cat err) $(cd slow && echo *)" \
	'2 cpa: interrupted; what was complete is written allocs.pb.gz block.pb.gz goroutine.pb.gz heap.pb.gz manifest.json mutex.pb.gz' \
	'Ctrl-C keeps what was complete'
is "$(json slow/manifest.json "m['interrupted'], f['cpu.pb.gz']['state'], f['heap.pb.gz']['state']")" \
	'True interrupted written' 'and the manifest says so'

# the manifest is what its schema says
"${PYTHON3:-python3}" - "$top_srcdir/docs/schema/snapshot.schema.json" ./*/manifest.json <<'PY' >schema 2>&1
import json, sys
try:
    import jsonschema
except ImportError:
    sys.exit(77)
schema = json.load(open(sys.argv[1]))
jsonschema.Draft201909Validator.check_schema(schema)
check, n = jsonschema.Draft201909Validator(schema), 0
for name in sys.argv[2:]:
    for e in check.iter_errors(json.load(open(name))):
        print(name, list(e.path), e.message[:200])
        n += 1
sys.exit(n > 0 or len(sys.argv) < 12)
PY
rc=$?
if [ $rc = 77 ]; then
	result 0 'manifests are what their schema says # SKIP no python3-jsonschema'
else
	[ $rc = 0 ] || note schema
	result $rc 'manifests are what their schema says'
fi

# words
fails 'usage: cpa snapshot' snapshot
fails 'usage: cpa snapshot' snapshot "$host"
fails 'takes one server' snapshot -o x a:1 b:2
fails 'has no option --nope' snapshot -o x --nope "$host"
fails 'seconds: 1 to 86400' snapshot -o x --seconds=0 "$host"
fails 'cannot be the name of a profile' snapshot -o x --kinds=../../etc/x "$host"
fails 'cannot be the name of a profile' snapshot -o x --kinds=cpu, "$host"
fails 'cpu stands there twice' snapshot -o x --kinds=cpu,profile "$host"
fails 'cpa snapshot asks a server: heap.pb.gz: is not a URL' snapshot -o x heap.pb.gz
fails 'only http, https' snapshot -o x ftp://bob:secret@host/
is "$(grep -c secret err)" 0 'and no secret is said'
"$CPA" snapshot --help >out
is "$? $(grep -c -e '--comment=TEXT' -e '-tls-ca=FILE' -e '-tls_ca=FILE' out)" '0 2' 'help lists all options'
done_testing
