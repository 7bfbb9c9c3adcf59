#!/bin/sh
# t398-label-page.t - the page of label checks: the same numbers as cpa labels
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "$top_srcdir/tests/cli/page.sh"
export CPA_STORE="$tmp/store" PYTHONDONTWRITEBYTECODE=1
make="${PYTHON3:-python3} $top_srcdir/tests/cli/labels_profile.py"
cd "$tmp" || exit 1
$make one.pb.gz 1795356000
$make two.pb.gz 1795446000 120
"$CPA" store import --service=shop --label=env=prod --label=hostname=a one.pb.gz two.pb.gz >out

page_start store:shop@all
for format in json csv txt; do
	page "labelcheck.$format" '*/*'
	"$CPA" labels "--$format" store:shop@all >want 2>err || "$CPA" labels store:shop@all >want 2>err
	[ "$status" = 200 ]
	result $? "labelcheck.$format is sent"
	same "labelcheck.$format equals cpa labels" want page
done
page labelcheck
sed 's/<[^>]*>/ /g' page | tr -s ' ' >got
for text in '^ 1.40s 43.75% 140 122 122 tenant $' '^ 1 hostname $' '^ 9 findings $' \
	'^ limit: tenant 122 values in a day; a collector keeps 100 a day' \
	'^ ids: route 2 values contain an id: /orders/17/items/4 (100 samples, 31.25%) shape route ^(/orders/)\[0-9]'; do
	grep -q "$text" got
	result $? "the page has $text" || note got
done
page store
has '<button name="view" value="labelcheck">Label check</button>'
result $? 'the page of the store offers it'
page_stop

page_start one.pb.gz
page labelcheck.txt '*/*'
"$CPA" labels one.pb.gz >want
same 'the page of a file' want page
page_stop
done_testing
