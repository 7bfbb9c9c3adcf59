#!/bin/sh
# t323-help.t - help: the view, its keys, the keys of the shell, terms; help of a command
# SPDX-License-Identifier: Apache-2.0

# shellcheck source=SCRIPTDIR/lib.sh
. "${top_srcdir:?}/tests/shell/lib.sh"

# the report comments is empty for this profile, so changes of other views do not affect these tests
at=': "comments" Enter'

screen help-80 "$at ? Show PageDown Show G" --size=80x24 go-cpu.pb.gz
screen help-40 "$at ? Show Space" --size=40x10 go-cpu.pb.gz
screen help-120 "$at ? Show G" --size=120x40 go-cpu.pb.gz
screen help-search "$at ? / \"sum%\" Show Enter Show n Show N Show / \"zzz\" Show Esc" --size=80x12 --looks go-cpu.pb.gz
screen help-command "$at : \"help peek\" Enter" --size=80x20 go-cpu.pb.gz

# every key of every view and of the shell is in the help of the view
for view in 1 3 4 7 8; do
	play "$view ?" --size=160x400 go-cpu.pb.gz >"$tmp/help"
	grep -q 'Keys in this view' "$tmp/help" && grep -q 'Keys in all views' "$tmp/help" && grep -q 'flat' "$tmp/help"
	result $? "view $view is explained"
done

# the help explains each key of the hints
play '1' --size=250x24 go-cpu.pb.gz | tail -2 | head -1 | tr -s ' ' '\n' | grep -v '^$' >"$tmp/hints"
[ "$(wc -l <"$tmp/hints")" -gt 10 ]
result $? "the line of hints contains more than ten words"
play '1 ?' --size=80x400 go-cpu.pb.gz | sed 's/^│ //; s/^ *//' >"$tmp/help"
missing=$(grep -x '[:/a-zA-Z?]' "$tmp/hints" | while read -r key; do cut -c1-15 "$tmp/help" | grep -qF -- "$key" || echo "$key"; done)
[ -z "$missing" ]
result $? "each key of the hints is in the help"

play '8 ?' --size=80x400 go-cpu.pb.gz | grep -c '^│ f  ' >"$tmp/is"
echo 1 >"$tmp/should"
same "a key that a view redefines is listed once" "$tmp/should" "$tmp/is"

play '? Esc' go-cpu.pb.gz >"$tmp/is"
play 1 go-cpu.pb.gz >"$tmp/should"
same "Esc closes help" "$tmp/should" "$tmp/is"
play '? q' go-cpu.pb.gz >"$tmp/is"
same "q closes help but not the shell" "$tmp/should" "$tmp/is"
play 'F1 Click(5,5) RightClick(5,5)' go-cpu.pb.gz >"$tmp/is"
same "a right click closes help" "$tmp/should" "$tmp/is"
shows 'Unknown command: nono' ': "help nono" Enter' go-cpu.pb.gz
shows 'hide rows whose cum is below' ': "help nodefraction" Enter' go-cpu.pb.gz
shows 'hide rows whose cum is below' ': "help -nodefraction" Enter' go-cpu.pb.gz
shows 'hide rows whose cum is below' ': "help --nodefraction" Enter' go-cpu.pb.gz
shows 'Unknown command: --' ': "help --" Enter' go-cpu.pb.gz

for size in 1x1 2x2 3x3 7x4 20x5 80x1 1x24 400x120; do
	play '? Show j j k PageDown G g / "cum" Show Enter n N Resize(80,24) Show Resize(120,40) Show Esc' --size=$size go-cpu.pb.gz >"$tmp/out" 2>"$tmp/err"
	result $? "help is drawn at $size"
done

done_testing
