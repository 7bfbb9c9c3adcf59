#!/bin/sh
# t358-kubernetes.t - the manifests and commands of docs/kubernetes.md
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export CPA_STORE="$tmp/store"
examples=$top_srcdir/examples/kubernetes

"${PYTHON3:-python3}" "$top_srcdir/tests/cli/kubernetes.py" "$examples" "$top_srcdir/docs/kubernetes.md" "$tmp" >"$tmp/out" 2>&1
status=$?
[ $status -eq 0 ] || note "$tmp/out"
result $status 'the manifests agree with each other, and have what cpa needs'

"$CPA" collect --check "$tmp/collect.cpa" >"$tmp/out" 2>&1
grep -q '^shop: cpu 30s every 1m, heap every 10m, goroutine every 10m, mutex every 10m, block every 10m' "$tmp/out"
status=$?
[ $status -eq 0 ] || note "$tmp/out"
result $status 'the configuration of the collector is read'

(unset KUBERNETES_SERVICE_HOST && "$CPA" collect --check "$tmp/discovery.cpa") >"$tmp/out" 2>&1
grep -q '^cpa: targets kubernetes namespace=default .*: this is not in a cluster' "$tmp/out" && grep -q '^pods: cpu 30s every 1m' "$tmp/out"
status=$?
[ $status -eq 0 ] || note "$tmp/out"
result $status 'the configuration of the collector with discovery is read'

for version in 1.4 1.5; do
	"$CPA" store import --service=shop --label=version=$version gate/base-[1-4].pb.gz || exit 1
done >"$tmp/out"
# Each command, with files in place of servers and a local store in place of the collector.
while read -r command; do
	case $command in
	-http* | snapshot*) continue ;; # they need a server
	collect*--status*) want='there is no store' ;;
	collect*.cpa) continue ;;
	collect*) command="$command --check" want='per day in the store' ;;
	top*heap) want='Showing nodes' ;;
	top*) want='Showing nodes' ;;
	trend*) want='cannot tell: 3 steps' ;;
	gate*) want='PASS\|INCONCLUSIVE' ;;
	*) want='no such command' ;;
	esac
	words=$(echo "$command" | sed "s|localhost:6060/debug/pprof/heap|go-heap1.pb.gz|; s|^top localhost:[0-9]*|top go-cpu.pb.gz|
		s|store:http://localhost:4040#|store:|g; s|store:/store/cpa#|store:|; s|@-1h|@all|; s|@-30d|@all|; s|@-1d|@all|g; s|--store=[^ ]*|--store=$tmp/none|")
	eval "\"\$CPA\" $words" >"$tmp/out" 2>&1
	grep -q "$want" "$tmp/out"
	status=$?
	[ $status -eq 0 ] || note "$tmp/out"
	result $status "cpa $command"
done <"$tmp/commands"

sed "s|http://shop-stable[^ ]*|gate/base-\$run.pb.gz|; s|http://shop-canary[^ ]*|gate/slow-\$run.pb.gz|; s|/work/|$tmp/|g
	s|cpa |\"\$CPA\" |" "$tmp/job.sh" >"$tmp/run.sh"
CPA=$CPA sh -euc "$(cat "$tmp/run.sh")" >"$tmp/out" 2>&1
status=$?
is_equal "$status $(grep -c 'FAIL' "$tmp/out" | sed 's/[1-9][0-9]*/many/')" '1 many' 'the job fails for a slower version'
done_testing
