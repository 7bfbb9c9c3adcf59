#!/bin/sh
# t305-web-graph.t - the call graph of the web UI
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/page.sh"

# cut_svg: writes the SVG of the last page to $tmp/svg
cut_svg() {
	sed -n '/<svg /,/<\/svg>/p' "$tmp/page" >"$tmp/svg"
}

if command -v dot >/dev/null; then
	page_start -symbolize=none go-cpu.pb.gz
	page graph
	[ "$status" = 200 ] && has '<svg ' && has '4.28s (74.18%) in 42 nodes of 195' && has 'is 5.77s, the total of all samples'
	result $? "the page contains the call graph"

	cut_svg
	"$CPA" dot go-cpu.pb.gz >"$tmp/dot"
	nodes=$(grep -c '^N[0-9]* \[label=.* id="node' "$tmp/dot")
	calls=$(grep -c '^N[0-9]* -> N[0-9]* ' "$tmp/dot")
	[ "$nodes" -gt 20 ] && [ "$(grep -c '<a href="peek?' "$tmp/svg")" = "$nodes" ] &&
		[ "$(grep -c '<path ' "$tmp/svg")" = "$(grep -c ' -> ' "$tmp/dot")" ] &&
		[ "$(grep -c '<title>[^<]* \(→\|\.\.\.\) [^<]*</title><path' "$tmp/svg")" = "$calls" ]
	result $? "it has the nodes and calls of cpa dot ($nodes nodes, $calls calls)"

	sed -n 's/^N[0-9]* \[.* id="node.* tooltip="\(.*\)" color=.*/\1/p' "$tmp/dot" | sort >"$tmp/want"
	sed -n 's/^<a href=[^>]*><title>\([^<]*\)<\/title><rect .*/\1/p' "$tmp/svg" | sed 's/&gt;/>/g; s/&lt;/</g; s/&amp;/\&/g' |
		sort >"$tmp/names"
	diff "$tmp/want" "$tmp/names" >"$tmp/diff" || note "$tmp/diff"
	cmp -s "$tmp/want" "$tmp/names"
	result $? "names and cum are those of cpa dot"

	if command -v xmllint >/dev/null; then
		xmllint --noout "$tmp/svg" 2>"$tmp/err" || note "$tmp/err"
		[ ! -s "$tmp/err" ]
		result $? "the element is well-formed XML"
	fi
	link=$(sed -n 's/.*<a href="\(peek[^"]*Planner[^"]*nearest%28[^"]*\)".*/\1/p' "$tmp/svg" | head -n 1)
	page "$(echo "$link" | sed 's/&amp;/\&/g')"
	[ "$status" = 200 ] && has 'nearest'
	result $? "a box links to the callers and callees of its function"

	page 'graph?f=deflate'
	link=$(sed -n 's/.*<a href="\(peek[^"]*findMatch[^"]*\)".*/\1/p' "$tmp/page" | head -n 1)
	echo "$link" | grep -q 'arg=%5Ecompress' && echo "$link" | grep -q 'f=deflate'
	result $? "a link of a filtered page keeps the filter"

	page 'graph?n=5&taghide=.'
	[ "$status" = 200 ] && [ "$(grep -c '<a href="peek?' "$tmp/page")" -le 5 ]
	result $? "n limits the number of nodes"
	page 'graph?n=0'
	[ "$status" = 200 ] && [ "$(grep -c '<a href="peek?' "$tmp/page")" -gt 100 ]
	result $? "n=0 shows all nodes of a small profile"
	page 'graph?f=nothing_matches_this'
	[ "$status" = 200 ]
	result $? "a filter that matches nothing is no error"
	page 'graph.svg?f=deflate'
	[ "$status" = 200 ] && grep -qi '^content-type: image/svg' "$tmp/head" && has '<?xml' && has 'of 5.77s total' && has_not '<a '
	result $? "graph.svg is a file without links"
	page 'graph.png?f=deflate'
	[ "$status" = 200 ] && head -c 4 "$tmp/page" | grep -q PNG
	result $? "graph.png is a picture"
	page 'graph.pdf?f=deflate'
	[ "$status" = 200 ] && head -c 5 "$tmp/page" | grep -q '^%PDF-'
	result $? "graph.pdf is a document"
	page graph.xdot
	[ "$status" = 400 ] && has 'unknown format xdot'
	result $? "other formats are refused"
	page_stop
fi

# Only these programs: Graphviz is missing.
mkdir "$tmp/only"
PATH=$tmp/only "$CPA" -http=127.0.0.1:0 -no_browser -symbolize=none go-cpu.pb.gz >"$tmp/server" 2>&1 &
page_pid=$!
url=
while [ -z "$url" ] && kill -0 "$page_pid"; do
	sleep 0.05
	url=$(sed -n 's/^Serving web UI on \(http:[^ ]*[^/ ]\).*/\1/p' "$tmp/server")
done
page graph
[ "$status" = 501 ] && has 'Could not execute dot; may need to install graphviz.' && has '<table' && has 'parcel.(*Parcel).Price'
result $? "without Graphviz: status 501 and the callers and callees of the function with the largest flat value"
page graph '*/*'
[ "$status" = 501 ] && [ "$(cat "$tmp/page")" = 'Could not execute dot; may need to install graphviz.' ]
result $? "without Graphviz: pprof's message for programs"
page_stop

# A program that takes the place of Graphviz and sends something else.
mkdir "$tmp/bin"
printf '#!/bin/sh\ncat >"%s/in"\necho "graph 1 1 1"\necho "<script>alert(1)</script>"\n' "$tmp" >"$tmp/bin/dot"
chmod +x "$tmp/bin/dot"
before=$PATH PATH=$tmp/bin:$PATH
export PATH
page_start -symbolize=none go-cpu.pb.gz
PATH=$before
page graph
[ "$status" = 400 ] && has_not '<script>alert' && grep -q 'output of dot: line 2: an unknown line' "$tmp/page"
result $? "other output of dot is an error"
! grep -q 'Planner\|runtime\|tenant' "$tmp/in" && grep -q '^n1 -> n[0-9]* \[' "$tmp/in"
result $? "dot receives no text of the profile"

page_stop

# A program that never ends, with a child: it gets 10 seconds, and ends when the client is gone.
printf '#!/bin/sh\necho $$ >"%s/pid"\n/bin/sleep 1000 &\necho $! >>"%s/pid"\nwait\n' "$tmp" "$tmp" >"$tmp/bin/dot"
PATH=$tmp/bin:$PATH
page_start -symbolize=none go-cpu.pb.gz
PATH=$before
# is_running: is a process of $tmp/pid still there?
is_running() {
	while read -r pid; do
		kill -0 "$pid" 2>/dev/null && return 0
	done <"$tmp/pid"
	return 1
}
# wait_for_end: waits up to a minute until they have ended
wait_for_end() {
	tries=0
	while is_running && [ "$tries" -lt 600 ]; do
		sleep 0.1
		tries=$((tries + 1))
	done
	! is_running
}
curl -s -m 2 -o "$tmp/page" "$url/ui/graph?n=7"
[ -s "$tmp/pid" ] && wait_for_end
result $? "a client that disconnects ends Graphviz and its children"
: >"$tmp/pid"
page graph
[ "$status" = 400 ] && has 'Graphviz could not place' && has 'in 10 seconds and 256 MiB' && wait_for_end
result $? "Graphviz is ended after 10 seconds"

done_testing
