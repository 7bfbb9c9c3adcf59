#!/bin/sh
# t725-action.t - the workflow in docs/gate.md and the action gate run as in GitHub; go and apt-get are replaced
# SPDX-License-Identifier: Apache-2.0
# shellcheck disable=SC2016 # scripts in quotes
. "${top_srcdir:?}/tests/cli/lib.sh"
workflow=$top_srcdir/examples/gate/workflow.yml
awk '/^```yaml$/ && !done { on = 1; next } /^```$/ && on { on = 0; done = 1 } on' "$top_srcdir/docs/gate.md" |
	diff "$workflow" - >"$tmp/diff"
same=$?
[ $same = 0 ] || note "$tmp/diff"
result $same 'docs/gate.md shows examples/gate/workflow.yml'

if ! "${PYTHON3:-python3}" -c 'import yaml' 2>/dev/null || ! command -v git >/dev/null; then
	echo "ok $((count + 1)) - the workflow # SKIP git or yaml not found: apt-get install git python3-yaml"
	count=$((count + 1))
	done_testing
	exit
fi

# A repository with a base revision and a change. The benchmark copies profiles of a revision that testdata has.
mkdir "$tmp/bin" "$tmp/repository" && cd "$tmp/repository" || exit 1
cat >"$tmp/bin/go" <<'END'
#!/bin/sh
# go build -o PROGRAM ./cmd/bench
printf '#!/bin/sh\nfile=${1#-cpuprofile=} && n=${file%%.pb.gz} && cp "%s/gate/%s-${n##*-}.pb.gz" "$file"\n' "$TESTDATA" "$(cat cmd/bench/side)" >"$3"
chmod +x "$3"
END
chmod +x "$tmp/bin/go"
ln -s "$CPA" "$tmp/bin/cpa"
{
	git init -q -b main . && mkdir -p cmd/bench && echo base >cmd/bench/side && : >gate.cpa
	git add -A && git -c user.name=t -c user.email=t@t commit -qm base && git update-ref refs/remotes/origin/main HEAD
} >"$tmp/log" 2>&1
runner() { # SIDE ACTION_FOLDER [INPUT=VALUE]...: the output is in $tmp/out, the exit status in $status
	echo "$1" >cmd/bench/side
	action=$2
	shift 2
	rm -rf "$tmp/runner" ../base && mkdir "$tmp/runner" && git worktree prune
	TESTDATA=$TESTDATA "${PYTHON3:-python3}" "$top_srcdir/tests/cli/workflow.py" "$workflow" "$action" "$tmp/runner" "$@" >"$tmp/out" 2>&1
	status=$?
}
python=$(command -v "${PYTHON3:-python3}")
PATH=$tmp/bin:$PATH
runner slow "$top_srcdir/gate"
[ "$status" = 1 ] && grep -q '^output status=1$' "$tmp/out" && grep -q '^::error .*mill/score' "$tmp/out" &&
	grep -q 'FAIL' "$tmp/runner/summary" && [ -s gate.sarif ] && [ -s gate.json ] && [ -s gate.svg ] &&
	grep -q '^step actions/upload-artifact@v4: another action$' "$tmp/out"
failed=$?
[ $failed = 0 ] || note "$tmp/out"
result $failed 'a slower revision fails the job, with an annotation, a summary and files'
runner same "$top_srcdir/gate"
[ "$status" = 0 ] && grep -q '^output status=0$' "$tmp/out"
failed=$?
[ $failed = 0 ] || note "$tmp/out"
result $failed 'an unchanged revision passes'

# Without cpa the action builds it, or installs packages: with programs of this test in place of both.
# script/check-package sets PACKAGES, a folder with real packages.
mkdir -p "$tmp/source/script" "$tmp/source/gate" "$tmp/root/usr/bin"
cp "$top_srcdir/gate/action.yml" "$tmp/source/gate"
rm "$tmp/bin/cpa"
printf '#!/bin/sh\n[ "$1" = build ]\n' >"$tmp/source/script/setup"
printf '#!/bin/sh\nmkdir -p "$1/src" && ln -s "%s" "$1/src/cpa" && echo built\n' "$CPA" >"$tmp/source/script/build"
printf '#!/bin/sh\n"$@"\n' >"$tmp/bin/sudo"
cat >"$tmp/bin/apt-get" <<END
#!/bin/sh
[ "\$1" = install ] || exit 0
for file; do case \$file in */*.deb) dpkg-deb -x "\$file" "$tmp/root" && dpkg-deb -f "\$file" Package ;; esac; done
END
chmod +x "$tmp/source/script/"* "$tmp/bin/"*
PATH=$tmp/bin:$tmp/root/usr/bin:/usr/bin:/bin PYTHON3=$python
runner slow "$tmp/source/gate"
[ "$status" = 1 ] && grep -q '^built$' "$tmp/out"
failed=$?
[ $failed = 0 ] || note "$tmp/out"
result $failed 'without cpa the action builds it'
package() { # NAME PROGRAM: make a package of one program
	mkdir -p "$tmp/package/DEBIAN" "$tmp/package/usr/bin"
	printf 'Package: %s\nVersion: 0\nArchitecture: all\nMaintainer: t <t@t>\nDescription: test\n' "$1" >"$tmp/package/DEBIAN/control"
	ln -s "$CPA" "$tmp/package/usr/bin/$2"
	dpkg-deb -b "$tmp/package" "$tmp/$1_0_all.deb" >>"$tmp/log" 2>&1 && rm -r "$tmp/package"
}
if command -v curl >/dev/null && { [ "${PACKAGES:-}" ] || { package cpa cpa && package libcpaprof1 other; }; }; then
	urls=$(for file in "${PACKAGES:-$tmp}"/libcpaprof1_*.deb "${PACKAGES:-$tmp}"/cpa_*.deb; do printf ' file://%s' "$file"; done)
	runner slow "$tmp/source/gate" "packages=$urls"
	[ "$status" = 1 ] && [ "$(grep -cx 'cpa\|libcpaprof1' "$tmp/out")" = 2 ] && ! grep -q '^built$' "$tmp/out"
	failed=$?
	[ $failed = 0 ] || note "$tmp/out"
	result $failed 'the action installs the packages of a release'
fi
done_testing
