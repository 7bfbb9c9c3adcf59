/*
 * local.h - the backend of stores in a directory
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_READ_LOCAL_H
#define STORE_LOCAL_READ_LOCAL_H

#include "base/err.h"
#include "base/stop.h"
#include "store/local/catalogue/catalogue.h"
#include "store/local/read/select.h"
#include "store/store.h"

typedef void local_label_fn(void *arg, const char *name, const char *value);

/* The chapters and series of a store that is not in a directory. */
struct local_source {
	/* The chapters of a query, made by select_take_chapters: those of its window; those before or after it need only have the last or
	   first profile of each series. Fails as select_open. */
	int (*open)(struct store *s, const struct store_query *q, enum select_which which, struct selection *out,
		    struct err *err);

	/* Call fn for the name of each label of samples of the services of q, with value NULL; and for values of the wanted one. */
	int (*each_label)(struct store *s, const struct store_query *q, const char *wanted, local_label_fn *fn,
			  void *arg, struct err *err);

	/* See catalogue_each_series. */
	int (*each_series)(struct store *s, const struct catalogue_query *q, const char *kind, catalogue_series_fn *fn,
			   void *arg, struct err *err);
};

struct local_store {
	struct store store;
	const struct local_source *source; /* NULL: the directory */
	char *directory;
	int dir; /* descriptor of the directory */
	struct catalogue *catalogue;
};

static inline struct local_store *local_of(struct store *s)
{
	return (struct local_store *)s;
}

/* Open for reading. Fails with ERR_IO if there is no store, with a sentence that says how to make one. */
int local_open(const char *directory, struct store **out, struct err *err);

/* catalogue_each_series in a transaction of its own, or that of the source. */
int local_find_series(struct store *s, const struct catalogue_query *q, const char *kind, catalogue_series_fn *fn,
		      void *arg, struct err *err);

/* Data that was removed, or whose resolution was reduced. */
struct local_loss {
	int64_t time_ns, t0, t1; /* the time of it; the span of the data */
	enum store_tier tier;    /* before */
	const char *what;        /* the reason: "retain", "cap to 1h" */
	bool is_reduced;
	uint64_t profiles, bytes;
};

/* Call fn for each, oldest first. */
typedef void local_loss_fn(void *arg, const struct local_loss *l);
int local_each_loss(struct store *s, local_loss_fn *fn, void *arg, struct err *err);

/* The functions of the backend, see store.h. */
int local_read(struct store *s, const struct store_query *q, struct stop *stop, struct profile **out,
	       struct store_sum *sum, struct err *err);
int local_describe_samples(struct store *s, const struct store_query *q, struct buf *out, struct err *err);
int local_list(struct store *s, const struct store_query *q, struct stop *stop, store_item_fn *fn, void *arg,
	       struct err *err);
int local_totals(struct store *s, const struct store_query *q, struct stop *stop, store_total_fn *fn, void *arg,
		 struct err *err);
int local_each_increase(struct store *s, const struct store_query *q, struct stop *stop, store_increase_fn *fn,
			void *arg, struct err *err);
int local_each_profile(struct store *s, const struct store_query *q, struct stop *stop, store_profile_fn *fn, void *arg,
		       struct err *err);
int local_each_series(struct store *s, const struct store_query *q, store_series_fn *fn, void *arg, struct err *err);
int local_each_mark(struct store *s, const char *service, bool is_pattern, const char *kind, store_mark_fn *fn,
		    void *arg, struct err *err);
int local_each_pin(struct store *s, store_pin_fn *fn, void *arg, struct err *err);

int local_get_stat(struct store *s, struct store_stat *out, struct err *err);

#endif
