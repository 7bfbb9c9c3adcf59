#!/bin/sh
# t363-collect-kubernetes.t - pods as targets: lists, changes, and an API server that fails
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"
. "${top_srcdir:?}/tests/cli/collect.sh"
export PYTHONDONTWRITEBYTECODE=1
case $top_srcdir in /*) ;; *) top_srcdir=$OLDPWD/$top_srcdir ;; esac
case $TESTDATA in /*) ;; *) TESTDATA=$PWD/$TESTDATA ;; esac
export TESTDATA
cd "$tmp" || exit 1
"${PYTHON3:-python3}" -c 'import ctypes; ctypes.CDLL("libcurl.so.4")' 2>/dev/null || { echo '1..0 # SKIP no libcurl' && exit 0; }
trap 'kill $server_pids $collector_pid 2>/dev/null; wait; rm -rf "$tmp"' EXIT
server_pids=
mkfifo end

# serve FOLDER [CERT KEY]: starts an API server; its port is in $port
serve() {
	mkdir -p "$1"
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/kube_server.py" "$@" <end 8>&- 2>"$1/err" &
	server_pids="$server_pids $!"
	exec 8>end # the servers end with this shell
	for _ in $(seq 600); do
		[ -e "$1/port" ] && break
		sleep 0.1
	done
	port=$(cat "$1/port") || { note "$1/err" && exit 1; }
}
api() { # COMMAND...: changes the API server at $port
	"${PYTHON3:-python3}" "$top_srcdir/tests/cli/kube_server.py" "$port" "$@"
}
plan() { # [FILE]: the plan without times, as $tmp/plan; errors as $tmp/err
	"$CPA" collect --check "${1:-collect.cpa}" >out 2>err
	status=$?
	sed '/^ /!d; s/ first [0-9:]*//; s/  */ /g' out >plan
}
targets() { # the targets of the collector: SERVICE/INSTANCE, sorted, on a line
	"$CPA" collect --status | awk '/^service/ { on = 1; next } on { print $1 "/" $2 }' | sort | xargs
}
has_targets() { # LIST
	[ "$(targets)" = "$1" ]
}
lists() { grep -c '^list' plain/log; }
has_lists() { # N: more than N
	[ "$(lists)" -gt "$1" ]
}
scrape='annotations={"cpa.dev/scrape": "true"}'

# ---- the plan, over TLS with a token that is replaced ----
if command -v openssl >/dev/null; then
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -subj /CN=api \
		-addext subjectAltName=IP:127.0.0.1 -days 2 2>/dev/null
	serve tls cert.pem key.pem
	export KUBE_TLS=1
	api 'server.token = "one"' \
		'server.set(pod("a", ip="10.0.0.1", labels={"app": "shop"}, annotations={"cpa.dev/scrape": "true"}))' \
		'server.set(pod("b", namespace="dev", ip="10.0.0.2", annotations={"cpa.dev/scrape": "true"}))'
	echo one >token
	printf 'kinds heap\njob x\ntargets kubernetes ca=%s token-file=%s server=https://127.0.0.1:%s/\n' "$tmp/cert.pem" "$tmp/token" "$port" >tls.cpa
	plan tls.cpa
	cat >want <<'END'
 http://10.0.0.2:6060/debug/pprof service=b container=app instance=10.0.0.2:6060 namespace=dev node=node-1 pod=b
 http://10.0.0.1:6060/debug/pprof service=shop container=app instance=10.0.0.1:6060 namespace=prod node=node-1 pod=a
END
	same 'pods of all namespaces, with a token over TLS' want plan
	echo two >token
	plan tls.cpa
	is_equal "$status $(sed 's/kubernetes.*: the/kubernetes: the/' err)" "2 cpa: targets kubernetes: the server answers 401: Unauthorized" 'a wrong token'
	api 'server.token = "two"'
	plan tls.cpa
	same 'a token that was replaced is read again' want plan
	sed 's/ca=[^ ]*//' tls.cpa >untrusted.cpa
	plan untrusted.cpa
	grep -q 'certificate.*; add ca=FILE$' err
	result $? 'a certificate that is not trusted' || note err
	unset KUBE_TLS
	if unshare -rm true 2>/dev/null; then
		cat >pod <<'END'
mount -t tmpfs tmpfs /run && mkdir -p /run/secrets/kubernetes.io/serviceaccount && cp token cert.pem /run/secrets/kubernetes.io/serviceaccount &&
	mv /run/secrets/kubernetes.io/serviceaccount/cert.pem /run/secrets/kubernetes.io/serviceaccount/ca.crt
"$CPA" collect --check account.cpa
END
		printf 'kinds heap\njob x\ntargets kubernetes namespace=prod\n' >account.cpa
		KUBERNETES_SERVICE_HOST=127.0.0.1 KUBERNETES_SERVICE_PORT=$port unshare -rm sh ./pod >out 2>err
		is_equal "$(grep -o 'pod=.*' out)" 'pod=a' 'in a cluster, the server, token and authority are those of the service account' || note err
	fi
fi

# ---- the plan: pages, selectors, one that is forbidden, none ----
serve plain
url=http://127.0.0.1:$port
api 'server.page = 3' 'server.set(*(pod(f"p{i}", ip=f"10.0.1.{i}", annotations={"cpa.dev/scrape": "true"}) for i in range(10)))' \
	'server.set(pod("q", ip="10.0.2.1", phase="Pending", annotations={"cpa.dev/scrape": "true"}))' \
	'server.set(pod("r", ip="10.0.2.2", labels={"tier": "web"}, annotations={"cpa.dev/scrape": "true"}))'
printf 'kinds heap\njob x\ntargets kubernetes namespace=prod server=%s\n' "$url" >collect.cpa
plan
is_equal "$status $(grep -c 'pod=' plan) $(grep -c '^list.*limit=200' plain/log)" '0 11 4' 'a list in pages'
sed '/^targets/s/$/ selector=tier=web/' collect.cpa >selector.cpa
plan selector.cpa
is_equal "$(grep -o 'pod=.*' plan)" 'pod=r' 'a selector of labels'
sed 's/prod/secret/' collect.cpa >forbidden.cpa
plan forbidden.cpa
is_equal "$status $(cat err)" "2 cpa: targets kubernetes namespace=secret server=$url: the server answers 403: pods is forbidden: User \"system:serviceaccount:profiling:default\" cannot list resource \"pods\"" 'a namespace that is forbidden'
api 'server.fail("half")'
plan
grep -q 'closed the connection early' err
result $? 'half a response is an error' || note err
api 'server.fail(0, 410)' # after the first page
plan
is_equal "$status $(grep -c 'pod=' plan)" '0 11' 'a list whose pages have expired begins again'
api 'server.fail(410, 410, 410, 410)'
plan
is_equal "$status $(sed 's/.*: the server/the server/' err)" '2 the server answers 410: as the test says' 'but not without end'
printf 'job x\ntargets kubernetes\n' >outside.cpa
(unset KUBERNETES_SERVICE_HOST && plan outside.cpa)
grep -q 'this is not in a cluster: KUBERNETES_SERVICE_HOST is not set; add server=URL' err
result $? 'outside of a cluster' || note err
echo two >token
printf 'job x\ntargets kubernetes token-file=%s ca=%s\n' "$tmp/token" "$tmp/token" >inside.cpa
KUBERNETES_SERVICE_HOST=::1 KUBERNETES_SERVICE_PORT=1 "$CPA" collect --check inside.cpa 2>err >out
grep -q 'https://\[::1\]:1: ' err
result $? 'the server of the cluster is that of the environment' || note err

# ---- changes ----
api 'server.page = 1000' 'server.delete("r", *(f"p{i}" for i in range(10)))' \
	"server.set(pod('a', annotations={'cpa.dev/scrape': 'true', 'cpa.dev/port': '$port', 'cpa.dev/kinds': 'heap'}, labels={'app': 'shop'}))" \
	"server.set(pod('b', ip='10.0.0.2', ready=False, $scrape))"
cat >collect.cpa <<END
every 1s
timeout 1s
kinds heap goroutine
job x
targets kubernetes namespace=prod ready=yes server=$url
END
collector collect.cpa
waits 'a pod that is ready is a target' has_targets "shop/127.0.0.1:$port"
stored() { "$CPA" store ls shop | grep -q heap; }
waits 'it is scraped' stored
"$CPA" store ls --labels shop | sed '1d; s/.* //; s/,version=.*//' >got
echo "container=app,instance=127.0.0.1:$port,namespace=prod,node=node-1,pod=a" >want
same 'the labels of the pod are those of the series' want got
is_equal "$("$CPA" store ls shop | awk 'NR > 1 { print $1, $2 }')" 'shop heap' 'only the kinds of the annotation are scraped'
api "server.set(pod('b', ip='10.0.0.2', $scrape), pod('c', ip='10.0.0.3', $scrape, owner=('StatefulSet', 'pay')))"
waits 'pods that become ready, and new ones' has_targets "b/10.0.0.2:6060 pay/10.0.0.3:6060 shop/127.0.0.1:$port"
api "server.set(pod('c', ip='10.0.0.4', $scrape), pod('b', ip='10.0.0.2', phase='Succeeded', $scrape))" 'server.delete("a")'
waits 'pods with another address, that end, and that are deleted' has_targets 'c/10.0.0.4:6060'
api "server.set(pod('d', ip='10.0.0.5', annotations={'cpa.dev/scrape': 'true', 'cpa.dev/port': 'x'}))"
waits 'an annotation that cannot be used is in the log' grep -q 'note="pod prod/d: cpa.dev/port x: is neither' log.collect

# ---- failures ----
api 'server.close()' "server.set(pod('e', ip='10.0.0.6', $scrape))"
waits 'a watch that is closed is opened again' has_targets 'c/10.0.0.4:6060 e/10.0.0.6:6060'
lists=$(lists)
api 'server.forget()'
waits 'pods are listed again when the server has forgotten a version' has_lists "$lists"
api "server.set(pod('f', ip='10.0.0.7', $scrape))"
waits 'and watched' has_targets 'c/10.0.0.4:6060 e/10.0.0.6:6060 f/10.0.0.7:6060'
api 'server.send(json.dumps({"type": "ERROR", "object": {"kind": "Status", "code": 410}}))' 'server.delete("f")'
waits 'an event that says so' has_targets 'c/10.0.0.4:6060 e/10.0.0.6:6060'
api 'server.send("{broken")' 'server.delete("e")'
waits 'an event that cannot be read' has_targets 'c/10.0.0.4:6060'
api 'server.fail(500, 503, 429, retry=1)' 'server.close()'
waits 'failures are in the log' \
	grep -q "note=\"targets kubernetes namespace=prod ready=yes server=$url: the server answers [45]..: as the test says\"" log.collect
api "server.set(pod('g', ip='10.0.0.8', $scrape))"
waits 'after three failures' has_targets 'c/10.0.0.4:6060 g/10.0.0.8:6060'
lists=$(lists)
kill -HUP "$collector_pid"
waits 'SIGHUP' grep -q 'reload=done' log.collect
sed -i 's/^every 1s/every 2s/' collect.cpa
kill -HUP "$collector_pid"
api "server.set(pod('h', ip='10.0.0.9', $scrape))"
waits 'after a reload' has_targets 'c/10.0.0.4:6060 g/10.0.0.8:6060 h/10.0.0.9:6060'
is_equal "$(lists)" "$lists" 'a reload with the same line continues the watch' || note plain/log
# shellcheck disable=SC2086
kill $server_pids
waits 'a server that is gone is in the log' grep -q "note=\"targets kubernetes .*: $url: connect: Connection refused\"" log.collect
is_equal "$(targets)" 'c/10.0.0.4:6060 g/10.0.0.8:6060 h/10.0.0.9:6060' 'and the targets remain'
collector_end TERM
is_equal "$status" 0 'the collector ends'
done_testing
