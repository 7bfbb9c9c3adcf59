#!/bin/sh
# t388-store-damage.t - a journal that is damaged or cut: what can be read is answered, the rest is named
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/collect.sh"
cd "$tmp" || exit 1
trap 'kill -9 "$collector_pid" 2>/dev/null; wait; rm -rf "$tmp"' EXIT
export PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$top_srcdir/tests/cli"

# Each push is a batch of its own: profile N of a service has the value N.
collector --listen=127.0.0.1:0
"${PYTHON3:-python3}" - <<'PY' >pushed
import http.client, os, sys, time
from collect_client import Unix
from store_kills import profile
lock = dict(line.rstrip("\n").split(" ", 1) for line in open(os.environ["CPA_STORE"] + "/lock"))
now = int(time.time()) - 600
for number, service in ((1, "early"), (2, "shop"), (4, "late"), (8, "early")):
    client = Unix(lock["socket"])
    client.request("POST", "/v1/profiles?service=" + service, profile((now + number) * 10**9, number))
    print(client.getresponse().status)
PY
is_equal "$(tr '\n' ' ' <pushed)" '204 204 204 204 ' 'profiles are pushed'
collector_end KILL
cp -a "$CPA_STORE" sound

total() { # SELECTOR: the total of the samples and the exit status
	"$CPA" top -sample_index=samples "store:$1@all" >out 2>err
	status=$?
	echo "$(sed -n 's/.* \([0-9]*\) total$/\1/p' out) $status"
}

damage() { # HOW: changes a byte of the second batch, or cuts the file after it
	rm -rf "$CPA_STORE"
	cp -a sound "$CPA_STORE"
	"${PYTHON3:-python3}" - "$CPA_STORE"/journal/*.cpj "$1" <<'PY'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at = 64
first = at + 32 + -(-struct.unpack_from("<I", data, at + 16)[0] // 8) * 8
second = first + 32 + -(-struct.unpack_from("<I", data, first + 16)[0] // 8) * 8
if sys.argv[2] == "byte":
    data[first + 40] ^= 1
else:
    del data[second:]
open(sys.argv[1], "wb").write(data)
PY
}

is_equal "$(total early) $(total shop) $(total late)" '9 0 2 0 4 0' 'a sound store answers'
damage byte
is_equal "$(total early)" '9 2' 'a service that the damage does not concern is answered, and the status says that something is missing'
is_equal "$(grep -c 'batch 2 at byte .* is damaged.*missing' err)" 1 'the message names the batch'
is_equal "$(total late)" '4 2' 'a service that begins after the damage is answered'
is_equal "$("$CPA" top -sample_index=samples 'store:early@all+partial' >out 2>err; echo $?)" 0 'partial accepts the damage'
is_equal "$(grep -c 'damaged' out) $(grep -c 'damaged' err)" '2 1' 'and the report and a message name it'
"$CPA" series 'store:early@all+step=1h' >out 2>err
is_equal "$? $(grep -c 'is damaged' err)" '2 1' 'series names the damage'
"$CPA" store ls >out 2>err
is_equal "$? $(grep -c early out) $(grep -c 'is damaged' err)" '2 1 1' 'ls lists the rest and names the damage'
"$CPA" gate --base='store:early@all' 'store:late@all' >out 2>err
is_equal $? 2 'the gate gives no verdict'
"$CPA" store verify >out 2>err
is_equal "$? $(grep -c 'cpj.*cpj' out)" '1 0' 'verify names the file once'
"$CPA" store import --service=next "$TESTDATA/go-cpu.pb.gz" >out 2>err
is_equal "$? $(grep -c 'is damaged' err)" '0 1' 'the next writer keeps what can be read, and says so'
is_equal "$(total early) $(total late)" '9 0 4 0' 'it is there'
is_equal "$("$CPA" store verify) $(ls "$CPA_STORE/bad")" 'no damage found 00000001.cpj
00000001.cpj.txt' 'the damaged file is in bad'

damage cut
is_equal "$(total early)" '1 2' 'a journal that was cut is answered as far as it goes'
is_equal "$(grep -c 'is cut off after' err)" 1 'and named'
"$CPA" store verify >out
is_equal "$? $(grep -c 'is cut off after' out)" '1 1' 'verify names it'

# STORE and tmp/
rm -rf "$CPA_STORE"
cp -a sound "$CPA_STORE"
echo garbage >"$CPA_STORE/STORE"
mkdir -p "$CPA_STORE/tmp/rebuild"
echo x >"$CPA_STORE/tmp/rebuild/index.db"
fails 'STORE: is damaged; make it again with: cpa store repair' top store:early@all
"$CPA" store repair >out
is_equal "$? $(grep -c -e 'STORE: .*moved to bad' -e '^STORE was made again' out)" '0 2' 'repair makes STORE again'
is_equal "$("$CPA" store verify) $(total early)" 'no damage found 9 0' 'and the store works'
rm "$CPA_STORE/STORE"
"$CPA" store import --service=next "$TESTDATA/go-cpu.pb.gz" >out 2>err
is_equal "$? $(grep -c 'STORE is missing.*cpa store repair' err)" '2 1' 'a store without STORE is not created again'
"$CPA" store repair >out
is_equal "$? $(total early)" '0 9 0' 'repair makes a missing STORE'
mkdir other
fails 'other: is not a store' store repair --store=other
done_testing
