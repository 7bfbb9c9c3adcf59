/*
 * heap_watch.c - run a program as cpa run does, and print its heap tables
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: heap_watch LIBRARY RATE NAMES PROGRAM [ARGUMENT]...
 *
 * NAMES is the output of nm for the program, which must run at its linked addresses. Prints a line per row of the last
 * process, and a line per process:
 *
 * 	row ALLOCATED_OBJECTS BYTES IN_USE_OBJECTS BYTES SAMPLES_IN_USE BYTES SAMPLES BYTES SIZE FUNCTION...
 * 	process PID live N reported BITS full N held N entries N
 * 	object ADDRESS SIZE WEIGHT/1024    live objects, if HEAP_WATCH_OBJECTS is set
 *
 * The environment is passed on, except that LIBRARY is added to LD_PRELOAD: at the start, or with a leading + at
 * the end.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/snap.h"
#include "libcpaprof/target/live.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NAMES_MAX = 65536, DRAIN_US = 20000 };

static struct name {
	uint64_t at;
	char text[64];
} names[NAMES_MAX];
static int n_names;
static FILE *report; /* printed at the end, after the output of the program */

static int by_address(const void *a, const void *b)
{
	const struct name *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

static void read_names(const char *path)
{
	FILE *f = fopen(path, "r");
	char line[4096], kind;

	while (f && n_names < NAMES_MAX && fgets(line, sizeof(line), f))
		if (sscanf(line, "%" SCNx64 " %c %63s", &names[n_names].at, &kind, names[n_names].text) == 3 &&
		    strchr("tTwW", kind))
			n_names++;
	if (f)
		fclose(f);
	qsort(names, (size_t)n_names, sizeof(names[0]), by_address);
}

static const char *name_of(uint64_t addr)
{
	int lo = 0, hi = n_names;

	while (lo < hi) {
		int mid = (lo + hi) / 2;

		if (names[mid].at <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo > 0 && lo < n_names ? names[lo - 1].text : "?";
}

static void print_rows(const struct snap *s)
{
	const struct stack_table *t = &s->p->table;

	for (uint32_t i = 0; i < s->row.n; i++) {
		const struct snap_row *r = &((const struct snap_row *)s->row.data)[i];

		fprintf(report, "row");
		for (int v = 0; v < SNAP_VALUES; v++)
			fprintf(report, " %" PRId64, r->value[v]);
		for (int v = 0; v < SNAP_VALUES; v++)
			fprintf(report, " %" PRId64, r->raw[v]);
		fprintf(report, " %" PRIu64, r->size);
		for (uint32_t k = 0; k < r->n; k++) {
			uint32_t loc = ((const uint32_t *)t->frames.data)[r->at + k];

			fprintf(report, " %s", name_of(((const struct table_loc *)t->loc.data)[loc].addr));
		}
		fputc('\n', report);
	}
}

static void print_objects(const struct live_object *o, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (o[i].at)
			fprintf(report, "object %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", o[i].at, o[i].size,
				o[i].weight);
}

/* Read the live map, trusting only its layout. */
static void print_live(struct process *p)
{
	const struct collect *c = p->c;
	uint32_t slot = (uint32_t)(p - c->process), live = 0;
	uint8_t *tables = (uint8_t *)c->head + c->layout.section[SECTION_TABLES];
	const struct live_object *residents;
	const struct live_head *l;

	fprintf(report, "process %d", (int)p->pid);
	if (p->counts.tables) {
		l = (const struct live_head *)(tables + (p->counts.tables - 1) * (uint64_t)TABLES_SIZE +
					       TABLES_LIVE_AT);
		residents = (const struct live_object *)((const uint8_t *)l + LIVE_RESIDENTS_AT);
		for (int i = 0; i < LIVE_SHARDS; i++)
			live += l->shard[i].n;
		for (int i = 0; i < LIVE_RESIDENTS; i++)
			live += residents[i].at != 0;
		fprintf(report, " live %u reported %u full %u held %u entries %u\n", live, collect_slot(c, slot)->heap,
			l->n_full, l->n_missed, l->n_objects);
		if (getenv("HEAP_WATCH_OBJECTS")) {
			print_objects(residents, LIVE_RESIDENTS);
			print_objects((const struct live_object *)((const uint8_t *)l + LIVE_OBJECTS_AT), l->n_objects);
		}
	} else {
		fprintf(report, " live 0 reported %u full 0 held 0 entries 0\n", collect_slot(c, slot)->heap);
	}
}

static void done(void *arg, struct process *p)
{
	struct snap *s;

	(void)arg;
	print_live(p);
	if (snap_take(p, SNAP_HEAP, 0, &s) == 0) {
		print_rows(s);
		snap_free(s);
	}
}

static void set_preload(const char *library)
{
	const char *before = getenv("LD_PRELOAD");
	char text[4096];

	if (!before)
		snprintf(text, sizeof(text), "%s", library + (*library == '+'));
	else if (*library == '+')
		snprintf(text, sizeof(text), "%s:%s", before, library + 1);
	else
		snprintf(text, sizeof(text), "%s:%s", library, before);
	setenv("LD_PRELOAD", text, 1);
}

int main(int argc, char **argv)
{
	struct collector_options options = { .heap_rate = argc > 2 ? strtoull(argv[2], NULL, 10) : 0, .n_tables = 8 };
	static char variable[COLLECT_ENV_MAX];
	struct collect *c;
	size_t n_text;
	char *text;
	int status;
	pid_t pid;

	if (argc < 5 || collect_open(&options, done, NULL, &c) < 0)
		return 2;
	report = open_memstream(&text, &n_text);
	if (!report)
		return 2;
	read_names(argv[3]);
	collect_environment(c, variable);
	pid = fork();
	if (pid == 0) {
		collect_set_main(c, getpid());
		putenv(variable);
		set_preload(argv[1]);
		execvp(argv[4], argv + 4);
		_exit(127);
	}
	collect_set_main(c, pid);
	while (waitpid(pid, &status, WNOHANG) == 0) {
		collect_drain(c);
		usleep(DRAIN_US);
	}
	collect_finish(c);
	collect_close(c);
	fclose(report);
	fwrite(text, 1, n_text, stdout);
	free(text);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
