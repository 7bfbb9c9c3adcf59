#!/bin/sh
# t720-version.t - cpa version --verbose lists the parts of this build; a missing part says what brings it
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

"$CPA" version --verbose >"$tmp/parts"
[ "$(sed 's/ .*//' "$tmp/parts" | tr '\n' ' ')" = 'cpa Follows web collect pictures curl shell symbols ' ]
result $? 'version --verbose lists six parts'
[ "$("$CPA" version)" = "$(sed 2q "$tmp/parts")" ] && [ "$("$CPA" --version)" = "$(sed 2q "$tmp/parts")" ]
result $? 'version prints the version, and that of google/pprof'

# needs PART COMMAND...: a build without the part names the option or the package, exit status 2
needs() {
	part=$1 status=2
	shift
	if grep -q "^$part  *missing" "$tmp/parts"; then
		"$CPA" "$@" >"$tmp/out" 2>"$tmp/err"
		status=$?
		grep -q "built without $part: .*\(--without-\|-dev not found\)" "$tmp/err" || status=1
	fi
	[ "$status" = 2 ]
	result $? "$part is built, or cpa $* names what brings it"
}
needs web -http=: -no_browser missing.pb.gz
needs collect collect --check missing.cpa
needs pictures flame -o "$tmp/x.pdf" go-cpu.pb.gz
needs pictures flame -o "$tmp/x.png" go-cpu.pb.gz
needs curl top http://localhost:1/
needs shell -keys=q go-cpu.pb.gz
needs symbols disasm main go-cpu.pb.gz
"$CPA" flame -o "$tmp/x.svg" go-cpu.pb.gz >"$tmp/out" 2>&1 && [ -s "$tmp/x.svg" ]
result $? 'flame writes SVG in every build'
"$CPA" version --all >"$tmp/out" 2>"$tmp/err"
[ $? = 2 ] && grep -q '^cpa: --all: cpa version takes only --verbose$' "$tmp/err"
result $? 'version has no other option'
LD_DEBUG=libs "$CPA" -top go-cpu.pb.gz >"$tmp/out" 2>"$tmp/linked"
grep -q libdeflate "$tmp/linked" && ! grep -qE 'libz\.|libprotobuf-c|libcurl|libcairo|libxml2' "$tmp/linked"
result $? "a report loads no library that only other commands need"
done_testing
