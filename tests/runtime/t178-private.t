#!/bin/sh
# t178-private.t - only their owner can read profiles, links are not followed, and outputs are checked first
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/runtime/lib.sh"
compile burn

modes() { # PATTERN: the modes of the files that match it
	find . -maxdepth 1 -name "$1" -printf '%m\n' | sort -u | tr '\n' ' '
}

refused() { # NAME MESSAGE WORD...: cpa prints the message, and the program does not run
	name=$1 message=$2
	shift 2
	"$@" -- sh -c 'echo ran' >out 2>err
	is "$? $(cat out err)" "2 cpa: $message" "$name, which is reported before the program runs"
}

umask 0
printf 'old' >given.gz
"$CPA" run --quiet --cpu=given.gz --every=100ms --heap=new-%p.gz --symbolize --follow -- sh -c './burn 0.3; true' >out 2>err
is "$(modes given.gz) $(modes 'given-0*.gz') $(modes 'new-*.gz')" '600  600  600 ' 'profiles have mode 0600, also if they replace other files'
"$CPA" record --top=0 -- ./burn 0.1 >out 2>err
"$CPA" record --flame=f.svg -o named.pb.gz -- ./burn 0.1 >out 2>err
is "$(modes '*.pb.gz') $(modes f.svg)" '600  666 ' 'cpa record: profiles have mode 0600, and pictures the mode of the umask'
umask 022
rm -f ./*.gz

link='is a symbolic link; use the path of the file itself'
printf 'mine' >victim
ln -s victim link.gz
ln -s nothing dangling.gz
refused 'a link is not followed' "link.gz: $link" "$CPA" run --cpu=link.gz
refused 'a link to no file is not followed' "dangling.gz: $link" "$CPA" run --heap=dangling.gz
refused 'cpa record: a link is not followed' "link.gz: $link" "$CPA" record -o link.gz
"$CPA" run --quiet --cpu=late.gz -- ln -s victim late.gz 2>err
is "$? $(cat err)" "0 cpa: late.gz: $link" 'a link that the program makes is not followed'
is "$(cat victim) $(files nothing)" 'mine ' 'the targets of links are unchanged'
mkfifo pipe
ln -s pipe pipe.gz
timeout 60 cat pipe >got &
timeout 60 "$CPA" run --quiet --cpu=pipe.gz -- ./burn 0.2 >out 2>err
status=$?
wait $!
between "$status$(total got)" 100000000 300000000 'a link to a pipe is followed'
mkfifo never
"$CPA" run --quiet --cpu=never -- true 2>err &
pid=$! tries=0
sleep 0.5
while kill -TERM $pid 2>/dev/null; do
	sleep 0.2
	tries=$((tries + 1))
	[ $tries -lt 100 ] || kill -KILL $pid
done
wait $pid
is "$? $(cat err)" '0 cpa: never: no process reads from this pipe' 'SIGTERM ends the wait for a reader of a pipe'
"$CPA" run --quiet --cpu=/dev/stdout -- sh -c : 2>err | gzip -t
ok $? 'a profile can be written to /dev/stdout'

long=$(printf '%0250d' 0)
mkdir deep
refused 'the temporary file of a long name cannot be created' "$long: File name too long" "$CPA" run --cpu="$long"
refused 'a flame graph cannot be written' '/no/such/f.svg: No such file or directory' "$CPA" record --flame=/no/such/f.svg -o deep/x.gz
refused 'cpa record: a file cannot be created in /proc' '/proc/x.gz: No such file or directory' "$CPA" record -o /proc/x.gz
if [ "$(id -u)" = 0 ] && mount -t tmpfs -o ro none deep 2>/dev/null; then
	refused 'a file system is read-only' 'deep/c.gz: Read-only file system' "$CPA" run --cpu=deep/c.gz
	umount deep
else
	ok 0 'a read-only file system # SKIP needs root'
fi

user='setpriv --reuid=65534 --clear-groups'
[ "$(id -u)" = 0 ] || user=
chmod 755 .
mkdir -m 555 closed
printf 'old' >closed/c.gz
chmod 666 closed/c.gz
if $user "$CPA" version >out 2>&1; then
	# shellcheck disable=SC2086 # words
	refused 'a folder cannot be written to, though the file can' 'closed/c.gz: Permission denied' $user "$CPA" run --cpu=closed/c.gz
else
	ok 0 'a folder that cannot be written to # SKIP setpriv not found, or other users cannot execute cpa'
fi
if [ -n "$user" ] && $user "$CPA" version >out 2>&1; then
	mkdir -m 1777 shared
	printf 'old' >shared/c.gz
	# shellcheck disable=SC2086 # words
	refused 'a file of another user cannot be replaced' 'shared/c.gz: Operation not permitted' $user "$CPA" run --cpu=shared/c.gz
else
	ok 0 'a file of another user # SKIP needs root'
fi
refused 'a pipe cannot be read again' 'pipe.gz: --symbolize needs a file, not a pipe or device' timeout -s KILL 20 "$CPA" run --symbolize --cpu=pipe.gz
is "$(files '*XXXXXX*')$(find closed shared deep -type f 2>/dev/null | tr '\n' ' ')$(files 'c*.gz')" "closed/c.gz $([ -d shared ] && echo 'shared/c.gz ')" \
	'checks leave no files'
done_testing
