#!/bin/sh
# t380-watch.t - cpa watch: alarms, once; deploys; windows of the past; mistakes
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
python=${PYTHON3:-python3}
export CPA_STORE="$tmp/store" PYTHONDONTWRITEBYTECODE=1

{ "$python" "$top_srcdir/tests/cli/watch_history.py" "$tmp/slow" slow 1 yes >"$tmp/planted" &&
	"$python" "$top_srcdir/tests/cli/watch_history.py" "$tmp/same" same 2 no >>"$tmp/planted" &&
	"$CPA" store import --service=slow "$tmp/slow" && "$CPA" store import --service=same "$tmp/same"; } >"$tmp/out" ||
	{ note "$tmp/out" && exit 1; }
read -r function end <"$tmp/planted"
at() { date -u -d "@$((end - $1 * 3600))" +%Y-%m-%dT%H:%M:%SZ; }
# watch STATUS DESCRIPTION ARG...: writes $tmp/out and $tmp/err
watch() {
	expected=$1 what=$2 && shift 2
	"$CPA" watch --every=6h "$@" >"$tmp/out" 2>"$tmp/err"
	got=$?
	[ $got -eq "$expected" ] || note "$tmp/err"
	[ $got -eq "$expected" ]
	result $? "$what: status $expected"
}
has() { # FILE REGEX DESCRIPTION
	grep -Eq -- "$2" "$1" || { note "$1" && false; }
	result $? "$3"
}
marks() { "$CPA" store ls --marks --json | "$python" -c 'import json, sys
print(len([m for m in json.load(sys.stdin) if m["kind"] == "watch"]))'; }

watch 1 'a window of the past' "store:slow@$(at 12)..$(at 0)"
has "$tmp/out" "slow/cpu  FAIL" 'it has the verdict'
has "$tmp/out" "^    \+[0-9]+%  $function  " 'it names the function'
sed -n 's/^    cpa gate /gate /p' "$tmp/out" | head -n 1 >"$tmp/command"
[ "$(marks)" = 0 ]
result $? 'nothing is marked for a window of the past'
eval "set -- $(cat "$tmp/command")"
"$CPA" "$@" >"$tmp/out" 2>"$tmp/err"
[ $? -eq 1 ] || { note "$tmp/err" && false; }
result $? 'the printed command line has the same verdict'

mkdir "$tmp/refused" "$tmp/hook"
"$python" "$top_srcdir/tests/cli/webhook.py" "$tmp/refused" 500 &
refused=$!
"$python" "$top_srcdir/tests/cli/webhook.py" "$tmp/hook" 204 &
hook=$!
trap 'kill $refused $hook; rm -rf "$tmp"' EXIT
until [ -s "$tmp/refused/port" ] && [ -s "$tmp/hook/port" ]; do sleep 0.1; done
url() { echo "http://127.0.0.1:$(cat "$tmp/$1/port")/alarm"; }

watch 2 'a webhook that fails' --once --webhook="$(url refused)" 'store:slow'
has "$tmp/err" 'slow/cpu: --webhook: the server answered with status 500' 'the message has the reason'
[ "$(marks)" = 0 ]
result $? 'an alarm that was not sent is not marked'
watch 2 'a command that fails' --once --exec='echo no >&2; exit 3' 'store:slow'
has "$tmp/err" 'slow/cpu: --exec: .*no' 'the message has the first line of the command'

watch 1 'an alarm' --once --webhook="$(url hook)" --exec="cat >$tmp/alarm.json" --link=https://cpa.example/ 'store:s*'
[ "$(head -n 1 "$tmp/hook/1")" = application/json ] && sed 1d "$tmp/hook/1" | cmp - "$tmp/alarm.json"
result $? 'the webhook and the command get the same JSON'
"$python" - "$top_srcdir/docs/schema/watch.schema.json" "$tmp/alarm.json" "$function" <<'END' >"$tmp/check" 2>&1
import json, sys
alarm = json.load(open(sys.argv[2]))
try:
    import jsonschema
    jsonschema.validate(alarm, json.load(open(sys.argv[1])))
except ImportError:
    pass
assert alarm["service"] == "slow" and alarm["functions"][0]["name"] == sys.argv[3], alarm
assert alarm["link"].startswith("https://cpa.example/ui/store?service=slow&kind=cpu&w0="), alarm["link"]
assert alarm["link"] in alarm["text"] and alarm["command"].startswith("cpa gate --confidence=99.99"), alarm
END
result $? 'it has the function, the link and the command line' && note "$tmp/check"
[ "$(marks)" -ge 1 ]
result $? 'the alarm is a mark'
rm -f "$tmp/hook/2" "$tmp/alarm.json"
watch 1 'the same check again' --once --webhook="$(url hook)" --exec="cat >$tmp/alarm.json" 'store:s*'
[ ! -e "$tmp/hook/2" ] && [ ! -e "$tmp/alarm.json" ]
result $? 'no alarm is sent twice'

watch 1 'other matches' --once --exec="cat >$tmp/alarm.json" 'store:slow{env!=dev}'
grep -q 'slow/cpu{env!=dev} became slower' "$tmp/alarm.json"
result $? 'a source with other matches has alarms of its own'

"$CPA" store mark same deploy '2.4.0' "--time=$(at 7)" || exit 1
watch 0 'a deploy' --once store:same
has "$tmp/out" 'same/cpu after deploy 2.4.0  (PASS|INCONCLUSIVE)' 'it has a verdict'
has "$tmp/out" 'same/cpu  (PASS|INCONCLUSIVE)' 'the regular check too'
watch 0 'the deploy again' --once store:same
! grep -q deploy "$tmp/out"
result $? 'a deploy is checked once'

"$CPA" watch --every=6h 'store:s*' >"$tmp/out" 2>"$tmp/err" &
sleep 2
kill $!
wait $! && cmp "$tmp/out" /dev/null
result $? 'without news it prints nothing until a signal'

fails 'usage: cpa watch' watch
fails 'cpu.pb.gz: not a source of a store; write store:SERVICE' watch cpu.pb.gz
fails '--every=7h: not a divisor of a day' watch --every=7h store:same
fails '--days: must be 6 to 31' watch --days=2 store:same
fails '--false-alarms=0%: not a percentage' watch --false-alarms=0% store:same
fails '--webhook: write the whole URL, with its path' watch --webhook=https://chat.example store:same
fails 'have no effect on a source with a window' watch --webhook=https://chat.example/x store:same@-1d
fails 'either all sources have a window' watch store:same store:same@-1d
fails 'name the store with --store=' watch "store:$tmp/store#same"
fails 'alarms are marks in the store; run cpa watch where its folder is' watch --store=https://collect.example store:same
fails 'no such series' watch --once store:nosuch
fails 'same/cpu: .*nosuch' watch --once --every=6h store:same -- --nosuch
done_testing
