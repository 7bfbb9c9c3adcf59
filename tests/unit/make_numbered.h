/*
 * make_numbered.h - a store of numbered profiles, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Profile i has the value i + 1 for one of five functions, and belongs to one of two services and three instances. So the
 * sum of any set of them is known without the code under test.
 */
#ifndef TESTS_UNIT_MAKE_NUMBERED_H
#define TESTS_UNIT_MAKE_NUMBERED_H

#include "make_profile.h"
#include "store/local/read/local.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"

#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STORE_FUNCTIONS = 5, STORE_PROFILES_MAX = 4096 };

#define STORE_START INT64_C(1763900000000000000)

static char store_folder[PATH_MAX]; /* of the store of a test */
static int64_t store_time;          /* the clock, if it is not 0 */

static inline int64_t store_clock(void)
{
	return store_time;
}

static inline int store_folder_make(void **state)
{
	const char *tmp = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp";

	(void)state;
	store_time = STORE_START + INT64_C(3600) * 1000000000;
	snprintf(store_folder, sizeof(store_folder), "%s/cpa-store-XXXXXX", tmp);
	return mkdtemp(store_folder) ? 0 : -1;
}

static inline int store_folder_unlink(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind;
	return at->level ? remove(path) : 0;
}

/* Remove everything in the folder. */
static inline void store_folder_empty(void)
{
	if (nftw(store_folder, store_folder_unlink, 16, FTW_DEPTH | FTW_PHYS))
		abort();
}

static inline int store_folder_remove(void **state)
{
	(void)state;
	store_folder_empty();
	return rmdir(store_folder);
}

/* A profile of one stack and value. */
static inline struct profile *store_profile(const char *function, int64_t value)
{
	struct make m = make_start("samples/count");
	char stack[64];

	snprintf(stack, sizeof(stack), "%s@work.c:10;main@main.c:5", function);
	ROW(&m, stack, value);
	return make_end(&m);
}

/* Append a profile of a value at a start. Returns the code of store_append. */
static inline int store_put(struct store_writer *w, const char *service, int64_t start_ns, const char *function,
			    int64_t value, bool *duplicate, struct err *err)
{
	static const struct store_label label[3] = { { "instance", "a:1" },
						     { "instance", "b:1" },
						     { "instance", "c:1" } };
	struct profile *p = store_profile(function, value);
	struct store_input in = { .service = service,
				  .kind = "cpu",
				  .label = &label[value % 3],
				  .n_labels = 1,
				  .profile = p,
				  .start_ns = start_ns,
				  .duration_ns = 1000 };
	int rc = writer_append(w, &in, NULL, duplicate, err);

	profile_free(p);
	return rc;
}

static inline int64_t store_start_of(unsigned i)
{
	return STORE_START + i * INT64_C(1000000000);
}

/* Append the numbered profile. */
static inline int store_put_number(struct store_writer *w, unsigned i, bool *duplicate, struct err *err)
{
	char function[16];

	snprintf(function, sizeof(function), "f%u", i % STORE_FUNCTIONS);
	return store_put(w, i % 4 ? "shop" : "cart", store_start_of(i), function, i + 1, duplicate, err);
}

static inline struct store_writer_options store_test_options(void)
{
	return (struct store_writer_options){ .cap = 64 << 20, .owner = "test", .now = store_clock };
}

static inline int store_test_open(struct store_writer **w, struct err *err)
{
	struct store_writer_options o = store_test_options();

	return upkeep_open_writer(store_folder, true, &o, w, NULL, err);
}

/* The content of a store, as a reader sees it. */
struct store_numbered {
	unsigned count[STORE_PROFILES_MAX]; /* of each numbered profile */
	unsigned n, others;
	int64_t sum[STORE_FUNCTIONS];
};

static inline int store_count_item(void *arg, const struct store_item *item, struct err *err)
{
	struct store_numbered *seen = arg;
	int64_t i = (item->start_ns - STORE_START) / 1000000000;

	(void)err;
	if (i >= 0 && i < STORE_PROFILES_MAX && store_start_of((unsigned)i) == item->start_ns)
		seen->count[i]++;
	else
		seen->others++;
	seen->n++;
	return 0;
}

static inline void store_add_sums(struct store_numbered *seen, const struct profile *p)
{
	for (uint32_t r = 0; r < p->n_rows; r++) {
		uint32_t loc = stack_id_at(&p->stacks, p->stacks.off[p->stack[r]]);
		const char *name = profile_text(p, p->func_name[p->line_func[p->loc_line[loc]]]);
		unsigned k = (unsigned)atoi(name + 1) % STORE_FUNCTIONS;

		seen->sum[k] += p->value[0][r];
	}
}

/* Read the store. Returns 0 or ERR_*. */
static inline int store_look(struct store_numbered *seen, struct err *err)
{
	struct store_query q = { .service = "*", .is_pattern = true, .kind = "cpu", .t0 = INT64_MIN, .t1 = INT64_MAX };
	struct store_sum sum = { 0 };
	struct profile *p = NULL;
	struct store *s;
	int rc = local_open(store_folder, &s, err);

	memset(seen, 0, sizeof(*seen));
	if (rc < 0)
		return rc;
	rc = store_list(s, &q, NULL, store_count_item, seen, err);
	if (rc == 0 && seen->n) {
		rc = store_read(s, &q, NULL, &p, &sum, err);
		if (rc == 0)
			store_add_sums(seen, p);
		profile_free(p);
		store_sum_release(&sum);
	}
	store_close(s);
	return rc;
}

#endif
