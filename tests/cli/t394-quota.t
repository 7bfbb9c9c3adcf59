#!/bin/sh
# t394-quota.t - a small quota: the store accepts until it is full, says what uses it, and data can be removed then
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export CPA_STORE="$tmp/store"
cd "$tmp" || exit 1

# Profiles of 1.5 MB that do not compress: the names of their functions are random.
PYTHONPATH="$top_srcdir/tests/cli" "${PYTHON3:-python3}" - <<'END'
import gzip, os
from wire import message, number
for k in range(44):
    names = [b"", b"cpu", b"nanoseconds"] + [os.urandom(150).hex().encode() for _ in range(10000)]
    parts = [message(1, number(1, 1) + number(2, 2))]
    for i in range(1, 10001):
        parts.append(message(2, number(1, i) + number(2, 10000000)) + message(4, number(1, i) + message(4, number(1, i))) +
                     message(5, number(1, i) + number(2, i + 2)))
    parts += [message(6, name) for name in names]
    with open("%02d.pb.gz" % k, "wb") as f:
        f.write(gzip.compress(b"".join(parts), 1))
END

size() { # FOLDER
	du -s --block-size=1 "store/$1" | cut -f 1
}
largest=0
imported() { # FILE...: imports; the message is in err
	"$CPA" store import "$@" >out 2>err
	status=$?
	[ "$(size .)" -le "$largest" ] || largest=$(size .)
	return "$status"
}

imported --cap=64MiB --service=a 0[0-9].pb.gz
is_equal "$? $(cat out)" '0 imported 10 profiles' 'profiles of 15 MB are imported at once' || note err
is_equal "$(($(size journal) < 9000000))" 1 "the journal keeps its share ($(size journal) bytes)"
"$CPA" store pin one a@all >out 2>err
is_equal "$?" 0 'they are pinned' || note err
n=0
for i in $(seq 10 43); do
	imported --service="b$((i % 2))" "$i.pb.gz" || break
	n=$((n + 1))
done
is_equal "$((status == 2 && $(size .) > 58000000))" 1 "profiles are accepted until the quota is used ($n, $(size .) bytes)"
is_equal "$(grep -c 'no room of .* of the quota of 64MB, segments of the last hour use .*, pins .*; raise the quota, remove the pin one of .* with cpa store unpin' err)" 1 \
	'the message says what uses the quota, and what can be removed'
is_equal "$(grep -c 'imported' err)" 0 'it is refused before anything is written' || note err
is_equal "$("$CPA" store ls | awk 'NR > 1 { n += $4 } END { print n }')" "$((n + 10))" 'what was acknowledged is there'
"$CPA" store verify >out 2>err
is_equal "$?" 0 'a full store is sound'
"$CPA" store rm b0@all >out 2>err
is_equal "$? $(cat err)" '0 ' 'data can be removed from a full store'
imported --service=c 40.pb.gz
is_equal "$?" 0 'then there is room again' || note err
while imported --service=d 4[0-3].pb.gz; do
	touch 4*.pb.gz
done
"$CPA" store unpin one >out 2>err
is_equal "$?" 0 'a pin can be removed'
touch 4*.pb.gz
imported --service=e 4[0-3].pb.gz
is_equal "$?" 0 'then there is room again' || note err
is_equal "$((largest <= 64 << 20))" 1 "the quota is never exceeded ($largest bytes)"
done_testing
