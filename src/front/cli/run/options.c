/*
 * options.c - options of cpa run and cpa record
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/run/options.h"

#include "answer/reports.h"
#include "attach/sample.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "base/unit.h"
#include "front/cli/args.h"
#include "front/cli/cmd.h"
#include "front/cli/messages.h"
#include "engine/query.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	HZ_MAX = 1000,
	FILES_OF_RUN_MAX = 1000,
	FILES_OF_RECORD_MAX = 100000,
	FRACTION_MAX = 1 << 20,
	SECONDS_MAX = S_PER_DAY, /* max length of a profile over HTTP */
	EVERY_MIN = 100000000    /* ns, the interval at which the shared memory is drained */
};
#define AMOUNT_MAX 4e18
#define AT(field) offsetof(struct run_args, field)
#define MAIN COMMAND_GROUP_MAIN
#define FILES COMMAND_GROUP_FILES
#define SAMPLING COMMAND_GROUP_SAMPLING
#define SERVER COMMAND_GROUP_SERVER
#define PROCESSES COMMAND_GROUP_PROCESSES

/* clang-format off */
/* Options of cpa run and cpa record. */
static const struct opt common_options[] = {
	{ "hz", OPT_INT, AT(hz), 0, "100", "N", SAMPLING, true, "samples per second of CPU time, 1 to 1000; of running processes, 1 to 10000; -F for short" },
	{ "F", OPT_INT, AT(hz), 0, "100", "N", SAMPLING, true, "same as --hz" },
	{ "heap_rate", OPT_TEXT, AT(heap_rate), 0, "512kB", "BYTES", SAMPLING, true, "mean bytes between heap samples; 1: sample every allocation" },
	{ "block_rate", OPT_TEXT, AT(block_rate), 0, "10us", "TIME", SAMPLING, true, "record all waits of at least this time, and a part of the shorter waits; 1ns: all" },
	{ "mutex_fraction", OPT_INT, AT(mutex_fraction), 0, "1", "N", SAMPLING, true, "record one of N contended unlocks" },
	{ "max_depth", OPT_INT, AT(max_depth), 0, "254", "N", SAMPLING, true, "maximum frames per stack, 1 to 254" },
	{ "engine", OPT_TEXT, AT(engine), 0, "", "timer|perf|itimer", SAMPLING, true, "source of CPU time samples (default timer)" },
	{ "signal", OPT_TEXT, AT(signal), 0, "", "SIGNAL", SAMPLING, true, "signal of the timers: PROF, VTALRM, STKFLT, PWR, or 34 to 64 (default PROF)" },
	{ "labels_inherit", OPT_BOOL, AT(labels_inherit), 0, "true", NULL, SAMPLING, true, "new threads inherit labels (default); =false: they start without labels" },
	{ "heap_labels", OPT_BOOL, AT(heap_labels), 0, "false", NULL, SAMPLING, true, "add labels to heap profiles too" },
	{ "no_symbolize", OPT_BOOL, AT(no_symbolize), 0, "false", NULL, MAIN, true, "write addresses without function names, which takes no time at the end" },
	{ "help", OPT_BOOL, AT(help), 0, "false", NULL, MAIN, true, "print this help" },
};

static const struct opt run_options[] = {
	{ "cpu", OPT_TEXT, AT(file[SNAP_CPU]), 0, NULL, "FILE", FILES, true, "CPU time (default: cpu-%p.pb.gz, if no file is named)" },
	{ "heap", OPT_TEXT, AT(file[SNAP_HEAP]), 0, NULL, "FILE", FILES, true, "heap: memory in use at exit, and all allocations" },
	{ "allocs", OPT_TEXT, AT(file[SNAP_ALLOCS]), 0, NULL, "FILE", FILES, true, "the same, with all allocations as the default sample type" },
	{ "block", OPT_TEXT, AT(file[SNAP_BLOCK]), 0, NULL, "FILE", FILES, true, "waits for locks, conditions, semaphores and threads" },
	{ "mutex", OPT_TEXT, AT(file[SNAP_MUTEX]), 0, NULL, "FILE", FILES, true, "holders of locks that other threads waited for" },
	{ "threadcreate", OPT_TEXT, AT(file[SNAP_CREATE]), 0, NULL, "FILE", FILES, true, "stacks that created threads" },
	{ "threads", OPT_TEXT, AT(file[SNAP_THREADS]), 0, NULL, "FILE", FILES, true, "stacks of all threads, at each --every" },
	{ "custom", OPT_LIST, AT(custom), 0, NULL, "NAME=FILE", FILES, true, "a profile that the program makes itself; may be repeated" },
	{ "every", OPT_TEXT, AT(every), 0, "", "TIME", MAIN, true, "also write numbered profiles at this interval: 10s, 1m" },
	{ "follow", OPT_MODE, AT(follow), 0, "none", "all|none|REGEX", MAIN, true, "also profile the programs that PROGRAM starts: all, or those whose path matches" },
	{ "symbolize", OPT_BOOL, AT(symbolize), 0, "true", NULL, MAIN, true, "write function names into the files (default); refuse files that are pipes" },
	{ "quiet", OPT_BOOL, AT(quiet), 0, "false", NULL, MAIN, true, "do not print which files were written" },
	{ "enable_profiling", OPT_BOOL, AT(server.enable), 0, "false", NULL, SERVER, true, "serve /debug/pprof while the program runs, on localhost only" },
	{ "profile_port", OPT_TEXT, AT(server.port), 0, NULL, "N", SERVER, true, "port on 127.0.0.1 and ::1 (default: a free one)" },
	{ "profile_socket", OPT_TEXT, AT(server.socket), 0, NULL, "PATH", SERVER, true, "Unix socket to serve on; auto: one in $XDG_RUNTIME_DIR/cpa" },
	{ "profile_address", OPT_TEXT, AT(server.address), 0, NULL, "HOST:PORT", SERVER, true, "address to serve on; one that is not local needs a secret" },
	{ "profile_secret", OPT_TEXT, AT(server.secret), 0, NULL, "FILE", SERVER, true, "serve only clients that send the secret in FILE" },
	{ "profile_allow_host", OPT_LIST, AT(server.allow_host), 0, NULL, "NAME", SERVER, true, "host name that clients may use; may be repeated" },
	{ "profile_any_user", OPT_BOOL, AT(server.any_user), 0, "false", NULL, SERVER, true, "serve all users of this machine" },
	{ "profile_any_address", OPT_BOOL, AT(server.any_address), 0, "false", NULL, SERVER, true, "allow --profile-address=0.0.0.0:PORT and [::]:PORT" },
	{ "profile_max_seconds", OPT_INT, AT(server.max_seconds), 0, "300", "N", SERVER, true, "maximum seconds of a profile that a client may request" },
	{ "profile_hide_cmdline", OPT_BOOL, AT(server.hide_cmdline), 0, "false", NULL, SERVER, true, "do not serve the arguments of the program" },
};

static const struct opt record_options[] = {
	{ "g", OPT_BOOL, AT(call_graph_flag), 0, "false", NULL, SAMPLING, true, "accepted as in perf record: stacks are always recorded" },
	{ "call_graph", OPT_TEXT, AT(call_graph), 0, NULL, "dwarf|fp", SAMPLING, true, "accepted as in perf record, like -g: call frame information is used, and frame pointers where there is none" },
	{ "output", OPT_TEXT, AT(output), 0, "", "FILE", MAIN, true, "write the profile to FILE; -o for short (default cpa-record.pb.gz, renamed to .old if it exists)" },
	{ "o", OPT_TEXT, AT(output), 0, "", "FILE", MAIN, true, "same as --output" },
	{ "heap", OPT_CHOICE, AT(kind), SNAP_HEAP, NULL, NULL, MAIN, true, "record memory in use at exit instead of CPU time" },
	{ "allocs", OPT_CHOICE, AT(kind), SNAP_ALLOCS, NULL, NULL, MAIN, true, "record all allocations" },
	{ "block", OPT_CHOICE, AT(kind), SNAP_BLOCK, NULL, NULL, MAIN, true, "record waits for locks, conditions, semaphores and threads" },
	{ "mutex", OPT_CHOICE, AT(kind), SNAP_MUTEX, NULL, NULL, MAIN, true, "record holders of locks that other threads waited for" },
	{ "threadcreate", OPT_CHOICE, AT(kind), SNAP_CREATE, NULL, NULL, MAIN, true, "record where threads were created" },
	{ "flame", OPT_TEXT, AT(flame), 0, "", "FILE", MAIN, true, "draw a flame graph (.svg, .html, .pdf, .png) instead of printing top" },
	{ "top", OPT_INT, AT(top), 0, "20", "N", MAIN, true, "number of functions to print; 0: none" },
	{ "follow", OPT_MODE, AT(follow), 0, "all", "all|none|REGEX", MAIN, true, "profile the programs that PROGRAM starts: all (default), none, or those whose path matches; with -p, also sample what the processes have started and will start" },
	{ "pid", OPT_TEXT, AT(sample.pids), 0, NULL, "PID|NAME,...", PROCESSES, true, "sample these processes, or all of a name, until they end, or Ctrl-C; -p for short" },
	{ "p", OPT_TEXT, AT(sample.pids), 0, NULL, "PID|NAME,...", PROCESSES, true, "same as --pid" },
	{ "all_cpus", OPT_BOOL, AT(sample.all_cpus), 0, "false", NULL, PROCESSES, true, "sample the whole machine; -a for short" },
	{ "a", OPT_BOOL, AT(sample.all_cpus), 0, "false", NULL, PROCESSES, true, "same as --all-cpus" },
	{ "cgroup", OPT_TEXT, AT(sample.cgroup), 0, NULL, "PATH", PROCESSES, true, "sample the processes of a control group" },
	{ "seconds", OPT_INT, AT(sample.seconds), 0, "0", "N", PROCESSES, true, "stop after N seconds; 0: only when the processes end. A program continues" },
	{ "event", OPT_TEXT, AT(sample.events), 0, NULL, "NAME,...", PROCESSES, true, "sample these events instead of CPU time: cycles, cache-misses; -e for short" },
	{ "e", OPT_TEXT, AT(sample.events), 0, NULL, "NAME,...", PROCESSES, true, "same as --event" },
	{ "off_cpu", OPT_BOOL, AT(sample.off_cpu), 0, "false", NULL, PROCESSES, true, "record where threads wait, and how long" },
	{ "wall", OPT_BOOL, AT(sample.wall), 0, "false", NULL, PROCESSES, true, "record wall-clock time of all threads: on a CPU, waiting, and ready without a CPU" },
};
/* clang-format on */

#define TABLE(t)                                                                                                       \
	{                                                                                                              \
		t, sizeof(t) / sizeof((t)[0]), NULL                                                                    \
	}
enum { N_TABLES = 2 };
static const struct opt_table tables[][N_TABLES] = {
	[COMMAND_RUN] = { TABLE(run_options), TABLE(common_options) },
	[COMMAND_RECORD] = { TABLE(record_options), TABLE(common_options) },
};

/* The option of this name (n bytes), NULL when the command has none. */
static const struct opt *run_options_find_option(enum run_command which, const char *name, size_t n)
{
	const struct opt *o = NULL;

	for (int i = 0; i < N_TABLES && !o; i++)
		o = opt_find(tables[which][i].opt, tables[which][i].n, name, n);
	return o;
}

/* Is it an option of the server of cpa run? */
static bool is_server_option(const char *name, size_t n)
{
	const struct opt *o = run_options_find_option(COMMAND_RUN, name, n);

	return o && o->at >= AT(server) && o->at < AT(server) + sizeof(struct run_server_args);
}

/* Does it apply only to programs that cpa starts? */
static bool is_for_program(const struct opt *o)
{
	static const size_t at[] = { AT(kind),   AT(heap_rate), AT(block_rate),     AT(mutex_fraction),
				     AT(engine), AT(signal),    AT(labels_inherit), AT(heap_labels) };

	for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++)
		if (o->at == at[i])
			return true;
	return false;
}

static bool is_for_processes(const struct opt *o)
{
	return o->at >= AT(sample) && o->at < AT(sample) + sizeof(struct run_sample_args);
}

/* Record that an option was given, for options whose presence matters as well as their value. */
static void record_given(const struct opt *o, const char *word, struct run_args *to)
{
	if (is_for_program(o))
		to->for_program = word;
	if (is_for_processes(o))
		to->for_processes = word;
	to->has_follow |= o->at == AT(follow);
	to->has_symbolize |= o->at == AT(symbolize);
	to->has_block_rate |= o->at == AT(block_rate);
	to->has_mutex_rate |= o->at == AT(mutex_fraction);
	/* every server option enables the server, but --enable-profiling=false must disable it */
	if (is_server_option(o->name, strlen(o->name)) && o->at != AT(server.enable))
		to->server.enable = true;
}

/* Set all fields to their defaults. */
static void run_options_set_defaults(enum run_command which, struct run_args *to)
{
	for (int t = 0; t < N_TABLES; t++)
		opt_set_defaults(tables[which][t].opt, tables[which][t].n, to);
}

static const char *command_name(enum run_command which)
{
	return which == COMMAND_RUN ? "run" : "record";
}

const char *cmd_run_options_usage(enum run_command which)
{
	return which == COMMAND_RUN ? "usage: cpa run [OPTION]... [--] PROGRAM [ARGUMENT]..."
				    : "usage: cpa record [OPTION]... [--] PROGRAM [ARGUMENT]...  or: cpa record "
				      "[OPTION]... -p PID[,PID]...";
}

static const struct opt *option_at(enum run_command which, size_t i)
{
	for (int t = 0; t < N_TABLES; t++) {
		if (i < tables[which][t].n)
			return &tables[which][t].opt[i];
		i -= tables[which][t].n;
	}
	return NULL;
}

const struct opt *cmd_run_option_at(size_t i)
{
	return option_at(COMMAND_RUN, i);
}

const struct opt *cmd_record_option_at(size_t i)
{
	return option_at(COMMAND_RECORD, i);
}

/* Store a report or an option of reports for the report at the end. Returns the number of arguments used. */
static int store_report_option(char **argv, int left, const char *name, size_t n, bool has_value, struct run_args *to)
{
	const struct opt *o = opt_find(query_options, query_n_options, name, n);
	const struct report_type *t = reports_find(name, n);
	bool two = !has_value && (o ? !opt_is_flag(o) : t && reports_takes_pattern(t));
	int k = two && left > 1 ? 2 : 1;

	if (!o && !t)
		return 0;
	for (int i = 0; i < k; i++) {
		struct opt_list *l = &to->report;

		l->item = mem_grow(l->item, &l->cap, l->n + 1, sizeof(*l->item));
		l->item[l->n++] = argv[i];
	}
	return k;
}

/* Parse an option. Returns the number of arguments used. */
static int run_options_read_one(enum run_command which, int left, char **argv, struct run_args *to, struct err *err)
{
	const char *name = argv[0] + 1 + (argv[0][1] == '-'), *value = strchr(name, '=');
	size_t n = value ? (size_t)(value - name) : strlen(name);
	const struct opt *o = run_options_find_option(which, name, n);
	const char *use;
	int k = 1;

	if (!o && which == COMMAND_RECORD && is_server_option(name, n))
		return err_set(err, ERR_USAGE, "%s: cpa record does not serve profiles; use cpa run --enable-profiling",
			       argv[0]);
	if (!o && which == COMMAND_RECORD)
		k = store_report_option(argv, left, name, n, value != NULL, to);
	use = !o && k == 0 ? cmd_run_foreign_option(name, n) : NULL;
	if (use)
		return err_set(err, ERR_USAGE, "unknown option %.*s; use %s", (int)(name + n - argv[0]), argv[0], use);
	if (!o && (which != COMMAND_RECORD || k == 0))
		return opt_fail_unknown(command_name(which), tables[which], N_TABLES, argv[0], err);
	if (!o)
		return k;
	/* --heap takes a file in cpa run but not in cpa record: in cpa run --heap -- ./prog, "--" is not the file */
	if (!value && !opt_is_flag(o) && (++k > left || starts_with(argv[1], "--")))
		return opt_fail_argument(argv[0], o->arg, err);
	record_given(o, argv[0], to);
	return opt_set(o, to, value ? value + 1 : opt_is_flag(o) ? NULL : argv[1], err) < 0 ? ERR_USAGE : k;
}

/* Parse a number with a unit into ns or B, the smallest unit, which is also the default. */
static int read_amount(const char *option, const char *text, const char *smallest, uint64_t *out, struct err *err)
{
	bool is_time = strcmp(smallest, "ns") == 0;
	char unit[16] = "";
	double factor = 1, value;
	bool is_known = true;
	char *end;

	value = strtod(text, &end);
	snprintf(unit, sizeof(unit), "%s", end);
	if (strlen(unit) == 3 && (unit[1] == 'i' || unit[1] == 'I')) /* KiB and KB mean the same */
		memmove(unit + 1, unit + 2, 2);
	if (is_time && (strcmp(unit, "m") == 0 || strcmp(unit, "min") == 0))
		factor = 60e9;
	else if (*unit)
		is_known = unit_find(unit, &factor) == unit_find(smallest, NULL);
	if (!isdigit((unsigned char)*text) || !is_known || value * factor > AMOUNT_MAX)
		return err_set(err, ERR_USAGE, "--%s=%s: not a %s", option, text,
			       is_time ? "time, such as 10us, 10s, 1m" : "number of bytes, such as 512kB");
	*out = (uint64_t)(value * factor);
	return 0;
}

static bool is_follow_word(const char *text)
{
	static const char *const words[] = { "true", "all", "false", "none" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcmp(text, words[i]) == 0)
			return true;
	return false;
}

static int read_follow(const char *text, struct attach_options *to, struct err *err)
{
	bool all = strcmp(text, "true") == 0 || strcmp(text, "all") == 0;
	bool none = strcmp(text, "false") == 0 || strcmp(text, "none") == 0;

	to->collect.follow = !none;
	if (all || none)
		return 0;
	if (regex_new(text, &to->follow, err) < 0) {
		err_wrap(err, "--follow=%s", text);
		return ERR_USAGE;
	}
	return 0;
}

static int run_options_check_numbers(const struct run_args *a, struct err *err)
{
	int hz_max = cmd_run_samples_processes(a) || cmd_run_samples_outside(a) ? (int)SAMPLE_HZ_MAX : (int)HZ_MAX;

	if (a->hz < 1 || a->hz > hz_max)
		return err_set(err, ERR_USAGE, "--hz must be 1 to %d", hz_max);
	if (a->max_depth < 1 || a->max_depth > FRAMES_MAX)
		return err_set(err, ERR_USAGE, "--max-depth must be 1 to %d", FRAMES_MAX);
	if (a->mutex_fraction < 1 || a->mutex_fraction > FRACTION_MAX)
		return err_set(err, ERR_USAGE, "--mutex-fraction must be 1 to %d", FRACTION_MAX);
	return 0;
}

bool cmd_run_samples_processes(const struct run_args *a)
{
	return a->sample.pids || a->sample.all_cpus || a->sample.cgroup;
}

bool cmd_run_samples_outside(const struct run_args *a)
{
	return a->sample.off_cpu || a->sample.wall || (a->sample.events && *a->sample.events);
}

/* Check the options for a program that is started. */
static int check_program(const struct run_args *a, struct err *err)
{
	const char *word = a->for_processes, *other = a->for_program;

	if (!cmd_run_samples_outside(a))
		return 0;
	if (other)
		return err_set(err, ERR_USAGE, "%.*s and %.*s: with the second, the program is sampled from outside",
			       (int)strcspn(other, "="), other, (int)strcspn(word, "="), word);
	if (a->has_follow && !is_follow_word(a->follow))
		return err_set(err, ERR_USAGE, "--follow=%s: with %.*s, choose all or none", a->follow,
			       (int)strcspn(word, "="), word);
	return 0;
}

/* Check that the options apply to what is profiled: running processes, or a program. */
static int check_target(const struct run_args *a, struct err *err)
{
	const char *word = a->for_program;

	if (!cmd_run_samples_processes(a))
		return check_program(a, err);
	if (word)
		return err_set(err, ERR_USAGE, "%.*s applies to programs that cpa starts, not to running processes",
			       (int)strcspn(word, "="), word);
	if (a->has_follow && !is_follow_word(a->follow))
		return err_set(err, ERR_USAGE, "--follow=%s: choose all or none for running processes", a->follow);
	return 0;
}

/* Without the option, the variable CPA_SIGNAL applies, as in linked programs. */
static int run_options_read_signal(const char *option, struct attach_options *to, struct err *err)
{
	static const char kinds[] = "PROF, VTALRM, STKFLT, PWR, or a number from 34 to 64";
	const char *variable = getenv("CPA_SIGNAL");

	if (*option && !attach_signal_named(option, &to->collect.signal))
		return err_set(err, ERR_USAGE, "--signal=%s: choose %s", option, kinds);
	if (!*option && variable && *variable && !attach_signal_named(variable, &to->collect.signal))
		say("CPA_SIGNAL=%s: ignored; choose %s", variable, kinds);
	return 0;
}

/* Without the option, the variable CPA_CPU_ENGINE applies. */
static int run_options_read_engine(const char *option, struct attach_options *to, struct err *err)
{
	const char *variable = getenv("CPA_CPU_ENGINE");

	if (*option && !attach_engine_named(option, &to->collect.engine))
		return err_set(err, ERR_USAGE, "--engine=%s: choose timer, perf or itimer", option);
	if (!*option && variable && *variable && !attach_engine_named(variable, &to->collect.engine))
		say("CPA_CPU_ENGINE=%s: ignored; choose timer, perf or itimer", variable);
	return 0;
}

static void run_options_add_file(struct run_options *o, enum snap_kind kind, const char *custom, const char *name)
{
	assert(kind < N_SNAP_KINDS && o->attach.n_files < N_SNAP_KINDS + o->args.custom.n);
	o->file[o->attach.n_files++] = (struct attach_file){ .kind = kind, .custom = custom, .name = name };
}

/* Parse NAME=FILE. */
static int add_custom(struct run_options *o, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	char *name;

	if (!equals || equals == text || !equals[1] || (size_t)(equals - text) >= SNAP_NAME_MAX)
		return err_set(err, ERR_USAGE, "--custom=%s: expected NAME=FILE", text);
	name = mem_strndup(text, (size_t)(equals - text));
	run_options_add_file(o, SNAP_CUSTOM, name, equals + 1);
	return 0;
}

static int run_options_check_files(const struct run_options *o, struct err *err)
{
	for (size_t i = 0; i < o->attach.n_files; i++) {
		if (!*o->file[i].name)
			return err_set(err, ERR_USAGE, "an output file has an empty name");
		for (size_t k = 0; k < i; k++)
			if (strcmp(o->file[i].name, o->file[k].name) == 0)
				return err_set(err, ERR_USAGE, "%s: given for two profiles", o->file[i].name);
	}
	if (o->args.file[SNAP_THREADS] && !o->attach.every_ns)
		return err_set(err, ERR_USAGE, "--threads needs an interval, for example --every=10s");
	return 0;
}

static int run_options_find_files(struct run_options *o, struct err *err)
{
	for (int i = 0; i < N_SNAP_KINDS; i++)
		if (o->args.file[i])
			run_options_add_file(o, (enum snap_kind)i, NULL, o->args.file[i]);
	for (size_t i = 0; i < o->args.custom.n; i++)
		if (add_custom(o, o->args.custom.item[i], err) < 0)
			return ERR_USAGE;
	if (o->attach.n_files == 0 && o->server && *o->args.every)
		return err_set(err, ERR_USAGE, "--every=%s: no file to write; name one, for example --heap=heap.pb.gz",
			       o->args.every);
	if (o->attach.n_files == 0 && !o->server)
		run_options_add_file(o, SNAP_CPU, NULL, "cpu-%p.pb.gz");
	if (*o->args.every && read_amount("every", o->args.every, "ns", &o->attach.every_ns, err) < 0)
		return ERR_USAGE;
	if (*o->args.every && o->attach.every_ns < EVERY_MIN)
		return err_set(err, ERR_USAGE, "--every=%s: must be at least 100ms, with a unit", o->args.every);
	return run_options_check_files(o, err);
}

static bool run_options_is_heap(const struct attach_file *f)
{
	return f->kind == SNAP_HEAP || f->kind == SNAP_ALLOCS;
}

static int read_rates(const struct run_options *o, uint64_t *heap_rate, uint64_t *block_rate, struct err *err)
{
	if (read_amount("heap-rate", o->args.heap_rate, "B", heap_rate, err) < 0 ||
	    read_amount("block-rate", o->args.block_rate, "ns", block_rate, err) < 0)
		return ERR_USAGE;
	for (size_t i = 0; i < o->attach.n_files && *heap_rate == 0; i++)
		if (run_options_is_heap(&o->file[i]))
			return err_set(err, ERR_USAGE, "--heap-rate must be at least 1 to write a heap profile");
	if (*heap_rate == 0 && !o->server)
		return err_set(err, ERR_USAGE, "--heap-rate must be at least 1 without --enable-profiling");
	if (*block_rate == 0)
		return err_set(err, ERR_USAGE, "--block-rate must be at least 1");
	return 0;
}

/*
 * Select the kinds to measure: those that are written, and those that clients can request. Clients
 * can request the heap, which costs little, waits if a rate is given, and CPU time while a request runs.
 */
static int choose_kinds(struct run_options *o, struct err *err)
{
	struct collector_options *c = &o->attach.collect;
	uint64_t heap_rate = 0, block_rate = 0;

	if (read_rates(o, &heap_rate, &block_rate, err) < 0)
		return ERR_USAGE;
	for (size_t i = 0; i < o->attach.n_files; i++)
		switch (o->file[i].kind) {
		case SNAP_CPU:
			c->hz = (uint32_t)o->args.hz;
			break;
		case SNAP_HEAP:
		case SNAP_ALLOCS:
			c->heap_rate = heap_rate;
			break;
		case SNAP_BLOCK:
			c->block_rate = block_rate;
			break;
		case SNAP_MUTEX:
			c->mutex_fraction = (uint64_t)o->args.mutex_fraction;
			break;
		default:
			break;
		}
	if (o->server) {
		c->heap_rate = heap_rate;
		c->block_rate = o->args.has_block_rate ? block_rate : c->block_rate;
		c->mutex_fraction = o->args.has_mutex_rate ? (uint64_t)o->args.mutex_fraction : c->mutex_fraction;
	}
	o->attach.cpu = (struct serve_cpu){ .hz = (uint32_t)o->args.hz, .engine = c->engine + 1 };
	c->max_depth = (uint32_t)o->args.max_depth;
	c->flags = (o->args.heap_labels ? FLAG_HEAP_LABELS : 0u) |
		   (o->args.labels_inherit ? 0u : FLAG_LABELS_NOT_INHERITED) | (o->server ? FLAG_SERVED : 0u);
	return 0;
}

static char *run_options_join(const char *prefix, const char *text)
{
	size_t n = strlen(prefix) + strlen(text) + 1;
	char *to = mem_alloc(n, 1);

	snprintf(to, n, "%s%s", prefix, text);
	return to;
}

static int read_port(const char *text, char **out, struct err *err)
{
	static const unsigned port_max = 65535;
	size_t n = strspn(text, "0123456789");

	if (n == 0 || n > 5 || text[n] || (unsigned)atoi(text) > port_max)
		return err_set(err, ERR_USAGE, "--profile-port=%s: not a port from 0 to %u; 0 selects a free one", text,
			       port_max);
	*out = run_options_join(":", text);
	return 0;
}

static int read_socket(const char *text, char **out, struct err *err)
{
	if (!*text)
		return err_set(err, ERR_USAGE, "--profile-socket: expected a path or auto");
	*out = strcmp(text, "auto") == 0 ? NULL : run_options_join("unix:", text);
	return 0;
}

static int read_address(const char *text, char **out, struct err *err)
{
	if (!*text)
		return err_set(err, ERR_USAGE, "--profile-address: expected HOST:PORT");
	*out = run_options_join("", text);
	return 0;
}

static int read_listen_address(const struct run_server_args *a, char **out, struct err *err)
{
	if (!!a->port + !!a->socket + !!a->address > 1)
		return err_set(err, ERR_USAGE,
			       "give only one of --profile-port, --profile-socket and --profile-address");
	if (a->any_address && !a->address)
		return err_set(err, ERR_USAGE, "--profile-any-address needs --profile-address=0.0.0.0:PORT");
	if (a->port)
		return read_port(a->port, out, err);
	if (a->socket)
		return read_socket(a->socket, out, err);
	return read_address(a->address ? a->address : ":0", out, err);
}

/* Join host names with commas for the server. */
static int read_hosts(const struct opt_list *l, char hosts[ATTACH_HOSTS_MAX], struct err *err)
{
	size_t n = 0;

	hosts[0] = '\0';
	for (size_t i = 0; i < l->n; i++) {
		const char *name = l->item[i];

		if (!*name || strpbrk(name, " \t/@"))
			return err_set(err, ERR_USAGE, "--profile-allow-host=%s: not a host name", name);
		n += (size_t)snprintf(hosts + n, ATTACH_HOSTS_MAX - n, "%s%s", n ? "," : "", name);
		if (n >= ATTACH_HOSTS_MAX)
			return err_set(err, ERR_USAGE, "--profile-allow-host: names exceed %d bytes in total",
				       ATTACH_HOSTS_MAX - 1);
	}
	return 0;
}

/*
 * Parse the options of the server, and read the secret.
 *
 * out     unchanged if there is no server
 * Fails   ERR_USAGE, ERR_IO
 */
static int read_server(const struct run_server_args *a, struct attach_server_options **out, struct err *err)
{
	char *address = NULL, hosts[ATTACH_HOSTS_MAX];
	struct attach_server_settings s = {
		.secret_file = a->secret,
		.hosts = hosts,
		.any_user = a->any_user,
		.any_address = a->any_address,
		.hide_cmdline = a->hide_cmdline,
	};
	int rc;

	if (!a->enable)
		return 0;
	if (a->max_seconds < 1 || a->max_seconds > SECONDS_MAX)
		return err_set(err, ERR_USAGE, "--profile-max-seconds must be 1 to %d", SECONDS_MAX);
	if (read_listen_address(a, &address, err) < 0)
		return ERR_USAGE;
	s.address = address;
	s.max_seconds = (int)a->max_seconds;
	rc = read_hosts(&a->allow_host, hosts, err);
	if (rc == 0) {
		rc = attach_server_options_new(&s, out, err);
		if (rc == ERR_IO)
			err_wrap(err, "--profile-secret");
	}
	free(address);
	return rc;
}

int cmd_run_options_read(enum run_command which, int argc, char **argv, struct run_options *out, struct err *err)
{
	int i = 1;

	assert(argc >= 1);
	*out = (struct run_options){ .attach.files_max =
					     which == COMMAND_RUN ? FILES_OF_RUN_MAX : FILES_OF_RECORD_MAX };
	run_options_set_defaults(which, &out->args);
	while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0) {
		int n = run_options_read_one(which, argc - i, argv + i, &out->args, err);

		if (n < 0)
			return n;
		i += n;
	}
	if (i < argc && strcmp(argv[i], "--") == 0)
		i++;
	assert(i <= argc);
	if (out->args.help)
		return i;
	if (check_target(&out->args, err) < 0 || cmd_run_check_call_graph(out->args.call_graph, err) < 0 ||
	    run_options_check_numbers(&out->args, err) < 0 || read_follow(out->args.follow, &out->attach, err) < 0 ||
	    run_options_read_engine(out->args.engine, &out->attach, err) < 0 ||
	    run_options_read_signal(out->args.signal, &out->attach, err) < 0 ||
	    read_server(&out->args.server, &out->server, err) < 0)
		return ERR_USAGE;
	out->attach.server = out->server;
	out->attach.suggests_follow = !out->args.has_follow && !out->attach.collect.follow;
	out->file = mem_zalloc(N_SNAP_KINDS + out->args.custom.n, sizeof(*out->file));
	out->attach.file = out->file;
	if (which == COMMAND_RECORD)
		run_options_add_file(out, (enum snap_kind)out->args.kind, NULL, "");
	else if (run_options_find_files(out, err) < 0)
		return ERR_USAGE;
	return choose_kinds(out, err) < 0 ? ERR_USAGE : i;
}

int cmd_run_options_drop_unsupported(struct run_options *o, const struct program *p, const char *name, struct err *err)
{
	struct buf why = { 0 };
	size_t n = 0;

	if (o->attach.collect.heap_rate == 0 || (!p->sanitizer && !p->has_malloc))
		return 0;
	if (p->sanitizer)
		buf_addf(&why, "%s: no heap profile of programs with the %s sanitizer; build without it", name,
			 p->sanitizer);
	else
		buf_addf(&why, "%s: no heap profile, because the program contains malloc; link it as a shared library",
			 name);
	for (size_t i = 0; i < o->attach.n_files; i++)
		if (!run_options_is_heap(&o->file[i]))
			o->file[n++] = o->file[i];
	assert(n <= o->attach.n_files);
	o->attach.n_files = n;
	o->attach.collect.heap_rate = 0;
	if (n == 0 && !o->server)
		err_set(err, ERR_USAGE, "%s", buf_text(&why));
	else
		say("%s", buf_text(&why));
	buf_release(&why);
	return n || o->server ? 0 : ERR_USAGE;
}

void cmd_run_options_release(struct run_options *o)
{
	for (size_t i = 0; i < o->attach.n_files; i++)
		free((char *)(uintptr_t)o->file[i].custom);
	free(o->file);
	regex_free(o->attach.follow);
	attach_server_options_free(o->server);
	opt_list_release(&o->args.server.allow_host);
	opt_list_release(&o->args.custom);
	opt_list_release(&o->args.report);
	*o = (struct run_options){ 0 };
}
