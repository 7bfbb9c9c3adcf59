/*
 * index.c - the index page
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The names of profiles, programs and files come from the program and may contain anything.
 */
#include "config.h"

#include "libcpaprof/endpoint/job.h"

#include "libcpaprof/collector/labels.h"
#include "libcpaprof/collector/threads.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { OTHERS_SHOWN = 64, CUSTOMS_MAX = 1024 };

static const char head[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>/debug/pprof/</title>\n"
	"<style>\n"
	":root{color-scheme:light dark}\n"
	"body{font:15px/1.45 system-ui,sans-serif;max-width:60rem;margin:1.5rem auto;padding:0 1rem}\n"
	"h1{font-size:1.25rem;margin:0}h2{font-size:1rem;margin:1.5rem 0 .3rem}\n"
	"p{margin:.3rem 0}table{border-collapse:collapse;width:100%}\n"
	"th,td{text-align:left;vertical-align:top;padding:.3rem .8rem .3rem 0;border-top:1px solid #8884}\n"
	"th{border-top:0;font-weight:600}.n{text-align:right;font-variant-numeric:tabular-nums}\n"
	"code{font-size:.92em}.off{opacity:.75}.path{overflow-wrap:anywhere}\n"
	"</style>\n</head>\n<body>\n";

struct index_page {
	struct serve_job *j;
	char query[32]; /* "&amp;pid=N" or "" */
	int rc;
};

#define add(x, ...) ((x)->rc = (x)->rc < 0 ? (x)->rc : reply_add(&(x)->j->answer, __VA_ARGS__))

static void index_add_text(struct index_page *x, const char *text, size_t n)
{
	x->rc = x->rc < 0 ? x->rc : reply_add_html(&x->j->answer, text, n);
}

/* Write a name as part of a link, with characters escaped that a path cannot have. */
static void index_add_path(struct index_page *x, const char *name)
{
	char path[3 * SNAP_NAME_MAX + 1];

	route_escape(name, strlen(name), path, sizeof(path));
	index_add_text(x, path, strlen(path));
}

/* The size of a profile as counted by Go: the number of threads or of sampled stacks. -1: not available. */
static int64_t index_count(struct serve_job *j, enum snap_kind kind, uint64_t custom)
{
	const struct snap_row *row;
	struct snap *s;
	uint64_t n = 0; /* the values come from the program and may be invalid */

	if (kind == SNAP_THREADS)
		return threads_count(j->p);
	if (snap_take(j->p, kind, custom, &s) < 0)
		return -1;
	row = s->row.data;
	if (kind == SNAP_CREATE || kind == SNAP_CUSTOM)
		for (size_t i = 0; i < s->row.n; i++)
			n += (uint64_t)row[i].value[0];
	else
		n = s->row.n;
	snap_free(s);
	return n > INT64_MAX ? -1 : (int64_t)n;
}

/* The text that explains how to enable a profile; NULL: it is enabled. */
static const char *how_to_enable(const struct serve_job *j, enum snap_kind kind)
{
	struct process_info f;

	process_info(j->p, &f);
	if (f.is_external && kind != SNAP_THREADS)
		return "cpa run, or link the program with libcpaprof";
	switch (kind) {
	case SNAP_HEAP:
	case SNAP_ALLOCS:
		return f.heap_rate ? NULL : "CPA_HEAP_RATE=524288, cpa_heap_set_rate(), cpa run --heap-rate=512kB";
	case SNAP_BLOCK:
		return f.block_rate ? NULL : "CPA_BLOCK_RATE=10000, cpa_block_set_rate(), cpa run --block-rate=10us";
	case SNAP_MUTEX:
		return f.mutex_fraction ? NULL
					: "CPA_MUTEX_FRACTION=1, cpa_mutex_set_fraction(), cpa run --mutex-fraction=1";
	default:
		return NULL;
	}
}

static void index_add_row(struct index_page *x, int64_t n, const char *name, const char *what, const char *off)
{
	add(x, "<tr%s><td class=\"n\">", off ? " class=\"off\"" : "");
	if (n >= 0)
		add(x, "%" PRId64, n);
	add(x, "</td><td><a href=\"");
	index_add_path(x, name);
	add(x, "?debug=1%s\">", x->query);
	index_add_text(x, name, strlen(name));
	add(x, "</a></td><td><a href=\"");
	index_add_path(x, name);
	add(x, "%s%s\" download>download</a></td><td>%s", x->query[0] ? "?" : "", x->query[0] ? x->query + 5 : "",
	    what);
	if (off)
		add(x, "<br>Not enabled. To enable it: <code>%s</code>", off);
	add(x, "</td></tr>\n");
}

static void index_add_kinds(struct index_page *x)
{
	char name[SNAP_NAME_MAX];

	add(x, "<h2>Profiles</h2>\n<table>\n<tr><th class=\"n\">Count</th><th>View</th><th>Save</th><th></th></tr>\n");
	for (size_t i = 0; i < job_n_kinds; i++)
		if (job_kinds[i].description)
			index_add_row(x, index_count(x->j, job_kinds[i].kind, 0), job_kinds[i].name,
				      job_kinds[i].description, how_to_enable(x->j, job_kinds[i].kind));
	for (uint64_t i = 0, n = 0;
	     n++ < CUSTOMS_MAX && job_has_tables(x->j) && (i = collect_profile_next(x->j->p, i, name));)
		index_add_row(x, index_count(x->j, SNAP_CUSTOM, i), name, "Custom profile of the program", NULL);
	add(x, "</table>\n");
}

static void add_others(struct index_page *x)
{
	static const struct {
		const char *name, *query, *what;
	} all[] = {
		{ "profile", "seconds=30", "CPU time of the next <code>seconds</code> (default 30)" },
		{ "trace", "seconds=1",
		  "Timeline of all threads for <code>seconds</code> (default 1), for ui.perfetto.dev" },
		{ "threads", "debug=2", "All threads one by one, with their wait reasons" },
		{ "cmdline", "", "The command line of the program" },
		{ "symbol", "", "Symbol names of addresses: <code>?0x1234+0x5678</code>, or in the body of a POST" },
	};

	add(x, "<h2>More</h2>\n<table>\n");
	for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++) {
		const char *join = *all[i].query ? x->query : x->query[0] ? x->query + 5 : "";

		add(x, "<tr><td><a href=\"%s%s%s%s\">%s%s%s</a></td><td>%s</td></tr>\n", all[i].name,
		    *all[i].query || *join ? "?" : "", all[i].query, join, all[i].name, *all[i].query ? "?" : "",
		    all[i].query, all[i].what);
	}
	add(x, "</table>\n<p>Parameters of profiles: <code>?debug=1</code> for text, <code>?seconds=N</code> for the "
	       "change "
	       "within N seconds, with <code>&amp;delta=alloc</code> to show memory in use at the end, not its "
	       "change.</p>\n");
}

static void index_add_processes(struct index_page *x)
{
	const struct serve_host *host = x->j->s->host;
	struct process_info f[OTHERS_SHOWN];
	size_t n = host->list_others ? host->list_others(host->arg, f, OTHERS_SHOWN) : 0;

	if (n == 0)
		return;
	add(x, "<h2>Other processes</h2>\n<table>\n");
	for (size_t i = 0; i < n && i < OTHERS_SHOWN; i++) {
		add(x, "<tr><td class=\"n\"><a href=\"?pid=%d\">%d</a></td><td class=\"path\">", (int)f[i].pid,
		    (int)f[i].pid);
		index_add_text(x, f[i].program, f[i].n_program);
		add(x, "%s</td></tr>\n", f[i].is_forked ? " (forked)" : "");
	}
	if (n > OTHERS_SHOWN)
		add(x, "<tr><td></td><td>and %zu more</td></tr>\n", n - OTHERS_SHOWN);
	add(x, "</table>\n");
}

/* Write the heading: the process, the sampling of CPU time, and errors. */
static void index_add_head(struct index_page *x)
{
	static const char *const engine[] = { "per-thread timers", "per-thread perf events", "a per-process timer" };
	const struct serve_host *host = x->j->s->host;
	struct process_info f;
	struct serve_cpu cpu = { 0 };
	uint64_t recording;

	process_info(x->j->p, &f);
	recording = host->cpu_recording(host->arg, &cpu);
	x->rc = body_append(&x->j->answer.body, head, sizeof(head) - 1);
	add(x, "<h1>/debug/pprof/</h1>\n<p class=\"path\">Process %d", (int)f.pid);
	if (f.n_program)
		add(x, ", <code>");
	index_add_text(x, f.program, f.n_program);
	add(x, "%s; cpa %s", f.n_program ? "</code>" : "", PACKAGE_VERSION);
	if (recording)
		add(x, "; CPU time is being sampled at %u Hz by %s", cpu.hz,
		    cpu.engine >= 1 && cpu.engine <= 3 ? engine[cpu.engine - 1] : "timers");
	add(x, "</p>\n");
	if (f.error)
		add(x, "<p>Some timers could not be created: %s.</p>\n", strerrordesc_np((int)f.error));
	if (f.perf_error)
		add(x, "<p>perf events are not available: %s.</p>\n", strerrordesc_np((int)f.perf_error));
	if (f.lost)
		add(x, "<p>Lost samples: %" PRIu64 ".</p>\n", f.lost);
}

void job_index(struct serve_job *j)
{
	struct index_page x = { .j = j };

	if (j->pid)
		snprintf(x.query, sizeof(x.query), "&amp;pid=%d", (int)j->pid);
	if (!job_find_process(j))
		return;
	j->answer.status = 200;
	j->answer.type = reply_page;
	index_add_head(&x);
	index_add_kinds(&x);
	add_others(&x);
	index_add_processes(&x);
	add(&x, "</body>\n</html>\n");
	if (x.rc < 0)
		job_fail(j, x.rc, "failed to generate the page");
	j->state = JOB_READY;
}
