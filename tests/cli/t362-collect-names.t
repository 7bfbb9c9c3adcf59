#!/bin/sh
# t362-collect-names.t - targets from the DNS: addresses of a name, SRV records, names that fail
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
export PYTHONDONTWRITEBYTECODE=1
cd "$tmp" || exit 1
if ! unshare -rmn sh -c 'ip link set lo up' 2>/dev/null; then
	echo '1..0 # SKIP cannot create a network namespace'
	exit 0
fi

echo 'nameserver 127.0.0.1
options timeout:10' >resolv.conf
echo 'hosts: dns' >nsswitch.conf
cat >inside <<'END'
ip link set lo up
mount --bind resolv.conf /etc/resolv.conf && mount --bind nsswitch.conf /etc/nsswitch.conf || exit 77
"${PYTHON3:-python3}" "$top_srcdir/tests/cli/dns_server.py" ready 2>server &
trap "kill $!" EXIT
until [ -e ready ]; do sleep 0.1; done
"$CPA" collect --check collect.cpa >out 2>err
END
cat >collect.cpa <<'END'
kinds heap
job shop
  targets dns=two.test:6060 zone=a
  targets dns=six.test:6060
  targets dns=https://two.test:7000
  targets srv=_pprof._tcp.shop.test
  targets dns=none.test:1
  targets srv=_none._tcp.shop.test
  targets dns=down.test:6060
  targets srv=down.test
END
case $top_srcdir in /*) ;; *) top_srcdir=$OLDPWD/$top_srcdir ;; esac
export top_srcdir CPA
unshare -rmn sh ./inside
is_equal $? 2 'a name server that fails is an error'
sed 's/ first [0-9:]*//; s/  */ /g' out >plan
cat >want <<'END'
shop: heap every 10m
 http://10.0.0.1:6060/debug/pprof instance=10.0.0.1:6060 zone=a
 http://10.0.0.2:6060/debug/pprof instance=10.0.0.2:6060 zone=a
 http://[fd00::1]:6060/debug/pprof instance=[fd00::1]:6060
 http://h1.shop.test:6060/debug/pprof instance=h1.shop.test:6060
 http://h2.shop.test:6061/debug/pprof instance=h2.shop.test:6061
 https://10.0.0.1:7000/debug/pprof instance=10.0.0.1:7000
 https://10.0.0.2:7000/debug/pprof instance=10.0.0.2:7000
END
grep -v '^[0-9]* targets' plan >targets
same 'every address and every SRV record is a target' want targets
cat >want <<'END'
cpa: dns=down.test:6060: Temporary failure in name resolution
cpa: srv=down.test: Host name lookup failure
END
same 'names that do not exist have no targets, and failures are reported' want err
done_testing
