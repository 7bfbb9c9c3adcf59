/*
 * completion.c - completion scripts for bash, zsh and fish
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The scripts run "cpa completion words" to get the candidates, so they contain no commands or options.
 */
#include "config.h"

#include "front/cli/cmd.h"
#include "front/cli/complete.h"
#include "front/cli/messages.h"

#include <stdio.h>
#include <string.h>

/* bash splits words at = and colons. The script joins the parts that no blank separates, and strips the text up to the
   last separator of the word from the candidates. */
static const char bash[] =
	"# bash completion of cpa; put it in a file that bash reads, or: . <(cpa completion bash)\n"
	"_cpa_unquote() { # sets plain to the word without quotes, quote to a quote that is still open, before to the "
	"text before it\n"
	"\tlocal i c\n"
	"\tplain='' quote='' before=''\n"
	"\tfor ((i = 0; i < ${#1}; i++)); do\n"
	"\t\tc=${1:i:1}\n"
	"\t\tif [[ -n $quote && $c == \"$quote\" ]]; then\n"
	"\t\t\tquote=''\n"
	"\t\telif [[ $c == '\\' && $quote != \"'\" ]]; then\n"
	"\t\t\t((++i))\n"
	"\t\t\tplain+=${1:i:1}\n"
	"\t\telif [[ -z $quote && $c == [\\'\\\"] ]]; then\n"
	"\t\t\tquote=$c before=$plain\n"
	"\t\telse\n"
	"\t\t\tplain+=$c\n"
	"\t\tfi\n"
	"\tdone\n"
	"}\n"
	"_cpa() {\n"
	"\tlocal line=${COMP_LINE:0:COMP_POINT} cur word i files=() words=() kept=() plain quote before\n"
	"\tfor ((i = 0; i <= COMP_CWORD; i++)); do\n"
	"\t\tword=${COMP_WORDS[i]}\n"
	"\t\tif ((i == 0)) || [[ $line == [[:space:]]* ]]; then\n"
	"\t\t\tline=${line#\"${line%%[![:space:]]*}\"}\n"
	"\t\t\twords+=(\"\")\n"
	"\t\tfi\n"
	"\t\t((i == COMP_CWORD)) && word=$line\n"
	"\t\tline=${line#\"$word\"}\n"
	"\t\twords[${#words[@]}-1]+=$word\n"
	"\tdone\n"
	"\tcur=${words[${#words[@]}-1]}\n"
	"\tfor ((i = 1; i < ${#words[@]}; i++)); do\n"
	"\t\t_cpa_unquote \"${words[i]}\"\n"
	"\t\twords[i]=$plain\n"
	"\tdone\n"
	"\tCOMPREPLY=()\n"
	"\twhile IFS=$'\\t' read -r word _; do\n"
	"\t\tcase $word in\n"
	"\t\t:files) files=(-f) ;;\n"
	"\t\t:folders) files=(-d) ;;\n"
	"\t\t:programs) files=(-c) ;;\n"
	"\t\t?*) kept+=(\"$word\") ;;\n"
	"\t\tesac\n"
	"\tdone < <(\"${words[0]/#\\~\\//$HOME/}\" completion words \"${words[@]:1}\" 2>/dev/null)\n"
	"\tlocal break=\"${cur%\"${cur##*[=:]}\"}\" end=${cur##*[=:]}\n"
	"\t[[ -n $quote ]] && break=$before\n"
	"\tfor word in \"${kept[@]}\"; do\n"
	"\t\tif [[ $quote == \"'\" ]]; then\n"
	"\t\t\t[[ $word == *\\'* ]] && continue\n"
	"\t\telif [[ $quote == '\"' ]]; then\n"
	"\t\t\tword=$(sed 's/[\\\\\"$`]/\\\\&/g' <<<\"$word\")\n"
	"\t\telif [[ ${#files[@]} -eq 0 && $word == *[!A-Za-z0-9_./:@%+=,-]* ]]; then\n"
	"\t\t\tprintf -v word %q \"$word\"\n"
	"\t\tfi\n"
	"\t\tword=${word#\"$break\"}\n"
	"\t\t[[ -n $quote || $word == *[=:] || ${#files[@]} -gt 0 ]] || word+=' '\n"
	"\t\tCOMPREPLY+=(\"$word\")\n"
	"\tdone\n"
	"\tif ((${#files[@]} == 0)); then\n"
	"\t\tcompopt -o nospace 2>/dev/null\n"
	"\telse\n"
	"\t\tcompopt -o filenames 2>/dev/null\n"
	"\t\twhile IFS= read -r word; do COMPREPLY+=(\"$word\"); done < <(compgen \"${files[@]}\" -- \"$end\")\n"
	"\t\t[[ ${files[0]} == -c ]] && while IFS= read -r word; do COMPREPLY+=(\"$word\"); done < <(compgen -f -- "
	"\"$end\")\n"
	"\tfi\n"
	"\treturn 0\n"
	"}\n"
	"complete -F _cpa cpa\n";

static const char zsh[] =
	"#compdef cpa\n"
	"# zsh completion of cpa: save as _cpa in a folder of fpath\n"
	"_cpa() {\n"
	"\tlocal line word text files\n"
	"\tlocal -a given whole open\n"
	"\tgiven=(\"${(@Q)words[2,CURRENT-1]}\" \"${(Q)PREFIX}\")\n"
	"\tfor line in \"${(@f)$(\"${(Q)words[1]}\" completion words \"${given[@]}\" 2>/dev/null)}\"; do\n"
	"\t\tword=${line%%$'\\t'*} text=${line#*$'\\t'}\n"
	"\t\tcase $word in\n"
	"\t\t:files) files=files ;;\n"
	"\t\t:folders) files=folders ;;\n"
	"\t\t:programs) files=programs ;;\n"
	"\t\t*[=:]) open+=(\"${${word//\\\\/\\\\\\\\}//:/\\\\:}${text:+:$text}\") ;;\n"
	"\t\t?*) whole+=(\"${${word//\\\\/\\\\\\\\}//:/\\\\:}${text:+:$text}\") ;;\n"
	"\t\tesac\n"
	"\tdone\n"
	"\t((${#whole} + ${#open})) && _describe -V cpa whole -- open -S ''\n"
	"\t[[ -n $files && $PREFIX == -*=* ]] && compset -P 1 '*='\n"
	"\tcase $files in\n"
	"\tfiles) _files ;;\n"
	"\tfolders) _files -/ ;;\n"
	"\tprograms) _command_names -e; _files ;;\n"
	"\tesac\n"
	"}\n"
	"if [[ $funcstack[1] == _cpa ]]; then _cpa \"$@\"; else compdef _cpa cpa; fi\n";

static const char fish[] =
	"# fish completion of cpa: save as cpa.fish in ~/.config/fish/completions\n"
	"function __cpa_words\n"
	"\tset -l last (commandline -ct | string replace -r -- '^(-[^=]*=)?[\\'\"]' '$1' | string unescape)\n"
	"\ttest -n \"$last\"; or set last (commandline -ct)\n"
	"\tset -l words (commandline -opc) \"$last\"\n"
	"\tset -l cur (string replace -r '^(-[^=]*=)?' '' -- $words[-1])\n"
	"\tset -l before (string match -r -- '^-[^=]*=' $words[-1])\n"
	"\tfor line in ($words[1] completion words $words[2..-1] 2>/dev/null)\n"
	"\t\tswitch $line\n"
	"\t\t\tcase :files\n"
	"\t\t\t\tstring replace -r -- '^' \"$before\" (__fish_complete_path $cur)\n"
	"\t\t\tcase :folders\n"
	"\t\t\t\tstring replace -r -- '^' \"$before\" (__fish_complete_directories $cur '')\n"
	"\t\t\tcase :programs\n"
	"\t\t\t\t__fish_complete_command\n"
	"\t\t\tcase '*'\n"
	"\t\t\t\techo $line\n"
	"\t\tend\n"
	"\tend\n"
	"end\n"
	"complete -c cpa -f -a '(__cpa_words)'\n";

static int completion_print_candidates(const struct args *a)
{
	struct buf out = { 0 };

	completion_candidates(a->word + 1, a->n_words - 1, &out);
	fputs(buf_text(&out), stdout);
	buf_release(&out);
	return STATUS_FINE;
}

int cmd_completion(const struct args *a)
{
	const char *shell = a->n_words ? a->word[0] : "";

	if (strcmp(shell, "words") == 0)
		return completion_print_candidates(a);
	if (strcmp(shell, "--help") == 0 || strcmp(shell, "-h") == 0)
		cmd_help_command("completion");
	else if (a->n_words == 1 && strcmp(shell, "bash") == 0)
		fputs(bash, stdout);
	else if (a->n_words == 1 && strcmp(shell, "zsh") == 0)
		fputs(zsh, stdout);
	else if (a->n_words == 1 && strcmp(shell, "fish") == 0)
		fputs(fish, stdout);
	else
		return say_error("usage: cpa completion bash | zsh | fish");
	return STATUS_FINE;
}
