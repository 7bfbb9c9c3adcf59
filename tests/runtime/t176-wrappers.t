#!/bin/sh
# t176-wrappers.t - programs started as another user, in namespaces, in containers or in another root directory
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
built=$here/${top_builddir:-.}
case ${top_builddir:-.} in /*) built=$top_builddir ;; esac
library=$built/src/libcpaprof/libcpaprof.so
compile burn
chmod 755 "$tmp"
nobody='setpriv --reuid=nobody --regid=nogroup --clear-groups'

skip() { # WHY NAME
	count=$((count + 1))
	echo "ok $count - $2 # SKIP $1"
}

follow() { # COMMAND...: profile it and the programs that it starts; its output is in out, messages in err
	rm -f p*.pb.gz
	"$CPA" run --follow --hz=1000 --cpu=p.pb.gz -- "$@" >out 2>err </dev/null
	status=$?
}

sum() { # CPU time of all profiles, in nanoseconds
	all=0
	for file in p*.pb.gz; do
		part=$(total "$file")
		all=$((all + ${part:-0}))
	done
	echo $all
}

is_complete() { # NAME WANTED-STATUS: the profiles contain the CPU time that the programs printed, and nothing is reported
	is "$status $(grep -v '^cpa: wrote \|^cpa: sampled ' err)" "$2 " "$1: status and standard error are those of the program"
	within "$(sum)" "$(awk '{ n += $1 } END { print n + 0 }' out)" 10 "$1: the profiles contain its CPU time"
}

works() { # WRAPPER...: does it work on this machine? If not, $why is the reason
	why=
	command -v "$1" >where || why="$1 not found"
	[ -n "$why" ] || [ ! -u "$(command -v "$1")" ] || [ "$(id -u)" = 0 ] || why="cpa refuses set-user-ID programs: $1"
	[ -n "$why" ] || "$@" true >trial 2>&1 </dev/null || why="$* fails: $(tr '\n' ' ' <trial)"
	[ -z "$why" ]
}

wrapper() { # NAME WRAPPER...
	name=$1
	shift
	if ! works "$@"; then
		skip "$why" "$name"
	elif ! "$@" test -r "$library"; then
		skip "it cannot read $library" "$name"
	else
		follow "$@" sh -c "$tmp/burn 0.2 0.1; $tmp/burn 0.1; exit 7"
		is_complete "$name" 7
	fi
}

# shellcheck disable=SC2086 # words
wrapper 'another user (setpriv)' $nobody
wrapper 'another user (runuser)' runuser -u nobody --
wrapper 'another user (gosu, a static program)' gosu nobody
wrapper 'without capabilities' setpriv --bounding-set=-all --no-new-privs
wrapper 'a user namespace' unshare -U
wrapper 'user and pid namespaces with their own /proc' unshare -Urpf --mount-proc
wrapper 'a pid namespace with its own /proc' unshare -pf --mount-proc
wrapper 'a pid namespace with the /proc of cpa' unshare -pf
wrapper 'pid namespaces in a pid namespace' unshare -pf --mount-proc unshare -pf --mount-proc
wrapper 'a container of bwrap' bwrap --ro-bind / / --unshare-all
wrapper 'a container of bwrap with its own /proc and /dev' bwrap --ro-bind / / --proc /proc --dev /dev --unshare-all
wrapper 'a container of firejail that keeps descriptors' firejail --noprofile --quiet --keep-fd=all

if works unshare -pf; then
	rm -f d-*
	"$CPA" run --quiet --follow --threads=d-%p.pb.gz --every=200ms -- unshare -pf sh -c "$tmp/burn 3 - & sleep 1; kill \$!" >out 2>err
	is "$(for file in d-*.pb.gz; do "$CPA" top "$file" 2>/dev/null; done | grep -c '%  *spin$' | sed 's/[1-9].*/some/')" some \
		'stacks of running threads in a pid namespace are recorded'
fi

# shellcheck disable=SC2086 # words
if works $nobody; then
	run 1000 $nobody "$tmp/burn" 0.2
	if $nobody test -r "$library"; then
		is_complete 'another user, without --follow' 0
		# shellcheck disable=SC2016 # for that shell
		"$CPA" run --quiet --cpu=p.pb.gz -- $nobody sh -c 'ls -l /proc/self/fd; true' >out 2>&1
		is "$(grep -c memfd out)" 0 'a program that is not followed inherits no descriptor'
	fi
	mkdir private private/libcpaprof
	cp "$CPA" private/cpa
	cp "$library" private/libcpaprof/
	chmod 700 private
	saved=$CPA CPA=$tmp/private/cpa
	follow $nobody sh -c 'exit 7'
	is "$status $(grep -v '^cpa: wrote \|^cpa: sampled ' err | sed "s|$tmp/||")" "7 cpa: programs without a profile: 1, because private/libcpaprof/libcpaprof.so cannot be read as another user or in another root directory or namespace; make it readable there under the same path, or use cpa record -p PID" \
		'a user that cannot read the library: the program runs unprofiled, cpa says why'
	if command -v gosu >/dev/null; then
		follow gosu nobody true
		is "$status $(grep -c 'because other users cannot read' err)" '2 1' 'a static program is refused if its children could not read the library'
	else
		skip 'gosu not found' 'a static program is refused if its children could not read the library'
	fi
	CPA=$saved
else
	skip "$why" 'a user that cannot read the library'
fi

if ! works firejail --noprofile --quiet || firejail --noprofile true 2>&1 | grep -q 'existing sandbox'; then
	skip "${why:-firejail does nothing in a container}" 'a container of firejail without descriptors'
else
	follow firejail --noprofile --quiet sh -c 'exit 7'
	is "$status $(grep -c 'programs without a profile: 1, .* after all files were closed; run cpa itself there' err)" '7 1' \
		'a container of firejail without descriptors: the program runs unprofiled, cpa says why'
fi

mkdir -p "jail$tmp" "jail${library%/*}"
cp burn "jail$tmp/"
for file in $(ldd burn "$library" /bin/sh | grep -o '/[^ :]* (' | cut -d ' ' -f 1 | sort -u) /bin/sh; do
	mkdir -p "jail${file%/*}"
	cp "$file" "jail$file"
done
if works chroot jail /bin/sh -c : ; then
	follow chroot jail /bin/sh -c "$tmp/burn 0.1; exit 7"
	is "$status $(grep -c ld.so err) $(grep -c "programs without a profile: 1, because $library cannot be read " err)" '7 0 1' \
		'a root directory without the library: the program runs unprofiled, cpa says why'
	cp "$library" "jail$library"
	mv burn moved
	follow chroot jail /bin/sh -c "$tmp/burn 0.2 0.1; exit 7"
	is_complete 'a root directory with the library' 7
	is "$(for file in p*.gz; do share "$file" spin; done | grep -c .)" 1 'functions of a program in another root directory have names'
	mv moved burn
else
	skip "$why" 'another root directory'
fi

mkdir places places/libcpaprof
cp "$CPA" places/cpa
cp "$library" places/libcpaprof/
if works unshare -m sh -c 'mount --bind places places && mount -o remount,bind,noexec places'; then
	saved=$CPA CPA=$tmp/places/cpa
	follow unshare -m sh -c 'mount --bind places places && mount -o remount,bind,noexec places && /bin/true && exit 7'
	is "$status $(grep -c ld.so err) $(grep -c 'programs without a profile: 1, .* cannot be read' err)" '7 0 1' \
		'a library on a file system without exec: the program runs unprofiled, cpa says why'
	CPA=$saved
else
	skip "$why" 'a library on a file system without exec'
fi

follow sh -c 'ls -l /proc/self/fd; true'
is "$status $(grep -c memfd out)" '0 0' 'followed programs of the same user and namespaces have no descriptor'
follow env -i "$tmp/burn" 0.01
is "$status $(grep -c 'programs without a profile: 1, .* were started without its variables' err)" '0 1' \
	'a program with an empty environment: cpa says why it has no profile'
works unshare -U && changes='unshare -U' || changes= # a change of namespaces, where it is permitted
follow sh -c "ulimit -n 64; exec $changes true"
is "$(grep -v '^cpa: wrote \|^cpa: sampled ' err)" '' 'a low limit of open files is no problem'
done_testing
