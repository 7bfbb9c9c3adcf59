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
#include "cli/run/tables.h"
#include "engine/query.h"
#include "libcpaprof/target/segment.h"

#include <assert.h>
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HZ_MOST = 1000, FILES_OF_RUN = 1000, FILES_OF_RECORD = 100000, FRACTION_MOST = 1 << 20 };
#define EVERY_LEAST 100000000 /* ns: how often the segment is emptied */
#define AMOUNT_MOST 4e18

/* An option of reports, or a report itself: it goes to the report as it stands. Gives how many words it takes. */
static int take_report_option(char **argv, int left, const char *name, size_t n, bool has_value, struct run_asked *to)
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
static int read_one(enum run_command which, int left, char **argv, struct run_asked *to, struct err *err)
{
	const char *name = argv[0] + 1 + (argv[0][1] == '-'), *value = strchr(name, '=');
	size_t n = value ? (size_t)(value - name) : strlen(name);
	const struct opt *o = run_tables_find(which, name, n);
	int k = 1;

	if (!o && which == COMMAND_RECORD && run_tables_is_profile(name, n))
		return err_set(err, ERR_USAGE,
			       "%s: cpa record prints a report and serves nothing; cpa run --enable-profiling does",
			       argv[0]);
	if (!o && which == COMMAND_RECORD)
		k = take_report_option(argv, left, name, n, value != NULL, to);
	if (!o && (which != COMMAND_RECORD || k == 0))
		return err_set(err, ERR_USAGE, "cpa %s has no option %s; cpa %s --help lists them",
			       run_tables_command(which), argv[0], run_tables_command(which));
	if (!o)
		return k;
	/* the heap of cpa run goes to a file, that of cpa record does not: --heap -- ./prog is one for the other */
	if (!value && !opt_is_flag(o) && (++k > left || starts_with(argv[1], "--")))
		return err_set(err, ERR_USAGE, "cpa %s %s needs an argument: %s=%s", run_tables_command(which), argv[0],
			       argv[0], o->arg);
	run_tables_note(o, to);
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
	if (!isdigit((unsigned char)*text) || !is_known || value * factor > AMOUNT_MOST)
		return err_set(err, ERR_USAGE, "--%s=%s: not a %s", option, text,
			       is_time ? "time, such as 10us, 10s, 1m" : "number of bytes, such as 512kB");
	*out = (uint64_t)(value * factor);
	return 0;
}

static int read_follow(const char *text, struct run_how *how, struct err *err)
{
	bool all = strcmp(text, "true") == 0 || strcmp(text, "all") == 0;
	bool none = strcmp(text, "false") == 0 || strcmp(text, "none") == 0;

	how->collect.follow = !none;
	if (all || none)
		return 0;
	if (regex_new(text, &how->follow, err) < 0) {
		err_wrap(err, "--follow=%s", text);
		return ERR_USAGE;
	}
	return 0;
}

static int check_numbers(const struct run_asked *a, struct err *err)
{
	if (a->hz < 1 || a->hz > HZ_MOST)
		return err_set(err, ERR_USAGE, "--hz: from 1 to %d samples per second", HZ_MOST);
	if (a->max_depth < 1 || a->max_depth > FRAMES_MAX)
		return err_set(err, ERR_USAGE, "--max-depth: from 1 to %d frames", FRAMES_MAX);
	if (a->mutex_fraction < 1 || a->mutex_fraction > FRACTION_MOST)
		return err_set(err, ERR_USAGE, "--mutex-fraction: one of 1 to %d", FRACTION_MOST);
	return 0;
}

/* Without an option the variable that linked programs heed counts. */
static int read_signal(const char *asked, struct run_how *how, struct err *err)
{
	static const char kinds[] = "PROF, VTALRM, STKFLT, PWR, or a number from 34 to 64";
	const char *usual = getenv("CPA_SIGNAL");

	if (*asked && !collect_signal_named(asked, &how->collect.signal))
		return err_set(err, ERR_USAGE, "--signal=%s: %s", asked, kinds);
	if (!*asked && usual && *usual && !collect_signal_named(usual, &how->collect.signal))
		say("CPA_SIGNAL: %s is none of %s", usual, kinds);
	return 0;
}

/* The same. */
static int read_engine(const char *asked, struct run_how *how, struct err *err)
{
	const char *usual = getenv("CPA_CPU_ENGINE");

	if (*asked && !collect_engine(asked, &how->collect.engine))
		return err_set(err, ERR_USAGE, "--engine=%s: timer, perf or itimer", asked);
	if (!*asked && usual && *usual && !collect_engine(usual, &how->collect.engine))
		say("CPA_CPU_ENGINE: %s is none of timer, perf, itimer", usual);
	return 0;
}

static void add_file(struct run_options *o, enum snap_kind kind, const char *custom, const char *name)
{
	o->file[o->how.n_files++] = (struct run_file){ .kind = kind, .custom = custom, .name = name };
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
	for (size_t i = 0; i < o->how.n_files; i++) {
		if (!*o->file[i].name)
			return err_set(err, ERR_USAGE, "a file must have a name");
		for (size_t k = 0; k < i; k++)
			if (strcmp(o->file[i].name, o->file[k].name) == 0)
				return err_set(err, ERR_USAGE, "%s: two profiles would go there", o->file[i].name);
	}
	if (o->asked.file[SNAP_THREADS] && !o->how.every_ns)
		return err_set(
			err, ERR_USAGE,
			"--threads shows what threads do at one moment; say when with --every, as in --every=10s");
	return 0;
}

static int find_files(struct run_options *o, struct err *err)
{
	for (int i = 0; i < N_SNAP_KINDS; i++)
		if (o->asked.file[i])
			add_file(o, (enum snap_kind)i, NULL, o->asked.file[i]);
	for (size_t i = 0; i < o->asked.custom.n; i++)
		if (add_custom(o, o->asked.custom.item[i], err) < 0)
			return ERR_USAGE;
	if (o->how.n_files == 0 && o->serve && *o->asked.every)
		return err_set(err, ERR_USAGE,
			       "--every=%s: there is no file to write; name some, as in --heap=heap.pb.gz",
			       o->asked.every);
	if (o->how.n_files == 0 && !o->serve)
		add_file(o, SNAP_CPU, NULL, "cpu-%p.pb.gz");
	if (*o->asked.every && read_amount("every", o->asked.every, "ns", &o->how.every_ns, err) < 0)
		return ERR_USAGE;
	if (*o->asked.every && o->how.every_ns < EVERY_LEAST)
		return err_set(err, ERR_USAGE, "--every=%s: at least 100ms; a time has a unit", o->asked.every);
	return check_files(o, err);
}

static bool is_heap(const struct run_file *f)
{
	return f->kind == SNAP_HEAP || f->kind == SNAP_ALLOCS;
}

static int read_rates(const struct run_options *o, uint64_t *heap_rate, uint64_t *block_rate, struct err *err)
{
	if (read_amount("heap-rate", o->asked.heap_rate, "B", heap_rate, err) < 0 ||
	    read_amount("block-rate", o->asked.block_rate, "ns", block_rate, err) < 0)
		return ERR_USAGE;
	for (size_t i = 0; i < o->how.n_files && *heap_rate == 0; i++)
		if (is_heap(&o->file[i]))
			return err_set(err, ERR_USAGE,
				       "--heap-rate: at least 1, for there is to be a file of the heap");
	if (*heap_rate == 0 && !o->serve)
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
	struct collect_how *c = &o->how.collect;
	uint64_t heap_rate = 0, block_rate = 0;

	if (read_rates(o, &heap_rate, &block_rate, err) < 0)
		return ERR_USAGE;
	for (size_t i = 0; i < o->how.n_files; i++)
		switch (o->file[i].kind) {
		case SNAP_CPU:
			c->hz = (uint32_t)o->asked.hz;
			break;
		case SNAP_HEAP:
		case SNAP_ALLOCS:
			c->heap_rate = heap_rate;
			break;
		case SNAP_BLOCK:
			c->block_rate = block_rate;
			break;
		case SNAP_MUTEX:
			c->mutex_fraction = (uint64_t)o->asked.mutex_fraction;
			break;
		default:
			break;
		}
	if (o->serve) {
		c->heap_rate = heap_rate;
		c->block_rate = o->asked.block_given ? block_rate : c->block_rate;
		c->mutex_fraction = o->asked.mutex_given ? (uint64_t)o->asked.mutex_fraction : c->mutex_fraction;
	}
	o->how.cpu = (struct serve_cpu){ .hz = (uint32_t)o->asked.hz, .engine = c->engine + 1 };
	c->max_depth = (uint32_t)o->asked.max_depth;
	c->flags = (o->asked.heap_labels ? FLAG_HEAP_LABELS : 0u) | (o->asked.labels_inherit ? 0u : FLAG_LABELS_STAY) |
		   (o->serve ? FLAG_SERVED : 0u);
	return 0;
}

int run_options_read(enum run_command which, int argc, char **argv, struct run_options *out, struct err *err)
{
	int i = 1;

	*out = (struct run_options){ .how.files_most = which == COMMAND_RUN ? FILES_OF_RUN : FILES_OF_RECORD };
	run_tables_preset(which, &out->asked);
	while (i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0) {
		int n = read_one(which, argc - i, argv + i, &out->asked, err);

		if (n < 0)
			return n;
		i += n;
	}
	if (i < argc && strcmp(argv[i], "--") == 0)
		i++;
	if (out->asked.help)
		return i;
	if (check_numbers(&out->asked, err) < 0 || read_follow(out->asked.follow, &out->how, err) < 0 ||
	    read_engine(out->asked.engine, &out->how, err) < 0 || read_signal(out->asked.signal, &out->how, err) < 0 ||
	    run_profile_read(&out->asked.profile, &out->serve, err) < 0)
		return ERR_USAGE;
	out->how.serve = out->serve;
	out->file = mem_zalloc(N_SNAP_KINDS + out->asked.custom.n, sizeof(*out->file));
	out->how.file = out->file;
	if (which == COMMAND_RECORD)
		add_file(out, (enum snap_kind)out->asked.kind, NULL, "");
	else if (find_files(out, err) < 0)
		return ERR_USAGE;
	return choose_kinds(out, err) < 0 ? ERR_USAGE : i;
}

int run_options_fit(struct run_options *o, const struct program *p, const char *name, struct err *err)
{
	struct buf why = { 0 };
	size_t n = 0;

	if (o->how.collect.heap_rate == 0 || (!p->sanitizer && !p->has_malloc))
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
	for (size_t i = 0; i < o->how.n_files; i++)
		if (!is_heap(&o->file[i]))
			o->file[n++] = o->file[i];
	o->how.n_files = n;
	o->how.collect.heap_rate = 0;
	if (n == 0 && !o->serve)
		err_set(err, ERR_USAGE, "%s", buf_text(&why));
	else
		say("%s", buf_text(&why));
	buf_release(&why);
	return n || o->serve ? 0 : ERR_USAGE;
}

void run_options_release(struct run_options *o)
{
	for (size_t i = 0; i < o->how.n_files; i++)
		free((char *)(uintptr_t)o->file[i].custom);
	free(o->file);
	regex_free(o->how.follow);
	run_profile_free(o->serve);
	opt_list_release(&o->asked.profile.allow_host);
	opt_list_release(&o->asked.custom);
	opt_list_release(&o->asked.report);
	*o = (struct run_options){ 0 };
}
