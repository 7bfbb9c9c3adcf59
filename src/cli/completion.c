/*
 * completion.c - completion scripts for bash, zsh and fish, from the option table
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/reports.h"
#include "cli/cmd.h"
#include "cli/messages.h"
#include "cli/run/options.h"

#include <stdio.h>
#include <string.h>

/* All options as shell words with these dashes, = behind those that take a value. */
static void print_words(const char *dashes)
{
	char name[OPT_NAME_MAX];

	for (size_t i = 0; i < query_n_options; i++)
		printf("%s%s%s ", dashes, opt_shown(&query_options[i], name),
		       opt_is_flag(&query_options[i]) ? "" : "=");
	for (size_t i = 0; i < n_reports; i++)
		printf("%s%s ", dashes, reports[i].name);
}

static void print_names(void)
{
	for (size_t i = 0; i < n_reports; i++)
		printf("%s ", reports[i].name);
	for (size_t i = 0; i < n_commands; i++)
		printf("%s ", commands[i].name);
}

/* Commands that have options of their own; those of cpa run and cpa record stand before the program. */
static void print_words_of_run(void)
{
	fputs("\trun-*) words='", stdout);
	cmd_run_options_print_words(COMMAND_RUN);
	fputs("' ;;\n\trecord-*) words='", stdout);
	cmd_run_options_print_words(COMMAND_RECORD);
	fputs("' ;;\n\tsnapshot-*) words='", stdout);
	cmd_snapshot_print_words();
	puts("' ;;");
}

/* bash takes = for the end of a word: the value of an option comes as a word of its own. */
static void print_bash(void)
{
	puts("# bash completion of cpa; put it in a file that bash reads, or: . <(cpa completion bash)\n"
	     "_cpa() {\n"
	     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD-1]} words\n"
	     "\tif [[ $cur == = ]]; then\n"
	     "\t\tcur=\n"
	     "\telif [[ $option == = ]]; then\n"
	     "\t\toption=${COMP_WORDS[COMP_CWORD-2]}\n"
	     "\tfi\n"
	     "\tCOMPREPLY=()\n"
	     "\tcase $option in\n"
	     "\t-unit | --unit) words='minimum auto ns us ms s hrs B kB MB GB TB PB' ;;\n"
	     "\t-color | --color) words='auto always never' ;;\n"
	     "\t-symbolize | --symbolize) words='local fastlocal remote none' ;;\n"
	     "\t-sample[_-]index | --sample[_-]index) words='inuse_space inuse_objects alloc_space alloc_objects cpu "
	     "'\n"
	     "\t\twords+='samples contentions delay' ;;\n"
	     "\tcompletion) words='bash zsh fish' ;;");
	fputs("\thelp) words='", stdout);
	print_names();
	for (size_t i = 0; i < query_n_options; i++)
		printf("%s ", query_options[i].name);
	puts("' ;;\n"
	     "\tesac\n"
	     "\tif [[ -n $words ]]; then\n"
	     "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tcase ${COMP_WORDS[1]}$cur in");
	print_words_of_run();
	puts("\tesac\n"
	     "\tif [[ -z $words ]]; then\n"
	     "\tcase $cur in");
	fputs("\t--*) words='", stdout);
	print_words("--");
	fputs("' ;;\n\t-*) words='", stdout);
	print_words("-");
	puts("' ;;\n"
	     "\tesac\n"
	     "\tfi\n"
	     "\tif [[ -n $words ]]; then\n"
	     "\t\tcompopt -o nospace 2>/dev/null\n"
	     "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
	     "\t\t[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} != *= ]] && COMPREPLY[0]+=' '\n"
	     "\t\treturn\n"
	     "\tfi\n"
	     "\tcompopt -o filenames 2>/dev/null");
	puts("\t[[ ${COMP_WORDS[1]} == @(run|record) ]] && COMPREPLY=($(compgen -c -- \"$cur\"))");
	fputs("\t[[ $COMP_CWORD -eq 1 ]] && COMPREPLY=($(compgen -W '", stdout);
	print_names();
	puts("' -- \"$cur\"))\n"
	     "\tCOMPREPLY+=($(compgen -f -- \"$cur\"))\n"
	     "}\n"
	     "complete -F _cpa cpa");
}

/* Help for zsh and fish: quotes, brackets and colons would end the word. */
static void print_plain(const char *s)
{
	for (; *s && *s != '\n'; s++)
		putchar(strchr("'[]:\\", *s) ? ' ' : *s);
}

static void print_zsh(void)
{
	char name[OPT_NAME_MAX];

	puts("#compdef cpa\n"
	     "# zsh completion of cpa: save as _cpa in a folder of fpath\n"
	     "_cpa_first() {\n"
	     "\tlocal -a commands=(");
	for (size_t i = 0; i < n_reports; i++)
		printf("\t\t'%s:%s'\n", reports[i].name, reports[i].help);
	for (size_t i = 0; i < n_commands; i++)
		printf("\t\t'%s:%s'\n", commands[i].name, commands[i].help);
	puts("\t)\n"
	     "\t_describe command commands\n"
	     "\t_files\n"
	     "}\n"
	     "_arguments \\");
	for (size_t i = 0; i < query_n_options; i++) {
		const struct opt *o = &query_options[i];

		printf("\t'%s%s%s[", o->own ? "--" : "-", opt_shown(o, name), opt_is_flag(o) ? "" : "=-");
		print_plain(o->help);
		printf("]%s%s%s' \\\n", o->arg ? ":" : "", o->arg ? o->arg : "",
		       o->arg && strcmp(o->arg, "FILE") == 0 ? ":_files"
		       : o->arg                              ? ": "
							     : "");
	}
	puts("\t'1: :_cpa_first' '*:source:_files'");
}

static void print_fish_command(const char *name, const char *help)
{
	printf("complete -c cpa -n __fish_use_subcommand -a %s -d '", name);
	print_plain(help);
	puts("'");
}

static void print_fish(void)
{
	char name[OPT_NAME_MAX];

	puts("# fish completion of cpa: save as cpa.fish in ~/.config/fish/completions");
	for (size_t i = 0; i < n_reports; i++)
		print_fish_command(reports[i].name, reports[i].help);
	for (size_t i = 0; i < n_commands; i++)
		print_fish_command(commands[i].name, commands[i].help);
	for (size_t i = 0; i < query_n_options; i++) {
		const struct opt *o = &query_options[i];

		printf("complete -c cpa -%s %s%s -d '", o->own ? "l" : "o", opt_shown(o, name),
		       opt_is_flag(o) ? "" : " -r");
		print_plain(o->help);
		puts("'");
	}
}

int cmd_completion(const struct args *a)
{
	const char *shell = a->n_words == 1 ? a->word[0] : "";

	if (strcmp(shell, "bash") == 0)
		print_bash();
	else if (strcmp(shell, "zsh") == 0)
		print_zsh();
	else if (strcmp(shell, "fish") == 0)
		print_fish();
	else
		return say_error("usage: cpa completion bash | zsh | fish");
	return STATUS_FINE;
}
