#!/bin/sh
# t360-collect-plan.t - cpa collect --check prints targets, times and bytes, and names the line of an error
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export CPA_STORE="$tmp/store"
cd "$tmp" || exit 1

plan() { # ARG...: runs cpa collect --check; status, out, err. The times of day become TIME.
	"$CPA" collect --check "$@" >"$tmp/raw" 2>"$tmp/err"
	status=$?
	sed 's/first [0-9][0-9]:[0-9][0-9]:[0-9][0-9]/first TIME/; s/  */ /g' "$tmp/raw" >"$tmp/out"
}

is_plan() { # STATUS DESCRIPTION: compares the last plan with standard input
	cat >"$tmp/want"
	[ "$status" = "$1" ] || note "$tmp/err"
	is_equal "$status" "$1" "$2: exit status"
	same "$2" "$tmp/want" "$tmp/out"
}

plan localhost:6060 https://shop.example/debug/pprof
is_plan 0 'targets of the command line' <<'END'
(the name of the program): cpu 30s every 10m, heap every 10m, goroutine every 10m, mutex every 10m, block every 10m
 http://localhost:6060/debug/pprof first TIME instance=localhost:6060
 https://shop.example/debug/pprof first TIME instance=shop.example
2 targets, 60 requests per hour, about 492 KiB per day in the store
END

plan --every=1m --cpu=10s --kinds=cpu,heap --label=env=prod,zone=a --label=zone=b --dapr=:7777 --dendrite=10.0.0.1:65432
is_plan 0 'options and presets' <<'END'
daprd: cpu 10s every 1m, heap every 1m
 http://localhost:7777/debug/pprof first TIME env=prod instance=localhost:7777 zone=b
dendrite: cpu 10s every 1m, heap every 1m
 http://10.0.0.1:65432/debug/pprof first TIME env=prod instance=10.0.0.1:65432 zone=b
2 targets, 240 requests per hour, about 3.6 MiB per day in the store
END

mkdir lists
printf '10.0.0.2:6060 pod=b\nunix:/run/shop.sock\n' >lists/shop.targets
printf '[{"targets": ["10.0.0.3:6060"], "labels": {"zone": "c", "__scheme__": "https"}}]' >lists/sd.json
cat >collect.cpa <<END
every 1h
kinds heap
job shop
  target 10.0.0.1:6060
  targets file=$tmp/lists/shop.targets zone=a
  targets file=$tmp/lists/sd.json
  targets dns=127.0.0.1:7000
job pay
  folder /p
  target me:secret@h:1
END
plan collect.cpa
is_plan 0 'a file with lists' <<'END'
shop: heap every 1h
 http://10.0.0.1:6060/debug/pprof first TIME instance=10.0.0.1:6060
 http://10.0.0.2:6060/debug/pprof first TIME instance=10.0.0.2:6060 pod=b zone=a
 http://127.0.0.1:7000/debug/pprof first TIME instance=127.0.0.1:7000
 https://10.0.0.3:6060/debug/pprof first TIME instance=10.0.0.3:6060 zone=c
 unix:/run/shop.sock:/debug/pprof first TIME instance=/run/shop.sock zone=a
pay: heap every 1h
 http://h:1/p first TIME instance=h:1
6 targets, 6 requests per hour, about 141 KiB per day in the store
END

# the first times do not depend on the time at which the plan is made, except for whole intervals
"$CPA" collect --check collect.cpa | grep -o ':[0-9][0-9]:[0-9][0-9] ' >first
"$CPA" collect --check collect.cpa | grep -o ':[0-9][0-9]:[0-9][0-9] ' >second
[ "$(grep -c . first)" = 6 ]
result $? 'each target has a first time'
same 'restarts keep the schedule' first second

rm lists/sd.json
printf '10.0.0.2:6060 pod\n' >lists/shop.targets
plan collect.cpa
is_equal "$status $(cat err)" "2 cpa: $tmp/lists/sd.json: No such file or directory
cpa: shop: target pod: not an address; write HOST:PORT, a URL or unix:SOCKET" 'problems of lists are reported'

printf 'every 10m\ncpu 30s everyy=1m\n' >bad.cpa
fails 'bad.cpa:2: cpu=everyy=1m: not a duration such as 30s, 10m or 1h30m' collect --check bad.cpa
printf 'job a\ntarget h:1\nretain raw=3d\n' >bad.cpa
fails 'bad.cpa:3: retain applies to the whole file; write it before the first job' collect bad.cpa
printf 'retain raw=14d 10m=9d\n' >bad.cpa
fails '10m is kept up to an age, which must be larger' collect bad.cpa
fails 'nosuch.cpa: No such file or directory' collect nosuch.cpa
fails '--every: every=5x: not a duration' collect --every=5x h:1
[ ! -e "$CPA_STORE" ]
result $? 'nothing is written'
done_testing
