#!/bin/sh
# t175-record.t - cpa record: one profile of all that ran, shown, and the program's output left alone
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn
mkdir tmp
export TMPDIR="$tmp/tmp"

"$CPA" record -- sh -c './burn 0.6 & ./burn 0.4; wait; exit 5' >out 2>err
is "$? $(grep -c -v '^[0-9]*$' out)" '5 0' 'the exit status and the standard output are those of the program'
within "$(total cpa-record.pb.gz)" "$(awk '{ n += $1 } END { print n }' out)" 6 \
	'all processes that it started are in one profile'
is "$(grep -c -e '^Type: cpu$' -e ' spin$' err)" 2 'what took most is on standard error'
is "$(sed -n 1p err)" 'cpa: the profile is in cpa-record.pb.gz' 'and where the profile is'
is "$("$CPA" comments cpa-record.pb.gz | sed 's/ [0-9.]*:/ V:/')" 'cpa V: 3 processes' 'which tells of how many processes it is'
is "$(find tmp -type f -o -type d -name 'cpa-*' | wc -l)" 0 'nothing else is left'
cp cpa-record.pb.gz first
"$CPA" record --top=0 -- ./burn 0.1 >out 2>err
cmp -s first cpa-record.pb.gz.old
ok $? 'what was recorded before is kept as .old'
is "$(cat err)" 'cpa: the profile is in cpa-record.pb.gz' '--top=0 shows nothing'
"$CPA" record -o x.gz --hz=1000 -cum -focus=spin --top 1 -- ./burn 0.2 >out 2>err
is "$(grep -c focus=spin err)" 1 'options of reports hold'
between "$(sed -n '/flat%/{n;p;}' err | awk '{ print $5 + 0 }')" 80 100 'and nearly all is in what they name' # it begins and ends, too
"$CPA" record -o x.gz --hz=1000 -peek=^spin$ -- ./burn 0.2 >out 2>err
is "$(grep -c '|   spin\|| spin' err)" 1 'and other reports'
rm -f x.gz*
"$CPA" record -o x.gz -- ./burn 0.1 >out 2>err
"$CPA" record -o x.gz -- ./burn 0.1 >out 2>err
is "$(echo x.gz*)" x.gz 'a file that is named is replaced'
"$CPA" record --flame=f.svg -o x.gz -- ./burn 0.2 >out 2>err
is "$(grep -c spin f.svg | sed 's/[1-9][0-9]*/some/') $(grep -c 'flat%' err)" 'some 0' '--flame draws instead'
"$CPA" record --allocs --heap-rate=1 -o x.gz -- ./burn 0.1 >out 2>err
is "$(sed -n 's/^Type: //p' err)" alloc_space '--allocs records what was allocated'
"$CPA" record --follow=none -o x.gz -- sh -c './burn 0.3' >out 2>err
between "$(total x.gz)" 0 50000000 '--follow=none records the program alone'
rm -f x.gz
"$CPA" record --nope -o x.gz -- ./burn 0.1 >out 2>err
is "$? $(cat err)" '2 cpa: cpa record has no option --nope; cpa record --help lists them' 'an unknown option'
"$CPA" record -nodecount=x -o x.gz -- ./burn 0.1 >out 2>err
is "$? $(cat out) $(cat err)" '2  cpa: -nodecount=x: not a whole number, or too large' \
	'a wrong option of a report is told before anything runs'
"$CPA" record --flame=f.doc -o x.gz -- sh -c 'echo ran' >out 2>err
is "$? $(cat out)$(sed "s|;.*||" err)" '2 cpa: f.doc: the ending says no format' 'so is a flame graph of no format'
"$CPA" record -threads=1 -o x.gz -- ./burn 0.1 >out 2>err
is "$? $(grep -c 'flat%' err)" '0 1' 'the threads that readers use are no report'
rm -f x.gz
"$CPA" record -o /no/such/x.gz -- sh -c 'echo ran; exit 4' >out 2>err
is "$? $(cat out err)" '2 cpa: /no/such/x.gz: No such file or directory' 'a file that cannot be made is told before anything runs'
is "$(find tmp -type f -o -type d -name 'cpa-*' | wc -l) $(echo x.gz*)" '0 x.gz*' 'nothing is left of that'
"$CPA" record -o /dev/full -- sh -c './burn 0.2; exit 4' >out 2>err
is "$? $(head -n 1 err)" '4 cpa: /dev/full: No space left on device' 'a full disk is told'
kept=$(sed -n "s/^cpa: what was recorded is kept: cpa top '\(.*\)'$/\1/p" err)
"$CPA" merge -o x.gz "$kept" 2>/dev/null
between "$(total x.gz)" 150000000 300000000 'what was recorded is kept'
done_testing
