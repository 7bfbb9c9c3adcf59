#!/bin/sh
# t386-labels.t - cpa labels: labels in use, and what is wrong with them
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export CPA_STORE="$tmp/store" PYTHONDONTWRITEBYTECODE=1
make="${PYTHON3:-python3} $top_srcdir/tests/cli/labels_profile.py"
cd "$tmp" || exit 1

$make one.pb.gz 1795356000
"$CPA" labels one.pb.gz >out
cat >want <<'END'
Type: cpu, total 1s
       cum   cum%    samples   values  per day  label of samples
     600ms 60.00%         60        3           route
     300ms 30.00%         30        1           Route
     200ms 20.00%         20        1           env
     100ms 10.00%         10        1           svc
     100ms 10.00%         10        2           tenant
6 findings
name: Route: the usual name is route (30 samples, 30.00%)
     set the label route instead
name: svc: the usual name is service (10 samples, 10.00%)
     set the label service instead
ids: route: 2 values contain an id: /orders/17/items/4 (50 samples, 50.00%)
     shape route ^(/orders/)[0-9]+(/items/)[0-9]+$ $1:id$2:id
ids: tenant: 1 value contains an id: 0b5e4fd2-11aa-4c6e-9d6f-5a0f1e2d3c4b (4 samples, 4.00%)
     shape tenant ^[0-9A-Fa-f-]{36}$ :id
cut: tenant: values are "other": a collector replaces those beyond the limit of a day (6 samples, 6.00%)
     limit tenant N, or fewer values
lost: route: shop.worker runs shop.quote without the label, which it has in other threads (20 samples, 20.00%)
     set the labels of the work in shop.worker
END
same 'labels and findings of a file' want out
"$CPA" labels --strict one.pb.gz >out
is_equal $? 1 '--strict fails'
"$CPA" labels --strict "$TESTDATA/go-cpu.pb.gz" >out
is_equal "$? $(tail -n 1 out)" '0 0 findings' '--strict passes without findings'
"$CPA" labels --csv one.pb.gz >out
is_equal "$(grep -c '^ids,"route",2,0,50,500000000,' out) $(wc -l <out)" '1 12' 'CSV has a row each'
"$CPA" labels --markdown one.pb.gz >out
is_equal "$(grep -c '^| lost | ' out)" 1 'Markdown has them, too'
"$CPA" labels --json "$TESTDATA/go-heap1.pb.gz" | grep -o '"label": "bytes", "values": [0-9]*' >out
is_equal "$(cat out)" '"label": "bytes", "values": 28' 'labels with numbers'
is_equal "$("$CPA" labels "$TESTDATA/go-mutex.pb.gz" 2>&1 >/dev/null)" 'cpa: there are no labels' 'a profile without labels'

# a store: series, days
$make two.pb.gz 1795446000 120
"$CPA" store import --service=shop --label=env=prod --label=hostname=a one.pb.gz two.pb.gz >out
"$CPA" labels store:shop@all >out
is_equal "$(awk '/label of series/ { n = NR } n && NR > n && NR < n + 3 { printf "%s ", $0 }' out | tr -s ' ')" \
	' 1 env 1 hostname ' 'labels of series'
is_equal "$(awk '$NF == "tenant" { print $3, $4, $5 }' out)" '140 122 122' 'values per day'
for finding in 'name: hostname: the usual name is host$' 'repeats: env: series have the label, too' \
	'limit: tenant: 122 values in a day; a collector keeps 100 a day'; do
	grep -q "^$finding" out
	result $? "the store has $finding"
done
"$CPA" labels 'store:shop{route=/v/1}@all' >out
is_equal "$(awk '/ [0-9]+ +1 +1 +route$/ { print $3 }' out) $(grep -c '^ids' out)" '20 0' 'a condition on samples'

# the line for collect.cpa is accepted, and replaces the ids
"$CPA" labels one.pb.gz | sed -n 's/^ *\(shape .*\)/\1/p' >x.cpa
printf 'job shop\n  target localhost:1\n' >>x.cpa
"$CPA" collect --check --store="$tmp/none" x.cpa >out 2>err
is_equal "$? $(grep -c shape err)" '0 0' 'collect.cpa accepts the lines'
done_testing
