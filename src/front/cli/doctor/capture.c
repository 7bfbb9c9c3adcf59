/*
 * capture.c - capture the evidence of a runbook from a server
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/doctor/doctor_int.h"

#include "base/mem.h"
#include "base/stop.h"
#include "base/str.h"
#include "base/time.h"
#include "fetch/folder.h"
#include "front/cli/interrupt.h"
#include "front/cli/messages.h"
#include "snapshot/snapshot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { HTTP_NOT_FOUND = 404, TICK_MS = 100, BUSY_SECONDS = 120 };

/* One capture of a runbook. */
struct doctor_step {
	const char *kinds; /* of cpa snapshot */
	bool has_heap;     /* run a garbage collection first, and save the resident memory */
	double wait;       /* part of --wait before it */
	double wait_s;     /* further seconds before it */
};

static const struct doctor_step steps[N_DOCTOR_RUNBOOKS][DOCTOR_CAPTURES_MAX] = {
	[DOCTOR_SLOW] = { { "cpu,heap,allocs,block,mutex,goroutine", false, 0, 0 },
			  { "allocs,block,mutex,goroutine", false, 0, 0 },
			  { "goroutine", false, 0, 0.5 },
			  { "goroutine", false, 0, 0.5 } },
	[DOCTOR_MEMORY] = { { "heap,goroutine", true, 0, 0 },
			    { "heap,goroutine", true, 0.5, 0 },
			    { "heap,goroutine", true, 0.5, 0 } },
	[DOCTOR_THREADS] = { { "goroutine,goroutineleak", false, 0, 0 },
			     { "goroutine", false, 0.5, 0 },
			     { "goroutine,goroutineleak", false, 0.5, 0 } },
};

char *cmd_doctor_path(const char *directory, const char *name)
{
	struct buf path = { 0 };

	buf_addf(&path, "%s%s%s", directory, *name ? "/" : "", name);
	return path.data;
}

void cmd_doctor_miss(struct doctor_files *files, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	buf_vaddf(&files->missing.all, format, args);
	va_end(args);
	buf_add(&files->missing.all, "", 1);
	string_list_end(&files->missing);
}

static bool doctor_fetch(void *arg, struct fetch_request *get, size_t n, const char *what)
{
	return cmd_http_fetch(arg, get, n, what);
}

/* Does another client, such as a collector, capture the CPU time, of which Go permits one? */
static bool is_busy(const struct snapshot_entry *x)
{
	return strcmp(x->kind, "cpu") == 0 && x->state == SNAPSHOT_FAILED && strstr(x->err.msg, "already in use");
}

static bool doctor_is_busy(const struct snapshot *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (is_busy(&s->entry[i]))
			return true;
	return false;
}

/* Write the profiles that arrived, and add a sentence for each other one. Returns the number written. */
static size_t doctor_write_entries(struct snapshot *s, struct doctor_files *files)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct snapshot_entry *x = &s->entry[i];

		snapshot_write_entry(s, x);
		n += x->state == SNAPSHOT_WRITTEN;
		if (x->state == SNAPSHOT_WRITTEN || x->request.status == HTTP_NOT_FOUND)
			continue;
		cmd_doctor_miss(files, "%s could not be captured: %s", x->file,
				x->state == SNAPSHOT_INTERRUPTED ? "interrupted" : x->err.msg);
	}
	return n;
}

/* The first number of a metric in the text format of Prometheus; -1 if there is none. */
static double find_metric(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *line = text; line && *line; line = strchr(line, '\n'), line = line ? line + 1 : NULL)
		if (strncmp(line, name, n) == 0 && (line[n] == ' ' || line[n] == '{')) {
			const char *at = line[n] == '{' ? strchr(line, '}') : line + n;

			return at ? strtod(at + 1, NULL) : -1;
		}
	return -1;
}

/*
 * The process of a server on this machine; 0 if it cannot be found. The process that listens may also be a tunnel to another
 * machine, so it must have the command line that the server returned.
 */
static pid_t doctor_local_process(const struct snapshot *s)
{
	const char *port;
	pid_t pid;

	if (!url_is_local(&s->folder) || s->folder.socket)
		return 0;
	port = strrchr(s->folder.host, ':');
	pid = port ? cmd_doctor_listener((unsigned)strtoul(port + 1, NULL, 10)) : 0;
	return pid && cmd_doctor_has_cmdline(pid, &s->cmdline) ? pid : 0;
}

/* Save the resident memory as a metric: of /metrics, or of the process if it is on this machine. */
static void doctor_save_metrics(const struct doctor_args *a, const struct snapshot *s, const char *directory)
{
	struct url url;
	struct fetch_request get = { .url = &url };
	pid_t pid = doctor_local_process(s);
	int64_t rss = pid ? cmd_doctor_rss(pid) : -1;
	struct buf text = { 0 };
	struct err err;
	char *path = cmd_doctor_path(directory, DOCTOR_METRICS_FILE);

	if (rss >= 0) {
		buf_addf(&text, "# of process %d, from /proc\nprocess_resident_memory_bytes %" PRId64 "\n", (int)pid,
			 rss);
	} else {
		url_copy(&s->folder, &url);
		free(url.path);
		free(url.query);
		url.path = mem_strndup("/metrics", 8);
		url.query = mem_strndup("", 0);
		url.seconds = 0;
		cmd_http_fetch(&a->http, &get, 1, "reading /metrics");
		if (get.rc == 0)
			buf_add(&text, get.bytes.data, get.bytes.n);
		free(get.bytes.data);
		url_release(&url);
	}
	if (text.len && find_metric(buf_text(&text), "process_resident_memory_bytes") >= 0 &&
	    io_write_file(path, text.data, text.len, &err) < 0)
		say_error("%s", err.msg);
	free(path);
	buf_release(&text);
}

/* Fetch the profiles of a capture, again as long as another client captures the CPU time. */
static int doctor_fetch_step(const struct doctor_args *a, const struct snapshot_options *o, struct snapshot *s,
			     struct err *err)
{
	int64_t end = clock_mono_ns() + BUSY_SECONDS * NS_PER_S;
	const struct timespec second = { .tv_sec = 1 };

	for (;;) {
		struct url folder;
		int rc = fetch_folder(a->target, &folder, err);

		if (rc == ERR_UNKNOWN)
			return err_wrap(err, "cpa doctor needs a server, a process or a directory of evidence");
		rc = rc < 0 ? rc : snapshot_plan(o, &folder, s, err);
		rc = rc < 0 ? rc : snapshot_fetch(s, err);
		if (rc < 0 || !doctor_is_busy(s) || s->interrupted || clock_mono_ns() > end)
			return rc;
		snapshot_release(s);
		progress_begin("another client captures the CPU time; trying again");
		nanosleep(&second, NULL);
		progress_end();
	}
}

/* Capture once. */
static int doctor_capture_step(const struct doctor_args *a, const struct doctor_step *step, const char *directory,
			       struct doctor_files *files, struct err *err)
{
	struct snapshot_options o = {
		.folder = directory,
		.kinds = step->kinds,
		.version = "",
		.seconds = a->seconds,
		.force = a->force,
		.gc = step->has_heap,
		.dump = true,
		.cmdline = true,
		.max_inflated = cmd_http_max_inflated(&a->http),
		.fetch = doctor_fetch,
		.arg = (void *)(uintptr_t)&a->http,
	};
	struct snapshot s = { 0 };
	int rc = doctor_fetch_step(a, &o, &s, err);

	if (rc == 0)
		rc = snapshot_make_folder(&s, err);
	if (rc >= 0 && doctor_write_entries(&s, files) == 0)
		rc = err_set(err, ERR_IO, "%s", s.interrupted ? "interrupted" : "the server has none of the profiles");
	if (rc >= 0)
		rc = snapshot_write_manifest(&s, err);
	if (rc == 0 && step->has_heap)
		doctor_save_metrics(a, &s, directory);
	if (rc == 0 && doctor_local_process(&s))
		cmd_doctor_save_holder(doctor_local_process(&s), directory);
	snapshot_release(&s);
	return rc < 0 ? rc : 0;
}

/* Wait, or until Ctrl-C. Returns true if it was interrupted. */
static bool doctor_wait(int64_t ns)
{
	const struct timespec tick = { .tv_nsec = TICK_MS * (NS_PER_S / 1000) };
	const struct stop *stop = cmd_interrupt_catch();
	int64_t end = clock_mono_ns() + ns;

	if (ns >= NS_PER_MINUTE) {
		struct buf text = { 0 };

		time_add_go_duration(&text, ns);
		say("the next capture is in %s; Ctrl-C captures now", text.data);
		buf_release(&text);
	}
	progress_begin("waiting for the next capture (Ctrl-C: now)");
	while (!stop_is_set(stop) && clock_mono_ns() < end)
		nanosleep(&tick, NULL);
	progress_end();
	return cmd_interrupt_release();
}

int cmd_doctor_capture(const struct doctor_args *a, const char *directory, struct doctor_files *files, struct err *err)
{
	const struct doctor_step *step = steps[a->runbook];
	bool is_last = false;

	for (int i = 0; i < DOCTOR_CAPTURES_MAX && step[i].kinds && !is_last; i++) {
		char name[16] = "", *path;
		int64_t ns = (int64_t)(step[i].wait * (double)a->wait_ns + step[i].wait_s * (double)NS_PER_S);
		int rc;

		/* Ctrl-C ends the wait; the capture after it is the last one */
		if (ns > 0)
			is_last = doctor_wait(ns);
		if (i > 0)
			snprintf(name, sizeof(name), "%d", i + 1);
		path = cmd_doctor_path(directory, name);
		rc = a->pid ? cmd_doctor_capture_process(a, path, i == 0 && a->runbook == DOCTOR_SLOW, files, err)
			    : doctor_capture_step(a, &step[i], path, files, err);
		free(path);
		if (rc < 0 && i == 0)
			return rc;
		if (rc < 0) {
			cmd_doctor_miss(files, "Capture %d is missing: %s", i + 1, err->msg);
			break;
		}
	}
	return 0;
}
