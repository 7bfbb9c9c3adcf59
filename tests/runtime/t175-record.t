#!/bin/sh
# t175-record.t - cpa record: one profile of all processes is written and shown, and the output of the program is unchanged
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn
mkdir tmp
export TMPDIR="$tmp/tmp"

"$CPA" record -- sh -c './burn 0.6 & ./burn 0.4; wait; exit 5' >out 2>err
is "$? $(grep -c -v '^[0-9]*$' out)" '5 0' 'the exit status and the standard output are those of the program'
within "$(total cpa-record.pb.gz)" "$(awk '{ n += $1 } END { print n }' out)" 6 \
	'one profile contains all processes that the program started'
is "$(grep -c -e '^Type: cpu$' -e ' spin$' err)" 2 'the top functions are printed on standard error'
is "$(sed -n 1p err)" 'cpa: wrote cpa-record.pb.gz' 'the path of the profile is printed on standard error first'
is "$("$CPA" comments cpa-record.pb.gz | sed -n '1s/ [0-9.]*:/ V:/p')" 'cpa V: 3 processes' 'a comment of the profile gives the number of processes'
is "$(find tmp -type f -o -type d -name 'cpa-*' | wc -l)" 0 'no other file is left'
cp cpa-record.pb.gz first
"$CPA" record --top=0 -- ./burn 0.1 >out 2>err
cmp -s first cpa-record.pb.gz.old
ok $? 'an earlier profile is renamed to .old'
is "$(sed 's/[0-9.]* of [0-9.]* s/X of Y s/' err)" 'cpa: wrote cpa-record.pb.gz
cpa: sampled X of Y s of CPU time in 1 process, 100 % complete' '--top=0 shows only how much was sampled'
"$CPA" record -o x.gz --hz=1000 -cum -focus=spin --top 1 -- ./burn 0.2 >out 2>err
is "$(grep -c focus=spin err)" 1 'options of reports are applied'
between "$(sed -n '/flat%/{n;p;}' err | awk '{ print $5 + 0 }')" 80 100 'nearly all CPU time is in the focused function' # the rest is at the start and the end
"$CPA" record -o x.gz --hz=1000 -peek=^spin$ -- ./burn 0.2 >out 2>err
is "$(grep -c '|   spin\|| spin' err)" 1 'reports other than top can be chosen'
rm -f x.gz*
"$CPA" record -o x.gz -- ./burn 0.1 >out 2>err
"$CPA" record -o x.gz -- ./burn 0.1 >out 2>err
is "$(echo x.gz*)" x.gz 'a file given by name is replaced'
"$CPA" record --flame=f.svg -o x.gz -- ./burn 0.2 >out 2>err
is "$(grep -c spin f.svg | sed 's/[1-9][0-9]*/some/') $(grep -c 'flat%' err)" 'some 0' '--flame draws a flame graph instead of a report'
"$CPA" record --allocs --heap-rate=1 -o x.gz -- ./burn 0.1 >out 2>err
is "$(sed -n 's/^Type: //p' err)" alloc_space '--allocs records allocations'
"$CPA" record --follow=none -o x.gz -- sh -c './burn 0.3' >out 2>err
between "$(total x.gz)" 0 50000000 '--follow=none records only the program'
rm -f x.gz
"$CPA" record --nope -o x.gz -- ./burn 0.1 >out 2>err
is "$? $(cat err)" '2 cpa: unknown option --nope; cpa record --help lists the options' 'an unknown option is refused'
"$CPA" record -nodecount=x -o x.gz -- ./burn 0.1 >out 2>err
is "$? $(cat out) $(cat err)" '2  cpa: -nodecount=x: not a whole number, or out of range' \
	'an invalid option of a report is reported before the program runs'
"$CPA" record --flame=f.doc -o x.gz -- sh -c 'echo ran' >out 2>err
is "$? $(cat out)$(sed "s|;.*||" err)" '2 cpa: f.doc: unknown suffix' 'an unknown format of a flame graph is reported before the program runs'
"$CPA" record -threads=1 -o x.gz -- ./burn 0.1 >out 2>err
is "$? $(grep -c 'flat%' err)" '0 1' 'the option -threads does not select a report'
rm -f x.gz
"$CPA" record -o /no/such/x.gz -- sh -c 'echo ran; exit 4' >out 2>err
is "$? $(cat out err)" '2 cpa: /no/such/x.gz: No such file or directory' 'a file that cannot be created is reported before the program runs'
is "$(find tmp -type f -o -type d -name 'cpa-*' | wc -l) $(echo x.gz*)" '0 x.gz*' 'a refused command leaves no file'
"$CPA" record -o /dev/full -- sh -c './burn 0.2; exit 4' >out 2>err
is "$? $(head -n 1 err)" '4 cpa: /dev/full: No space left on device' 'a full disk is reported'
kept=$(sed -n "s/^cpa: the recorded profiles are kept: cpa top '\(.*\)'$/\1/p" err)
"$CPA" merge -o x.gz "$kept" 2>/dev/null
between "$(total x.gz)" 150000000 300000000 'the recorded profile is kept'
done_testing
