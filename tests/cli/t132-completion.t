#!/bin/sh
# t132-completion.t - completion for bash, zsh and fish
# SPDX-License-Identifier: Apache-2.0
. "${top_srcdir:?}/tests/cli/lib.sh"

mkdir "$tmp/bin" "$tmp/files" "$tmp/files/folder"
ln -s "$CPA" "$tmp/bin/cpa"
PATH=$tmp/bin:$PATH
cp go-heap1.pb.gz "$tmp/files/heap.pb.gz"
cp go-cpu.pb.gz "$tmp/files/my cpu.pb.gz"
cd "$tmp/files" || exit 1

# The candidates are the same for all shells.
# offers WANTED WORD...: checks that the candidates for the last word include WANTED
offers() {
	wanted=$1
	shift
	"$CPA" completion words "$@" >"$tmp/out"
	cut -f 1 "$tmp/out" | grep -q -x -e "$wanted"
	result $? "$* is completed to $wanted" || note "$tmp/out"
}
# offers_only WANTED WORD...: checks that the candidates are WANTED, separated by spaces
offers_only() {
	wanted=$1
	shift
	[ "$("$CPA" completion words "$@" | cut -f 1 | tr '\n' ' ')" = "${wanted:+$wanted }" ]
	result $? "$* is completed to: ${wanted:-nothing}"
}
offers top ''
offers record ''
offers_only 'top topproto :files' to
offers_only ':files' top ''
offers_only '' peek ''
offers_only ':files' peek main ''
offers_only '' version ''
offers_only 'bash zsh fish' completion ''
offers_only 'slow memory threads' doctor ''
offers_only '-nodecount' help -nodec
offers all help ''
offers_only '--theme=auto --theme=light --theme=dark' flame --theme=
offers_only 'light' flame --theme l
offers_only '' top --the
offers_only '--threshold=' gate --thres
offers_only '--flame=' gate --fl
offers '-nodecount=' -node
offers '--nodecount=' top --nodec
offers '--sample-index=' top --sample-i
offers '-top' -to
offers_only '--format=svg' flame --format=s
offers_only 'auto always' top --color a
offers kB top -unit ''
offers_only 'alloc_objects alloc_space inuse_objects inuse_space' top heap.pb.gz -sample_index ''
offers_only '-sample_index=samples -sample_index=cpu' top 'my cpu.pb.gz' -sample_index=
offers inuse_space top -sample_index ''
offers_only '-tagfocus=bytes=' flame heap.pb.gz -tagfocus=
offers_only '--by=label:bytes' flame heap.pb.gz --by=label:
offers_only 'bytes,bytes' flame heap.pb.gz -tagroot bytes,
offers_only '-normalize=bulk' gate -normalize=b
offers_only '-symbolize=local:force' top -symbolize=local:fo
offers_only ':files' top -o ''
offers_only ':folders' top --symfs=

# Functions after a file, in filters, processes, and what a store contains.
offers_only 'runtime.futex runtime.futexsleep runtime.futexwakeup :files' peek 'my cpu.pb.gz' runtime.futex
offers_only '-focus=runtime.futex -focus=runtime.futexsleep -focus=runtime.futexwakeup' top 'my cpu.pb.gz' -focus=runtime.futex
offers_only '' top -focus=runtime.futex
# names that need quotes are regular expressions; the name itself is completed to one too
offers_only '-focus=net/textproto.\(\*Reader\).ReadLine' top 'my cpu.pb.gz' '-focus=net/textproto.(*Reader).ReadL'
offers_only 'net/textproto.\(\*Reader\).ReadLine :files' peek 'my cpu.pb.gz' 'net/textproto.\(\*Reader\).ReadL'
offers_only ':files' list hea
offers $$ threads "${$%?}"
offers_only 'export' store ex
"$CPA" store import --store="$tmp/store" --service=shop heap.pb.gz >"$tmp/out" 2>&1 || note "$tmp/out"
offers_only 'shop/heap' store ls --store="$tmp/store" ''
offers_only 'shop/heap' store pin --store "$tmp/store" name shop/
offers_only '' store pin --store="$tmp/store" ''
offers_only 'store:shop/heap' top --store="$tmp/store" store:sh
offers_only '' store ls --store=/nonexistent ''
offers_only ':files' store import hea
offers_only '' top -focus ''
offers_only ':programs' run ''
offers_only ':files' run -- ./app --fl
offers_only '--flame=' record --fl
offers_only '--signal=VTALRM' run --signal=V
offers_only '--kinds=cpu,heap' snapshot --kinds=cpu,h
offers_only '' top http:

"$CPA" completion bash >"$tmp/bash" && bash -n "$tmp/bash"
result $? "the bash completion is valid"
# completes WANTED LINE WORD...: checks that bash, which splits LINE into the WORDs, completes the last WORD to WANTED
completes() {
	wanted=$1 line=$2
	shift 2
	# shellcheck disable=SC2016 # for bash
	bash -c '. "$1"; COMP_LINE=$2 COMP_POINT=${#2}; shift 2; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _cpa
		printf "%s|" "${COMPREPLY[@]}"' sh "$tmp/bash" "$line" "$@" >"$tmp/out" 2>&1
	[ "$(cat "$tmp/out")" = "$wanted" ]
	result $? "bash completes $line to $wanted" || note "$tmp/out"
}
# shellcheck disable=SC2016 # a command that must not run
completes '-cum |' 'cpa top "$(touch ran)" -cum' cpa top '"$(touch ran)"' -cum
[ ! -e ran ]
result $? "completion runs no command of the line"
# shellcheck disable=SC2016 # commands that must not run
"${PYTHON3:-python3}" -B -c 'import sys; sys.path.insert(0, sys.argv[1])
from emit import Profile
p = Profile(((("a type", "count")), ("fine", "count")))
for key in "key", "$(touch ran)", "`touch ran`", "; touch ran", "two words", "two\nlines", "\x1b[31m", "k" * 300, "":
    p.sample([p.loc("main")], [1, 1], [p.label(key, "x")])
sys.stdout.buffer.write(p.encode())' "$top_srcdir/testdata/make" >hostile.pb
offers_only '-tagfocus=key=' top hostile.pb -tagfocus=
offers_only '-sample_index=fine' top hostile.pb -sample_index=
completes '-nodecount=|' 'cpa top -nodec' cpa top -nodec
completes 'help|heap.pb.gz|' 'cpa he' cpa he
completes 'auto |light |dark |' 'cpa flame --theme=' cpa flame --theme =
completes 'light |' 'cpa flame --theme=l' cpa flame --theme = l
completes 'light |' 'cpa flame --theme l' cpa flame --theme l
completes 'samples |cpu |' 'cpa top my\ cpu.pb.gz -sample_index=' cpa top 'my\ cpu.pb.gz' -sample_index =
completes 'samples |' "cpa top 'my cpu.pb.gz' -sample_index=s" cpa top "'my cpu.pb.gz'" -sample_index = s
completes 'net/textproto.\\\(\\\*Reader\\\).ReadLine |' 'cpa top my\ cpu.pb.gz -focus=net/textproto.\\\(\\\*Reader\\\).ReadL' \
	cpa top 'my\ cpu.pb.gz' -focus = 'net/textproto.\\\(\\\*Reader\\\).ReadL'
completes 'net/textproto.\(\*Reader\).ReadLine|' "cpa top my\\ cpu.pb.gz -focus='net/textproto.(*Reader).ReadL" \
	cpa top 'my\ cpu.pb.gz' -focus = "'net/textproto.(*Reader).ReadL"
completes 'bytes |' 'cpa flame heap.pb.gz --by=label:b' cpa flame heap.pb.gz --by = label : b
completes 'folder|' 'cpa top --symfs=fo' cpa top --symfs = fo
completes 'heap.pb.gz|' 'cpa top -cum he' cpa top -cum he
completes '|' 'cpa peek ' cpa peek ''
completes '|' 'cpa version x' cpa version x

"$CPA" completion zsh >"$tmp/_cpa"
if command -v zsh >/dev/null; then
	zsh -n "$tmp/_cpa"
	result $? "the zsh completion is valid"
	# zsh_completes WANTED WORD...: checks that zsh, with stubs of its completion functions, lists or inserts WANTED
	zsh_completes() {
		wanted=$1
		shift
		# shellcheck disable=SC2016 # for zsh
		zsh -fc 'compdef() { }
			_describe() { shift 2; local -a list; for word; do [[ $word == -* || ! $word ]] || list+=("${(@P)word}"); done; print -r -- "${(j:|:)list%%:*}"; }
			_files() { print -r -- "files $*"; }
			_command_names() { print -r -- "programs"; }
			compset() { print -r -- "compset $*"; }
			. $1; shift; words=("$@") CURRENT=$# PREFIX=${@[-1]}; _cpa' sh "$tmp/_cpa" "$@" >"$tmp/out" 2>&1
		[ "$(tr '\n' ' ' <"$tmp/out")" = "$wanted " ]
		result $? "zsh completes $* to $wanted" || note "$tmp/out"
	}
	zsh_completes '--theme=light' cpa flame --theme=l
	zsh_completes '--threads=' cpa top --th
	zsh_completes 'samples|cpu' cpa top 'my\ cpu.pb.gz' -sample_index ''
	zsh_completes 'help files ' cpa he
	# shellcheck disable=SC1003 # backslashes, as _describe reads them
	zsh_completes '-focus=net/textproto.\\(\\*Reader\\).ReadLine' cpa top 'my\ cpu.pb.gz' '-focus=net/textproto.(*Reader).ReadL'
	zsh_completes 'compset -P 1 *= files -/' cpa top --symfs=
	zsh_completes 'programs files ' cpa run ''
else
	result 0 "the zsh completion is valid # SKIP no zsh"
fi

"$CPA" completion fish >"$tmp/fish"
if command -v fish >/dev/null; then
	fish -n "$tmp/fish"
	result $? "the fish completion is valid"
	# fish_completes WANTED LINE: checks that fish completes LINE to WANTED
	fish_completes() {
		fish --no-config -c "source $tmp/fish; complete -C '$2'" 2>&1 | cut -f 1 | tr '\n' '|' >"$tmp/out"
		[ "$(cat "$tmp/out")" = "$1" ]
		result $? "fish completes $2 to $1" || note "$tmp/out"
	}
	fish_completes '--theme=auto|--theme=dark|--theme=light|' 'cpa flame --theme='
	fish_completes '--threads=|' 'cpa top --th'
	fish_completes '-sample_index=inuse_objects|-sample_index=inuse_space|' 'cpa top heap.pb.gz -sample_index=in'
	fish_completes '-focus=net/textproto.\(\*Reader\).ReadLine|' 'cpa top "my cpu.pb.gz" -focus=net/textproto.\\\\\\(\\\\\\*Reader\\\\\\).ReadL'
	fish_completes 'heap.pb.gz|' 'cpa top he'
	fish_completes '--symfs=folder/|' 'cpa top --symfs='
else
	result 0 "the fish completion is valid # SKIP no fish"
fi
fails 'usage: cpa completion' completion tcsh
done_testing
