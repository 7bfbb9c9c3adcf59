#!/bin/sh
# t290-snapshot.t - cpa snapshot: saves all profiles of a server in a folder
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/server.sh"
server=snapshot_server.py
server_start "$TESTDATA"
cd "$tmp" || exit 1

# snapshot SERVER ARG...: saves a snapshot of the server in the folder SERVER; the exit status is in $status
snapshot() {
	name=$1
	shift
	rm -rf "$name"
	"$CPA" snapshot "http://$host/$name/debug/pprof" -o "$name" --seconds=1 "$@" 9>&- >out 2>err
	status=$?
}

# is_extended SENT SAVED: prints True if SAVED has the bytes of SENT, then more
is_extended() {
	"${PYTHON3:-python3}" - "$TESTDATA/$1" "$2" <<'PY'
import gzip, sys
def plain(name):
    data = open(name, "rb").read()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
sent, saved = plain(sys.argv[1]), plain(sys.argv[2])
print(saved[: len(sent)] == sent and len(saved) > len(sent))
PY
}

json() { # FILE EXPRESSION: prints an expression of m, the manifest, and f, its files by name
	"${PYTHON3:-python3}" -c "import json, sys
m = json.load(open(sys.argv[1]))
f = {x['name']: x for x in m['files']}
print($2)" "$1"
}

umask 022
snapshot go --version=1.4.2 --comment='built by CI' --comment='branch main'
is_equal "$status $(cat err)" '0 ' 'a snapshot succeeds without messages'
is_equal "$(find go -type f | sort | tr '\n' ' ')" \
	'go/allocs.pb.gz go/block.pb.gz go/cpu.pb.gz go/goroutine.pb.gz go/heap.pb.gz go/manifest.json go/mutex.pb.gz ' \
	'a snapshot consists of a file for each profile, and a manifest'
is_equal "$(stat -c %a go go/heap.pb.gz go/manifest.json | tr '\n' ' ')" '755 644 644 ' 'the permissions of the files follow the umask'
is_equal "$(head -2 out | sed 's/ [0-9.]*kB/ SIZE/') $(wc -l <out)" "go:
  cpu.pb.gz          SIZE       548 samples 7" 'the saved files are listed with size and samples'
is_equal "$(server_log | sort | tr '\n' ' ' | sed 's,/go/debug/pprof/,,g')" \
	'GET allocs GET block GET cmdline GET goroutine GET heap GET mutex GET profile?seconds=1 GET threads ' \
	'each profile is requested once'
for pair in profile:cpu heap1:heap allocs:allocs goroutine:goroutine block:block mutex:mutex; do
	sent=${pair%:*} saved_name=${pair#*:}
	[ "$sent" = profile ] && sent=cpu
	is_equal "$(is_extended "go-$sent.pb.gz" "go/$saved_name.pb.gz")" True "$saved_name contains the bytes that were sent, then comments"
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
same 'the comments contain version, host, URL, time, command line and --comment' want got
"$CPA" comments go/heap.pb.gz | grep -c '^seconds' >got
is_equal "$(cat got)" 0 'only the CPU profile contains a comment with the seconds'
for kind in cpu heap allocs goroutine block mutex; do
	sent=$kind
	[ $kind = heap ] && sent=heap1
	"$CPA" raw "$TESTDATA/go-$sent.pb.gz" | sed '/^Comment/d' >want
	"$CPA" raw "go/$kind.pb.gz" | sed '/^Comment/d; /^PeriodType/,$!d' >got
	sed -i '/^PeriodType/,$!d' want
	same "a report of $kind is the same for the sent and the saved profile" want got
done
is_equal "$(json go/manifest.json "m['version'], m['comments'], m['cmdline'], m['interrupted']")" \
	"1.4.2 ['built by CI', 'branch main'] ['/bin/prog', '-addr', ':80 80'] False" 'the manifest contains version, comments and command line'
is_equal "$(json go/manifest.json "f['heap.pb.gz']['bytes'], [t['type'] for t in f['heap.pb.gz']['sample_types']]")" \
	"$(wc -c <go/heap.pb.gz) ['alloc_objects', 'alloc_space', 'inuse_objects', 'inuse_space']" 'the manifest contains the size and the sample types of each file'

# Use of snapshots.
snapshot later
"$CPA" -top -base=go/heap.pb.gz later/heap.pb.gz >got 2>err
is_equal "$? $(grep -c flat got)" '0 1' 'profiles of two snapshots can be compared'
"$CPA" gate -base=go/cpu.pb.gz later/cpu.pb.gz >got 2>err
is_equal "$? $(grep -c '^cpa gate: INCONCLUSIVE: .* samples per side' got)" '3 1' 'the gate reads profiles of two snapshots'

# Existing files.
server_log >/dev/null
"$CPA" snapshot "http://$host/go/debug/pprof" -o go --seconds=1 9>&- >out 2>err
is_equal "$? $(cat out err) $(cat log)" '2 cpa: go/cpu.pb.gz: file exists; replace it with --force ' \
	'existing files are not overwritten, and no request is sent'
mkdir half && echo '{}' >half/manifest.json
"$CPA" snapshot "http://$host/go/debug/pprof" -o half --seconds=1 9>&- >out 2>err
is_equal "$? $(cat err)" '2 cpa: half/manifest.json: file exists; replace it with --force' 'an existing manifest is not overwritten'
ln -s /nowhere/else half/cpu.pb.gz
"$CPA" snapshot "http://$host/go/debug/pprof" -o half/ --seconds=1 --force 9>&- >out 2>err
is_equal "$? $(cat err) $(find half -type l)" '0  ' '--force replaces files and does not follow links'
: >file
"$CPA" snapshot "$host" -o file 9>&- >out 2>err
is_equal "$? $(cat err)" '2 cpa: file: not a folder' 'a file instead of a folder is an error'

# Kinds of servers.
snapshot threaded --dump
is_equal "$status $(cd threaded && echo *)" \
	'0 allocs.pb.gz block.pb.gz cpu.pb.gz heap.pb.gz manifest.json mutex.pb.gz threads.pb.gz threads.txt' \
	'threads are saved instead of goroutines if the server has them'
is_equal "$(grep -c '^thread 4711' threaded/threads.txt)" 1 '--dump saves the stacks of threads'
snapshot go --dump
is_equal "$(head -1 go/goroutine.txt)" 'goroutine 1 [select, 12 minutes]:' '--dump saves the stacks of goroutines'
snapshot bare
is_equal "$status $(cat err)" '0 ' 'a server may lack block, mutex and command line'
is_equal "$(grep -c 'the server has no such profile' out) $(json bare/manifest.json "f['block.pb.gz']['state'], m['cmdline']")" \
	'2 missing None' 'missing profiles are listed'
snapshot bare --kinds=heap,block
is_equal "$status $(cat err)" '2 cpa: block: server response: 404 Not Found - Unknown profile' 'a missing profile that was requested by name is an error'
snapshot go --kinds=threadcreate,fds --cmdline=false
is_equal "$status $(cd go && echo *) $("$CPA" comments go/fds.pb.gz | grep -c cmdline)" \
	'0 fds.pb.gz manifest.json threadcreate.pb.gz 0' '--kinds accepts aliases, and --cmdline=false omits the command line'
server_log >/dev/null
for source in "$host" "http://$host/debug/pprof/" "http://$host/debug/pprof/heap?debug=1&seconds=9&x=y" "unix:$sock" \
	"unix:$sock:/debug/pprof/"; do
	rm -rf place
	"$CPA" snapshot "$source" -o place --kinds=profile,heap --seconds=1 --gc 9>&- >out 2>err || note err
	is_equal "$(cat err) $(server_log | sort | tr '\n' ' ' | sed 's/x=y&//g; s/?x=y//')" \
		' GET /debug/pprof/cmdline GET /debug/pprof/heap?gc=1 GET /debug/pprof/profile?seconds=1 ' "the server can be written as $(
			echo "$source" | sed "s,$host,HOST:PORT,; s,$sock,SOCKET,"
		)"
done
"$CPA" snapshot "http://bob:secret@$host/go/debug/pprof?token=hush" -o secret --kinds=heap 9>&- >out 2>err
is_equal "$? $(cat err) $("$CPA" comments secret/heap.pb.gz | grep '^url') $(grep -c 'secret\|hush' secret/manifest.json)" \
	"0  url: http://$host/go/debug/pprof/heap 0" 'secrets in the URL are not saved'
is_equal "$(grep -c 'token=hush.*Authorization=Basic' log)" 2 'secrets in the URL are sent to the server'
echo tok-123 >token && chmod 600 token
rm -rf secret && "$CPA" snapshot "http://$host/secret/debug/pprof" -o secret --kinds=heap --bearer-file=token 9>&- >out 2>err
is_equal "$? $(cat err)" '0 ' '--bearer-file sends the token'
rm -rf secret && "$CPA" snapshot "http://$host/secret/debug/pprof" -o secret --kinds=heap 9>&- >out 2>err
is_equal "$? $(head -1 err) $(ls secret 2>&1)" \
	"2 cpa: heap: server response: 401 Unauthorized - who are you ls: cannot access 'secret': No such file or directory" \
	'an unauthorized request is reported, and no folder is created'
snapshot together
is_equal "$status $(cat err)" '0 ' 'profiles are requested in parallel'

# Failing servers.
snapshot broken
is_equal "$status $(cd broken && echo *)" '2 cpu.pb.gz goroutine.pb.gz manifest.json' 'the valid profiles of a failing server are saved'
sed 's/damaged near byte [0-9]*: .*/damaged/; s/truncated after [0-9]* bytes/truncated/' err >got
cat >want <<'END'
cpa: heap: gzip data is truncated
cpa: allocs: the server sent a web page, not a profile: "Please \x1b[31mlog in"
cpa: block: the server sent an empty answer
cpa: mutex: the server sent another kind of profile, with sample types: alloc_objects, alloc_space, inuse_objects, inuse_space
END
same 'each failure is reported in one line' want got
is_equal "$(json broken/manifest.json "f['heap.pb.gz']['state'], f['heap.pb.gz']['error'][:4], f['cpu.pb.gz']['state']")" \
	'failed gzip written' 'the manifest lists the failures'
snapshot noheap
is_equal "$status $(cat err)" '2 cpa: heap: server response: 404 Not Found - Unknown profile' 'a server without a heap profile is an error'
snapshot busy
is_equal "$status $(cat err)" \
	'2 cpa: cpu: server response: 500 Internal Server Error - Could not enable CPU profiling: \x1b[31mcpu profiling already in use' \
	'the error text of the server is printed with escaped control characters'
snapshot short
is_equal "$status $(grep -c 'heap: .*closed the connection early' err) $(find short -name '*heap*')" '2 1 ' 'an incomplete response is not saved'
snapshot nothing
is_equal "$status $(tail -1 err) $(ls nothing 2>/dev/null)" '2 cpa: nothing was written ' 'no folder is created for a server without profiles'
snapshot down
is_equal "$status $(cat err) $(ls down 2>/dev/null)" \
	"2 cpa: http fetch: Get \"http://$host/down/debug/pprof/cmdline\": the server closed the connection without an answer; if the port uses TLS, use https:// " \
	'a server that does not answer is reported once'
snapshot bomb --kinds=heap --max-inflated=1000000
is_equal "$status $(head -1 err)" '2 cpa: heap: inflates to more than 1000000 bytes; raise the limit with --max-inflated' \
	'a profile that exceeds --max-inflated is rejected'
snapshot bomb --kinds=goroutine,heap --max-input=10000
is_equal "$status $(grep -c 'heap: more than 10000 bytes; raise the limit with --max-input' err) $(cd bomb && echo *)" \
	'2 1 goroutine.pb.gz manifest.json' 'a response that exceeds --max-input is rejected'
snapshot empty
is_equal "$status $(grep -c 'no samples: the program used no CPU time' out) $(json empty/manifest.json "f['cpu.pb.gz']['note']")" \
	'0 1 no samples: the program used no CPU time' 'a profile without samples gets a note'
snapshot legacy
"$CPA" top "$TESTDATA/go-heap.txt" 2>/dev/null | sed '1,/^Showing/d' >want
"$CPA" top legacy/heap.pb.gz 2>/dev/null | sed '1,/^Showing/d' >got
same 'a legacy format is converted to one with comments' want got
is_equal "$status $(json legacy/manifest.json "f['heap.pb.gz']['note']") $("$CPA" comments legacy/heap.pb.gz | grep -c '^host')" \
	'0 converted from a legacy format 1' 'the manifest contains a note about the conversion'
for pair in unknown:unknown-fields.pb.gz comments:comments.pb.gz bare:bare.pb names:names-hostile.pb.gz packed:packed-and-unpacked.pb.gz; do
	snapshot shapes "--kinds=${pair%%:*}"
	is_equal "$status $(cat err) $(is_extended "edge/${pair#*:}" "shapes/${pair%%:*}.pb.gz")" '0  True' "${pair#*:} is saved without loss"
done
snapshot shapes --kinds=zstd
is_equal "$status $(cat err) $("$CPA" comments shapes/zstd.pb.gz | grep -c ^host)" '0  1' 'a profile compressed with zstd is recompressed'
snapshot hostile --kinds=cpu --comment="$(printf '\033[31m\377x')"
is_equal "$status $("$CPA" comments hostile/cpu.pb.gz | grep -a -c '[[:cntrl:]]') $(grep -c '[[:cntrl:]]' hostile/manifest.json)" '0 0 0' \
	'control characters in texts of user and server are escaped'

# Ctrl-C.
rm -rf slow
"${PYTHON3:-python3}" - "$CPA" "http://$host/slow/debug/pprof" "$tmp/log" <<'PY' >out 2>err
import signal, subprocess, sys, time
open(sys.argv[3], "w").close()
signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell without job control ignores SIGINT in background processes
p = subprocess.Popen([sys.argv[1], "snapshot", sys.argv[2], "-o", "slow", "--seconds=30"], stdin=subprocess.DEVNULL)
for _ in range(200):
    time.sleep(0.1)
    if open(sys.argv[3]).read().count("\n") == 8:
        break
time.sleep(1)
p.send_signal(signal.SIGINT)
print(p.wait(20))
PY
is_equal "$(tail -1 out) $(cat err) $(cd slow && echo *)" \
	'2 cpa: interrupted; complete profiles were written allocs.pb.gz block.pb.gz goroutine.pb.gz heap.pb.gz manifest.json mutex.pb.gz' \
	'after Ctrl-C the complete profiles are saved'
is_equal "$(json slow/manifest.json "m['interrupted'], f['cpu.pb.gz']['state'], f['heap.pb.gz']['state']")" \
	'True interrupted written' 'after Ctrl-C the manifest contains the state of each profile'

# The schema of the manifest.
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
	result 0 'manifests are valid against their schema # SKIP no python3-jsonschema'
else
	[ $rc = 0 ] || note schema
	result $rc 'manifests are valid against their schema'
fi

# Command line.
fails 'usage: cpa snapshot' snapshot
fails '^cpa: -o DIR is missing; usage: cpa snapshot .* -o DIR [|] --to-store SERVER$' snapshot "$host"
fails 'takes one server' snapshot -o x a:1 b:2
fails 'unknown option --nope' snapshot -o x --nope "$host"
fails '^cpa: --seconds must be 1 to 86400$' snapshot -o x --seconds=0 "$host"
fails 'is not a valid profile name' snapshot -o x --kinds=../../etc/x "$host"
fails 'is not a valid profile name' snapshot -o x --kinds=cpu, "$host"
fails 'cpu is listed twice' snapshot -o x --kinds=cpu,profile "$host"
fails 'cpa snapshot needs a server: heap.pb.gz: is not a URL' snapshot -o x heap.pb.gz
fails 'unsupported scheme ftp' snapshot -o x ftp://bob:secret@host/
is_equal "$(grep -c secret err)" 0 'the error does not contain the secret'
"$CPA" snapshot --to-store="$tmp/store" --seconds=1 "http://$host/go/debug/pprof" >out 2>err
is_equal "$? $(cat out err)" '0 imported 6 profiles' '--to-store adds the profiles to a store'
is_equal "$("$CPA" store ls --store="$tmp/store" | awk 'NR > 1 { print $2 }' | tr '\n' ' ')" 'allocs block cpu goroutine heap mutex ' \
	'a stored snapshot has all kinds'
"$CPA" snapshot --help >out
is_equal "$? $(grep -c -e '--comment=TEXT' -e '-tls-ca=FILE' -e '-tls_ca=FILE' out)" '0 2' 'help lists all options'
done_testing
