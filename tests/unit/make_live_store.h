/*
 * make_live_store.h - a store in a folder of its own, filled with small profiles, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MAKE_LIVE_STORE_H
#define TESTS_UNIT_MAKE_LIVE_STORE_H

#include "base/mem.h"
#include "make_profile.h"
#include "profile/profile.h"
#include "store/local/read/local.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define STORE_SECOND INT64_C(1000000000)
#define STORE_HOUR (3600 * STORE_SECOND)
#define STORE_DAY (24 * STORE_HOUR)
#define STORE_MONDAY (INT64_C(1793577600) * STORE_SECOND) /* 2026-11-02T00:00:00Z */

static int64_t store_time = STORE_MONDAY; /* the clock of the writer */

struct live_store {
	char dir[64];
	struct store_writer *w;
	struct err err;
	uint64_t cap;
	int64_t retain;
};

static inline int64_t live_store_now(void)
{
	return store_time;
}

static inline void live_store_open(struct live_store *m)
{
	struct store_writer_options o = {
		.cap = m->cap, .retain_raw_ns = m->retain, .group = "", .owner = "test", .now = live_store_now
	};

	if (upkeep_open_writer(m->dir, true, &o, &m->w, NULL, &m->err))
		fail_msg("%s", m->err.msg);
}

static inline void live_store_close(struct live_store *m)
{
	if (upkeep_close_writer(m->w, &m->err))
		fail_msg("%s", m->err.msg);
	m->w = NULL;
}

static inline int live_store_set_up(void **state)
{
	struct live_store *m = mem_zalloc(1, sizeof(*m));
	const char *tmp = getenv("TMPDIR");

	snprintf(m->dir, sizeof(m->dir), "%.40s/cpa-store-XXXXXX", tmp && strlen(tmp) < 40 ? tmp : "/tmp");
	assert_non_null(mkdtemp(m->dir));
	m->cap = 64 << 20;
	m->retain = INT64_MAX;
	store_time = STORE_MONDAY;
	live_store_open(m);
	*state = m;
	return 0;
}

static inline int live_store_tear_down(void **state)
{
	struct live_store *m = *state;
	char command[128];

	upkeep_close_writer(m->w, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", m->dir);
	assert_int_equal(system(command), 0);
	free(m);
	return 0;
}

/* A profile of n rows whose stacks and values depend on a number. */
static inline struct profile *live_store_profile(unsigned seed, unsigned n)
{
	struct make m = make_start("samples/count cpu/nanoseconds");

	for (unsigned i = 0; i < n; i++) {
		char stack[200];
		unsigned x = (seed * 7 + i * 13) % (4 * n);

		snprintf(stack, sizeof(stack), "leaf%u@a.c:%u;work%u@b.c:%u;main@m.c:1", x, x, x % 5, x % 11);
		ROW(&m, stack, 1 + x % 7, 1000 * (int64_t)(1 + x % 7));
	}
	return make_end(&m);
}

static inline bool live_store_append(struct live_store *m, const char *service, int instance, int64_t start, unsigned n)
{
	char text[32];
	struct store_label label[] = { { "instance", text } };
	struct profile *p = live_store_profile((unsigned)(start / STORE_SECOND) + (unsigned)instance, n);
	struct store_input in = { .service = service,
				  .kind = "cpu",
				  .label = label,
				  .n_labels = 1,
				  .profile = p,
				  .start_ns = start,
				  .duration_ns = 30 * STORE_SECOND };
	bool duplicate;

	snprintf(text, sizeof(text), "10.0.0.%d", instance);
	if (writer_append(m->w, &in, NULL, &duplicate, &m->err))
		fail_msg("%s", m->err.msg);
	profile_free(p);
	return !duplicate;
}

static inline void live_store_flush(struct live_store *m)
{
	if (writer_commit(m->w, &m->err) || writer_flush(m->w, &m->err))
		fail_msg("%s", m->err.msg);
}

static inline void live_store_maintain(struct live_store *m, struct buf *report)
{
	if (upkeep_run(m->w, true, false, NULL, report, &m->err))
		fail_msg("%s", m->err.msg);
}

static inline int live_store_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Append the rows of a profile as sorted lines: functions and lines, values. */
static inline void live_store_print(const struct profile *p, struct buf *out)
{
	char **line = mem_zalloc(p->n_rows + 1, sizeof(*line));

	for (uint32_t i = 0; i < p->n_rows; i++) {
		struct buf b = { 0 };
		uint32_t stack = p->stack[i];

		for (uint32_t k = p->stacks.off[stack]; k < p->stacks.off[stack + 1]; k++) {
			uint32_t loc = stack_id_at(&p->stacks, k);

			for (uint32_t l = p->loc_line[loc]; l < p->loc_line[loc + 1]; l++)
				buf_addf(&b, "%s:%" PRId64 ";", profile_text(p, p->func_name[p->line_func[l]]),
					 p->line_no[l]);
		}
		for (uint32_t t = 0; t < p->n_types; t++)
			buf_addf(&b, " %" PRId64, p->value[t][i]);
		line[i] = mem_strndup(buf_text(&b), b.len);
		buf_release(&b);
	}
	qsort(line, p->n_rows, sizeof(*line), live_store_compare);
	for (uint32_t i = 0; i < p->n_rows; i++) {
		buf_addf(out, "%s\n", line[i]);
		free(line[i]);
	}
	free(line);
}

static inline struct store_query live_store_query(const char *service)
{
	return (struct store_query){ .service = service,
				     .kind = "cpu",
				     .pin = "",
				     .t0 = INT64_MIN / 2,
				     .t1 = INT64_MAX / 2,
				     .reduce = REDUCE_SUM };
}

/* Append the sum of a query, and the number of profiles. Returns as store_read. */
static inline int live_store_try_sum(const char *dir, const struct store_query *q, struct buf *out, struct err *err)
{
	struct profile *p = NULL;
	struct store_sum sum = { 0 };
	struct store *s;
	int rc = local_open(dir, &s, err);

	if (rc < 0)
		return rc;
	rc = store_read(s, q, NULL, &p, &sum, err);
	if (rc == 0) {
		buf_addf(out, "%" PRIu64 " profiles of %u instances\n", sum.profiles, sum.instances);
		live_store_print(p, out);
	}
	profile_free(p);
	store_sum_release(&sum);
	store_close(s);
	return rc;
}

static inline struct buf live_store_sum(struct live_store *m, const struct store_query *q)
{
	struct buf b = { 0 };

	if (live_store_try_sum(m->dir, q, &b, &m->err))
		fail_msg("%s", m->err.msg);
	return b;
}

/* Allocated bytes of everything below a folder, as du counts them; n_files: regular files whose name contains part. */
static inline uint64_t live_store_du(const char *path, const char *part, unsigned *n_files)
{
	struct dirent *e;
	struct stat st;
	uint64_t sum = 0;
	DIR *d = opendir(path);

	if (!d)
		return 0;
	while ((e = readdir(d))) {
		char name[512];

		if (strcmp(e->d_name, "..") == 0)
			continue;
		snprintf(name, sizeof(name), "%.200s/%.200s", path, e->d_name);
		if (lstat(name, &st))
			continue;
		if (S_ISDIR(st.st_mode) && strcmp(e->d_name, ".") != 0) {
			sum += live_store_du(name, part, n_files);
			continue;
		}
		sum += (uint64_t)st.st_blocks * 512;
		if (n_files && S_ISREG(st.st_mode) && strstr(e->d_name, part))
			++*n_files;
	}
	closedir(d);
	return sum;
}

static inline unsigned live_store_count(struct live_store *m, const char *part)
{
	unsigned n = 0;

	live_store_du(m->dir, part, &n);
	return n;
}

/* Check everything: the number of damaged files; the report is appended. */
static inline int live_store_verify(const char *dir, struct buf *report, struct err *err)
{
	struct store *s;
	int rc = local_open(dir, &s, err);

	if (rc < 0)
		return rc;
	rc = upkeep_verify(s, true, NULL, report, err);
	store_close(s);
	return rc;
}

#endif
