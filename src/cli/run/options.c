/*
 * options.c - the command lines of cpa run and cpa record
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/run/options.h"

#include "answer/reports.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/unit.h"
#include "cli/args.h"
#include "cli/messages.h"
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
	SECONDS_MAX = 86400,  /* of a capture */
	EVERY_MIN = 100000000 /* ns: how often the segment is emptied */
};
#define AMOUNT_MAX 4e18
#define AT(field) offsetof(struct run_args, field)

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
	{ "enable_profiling", OPT_BOOL, AT(server.enable), 0, "false", NULL, 0, true, "serve /debug/pprof of the program while it runs, here only" },
	{ "profile_port", OPT_TEXT, AT(server.port), 0, NULL, "N", 0, true, "on this port of 127.0.0.1 and ::1 (a free one)" },
	{ "profile_socket", OPT_TEXT, AT(server.socket), 0, NULL, "PATH", 0, true, "on a Unix socket; auto: in $XDG_RUNTIME_DIR/cpa" },
	{ "profile_address", OPT_TEXT, AT(server.address), 0, NULL, "HOST:PORT", 0, true, "on this address; one that others reach needs a secret" },
	{ "profile_secret", OPT_TEXT, AT(server.secret), 0, NULL, "FILE", 0, true, "answer only those who send what is in this file" },
	{ "profile_allow_host", OPT_LIST, AT(server.allow_host), 0, NULL, "NAME", 0, true, "a name of this host that clients may use; may be repeated" },
	{ "profile_any_user", OPT_BOOL, AT(server.any_user), 0, "false", NULL, 0, true, "answer all users of this machine" },
	{ "profile_any_address", OPT_BOOL, AT(server.any_address), 0, "false", NULL, 0, true, "0.0.0.0 and :: are meant" },
	{ "profile_max_seconds", OPT_INT, AT(server.max_seconds), 0, "300", "N", 0, true, "the longest capture (300)" },
	{ "profile_hide_cmdline", OPT_BOOL, AT(server.hide_cmdline), 0, "false", NULL, 0, true, "do not tell the arguments of the program" },
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

struct option_table {
	const struct opt *opt;
	size_t n;
};
#define TABLE(t)                                                                                                       \
	{                                                                                                              \
		t, sizeof(t) / sizeof((t)[0])                                                                          \
	}
enum { N_TABLES = 2 };
static const struct option_table tables[][N_TABLES] = {
	[COMMAND_RUN] = { TABLE(of_run), TABLE(of_both) },
	[COMMAND_RECORD] = { TABLE(of_record), TABLE(of_both) },
};
const struct opt *cmd_run_option(enum run_command which, const char *name, size_t n)
{
	const struct opt *o = NULL;

	for (int i = 0; i < N_TABLES && !o; i++)
		o = opt_find(tables[which][i].opt, tables[which][i].n, name, n);
	return o;
}

/* Is this an option of the server of cpa run? */
static bool is_server_option(const char *name, size_t n)
{
	const struct opt *o = cmd_run_option(COMMAND_RUN, name, n);

	return o && o->at >= AT(server) && o->at < AT(server) + sizeof(struct run_server_args);
}

/* Note that an option was given, where that alone has a meaning. */
static void note_given(const struct opt *o, struct run_args *to)
{
	to->block_given |= o->at == AT(block_rate);
	to->mutex_given |= o->at == AT(mutex_fraction);
	/* each option of the server asks for one, but --enable-profiling=false must do what it says */
	if (is_server_option(o->name, strlen(o->name)) && o->at != AT(server.enable))
		to->server.enable = true;
}

/* Set all fields to their values without options. */
static void preset(enum run_command which, struct run_args *to)
{
	for (int t = 0; t < N_TABLES; t++)
		opt_preset(tables[which][t].opt, tables[which][t].n, to);
}

const char *cmd_run_command_name(enum run_command which)
{
	return which == COMMAND_RUN ? "run" : "record";
}

const char *cmd_run_options_usage(enum run_command which)
{
	return which == COMMAND_RUN ? "usage: cpa run [OPTION]... [--] PROGRAM [ARGUMENT]..."
				    : "usage: cpa record [OPTION]... [--] PROGRAM [ARGUMENT]...";
}

static void print_table(const struct option_table *t)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct opt *o = &t->opt[i];
		char name[OPT_NAME_MAX], shown[2 * OPT_NAME_MAX];

		snprintf(shown, sizeof(shown), "%s%s%s%s%s", o->name[1] ? "--" : "-", opt_shown(o, name),
			 o->arg ? "=" : "", o->arg ? o->arg : "", o->kind == OPT_MODE ? "[=WHICH]" : "");
		printf("  %-22s %s\n", shown, o->help);
	}
}

void cmd_run_options_help(enum run_command which)
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

	printf("%s\n\n%s\n", cmd_run_options_usage(which), text[which]);
	for (int i = 0; i < N_TABLES; i++)
		print_table(&tables[which][i]);
	printf("\nThe exit status is that of the program, 128 + N when signal N ended it. More: man cpa-%s.\n",
	       cmd_run_command_name(which));
}

void cmd_run_options_print_words(enum run_command which)
{
	char name[OPT_NAME_MAX];

	for (int t = 0; t < N_TABLES; t++)
		for (size_t i = 0; i < tables[which][t].n; i++) {
			const struct opt *o = &tables[which][t].opt[i];

			printf("%s%s%s ", o->name[1] ? "--" : "-", opt_shown(o, name), opt_is_flag(o) ? "" : "=");
		}
}

/* An option of reports, or a report itself: it goes to the report as it stands. Gives how many words it takes. */
static int take_report_option(char **argv, int left, const char *name, size_t n, bool has_value, struct run_args *to)
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

/* One option, with the words it takes. Gives how many these are. */
static int read_one(enum run_command which, int left, char **argv, struct run_args *to, struct err *err)
{
	const char *name = argv[0] + 1 + (argv[0][1] == '-'), *value = strchr(name, '=');
	size_t n = value ? (size_t)(value - name) : strlen(name);
	const struct opt *o = cmd_run_option(which, name, n);
	int k = 1;

	if (!o && which == COMMAND_RECORD && is_server_option(name, n))
		return err_set(err, ERR_USAGE,
			       "%s: cpa record prints a report and serves nothing; cpa run --enable-profiling does",
			       argv[0]);
	if (!o && which == COMMAND_RECORD)
		k = take_report_option(argv, left, name, n, value != NULL, to);
	if (!o && (which != COMMAND_RECORD || k == 0))
		return err_set(err, ERR_USAGE, "cpa %s has no option %s; cpa %s --help lists them",
			       cmd_run_command_name(which), argv[0], cmd_run_command_name(which));
	if (!o)
		return k;
	/* the heap of cpa run goes to a file, that of cpa record does not: --heap -- ./prog is one for the other */
	if (!value && !opt_is_flag(o) && (++k > left || starts_with(argv[1], "--")))
		return err_set(err, ERR_USAGE, "cpa %s %s needs an argument: %s=%s", cmd_run_command_name(which),
			       argv[0], argv[0], o->arg);
	note_given(o, to);
	return opt_set(o, to, value ? value + 1 : opt_is_flag(o) ? NULL : argv[1], err) < 0 ? ERR_USAGE : k;
}

/* A number with a unit, in the smallest unit of its kind: ns or B. Without a unit it is that one. */
static int read_amount(const char *option, const char *text, const char *smallest, uint64_t *out, struct err *err)
{
	bool is_time = strcmp(smallest, "ns") == 0;
	char unit[16] = "";
	double factor = 1, value;
	bool is_known = true;
	char *end;

	value = strtod(text, &end);
	snprintf(unit, sizeof(unit), "%s", end);
	if (strlen(unit) == 3 && (unit[1] == 'i' || unit[1] == 'I')) /* KiB: all of them are */
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

static int check_numbers(const struct run_args *a, struct err *err)
{
	if (a->hz < 1 || a->hz > HZ_MAX)
		return err_set(err, ERR_USAGE, "--hz: from 1 to %d samples per second", HZ_MAX);
	if (a->max_depth < 1 || a->max_depth > FRAMES_MAX)
		return err_set(err, ERR_USAGE, "--max-depth: from 1 to %d frames", FRAMES_MAX);
	if (a->mutex_fraction < 1 || a->mutex_fraction > FRACTION_MAX)
		return err_set(err, ERR_USAGE, "--mutex-fraction: one of 1 to %d", FRACTION_MAX);
	return 0;
}

/* Without an option the variable that linked programs heed counts. */
static int read_signal(const char *asked, struct attach_options *to, struct err *err)
{
	static const char kinds[] = "PROF, VTALRM, STKFLT, PWR, or a number from 34 to 64";
	const char *usual = getenv("CPA_SIGNAL");

	if (*asked && !attach_signal_named(asked, &to->collect.signal))
		return err_set(err, ERR_USAGE, "--signal=%s: %s", asked, kinds);
	if (!*asked && usual && *usual && !attach_signal_named(usual, &to->collect.signal))
		say("CPA_SIGNAL: %s is none of %s", usual, kinds);
	return 0;
}

/* The same. */
static int read_engine(const char *asked, struct attach_options *to, struct err *err)
{
	const char *usual = getenv("CPA_CPU_ENGINE");

	if (*asked && !attach_engine_named(asked, &to->collect.engine))
		return err_set(err, ERR_USAGE, "--engine=%s: timer, perf or itimer", asked);
	if (!*asked && usual && *usual && !attach_engine_named(usual, &to->collect.engine))
		say("CPA_CPU_ENGINE: %s is none of timer, perf, itimer", usual);
	return 0;
}

static void add_file(struct run_options *o, enum snap_kind kind, const char *custom, const char *name)
{
	assert(kind < N_SNAP_KINDS && o->attach.n_files < N_SNAP_KINDS + o->args.custom.n);
	o->file[o->attach.n_files++] = (struct attach_file){ .kind = kind, .custom = custom, .name = name };
}

/* NAME=FILE */
static int add_custom(struct run_options *o, const char *text, struct err *err)
{
	const char *equals = strchr(text, '=');
	char *name;

	if (!equals || equals == text || !equals[1] || (size_t)(equals - text) >= SNAP_NAME_MAX)
		return err_set(err, ERR_USAGE, "--custom=%s: it takes the name of a profile, = and a file", text);
	name = mem_strndup(text, (size_t)(equals - text));
	add_file(o, SNAP_CUSTOM, name, equals + 1);
	return 0;
}

static int check_files(const struct run_options *o, struct err *err)
{
	for (size_t i = 0; i < o->attach.n_files; i++) {
		if (!*o->file[i].name)
			return err_set(err, ERR_USAGE, "a file must have a name");
		for (size_t k = 0; k < i; k++)
			if (strcmp(o->file[i].name, o->file[k].name) == 0)
				return err_set(err, ERR_USAGE, "%s: two profiles would go there", o->file[i].name);
	}
	if (o->args.file[SNAP_THREADS] && !o->attach.every_ns)
		return err_set(
			err, ERR_USAGE,
			"--threads shows what threads do at one moment; say when with --every, as in --every=10s");
	return 0;
}

static int find_files(struct run_options *o, struct err *err)
{
	for (int i = 0; i < N_SNAP_KINDS; i++)
		if (o->args.file[i])
			add_file(o, (enum snap_kind)i, NULL, o->args.file[i]);
	for (size_t i = 0; i < o->args.custom.n; i++)
		if (add_custom(o, o->args.custom.item[i], err) < 0)
			return ERR_USAGE;
	if (o->attach.n_files == 0 && o->server && *o->args.every)
		return err_set(err, ERR_USAGE,
			       "--every=%s: there is no file to write; name some, as in --heap=heap.pb.gz",
			       o->args.every);
	if (o->attach.n_files == 0 && !o->server)
		add_file(o, SNAP_CPU, NULL, "cpu-%p.pb.gz");
	if (*o->args.every && read_amount("every", o->args.every, "ns", &o->attach.every_ns, err) < 0)
		return ERR_USAGE;
	if (*o->args.every && o->attach.every_ns < EVERY_MIN)
		return err_set(err, ERR_USAGE, "--every=%s: at least 100ms; a time has a unit", o->args.every);
	return check_files(o, err);
}

static bool is_heap(const struct attach_file *f)
{
	return f->kind == SNAP_HEAP || f->kind == SNAP_ALLOCS;
}

static int read_rates(const struct run_options *o, uint64_t *heap_rate, uint64_t *block_rate, struct err *err)
{
	if (read_amount("heap-rate", o->args.heap_rate, "B", heap_rate, err) < 0 ||
	    read_amount("block-rate", o->args.block_rate, "ns", block_rate, err) < 0)
		return ERR_USAGE;
	for (size_t i = 0; i < o->attach.n_files && *heap_rate == 0; i++)
		if (is_heap(&o->file[i]))
			return err_set(err, ERR_USAGE,
				       "--heap-rate: at least 1, for there is to be a file of the heap");
	if (*heap_rate == 0 && !o->server)
		return err_set(err, ERR_USAGE, "--heap-rate: at least 1; 0 is for --enable-profiling");
	if (*block_rate == 0)
		return err_set(err, ERR_USAGE, "--block-rate: at least 1");
	return 0;
}

/*
 * Only what is written is measured, and what clients can ask for: the heap, which costs little; waits when a rate
 * says so; CPU time when they ask.
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
		c->block_rate = o->args.block_given ? block_rate : c->block_rate;
		c->mutex_fraction = o->args.mutex_given ? (uint64_t)o->args.mutex_fraction : c->mutex_fraction;
	}
	o->attach.cpu = (struct serve_cpu){ .hz = (uint32_t)o->args.hz, .engine = c->engine + 1 };
	c->max_depth = (uint32_t)o->args.max_depth;
	c->flags = (o->args.heap_labels ? FLAG_HEAP_LABELS : 0u) | (o->args.labels_inherit ? 0u : FLAG_LABELS_STAY) |
		   (o->server ? FLAG_SERVED : 0u);
	return 0;
}

static char *join(const char *front, const char *text)
{
	size_t n = strlen(front) + strlen(text) + 1;
	char *to = mem_alloc(n, 1);

	snprintf(to, n, "%s%s", front, text);
	return to;
}

static int read_port(const char *text, char **out, struct err *err)
{
	static const unsigned most = 65535;
	size_t n = strspn(text, "0123456789");

	if (n == 0 || n > 5 || text[n] || (unsigned)atoi(text) > most)
		return err_set(err, ERR_USAGE, "--profile-port=%s: a port is a number up to %u; 0: a free one", text,
			       most);
	*out = join(":", text);
	return 0;
}

static int read_socket(const char *text, char **out, struct err *err)
{
	if (!*text)
		return err_set(err, ERR_USAGE, "--profile-socket: it takes a path, or auto");
	*out = strcmp(text, "auto") == 0 ? NULL : join("unix:", text);
	return 0;
}

static int read_address(const char *text, char **out, struct err *err)
{
	if (!*text)
		return err_set(err, ERR_USAGE, "--profile-address: it takes HOST:PORT");
	*out = join("", text);
	return 0;
}

static int read_place(const struct run_server_args *a, char **out, struct err *err)
{
	if (!!a->port + !!a->socket + !!a->address > 1)
		return err_set(err, ERR_USAGE,
			       "one of --profile-port, --profile-socket and --profile-address, not several");
	if (a->any_address && !a->address)
		return err_set(err, ERR_USAGE, "--profile-any-address is for --profile-address=0.0.0.0:PORT");
	if (a->port)
		return read_port(a->port, out, err);
	if (a->socket)
		return read_socket(a->socket, out, err);
	return read_address(a->address ? a->address : ":0", out, err);
}

/* Names with commas between, as the server takes them. */
static int read_hosts(const struct opt_list *l, char hosts[ATTACH_HOSTS_MAX], struct err *err)
{
	size_t n = 0;

	hosts[0] = '\0';
	for (size_t i = 0; i < l->n; i++) {
		const char *name = l->item[i];

		if (!*name || strpbrk(name, " \t/@"))
			return err_set(err, ERR_USAGE, "--profile-allow-host=%s: not the name of a host", name);
		n += (size_t)snprintf(hosts + n, ATTACH_HOSTS_MAX - n, "%s%s", n ? "," : "", name);
		if (n >= ATTACH_HOSTS_MAX)
			return err_set(err, ERR_USAGE, "--profile-allow-host: names of %d bytes at most together",
				       ATTACH_HOSTS_MAX - 1);
	}
	return 0;
}

/*
 * What the options of the server come to. The secret is read.
 *
 * out     untouched when there is to be none
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
		return err_set(err, ERR_USAGE, "--profile-max-seconds: from 1 to %d", SECONDS_MAX);
	if (read_place(a, &address, err) < 0)
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
	preset(which, &out->args);
	while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0) {
		int n = read_one(which, argc - i, argv + i, &out->args, err);

		if (n < 0)
			return n;
		i += n;
	}
	if (i < argc && strcmp(argv[i], "--") == 0)
		i++;
	assert(i <= argc);
	if (out->args.help)
		return i;
	if (check_numbers(&out->args, err) < 0 || read_follow(out->args.follow, &out->attach, err) < 0 ||
	    read_engine(out->args.engine, &out->attach, err) < 0 ||
	    read_signal(out->args.signal, &out->attach, err) < 0 ||
	    read_server(&out->args.server, &out->server, err) < 0)
		return ERR_USAGE;
	out->attach.server = out->server;
	out->file = mem_zalloc(N_SNAP_KINDS + out->args.custom.n, sizeof(*out->file));
	out->attach.file = out->file;
	if (which == COMMAND_RECORD)
		add_file(out, (enum snap_kind)out->args.kind, NULL, "");
	else if (find_files(out, err) < 0)
		return ERR_USAGE;
	return choose_kinds(out, err) < 0 ? ERR_USAGE : i;
}

int cmd_run_options_fit(struct run_options *o, const struct program *p, const char *name, struct err *err)
{
	struct buf why = { 0 };
	size_t n = 0;

	if (o->attach.collect.heap_rate == 0 || (!p->sanitizer && !p->has_malloc))
		return 0;
	if (p->sanitizer)
		buf_addf(&why,
			 "%s has the heap of the %s sanitizer, so there is no heap profile of it; build it without",
			 name, p->sanitizer);
	else
		buf_addf(&why,
			 "%s brings a malloc of its own, so there is no heap profile of it; link that as a shared "
			 "library",
			 name);
	for (size_t i = 0; i < o->attach.n_files; i++)
		if (!is_heap(&o->file[i]))
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
