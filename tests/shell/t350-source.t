#!/bin/sh
# t350-source.t - the Source view: lines with their values, compared with the text of list
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "${top_srcdir:?}/tests/shell/lib.sh"
export HOME="$tmp" GOROOT=/nonexistent

view source-go ': "list nearest" Enter Show ] Show ] n [ N N Show } Show {' -source_path=make go-cpu.pb.gz
view source-go-below ': "list nearest.func1" Enter ] - Show Enter Show + Space Show } }' -source_path=make go-cpu.pb.gz
view source-go-choose ': "list shop" Enter Show L Show j j Enter Show L G Esc' -source_path=make go-cpu.pb.gz
view source-go-whole ': "list nearest$" Enter w Show G Show w' -source_path=make go-cpu.pb.gz
view source-search ': "list nearest$" Enter / "left" Show Enter n n Show N Show / "Left" Enter Show / "le.t," Enter Show Esc n' \
	--size=80x14 --looks --colors=16 -source_path=make go-cpu.pb.gz
view source-missing ': "list caller" Enter j Show - Show' -source_path=none edge/inline-sometimes.pb.gz
shows 'tried none/shop/route/route.go, ' ': "list nearest$" Enter' -source_path=none go-cpu.pb.gz
view source-go-40 ': "list nearest$" Enter Show l Show l l h' --size=40x10 -source_path=make go-cpu.pb.gz
view source-go-200 ': "list ^shop/route" Enter' --size=200x60 -source_path=make go-cpu.pb.gz
view source-mouse ': "list nearest" Enter Click(40,7) Show Wheel(40,7,3) Show L Double(40,4) Show Double(40,5)' --size=80x14 --looks \
	--colors=none -source_path=make go-cpu.pb.gz
view source-base ': "list Depot" Enter Show L Show' -source_path=make -base=go-heap1.pb.gz go-heap2.pb.gz
view source-cum ': "list nearest" Enter S Show' -source_path=make go-cpu.pb.gz
view source-rust ': "list winner" Enter Show' -source_path=make/tally rust-cpu.pb.gz
view source-files ': "list ." Enter L Show' -source_path=none edge/inline-sometimes.pb.gz
view source-hostile ': "list ." Enter Show L' -source_path=none edge/names-hostile.pb.gz
view source-no-file ': "list winner" Enter Show' edge/no-samples.pb.gz
view source-looks ': "list nearest$" Enter / "p.Stops" Enter' --size=80x16 --looks --colors=256 -source_path=make go-cpu.pb.gz
view source-no-colours ': "list nearest$" Enter' --size=80x16 --looks --colors=none -source_path=make go-cpu.pb.gz

# The values and line numbers equal those that cpa list prints.
lines() { # of a screen: flat, cum, line
	awk 'NR > 2 && $1 ~ /^([.]|[-+]?[0-9])/ { for (i = 3; i <= 5; i++) if ($i ~ /^[0-9]+[+]?$/) { print $1, $2, $i + 0; break } }' "$1"
}
for what in '\.nearest$' 'parcel.*Price$' 'route.Even$'; do
	"$CPA" list "$what" -source_path=make go-cpu.pb.gz 2>/dev/null | sed -n '1d; s/^ *\([^ ]*\) *\([^ ]*\) *\([0-9]*\):.*/\1 \2 \3/p' >"$tmp/should"
	play ": \"list $what\" Enter g" --size=100x60 -source_path=make go-cpu.pb.gz >"$tmp/screen" 2>/dev/null
	lines "$tmp/screen" >"$tmp/is"
	same "flat and cum of the lines of $what are those of list" "$tmp/should" "$tmp/is"
done

view source-long 'j 5 Show L' --size=80x16 rust-cpu.pb.gz
# The selected line stays selected when options change, and other views use the selection.
shows 'peek ^shop/route\.Stop\.Dist$' ': "list nearest.func1" Enter ] [ j p' -source_path=make go-cpu.pb.gz
shows 'peek ^shop/depot\.\(\*Depot\)\.note$' ': "list Depot" Enter L p' -source_path=make go-heap2.pb.gz
shows 'peek ^shop/route\.\(\*Planner\)\.nearest\.func1$' ': "list nearest" Enter } 2' -source_path=make go-cpu.pb.gz
play ': "list nearest" Enter } : "unit=us" Enter j' --size=80x24 --looks -source_path=make go-cpu.pb.gz >"$tmp/out"
grep -q '^|140,000us 220,000us' "$tmp/out" && grep -q 'nearest.func1  2 of 2' "$tmp/out"
result $? "the function stays when the unit changes"
cat >"$tmp/ed" <<END
#!/bin/sh
printf '%s\n' "\$@" >"$tmp/edited"
END
chmod +x "$tmp/ed"
VISUAL="$tmp/ed" shows 'cannot start an editor with --keys' ': "list nearest$" Enter ] E' -source_path=make go-cpu.pb.gz
shows 'cannot start a program with --keys' ": \"top | $tmp/ed\" Enter" go-cpu.pb.gz
[ ! -e "$tmp/edited" ]
result $? "played keys start neither an editor nor a program"
shows 'no file to edit' ': "list nearest$" Enter E' -source_path=none go-cpu.pb.gz
shows 'no instructions: no machine code of shop' ': "list nearest$" Enter a' --size=200x24 -source_path=make go-cpu.pb.gz
shows 'only this function matches' ': "list nearest$" Enter }' -source_path=make go-cpu.pb.gz
shows '"zzz" does not occur in this function' ': "list nearest$" Enter / "zzz"' -source_path=make go-cpu.pb.gz
shows 'line 61, 2 of 5 by flat' ': "list nearest$" Enter [ ] ]' -source_path=make go-cpu.pb.gz

# Source files may contain control characters, invalid UTF-8, very long lines and wide characters.
mkdir -p "$tmp/evil/shop/route"
long=$(printf '%05000d' 7)
sed "60s/\$/$(printf '\033[2J\014\351')/; 61s/append/a\tb\tappend/; 62s/\$/$(printf '\r')/; 63s/\$/$long end/; 65s/^/$(printf '日本語')/" \
	make/shop/route/route.go >"$tmp/evil/shop/route/route.go"
cd "$tmp" || exit 1
view source-evil ': "list nearest$" Enter Show l l l l' -source_path=evil "$TESTDATA/go-cpu.pb.gz"
cd "$TESTDATA" || exit 1
printf 'a\0b\n%.0s' 1 2 3 >"$tmp/evil/shop/route/route.go"
play ': "list nearest$" Enter w' -source_path="$tmp/evil" go-cpu.pb.gz >"$tmp/out" 2>&1
result $? "a short source file with NUL bytes is shown"
LC_ALL=C tr -d '\n' <"$tmp/out" | LC_ALL=C grep -q '[[:cntrl:]]'
result $((! $?)) "no control character reaches the screen"
awk 'BEGIN { for (i = 1; i <= 100000; i++) print "\tline " i }' >"$tmp/evil/shop/route/route.go"
shows 'line 100000' ': "list nearest$" Enter w G' -source_path="$tmp/evil" go-cpu.pb.gz

for size in 1x1 2x2 3x3 7x4 20x5 80x1 1x24; do
	play ': "list nearest" Enter ] a } + - w L j Enter / "i" Enter n h l Click(0,0) Double(1,1)' --size=$size -source_path=make \
		go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
	result $? "the source is drawn at $size"
done

done_testing
