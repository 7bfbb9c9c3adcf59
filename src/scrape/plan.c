/*
 * plan.c - the plan of cpa collect --check: targets, kinds, first times, bytes per day
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Bytes per profile are those measured after the compaction of a day (docs/store.md), with the dictionary: the size of the
 * profiles of this program may differ by a factor of three.
 */
#include "config.h"

#include "scrape/target.h"

#include "base/time.h"
#include <inttypes.h>
#include <string.h>

enum { CAPTURE_BYTES = 300, HEAP_BYTES = 1000, OTHER_BYTES = 150, TARGETS_SHOWN = 50 };

static double bytes_per_day(const struct scrape_kind *k)
{
	int bytes = k->capture_ns ? CAPTURE_BYTES : OTHER_BYTES;

	if (strcmp(k->name, "heap") == 0 || strcmp(k->name, "allocs") == 0)
		bytes = HEAP_BYTES;
	return (double)bytes * (double)NS_PER_DAY / (double)k->every_ns;
}

static void plan_add_bytes(struct buf *out, double bytes)
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB" };
	size_t i = 0;

	while (bytes >= 1024 && i + 1 < sizeof(units) / sizeof(units[0])) {
		bytes /= 1024;
		i++;
	}
	buf_addf(out, bytes < 10 && i ? "%.1f %s" : "%.0f %s", bytes, units[i]);
}

static void plan_add_kinds(const struct scrape_job *j, struct buf *out)
{
	for (size_t i = 0; i < j->n_kinds; i++) {
		const struct scrape_kind *k = &j->kind[i];

		buf_addf(out, "%s%s ", i ? ", " : "", k->name);
		if (k->capture_ns) {
			time_add_duration(out, k->capture_ns);
			buf_addz(out, " ");
		}
		buf_addz(out, "every ");
		time_add_duration(out, k->every_ns);
	}
}

static void plan_add_target(const struct scrape_target *t, const struct scrape_job *job, int64_t now_ns,
			    struct buf *out)
{
	struct scrape_schedule s = t->schedule;
	size_t kind = 0;
	int64_t first = scrape_schedule_next(&s, now_ns, &kind);
	struct buf url = { 0 };

	url_add_redacted(&t->folder, &url);
	buf_addf(out, "  %-40s", buf_text(&url));
	buf_release(&url);
	if (first != INT64_MAX)
		time_add_local(out, first, " first %H:%M:%S");
	if (strcmp(t->labels->service, job->name) != 0)
		buf_addf(out, "  service=%s", t->labels->service);
	if (*t->kinds)
		buf_addf(out, "  kinds=%s", t->kinds);
	for (size_t i = 0; i < t->labels->n; i++)
		buf_addf(out, "%s%s=%s", i ? " " : "  ", t->labels->label[i].name, t->labels->label[i].value);
	buf_addz(out, "\n");
}

void scrape_targets_add_plan(const struct scrape_targets *t, const struct scrape_config *c, int64_t now_ns,
			     struct buf *out)
{
	double requests = 0, bytes = 0;

	for (size_t j = 0; j < c->n_jobs; j++) {
		const struct scrape_job *job = &c->job[j];
		size_t n = 0;

		buf_addf(out, "%s: ", *job->name ? job->name : "(the name of the program)");
		plan_add_kinds(job, out);
		buf_addz(out, "\n");
		for (size_t i = 0; i < t->n; i++) {
			if (t->target[i]->job != j)
				continue;
			if (n++ < TARGETS_SHOWN)
				plan_add_target(t->target[i], job, now_ns, out);
			requests += scrape_schedule_rate(&t->target[i]->schedule);
			for (size_t k = 0; k < t->target[i]->schedule.n; k++)
				bytes += bytes_per_day(&t->target[i]->schedule.kind[k]);
		}
		if (n > TARGETS_SHOWN)
			buf_addf(out, "  and %zu more targets\n", n - TARGETS_SHOWN);
		if (n == 0)
			buf_addz(out, "  no targets\n");
	}
	buf_addf(out, "%zu target%s, %.0f requests per hour, about ", t->n, t->n == 1 ? "" : "s", requests * 3600);
	plan_add_bytes(out, bytes);
	buf_addz(out, " per day in the store\n");
}
