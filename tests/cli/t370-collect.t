#!/bin/sh
# t370-collect.t - cpa collect: scrapes servers into a store, once or until a signal
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/server.sh"
. "${top_srcdir:?}/tests/cli/collect.sh"
server=snapshot_server.py
server_start "$TESTDATA"
cd "$tmp" || exit 1

fails 'no target; try: cpa collect localhost:6060' collect
fails 'unknown option --nothing; cpa collect --help' collect --nothing
fails '.--json needs --status' collect --json localhost:1
fails 'one configuration file' collect a.cpa b.cpa
fails 'there is no store' collect --status

# one round; block and mutex may be missing
"$CPA" collect --once --cpu=1s --label=env=test "http://$host/go/debug/pprof" "http://$host/bare/debug/pprof" 9>&- >out 2>err
is_equal "$?" 0 'a round of scrapes succeeds, also without block and mutex' || note err
"$CPA" store ls --profiles '*@all' >list 2>err
is_equal "$(grep -c '' list) $(grep -c ' cpu ' list) $(grep -c ' mutex ' list)" '9 2 1' 'a store has a profile for each kind of each server'
is_equal "$(server_log | grep -c seconds=1)" 2 'a capture has the requested length'

# failures
rm -rf store
"$CPA" collect --once --cpu=1s "http://$host/broken/debug/pprof" 9>&- >out 2>err
is_equal "$?" 2 'a target with broken profiles fails'
is_equal "$(grep -c 'another kind of profile' err)" 1 'a profile of another kind is dropped'
"$CPA" store ls 2>/dev/null >list
is_equal "$(grep -c -e cpu -e goroutine list)" 2 'the valid profiles of a broken server are stored'
rm -rf store
"$CPA" collect --once --kinds=cpu --cpu=1s 127.0.0.1:1 9>&- >out 2>err
is_equal "$? $(grep -c 'state=unreachable' err)" '2 1' 'a server that is down fails'
"$CPA" collect --once --kinds=heap "http://$host/bomb/debug/pprof" 9>&- >out 2>err
is_equal "$? $(grep -c 'dropped=' err)" '2 1' 'a decompression bomb is dropped'

# until a signal
rm -rf store
collector --cpu=1s --every=2s --kinds=cpu,heap "http://$host/go/debug/pprof"
has_profiles() { "$CPA" store ls | awk '$2 == "cpu" && $4 >= 2 { found = 1 } END { exit !found }'; }
waits 'profiles are stored at each interval' has_profiles
"$CPA" collect --once --store="$tmp/store" "$host" >out 2>err 9>&-
is_equal "$? $(grep -c "$collector_pid" err)" '2 1' 'a second collector is refused, with the process that holds the store' || note err
client GET /healthz
is_equal "$code $(cat body)" '200 ok' 'the collector is healthy'
client GET /readyz
is_equal "$code $(cat body)" '200 ok' 'the store is ready'
client GET /
is_equal "$code $(grep -c '<script' body) $(grep -c '<td>ok' body)" '200 0 1' 'the page has no script, and lists the target'
client GET /metrics
is_equal "$code $(grep -c '^cpa_collect_targets{state="ok"} 1$' body)" '200 1' 'metrics count the targets'
client GET '/api/v1/profile?q=store:nothing@-1h'
is_equal "$code $(tr -d '\r' <client.err | grep -ci '^x-go-pprof: 1$')" '404 1' 'a source without profiles is not found; pprof and cpa print why'
client GET '/api/v1/profile'
is_equal "$code" 400 'a request without a source is refused'
client GET /nothing
is_equal "$code" 404 'other pages do not exist'
service=$("$CPA" store ls | awk '$2 == "cpu" { print $1 }')
client GET "/api/v1/profile?q=store:$service@-1h"
"$CPA" raw -symbolize=none body >got 2>err
is_equal "$code $(grep -c Samples: got)" '200 1' 'a profile of the store is served'
status_prints_target() { "$CPA" collect --status >got && [ "$(grep -c " ok " got)" = 1 ]; } # a late capture is not ok
waits '--status prints the targets' status_prints_target || note got
"$CPA" collect --status --json >status.json
"${PYTHON3:-python3}" - "$top_srcdir/docs/schema/collect-status.schema.json" status.json <<'PY' >got 2>&1
import json, sys
try:
    import jsonschema
except ImportError:
    sys.exit(0)
schema = json.load(open(sys.argv[1]))
jsonschema.Draft201909Validator.check_schema(schema)
jsonschema.Draft201909Validator(schema).validate(json.load(open(sys.argv[2])))
PY
is_equal "$?" 0 'the status is valid against its schema' || note got
"$CPA" store pin keep "$service@-1h" >out 2>err
is_equal "$? $(cat err)" '0 ' 'cpa store pin runs in the collector' || note err
"$CPA" store ls --pins | grep -c keep >got
is_equal "$(cat got)" 1 'the pin exists'
collector_end TERM
is_equal "$status" 0 'SIGTERM ends the collector'
before=$("$CPA" store ls | awk '$2 == "cpu" { print $4 }')
[ "$before" -ge 2 ]
result $? 'all profiles are in the store after the end'
fails 'no collector runs on the store' collect --status

# a profiled program of cpa itself
cat >work.sh <<'END'
#!/bin/sh
i=0
while [ ! -e "$1" ]; do i=$((i + 1)); done
END
rm -rf store
mkfifo stopped
"$CPA" run --profile-port=0 -- sh work.sh "$tmp/finished" >out.run 2>err.run 9>&- &
run_pid=$!
port_of() { sed -n 's,.*http://[^ ]*:\([0-9]*\).*,\1,p' err.run | head -n 1 | grep .; }
waits 'cpa run serves profiles' port_of
"$CPA" collect --once --cpu=1s --kinds=cpu,goroutine "localhost:$(port_of)" 9>&- >out 2>err
is_equal "$?" 0 'a program of cpa run is scraped' || note err
is_equal "$("$CPA" store ls | awk 'NR > 1 { print $2 }' | sort | tr '\n' ' ')" 'cpu threads ' 'a server of cpa has threads instead of goroutines'
: >finished
wait "$run_pid"

done_testing
