#!/bin/sh
# t194-jfr.t - recordings of Java Flight Recorder
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

dir=$top_srcdir/testdata/formats/jfr

# Numbers and sums of events, as jfr print --json of JDK 25 has them.
while read -r file type total; do
	"$CPA" top --unit="${total#*[0-9]_}" -sample_index="$type" "$dir/$file.jfr.gz" >"$tmp/got" 2>"$tmp/err"
	grep -q " of ${total%_*}[a-zA-Z]* total" "$tmp/got"
	result $? "$file: $type is ${total%_*}" || note "$tmp/got" "$tmp/err"
done <<'END'
hotspot17 cpu 24_count
hotspot17 alloc_samples 109_count
hotspot17 alloc 43441376_bytes
hotspot17 alloc_in_new_tlab_objects 133_count
hotspot17 alloc_in_new_tlab_bytes 20046064_bytes
hotspot17 contentions 154_count
hotspot17 delay 1072988848_ns
hotspot17 sleep 711251638_ns
hotspot25 cpu 7_count
hotspot25 samples 10_count
hotspot25 cpu_time 85000000_ns
hotspot25 alloc 72127040_bytes
hotspot25 delay 1786326116_ns
async cpu 118_count
async cpu_ns 590000000_ns
async wall 1149_count
async wall_ns 22980000000_ns
async delay 673241885_ns
END

for want in hotspot17:cpu hotspot25:cpu_time async:cpu; do
	"$CPA" top "$dir/${want%:*}.jfr.gz" >"$tmp/got" 2>"$tmp/err"
	grep -q "^Type: ${want#*:}\$" "$tmp/got"
	result $? "${want%:*}: ${want#*:} is shown first" || note "$tmp/got" "$tmp/err"
done

"$CPA" top -tagfocus='thread=über the wéir' "$dir/hotspot17.jfr.gz" >"$tmp/got" 2>"$tmp/err"
grep -q ' Brook.fällt$' "$tmp/got"
result $? "threads are labels, and names are kept as they are" || note "$tmp/got" "$tmp/err"
"$CPA" tags -sample_index=wall "$dir/async.jfr.gz" >"$tmp/got" 2>"$tmp/err"
grep -q ': STATE_SLEEPING' "$tmp/got" && grep -q ': 水獺 🦦' "$tmp/got" && ! grep -q . "$tmp/err"
result $? "states are labels, and the UTF-8 of Java is converted" || note "$tmp/got" "$tmp/err"
"$CPA" tags -sample_index=alloc "$dir/hotspot17.jfr.gz" >"$tmp/got" 2>"$tmp/err"
grep -q ': byte\[\]' "$tmp/got"
result $? "classes are labels, named as in Java source" || note "$tmp/got" "$tmp/err"
"$CPA" top "$dir/hotspot17.jfr.gz" >"$tmp/got" 2>&1
grep -q '^jfr: skipped 6 events with stacks .*: 6 jdk.ThreadStart' "$tmp/got"
result $? "events that are not read are counted" || note "$tmp/got" "$tmp/err"
"$CPA" top -tagfocus=truncated=true -sample_index=cpu "$dir/hotspot17.jfr.gz" >"$tmp/got" 2>"$tmp/err"
grep -q ' Brook.deep$' "$tmp/got" && ! grep -q ' Brook.main$' "$tmp/got"
result $? "stacks that HotSpot cut have a label" || note "$tmp/got" "$tmp/err"

gzip -dc "$dir/hotspot17.jfr.gz" >"$tmp/one.jfr"
gzip -dc "$dir/async.jfr.gz" | cat "$tmp/one.jfr" - >"$tmp/two.jfr"
"$CPA" top -sample_index=cpu "$tmp/two.jfr" >"$tmp/got" 2>"$tmp/err"
grep -q ' of 142 total' "$tmp/got"
result $? "concatenated recordings add up" || note "$tmp/got" "$tmp/err"
head -c 2000000 "$tmp/two.jfr" | head -c -5 | "$CPA" top --input-format=jfr -sample_index=cpu - >"$tmp/got" 2>"$tmp/err"
grep -q ' of ' "$tmp/got" && cat "$tmp/got" "$tmp/err" | grep -q '^jfr: read up to its end 1 chunk that is cut'
result $? "a recording that is cut is read up to its end, with a message" || note "$tmp/got" "$tmp/err"
printf '\003' | dd of="$tmp/one.jfr" bs=1 seek=5 conv=notrunc 2>"$tmp/err"
fails 'one.jfr: chunk 1: version 3.1, which cpa does not read' top "$tmp/one.jfr"
"$CPA" help formats >"$tmp/got"
grep -q '^  jfr ' "$tmp/got"
result $? "cpa help formats lists it" || note "$tmp/got"
cat >"$tmp/java.folded" <<'END'
root;App$$Lambda$88+0x00007f4a90009c00.1331923253.run 1
root;App$$Lambda$88/1331923253.run 1
root;App$$Lambda/0x00007f4a90009c00.run 1
root;App$$Lambda$14.0x0000000800c03000.run 1
root;java.lang.invoke.LambdaForm$MH+0x00007fb17c009800.143695640.invoke 1
root;java.lang.invoke.LambdaForm$MH/143695640.invoke 1
root;jdk.internal.reflect.GeneratedMethodAccessor12.invoke 1
root;com.sun.proxy.$Proxy7.get 1
root;pkg/$$Lambda$1 1
root;main.Lambda.func1.2 1
root;App.lambda$main$2 1
root;a.b+0x12.c 1
END
"$CPA" folded --stable-names "$tmp/java.folded" >"$tmp/got"
cat >"$tmp/want" <<'END'
root;App$$Lambda.run 4
root;App.lambda$main$2 1
root;a.b+0x12.c 1
root;com.sun.proxy.$Proxy.get 1
root;java.lang.invoke.LambdaForm$MH.invoke 2
root;jdk.internal.reflect.GeneratedMethodAccessor.invoke 1
root;main.Lambda.func1.2 1
root;pkg/$$Lambda 1
END
same "--stable-names removes numbers of hidden classes only" "$tmp/want" "$tmp/got"
done_testing
