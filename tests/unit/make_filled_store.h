/*
 * make_filled_store.h - a store with small profiles in a temporary folder, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	struct filled f = filled_start();
 *	filled_add(&f, "shop", "cpu", "a", MINUTE, "cpu/nanoseconds", 500);
 *	filled_close(&f);      (now f.folder can be read)
 *	filled_remove(&f);
 */
#ifndef TESTS_UNIT_MAKE_FILLED_STORE_H
#define TESTS_UNIT_MAKE_FILLED_STORE_H

#include "make_profile.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECOND INT64_C(1000000000)
#define MINUTE (60 * SECOND)
#define FILLED_T0 (INT64_C(1795132800) * SECOND) /* 2026-11-20T00:00:00Z */

struct filled {
	char folder[64];
	struct store_writer *w;
	struct err err;
};

static int64_t filled_now(void)
{
	return FILLED_T0 + 86400 * SECOND;
}

static inline struct filled filled_start(void)
{
	static const struct store_writer_options options = { .cap = 1 << 28, .now = filled_now, .owner = "test" };
	struct filled f = { .folder = "/tmp/cpa-filled-XXXXXX" };

	if (!mkdtemp(f.folder) || upkeep_open_writer(f.folder, true, &options, &f.w, NULL, &f.err) < 0)
		fail_msg("%s: %s", f.folder, f.err.msg);
	return f;
}

/* Add a profile of an instance with one row, at FILLED_T0 + at_ns. */
static inline void filled_add(struct filled *f, const char *service, const char *kind, const char *instance,
			      int64_t at_ns, const char *types, const int64_t *values)
{
	const struct store_label label = { "instance", instance };
	struct make m = make_start(types);
	struct profile *p;
	struct store_input in = {
		.service = service, .kind = kind, .label = &label, .n_labels = 1, .start_ns = FILLED_T0 + at_ns
	};
	bool duplicate;

	make_row(&m, "work;main", values, NULL, 0);
	p = make_end(&m);
	in.profile = p;
	if (writer_append(f->w, &in, NULL, &duplicate, &f->err) < 0)
		fail_msg("%s", f->err.msg);
	profile_free(p);
}

static inline void filled_mark(struct filled *f, const char *service, int64_t at_ns, const char *kind, const char *text)
{
	char env[] = "", *k = strdup(kind), *t = strdup(text);
	const struct store_mark m = { FILLED_T0 + at_ns, env, k, t };

	if (writer_add_mark(f->w, service, &m, &f->err) < 0)
		fail_msg("%s", f->err.msg);
	free(k);
	free(t);
}

static inline void filled_close(struct filled *f)
{
	if (writer_commit(f->w, &f->err) < 0 || upkeep_close_writer(f->w, &f->err) < 0)
		fail_msg("%s", f->err.msg);
	f->w = NULL;
}

static inline void filled_remove(struct filled *f)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", f->folder);
	assert_int_equal(system(command), 0);
}

#endif
