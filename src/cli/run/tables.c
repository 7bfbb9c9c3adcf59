/*
 * tables.c - the options of cpa run and cpa record, and what is printed of them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/run/options.h"
#include "cli/run/tables.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define AT(field) offsetof(struct run_asked, field)

/* clang-format off */
/* What both have. */
static const struct opt of_both[] = {
	{ "hz", OPT_INT, AT(hz), 0, "100", "N", 0, true, "samples per second of CPU time, 1 to 1000 (100)" },
	{ "heap_rate", OPT_TEXT, AT(heap_rate), 0, "512kB", "BYTES", 0, true, "bytes of heap between samples; 1: all (512kB)" },
	{ "block_rate", OPT_TEXT, AT(block_rate), 0, "10us", "TIME", 0, true, "waits as long are all kept, of shorter ones some; 1ns: all (10us)" },
	{ "mutex_fraction", OPT_INT, AT(mutex_fraction), 0, "1", "N", 0, true, "keep one of N contended unlocks (1)" },
	{ "max_depth", OPT_INT, AT(max_depth), 0, "254", "N", 0, true, "frames kept of a stack, 1 to 254 (254)" },
	{ "engine", OPT_TEXT, AT(engine), 0, "", "WHICH", 0, true, "what tells CPU time: timer, perf, itimer (timer)" },
	{ "signal", OPT_TEXT, AT(signal), 0, "", "SIGNAL", 0, true, "of the timers: PROF, VTALRM, STKFLT, PWR, or a number from 34 to 64 (PROF)" },
	{ "labels_inherit", OPT_BOOL, AT(labels_inherit), 0, "true", NULL, 0, true, "new threads begin with the labels of their creator (true)" },
	{ "heap_labels", OPT_BOOL, AT(heap_labels), 0, "false", NULL, 0, true, "heap profiles have labels too" },
	{ "help", OPT_BOOL, AT(help), 0, "false", NULL, 0, true, "print this" },
};

static const struct opt of_run[] = {
	{ "cpu", OPT_TEXT, AT(file[SNAP_CPU]), 0, NULL, "FILE", 0, true, "CPU time; cpu-%p.pb.gz when no other file is named" },
	{ "heap", OPT_TEXT, AT(file[SNAP_HEAP]), 0, NULL, "FILE", 0, true, "heap: what is in use at the end, and all that was allocated" },
	{ "allocs", OPT_TEXT, AT(file[SNAP_ALLOCS]), 0, NULL, "FILE", 0, true, "the same; readers show first what was allocated" },
	{ "block", OPT_TEXT, AT(file[SNAP_BLOCK]), 0, NULL, "FILE", 0, true, "waits for locks, conditions, semaphores, threads" },
	{ "mutex", OPT_TEXT, AT(file[SNAP_MUTEX]), 0, NULL, "FILE", 0, true, "who held the locks that others waited for" },
	{ "threadcreate", OPT_TEXT, AT(file[SNAP_CREATE]), 0, NULL, "FILE", 0, true, "what created threads" },
	{ "threads", OPT_TEXT, AT(file[SNAP_THREADS]), 0, NULL, "FILE", 0, true, "stacks of all threads, at each --every" },
	{ "custom", OPT_LIST, AT(custom), 0, NULL, "NAME=FILE", 0, true, "a profile that the program makes itself; may be repeated" },
	{ "every", OPT_TEXT, AT(every), 0, "", "TIME", 0, true, "write all of them so often too, numbered: 10s, 1m" },
	{ "follow", OPT_MODE, AT(follow), 0, "none", NULL, 0, true, "profile the programs that it starts: all, none, or =REGEX of paths" },
	{ "symbolize", OPT_BOOL, AT(symbolize), 0, "false", NULL, 0, true, "put the names of functions into the files" },
	{ "enable_profiling", OPT_BOOL, AT(profile.enable), 0, "false", NULL, 0, true, "serve /debug/pprof of the program while it runs, here only" },
	{ "profile_port", OPT_TEXT, AT(profile.port), 0, NULL, "N", 0, true, "on this port of 127.0.0.1 and ::1 (a free one)" },
	{ "profile_socket", OPT_TEXT, AT(profile.socket), 0, NULL, "PATH", 0, true, "on a Unix socket; auto: in $XDG_RUNTIME_DIR/cpa" },
	{ "profile_address", OPT_TEXT, AT(profile.address), 0, NULL, "HOST:PORT", 0, true, "on this address; one that others reach needs a secret" },
	{ "profile_secret", OPT_TEXT, AT(profile.secret), 0, NULL, "FILE", 0, true, "answer only those who send what is in this file" },
	{ "profile_allow_host", OPT_LIST, AT(profile.allow_host), 0, NULL, "NAME", 0, true, "a name of this host that clients may use; may be repeated" },
	{ "profile_any_user", OPT_BOOL, AT(profile.any_user), 0, "false", NULL, 0, true, "answer all users of this machine" },
	{ "profile_any_address", OPT_BOOL, AT(profile.any_address), 0, "false", NULL, 0, true, "0.0.0.0 and :: are meant" },
	{ "profile_max_seconds", OPT_INT, AT(profile.max_seconds), 0, "300", "N", 0, true, "the longest capture (300)" },
	{ "profile_hide_cmdline", OPT_BOOL, AT(profile.hide_cmdline), 0, "false", NULL, 0, true, "do not tell the arguments of the program" },
};

static const struct opt of_record[] = {
	{ "output", OPT_TEXT, AT(output), 0, "", "FILE", 0, true, "where the profile goes (cpa-record.pb.gz; what was there becomes .old)" },
	{ "o", OPT_TEXT, AT(output), 0, "", "FILE", 0, true, "the same" },
	{ "heap", OPT_PICK, AT(kind), SNAP_HEAP, NULL, NULL, 0, true, "heap instead of CPU time: what is in use at the end" },
	{ "allocs", OPT_PICK, AT(kind), SNAP_ALLOCS, NULL, NULL, 0, true, "heap: all that was allocated" },
	{ "block", OPT_PICK, AT(kind), SNAP_BLOCK, NULL, NULL, 0, true, "waits for locks, conditions, semaphores, threads" },
	{ "mutex", OPT_PICK, AT(kind), SNAP_MUTEX, NULL, NULL, 0, true, "who held the locks that others waited for" },
	{ "threadcreate", OPT_PICK, AT(kind), SNAP_CREATE, NULL, NULL, 0, true, "what created threads" },
	{ "flame", OPT_TEXT, AT(flame), 0, "", "FILE", 0, true, "draw a flame graph instead of printing top: .svg, .html, .pdf, .png" },
	{ "top", OPT_INT, AT(top), 0, "20", "N", 0, true, "rows to print; 0 for none (20)" },
	{ "follow", OPT_MODE, AT(follow), 0, "all", NULL, 0, true, "profile the programs that it starts: all, =none, =REGEX of paths (all)" },
};
/* clang-format on */

struct table {
	const struct opt *opt;
	size_t n;
};
#define TABLE(t)                                                                                                       \
	{                                                                                                              \
		t, sizeof(t) / sizeof((t)[0])                                                                          \
	}
enum { N_TABLES = 2 };
static const struct table tables[][N_TABLES] = {
	[COMMAND_RUN] = { TABLE(of_run), TABLE(of_both) },
	[COMMAND_RECORD] = { TABLE(of_record), TABLE(of_both) },
};
const struct opt *run_tables_find(enum run_command which, const char *name, size_t n)
{
	const struct opt *o = NULL;

	for (int i = 0; i < N_TABLES && !o; i++)
		o = opt_find(tables[which][i].opt, tables[which][i].n, name, n);
	return o;
}

bool run_tables_is_profile(const char *name, size_t n)
{
	const struct opt *o = run_tables_find(COMMAND_RUN, name, n);

	return o && o->at >= AT(profile) && o->at < AT(profile) + sizeof(struct run_profile_asked);
}

void run_tables_note(const struct opt *o, struct run_asked *to)
{
	to->block_given |= o->at == AT(block_rate);
	to->mutex_given |= o->at == AT(mutex_fraction);
	/* each option of the server asks for one, but --enable-profiling=false must do what it says */
	if (run_tables_is_profile(o->name, strlen(o->name)) && o->at != AT(profile.enable))
		to->profile.enable = true;
}

void run_tables_preset(enum run_command which, struct run_asked *to)
{
	for (int t = 0; t < N_TABLES; t++)
		opt_preset(tables[which][t].opt, tables[which][t].n, to);
}

const char *run_tables_command(enum run_command which)
{
	return which == COMMAND_RUN ? "run" : "record";
}

const char *run_options_usage(enum run_command which)
{
	return which == COMMAND_RUN ? "usage: cpa run [OPTION]... [--] PROGRAM [ARGUMENT]..."
				    : "usage: cpa record [OPTION]... [--] PROGRAM [ARGUMENT]...";
}

static void print_table(const struct table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct opt *o = &t->opt[i];
		char name[OPT_NAME_MAX], shown[2 * OPT_NAME_MAX];

		snprintf(shown, sizeof(shown), "%s%s%s%s%s", o->name[1] ? "--" : "-", opt_shown(o, name),
			 o->arg ? "=" : "", o->arg ? o->arg : "", o->kind == OPT_MODE ? "[=WHICH]" : "");
		printf("  %-22s %s\n", shown, o->help);
	}
}

void run_options_help(enum run_command which)
{
	static const char *const text[] = {
		[COMMAND_RUN] = "Runs the program and writes profiles of it. A kind of profile whose file is named is "
				"measured;\n"
				"in a name %p is the process, %t the time, %h the host.\n",
		[COMMAND_RECORD] =
			"Runs the program, writes one profile of it and all that it starts, and prints what took most "
			"on\n"
			"standard error. Options of reports (-cum, -focus=REGEX, -lines; cpa --help) hold too.\n",
	};

	printf("%s\n\n%s\n", run_options_usage(which), text[which]);
	for (int i = 0; i < N_TABLES; i++)
		print_table(&tables[which][i]);
	printf("\nThe exit status is that of the program, 128 + N when signal N ended it. More: man cpa-%s.\n",
	       run_tables_command(which));
}

void run_options_print_words(enum run_command which)
{
	char name[OPT_NAME_MAX];

	for (int t = 0; t < N_TABLES; t++)
		for (size_t i = 0; i < tables[which][t].n; i++) {
			const struct opt *o = &tables[which][t].opt[i];

			printf("%s%s%s ", o->name[1] ? "--" : "-", opt_shown(o, name), opt_is_flag(o) ? "" : "=");
		}
}
