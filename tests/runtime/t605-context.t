#!/bin/sh
# t605-context.t - labels and attributes for other profilers, in the layouts of OTEP 4719 and OTEP 4947
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
library=${top_builddir:?}/src/libcpaprof
libs="-L$library -lcpaprof -Wl,-rpath,$library" compile context -I"$top_srcdir/src/libcpaprof/api"
unset OTEL_SERVICE_NAME OTEL_RESOURCE_ATTRIBUTES CPA_CONTEXT
version=$("$CPA" --version | sed -n '1s/^cpa \([0-9.]*\).*/\1/p')
sdk="telemetry.sdk.name=cpa telemetry.sdk.language=cpp telemetry.sdk.version=$version"
zeros=$(printf '%048d' 0)

message() { # KEY=VALUE... [-- KEY...]
	python3 "$top_srcdir/tests/runtime/context_message.py" "$@"
}
line() { # NAME N: line number N with this name
	sed -n "s/^$1 //p" out | sed -n "$2p"
}

if command -v python3 >/dev/null; then
	OTEL_SERVICE_NAME=s OTEL_RESOURCE_ATTRIBUTES='service.instance.id=%69, service.name = x' ./context layout >out 2>err
	is "$? $(sed -n 1p out)$(cat err)" '0 OTEL_CTX 2 1' 'one mapping with a header of version 2'
	# shellcheck disable=SC2086 # a list
	is "$(line message 1)" "$(message service.instance.id=i service.name=s $sdk service.version=1)" 'attributes are published'
	# shellcheck disable=SC2086 # a list
	is "$(line message 2)" "$(message service.instance.id=i service.name=s $sdk service.version=1 -- b a)" 'then keys of labels'
	is "$(line later 1) $(line none 1) $(line none 2)" '1 none none' 'with a later time; threads without labels have no record'
	is "$(line record 1)" "${zeros}01000c000105c3a4efbfbd000374776f" 'the record of a set, as valid UTF-8'
	is "$(line inherited 1)" "$(line record 1)" 'a new thread has the labels of its creator'
	is "$(line cut 1) $(line cut 2)" '255 4 1 020131' 'values are cut to 255 bytes, which a label shows'
	between "$(line many 1)" 580 612 'a record has at most 640 bytes'
	is "$(line refused 1)" '-22 -22' 'empty keys are refused'

	OTEL_SERVICE_NAME=s OTEL_RESOURCE_ATTRIBUTES=service.instance.id=i ./context fork >out 2>err
	# shellcheck disable=SC2086 # a list
	is "$? $(sed 's/^message.*/message/' out | tr '\n' ' ')$(cat err)" \
		"0 parent 1 child 1 1 child ${zeros}01000300000131 message child ${zeros}01000300010133 message " \
		'a child has a context of its own, and the records of its parent'
	# shellcheck disable=SC2086 # a list
	is "$(line message 2)" "$(message service.instance.id=i service.name=s $sdk -- a)" 'that of the parent is unchanged'
else
	ok 0 'the layout # SKIP no python3'
fi

random() { ./context fork | sed -n 's/^message .*696e7374616e63652e696412260a24\(.\{72\}\).*/\1/p'; }
is "$(random | sort -u | wc -l)" 2 'the id of the instance is random, and another one in a child'
is "$(./context other | tr '\n' ' ')" "first -17 1 first none later 1 withdrawn 1 0 " \
	'nothing is published next to the context of another library, and everything is withdrawn when one appears'
is "$(./context off)" 'off 1 0 -125' 'cpa_context_off withdraws everything'
is "$(CPA_CONTEXT=0 ./context off 2>&1)" 'off 1 -1 -125' 'CPA_CONTEXT=0'
is "$(CPA_CONTEXT=maybe ./context start 2>&1)" 'cpa: CPA_CONTEXT: invalid value maybe; ignored
start 0' 'another value is reported; nothing is published at start'
is "$(OTEL_SERVICE_NAME=s ./context start)" 'start 1' 'but with OTEL_SERVICE_NAME'
is "$(OTEL_SERVICE_NAME=s "$CPA" run --quiet --cpu=p.pb.gz -- ./context start)" 'start 0' 'unless it is cpa run that loads the library'
for bad in x a=b,x =b a=%zz a=%0 a=%00; do
	is "$(OTEL_RESOURCE_ATTRIBUTES=$bad ./context start 2>&1)" \
		'cpa: OTEL_RESOURCE_ATTRIBUTES: not KEY=VALUE,KEY=VALUE, or too long; ignored
start 1' "OTEL_RESOURCE_ATTRIBUTES=$bad"
done
is "$(./context torn)" 'torn 0, changed 1000' 'a reader sees whole messages while they are changed'

name='the relocation by which readers find the variable is a TLS descriptor'
if command -v readelf >/dev/null; then
	is "$(readelf -rW "$library/libcpaprof.so" | awk '$3 ~ /TLSDESC$/ { print $5 }')" otel_thread_ctx_v1 "$name"
else
	ok 0 "$name # SKIP no readelf"
fi
libs="-L$library -lcpaprof -Wl,-rpath,$library -rdynamic" compile context -DOWN -I"$top_srcdir/src/libcpaprof/api"
is "$(./context off)" 'off 1 7 -125' 'a program with this variable of its own publishes nothing through the library'

done_testing
