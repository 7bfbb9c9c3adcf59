#!/bin/sh
# t646-anonymize.t - pseudonyms instead of names
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

head -c 16 /dev/zero | tr '\0' s >"$tmp/salt"
chmod 600 "$tmp/salt"

# numbers FILE: flat and cum of all functions; those with an equal flat are sorted by name, so they are sorted here
numbers() {
	"$CPA" top -trim=false "$1" | sed -n 's/^ *\([^ ]* *[0-9.]*%\) *[0-9.]*% *\([^ ]* *[0-9.]*%\) .*/\1 \2/p' | sort
}

for file in go-cpu cpp-cpu rust-cpu go-heap1 node-wall go-mutex; do
	"$CPA" anonymize --salt="$tmp/salt" -o "$tmp/$file.pb.gz" $file.pb.gz 2>"$tmp/$file.err" || note "$tmp/$file.err"
	numbers $file.pb.gz >"$tmp/want"
	numbers "$tmp/$file.pb.gz" >"$tmp/got"
	[ -s "$tmp/want" ] || echo "no numbers of $file" >>"$tmp/want"
	same "$file: the numbers of all functions are unchanged" "$tmp/want" "$tmp/got"
	"$CPA" raw $file.pb.gz | sed -n '/^Samples/,/^Locations/s/^\( *[0-9 ]*:[0-9 ]*\)$/\1/p' >"$tmp/want"
	"$CPA" raw "$tmp/$file.pb.gz" | sed -n '/^Samples/,/^Locations/s/^\( *[0-9 ]*:[0-9 ]*\)$/\1/p' >"$tmp/got"
	[ -s "$tmp/want" ] || echo "no samples of $file" >>"$tmp/want"
	same "$file: the stacks and their values are unchanged" "$tmp/want" "$tmp/got"
done

# No text of the input that is not a sample type or a unit is in the output, and ids of builds are gone.
if [ -n "${PYTHON3:-}" ]; then
	cat >"$tmp/leaks.py" <<'END'
import gzip, re, sys
sys.path.insert(0, sys.argv[1])
import wire
def fields(path):
    return list(wire.fields(gzip.open(path).read()))
before, after = fields(sys.argv[2]), gzip.open(sys.argv[3]).read()
texts = [v for n, v in before if n == 6]
allowed = {b'pid', b'bytes', b'thread', b'thread id', b'thread name', b'timestamp', b'span id', b'local root span id'}
for n, v in before:
    if n in (1, 11):
        allowed |= {texts[i] for i in dict(wire.fields(v)).values()}
    if n == 14:
        allowed.add(texts[v])
    if n == 2:
        for n2, v2 in wire.fields(v):
            if n2 == 3:
                pair = dict(wire.fields(v2))
                allowed.add(texts[pair.get(4, 0)])
prefixes = b'f_ file_ binary_ v_ key_ comment_ url_ .java .scala .swift'
checked = 0
for t in texts:
    if len(t) < 4 or t in allowed or t in prefixes or re.fullmatch(rb'[0-9a-f]{4,7}', t):
        continue
    checked += 1
    if t in after:
        print('leak', t)
if checked < 10:
    print('only', checked, 'texts were checked')
END
	for file in go-cpu cpp-cpu rust-cpu go-heap1 node-wall go-mutex; do
		"$PYTHON3" "$tmp/leaks.py" "$top_srcdir/tests/cli" $file.pb.gz "$tmp/$file.pb.gz" >"$tmp/got" 2>&1
		[ ! -s "$tmp/got" ]
		result $? "$file: no text of the profile is in the result" || note "$tmp/got"
	done
fi

cat >"$tmp/want" <<'END'
cpa: replaced: 3 names of functions, 2 texts of labels
cpa: readable: sample types samples (count)
cpa: readable: 1 name of functions because of --keep
cpa: readable: 2 structures of stacks, all values
END
printf 'main;secret.parse;runtime.mallocgc 3\nmain;secret.send 4\n' >"$tmp/a.folded"
"$CPA" anonymize --salt="$tmp/salt" --keep='^runtime\.' --label=source -o "$tmp/a.pb.gz" "$tmp/a.folded" 2>"$tmp/got"
sed -e "s/^cpa: Generating report in.*//" -e '/^$/d' -e '/keys of labels/d' -i "$tmp/got"
sed 's/2 texts/1 text/' -i "$tmp/want"
same "what was replaced and what remains readable is printed" "$tmp/want" "$tmp/got"
"$CPA" folded "$tmp/a.pb.gz" | grep -q '^f_[0-9a-f]\{16\};f_[0-9a-f]\{16\};runtime.mallocgc 3$'
result $? "functions of --keep keep their names"

printf 'main;secret.parse 5\nmain;secret.send 4\n' >"$tmp/b.folded"
"$CPA" anonymize --salt="$tmp/salt" -o "$tmp/b.pb.gz" "$tmp/b.folded" 2>/dev/null
"$CPA" anonymize --salt="$tmp/salt" -o "$tmp/c.pb.gz" "$tmp/a.folded" 2>/dev/null
"$CPA" diff --csv "$tmp/a.folded" "$tmp/b.folded" | sed 's/"[^"]*"//g' >"$tmp/want"
"$CPA" diff --csv "$tmp/c.pb.gz" "$tmp/b.pb.gz" | sed 's/"[^"]*"//g' >"$tmp/got"
same "profiles with the same salt are compared like those with names" "$tmp/want" "$tmp/got"

rm -f "$tmp/new"
(umask 0 && "$CPA" anonymize --salt="$tmp/new" -o "$tmp/d.pb.gz" "$tmp/a.folded" 2>"$tmp/err")
grep -q "created the salt $tmp/new" "$tmp/err" && [ "$(stat -c %a "$tmp/new")" = 600 ] && [ "$(wc -c <"$tmp/new")" = 65 ]
result $? "a salt that does not exist is created, readable by its owner only" || note "$tmp/err"
"$CPA" anonymize --salt="$tmp/new" -o "$tmp/e.pb.gz" "$tmp/a.folded" 2>"$tmp/err"
cmp -s "$tmp/d.pb.gz" "$tmp/e.pb.gz" && ! grep -q created "$tmp/err"
result $? "and used again"
! cmp -s "$tmp/c.pb.gz" "$tmp/d.pb.gz"
result $? "another salt gives other pseudonyms"
"$CPA" anonymize "$tmp/a.folded" >"$tmp/1" 2>/dev/null && "$CPA" anonymize "$tmp/a.folded" >"$tmp/2" 2>/dev/null
! cmp -s "$tmp/1" "$tmp/2"
result $? "without --salt each run has its own"
chmod 644 "$tmp/new"
"$CPA" anonymize --salt="$tmp/new" -o "$tmp/e.pb.gz" "$tmp/a.folded" 2>&1 | grep -q 'other users can read it'
result $? "a salt that others can read causes a warning"

echo short >"$tmp/short"
fails 'a salt has at least 16 bytes' anonymize --salt="$tmp/short" "$tmp/a.folded"
fails 'keep=(: ' anonymize "--keep=(" "$tmp/a.folded"
fails "salt=$tmp/no/such: No such file" anonymize --salt="$tmp/no/such" "$tmp/a.folded"
fails '--salt applies to anonymize, not to top' top --salt=x "$tmp/a.folded"
fails 'salt=.*/both is also the output' anonymize --salt="$tmp/both" -o "$tmp/both" "$tmp/a.folded"
fails 'salt=.*directory' anonymize --salt="$tmp" "$tmp/a.folded"
done_testing
