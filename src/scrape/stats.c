/*
 * stats.c - counters of the collector, and their text for Prometheus
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/stats.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#define PREFIX "cpa_collect_"

static const double bounds[SCRAPE_BUCKETS] = { 0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60 };

static const char *const drop_names[N_SCRAPE_DROPS] = { "size", "format", "kind",    "limit",
							"time", "room",   "storage", "day" };

/* The counters of a kind. The lock is held. */
static struct scrape_kind_stats *scrape_stats_find_kind(struct scrape_stats *s, const char *name)
{
	struct scrape_kind_stats *k;

	for (size_t i = 0; i < s->n_kinds; i++)
		if (strncmp(s->kind[i].name, name, SCRAPE_STATS_NAME - 1) == 0)
			return &s->kind[i];
	if (s->n_kinds == SCRAPE_STATS_KINDS)
		return &s->kind[SCRAPE_STATS_KINDS - 1];
	k = &s->kind[s->n_kinds++];
	snprintf(k->name, sizeof(k->name), "%s", s->n_kinds == SCRAPE_STATS_KINDS ? "other" : name);
	return k;
}

static void scrape_stats_add_time(struct scrape_stats *s, enum scrape_histogram h, int64_t ns)
{
	double seconds = (double)ns / 1e9;
	size_t b = 0;

	while (b < SCRAPE_BUCKETS && seconds > bounds[b])
		b++;
	s->histogram[h].bucket[b]++;
	s->histogram[h].n++;
	s->histogram[h].sum += seconds;
}

void scrape_stats_request(struct scrape_stats *s, const char *kind, enum scrape_result result, int64_t took_ns,
			  uint64_t bytes)
{
	pthread_mutex_lock(&s->lock);
	scrape_stats_find_kind(s, kind)->result[result]++;
	s->n_received += bytes;
	scrape_stats_add_time(s, SCRAPE_SECONDS, took_ns);
	pthread_mutex_unlock(&s->lock);
}

void scrape_stats_profile(struct scrape_stats *s, const char *kind, bool is_duplicate, int64_t now_ns)
{
	pthread_mutex_lock(&s->lock);
	if (is_duplicate)
		s->n_duplicates++;
	else
		scrape_stats_find_kind(s, kind)->n_profiles++;
	s->last_profile_ns = now_ns;
	pthread_mutex_unlock(&s->lock);
}

void scrape_stats_drop(struct scrape_stats *s, enum scrape_drop reason)
{
	pthread_mutex_lock(&s->lock);
	s->n_dropped[reason]++;
	pthread_mutex_unlock(&s->lock);
}

void scrape_stats_time(struct scrape_stats *s, enum scrape_histogram h, int64_t ns)
{
	pthread_mutex_lock(&s->lock);
	scrape_stats_add_time(s, h, ns);
	pthread_mutex_unlock(&s->lock);
}

void scrape_stats_push(struct scrape_stats *s, bool is_error)
{
	pthread_mutex_lock(&s->lock);
	s->n_pushes++;
	s->n_push_errors += is_error;
	pthread_mutex_unlock(&s->lock);
}

void scrape_stats_clock_step(struct scrape_stats *s)
{
	pthread_mutex_lock(&s->lock);
	s->n_clock_steps++;
	pthread_mutex_unlock(&s->lock);
}

/* ---- text ---- */

void scrape_stats_add_head(struct buf *out, const char *name, const char *type, const char *help)
{
	buf_addf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void scrape_stats_add_value(struct buf *out, const char *text)
{
	buf_addz(out, "\"");
	for (; *text; text++)
		if (*text == '"' || *text == '\\')
			buf_addf(out, "\\%c", *text);
		else if (*text == '\n')
			buf_addz(out, "\\n");
		else
			buf_add(out, text, 1);
	buf_addz(out, "\"");
}

static void add_counter(struct buf *out, const char *name, const char *help, uint64_t n)
{
	scrape_stats_add_head(out, name, "counter", help);
	buf_addf(out, "%s %" PRIu64 "\n", name, n);
}

static void add_histogram(const struct scrape_stats *s, struct buf *out, enum scrape_histogram h, const char *name,
			  const char *help)
{
	uint64_t n = 0;

	scrape_stats_add_head(out, name, "histogram", help);
	for (size_t b = 0; b < SCRAPE_BUCKETS; b++) {
		n += s->histogram[h].bucket[b];
		buf_addf(out, "%s_bucket{le=\"%g\"} %" PRIu64 "\n", name, bounds[b], n);
	}
	buf_addf(out, "%s_bucket{le=\"+Inf\"} %" PRIu64 "\n%s_sum %g\n%s_count %" PRIu64 "\n", name, s->histogram[h].n,
		 name, s->histogram[h].sum, name, s->histogram[h].n);
}

static void scrape_stats_add_kinds(const struct scrape_stats *s, struct buf *out)
{
	scrape_stats_add_head(out, PREFIX "scrapes_total", "counter", "Requests to targets, by kind and result.");
	for (size_t i = 0; i < s->n_kinds; i++)
		for (int r = 0; r < N_SCRAPE_RESULTS; r++) {
			if (!s->kind[i].result[r])
				continue;
			buf_addz(out, PREFIX "scrapes_total{kind=");
			scrape_stats_add_value(out, s->kind[i].name);
			buf_addf(out, ",result=\"%s\"} %" PRIu64 "\n", scrape_result_name((enum scrape_result)r),
				 s->kind[i].result[r]);
		}
	scrape_stats_add_head(out, PREFIX "profiles_total", "counter", "Profiles that were stored, by kind.");
	for (size_t i = 0; i < s->n_kinds; i++) {
		buf_addz(out, PREFIX "profiles_total{kind=");
		scrape_stats_add_value(out, s->kind[i].name);
		buf_addf(out, "} %" PRIu64 "\n", s->kind[i].n_profiles);
	}
}

void scrape_stats_add_metrics(struct scrape_stats *s, struct buf *out)
{
	pthread_mutex_lock(&s->lock);
	scrape_stats_add_kinds(s, out);
	scrape_stats_add_head(out, PREFIX "dropped_total", "counter", "Profiles that were not stored, by reason.");
	for (int d = 0; d < N_SCRAPE_DROPS; d++)
		buf_addf(out, PREFIX "dropped_total{reason=\"%s\"} %" PRIu64 "\n", drop_names[d], s->n_dropped[d]);
	add_counter(out, PREFIX "duplicates_total", "Profiles that the store had already.", s->n_duplicates);
	add_counter(out, PREFIX "missed_total", "Scrapes that could not begin in time.", s->n_missed);
	add_counter(out, PREFIX "clock_steps_total", "Steps of the wall clock.", s->n_clock_steps);
	add_counter(out, PREFIX "received_bytes_total", "Bytes of responses of targets.", s->n_received);
	add_counter(out, PREFIX "pushes_total", "Requests that push profiles.", s->n_pushes);
	add_counter(out, PREFIX "push_errors_total", "Requests that push profiles and were refused.", s->n_push_errors);
	add_histogram(s, out, SCRAPE_SECONDS, PREFIX "scrape_seconds", "Duration of requests to targets.");
	add_histogram(s, out, SCRAPE_START_DELAY, PREFIX "start_delay_seconds",
		      "Delay of the start of scrapes after their slot.");
	add_histogram(s, out, SCRAPE_ACK, PREFIX "ack_seconds",
		      "Time from the end of a response until the profile is durable.");
	pthread_mutex_unlock(&s->lock);
}

static unsigned count_fds(void)
{
	DIR *folder = opendir("/proc/self/fd");
	unsigned n = 0;

	while (folder && readdir(folder))
		n++;
	if (folder)
		closedir(folder);
	return n > 3 ? n - 3 : 0; /* ".", ".." and this folder */
}

/* The memory of this process in bytes. */
static void scrape_stats_read_memory(unsigned long long *size, unsigned long long *resident)
{
	FILE *f = fopen("/proc/self/statm", "re");

	*size = *resident = 0;
	if (f && fscanf(f, "%llu %llu", size, resident) != 2)
		*size = *resident = 0;
	if (f)
		fclose(f);
	*size *= (unsigned long long)sysconf(_SC_PAGESIZE);
	*resident *= (unsigned long long)sysconf(_SC_PAGESIZE);
}

void scrape_stats_add_process(struct buf *out)
{
	unsigned long long size, resident;
	struct rlimit fds = { 0 };
	struct timespec cpu;

	scrape_stats_read_memory(&size, &resident);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu);
	getrlimit(RLIMIT_NOFILE, &fds);
	scrape_stats_add_head(out, "process_cpu_seconds_total", "counter", "CPU time of the collector.");
	buf_addf(out, "process_cpu_seconds_total %.3f\n", (double)cpu.tv_sec + (double)cpu.tv_nsec / 1e9);
	scrape_stats_add_head(out, "process_resident_memory_bytes", "gauge", "Memory of the collector.");
	buf_addf(out, "process_resident_memory_bytes %llu\n", resident);
	scrape_stats_add_head(out, "process_virtual_memory_bytes", "gauge", "Address space of the collector.");
	buf_addf(out, "process_virtual_memory_bytes %llu\n", size);
	scrape_stats_add_head(out, "process_open_fds", "gauge", "Open descriptors.");
	buf_addf(out, "process_open_fds %u\n", count_fds());
	scrape_stats_add_head(out, "process_max_fds", "gauge", "Limit of open descriptors.");
	buf_addf(out, "process_max_fds %llu\n", (unsigned long long)fds.rlim_cur);
}
