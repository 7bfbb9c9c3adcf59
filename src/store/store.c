/*
 * store.c - reads a store through its backend
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/store.h"

#include <stdlib.h>

void store_directory(const char *name, struct buf *out)
{
	const char *env = getenv("CPA_STORE"), *data = getenv("XDG_DATA_HOME"), *home = getenv("HOME");

	if (name && *name)
		buf_addz(out, name);
	else if (env && *env)
		buf_addz(out, env);
	else if (data && *data == '/')
		buf_addf(out, "%s/cpa/store", data);
	else
		buf_addf(out, "%s/.local/share/cpa/store", home ? home : "");
}

void store_close(struct store *s)
{
	if (s)
		s->backend->close(s);
}

const char *store_get_damage(const struct store *s)
{
	return s->damage.len ? s->damage.data : "";
}

int store_read(struct store *s, const struct store_query *q, struct stop *stop, struct profile **out,
	       struct store_sum *sum, struct err *err)
{
	return s->backend->read(s, q, stop, out, sum, err);
}

int store_list(struct store *s, const struct store_query *q, struct stop *stop, store_item_fn *fn, void *arg,
	       struct err *err)
{
	return s->backend->list(s, q, stop, fn, arg, err);
}

int store_totals(struct store *s, const struct store_query *q, struct stop *stop, store_total_fn *fn, void *arg,
		 struct err *err)
{
	return s->backend->totals(s, q, stop, fn, arg, err);
}

int store_each_increase(struct store *s, const struct store_query *q, struct stop *stop, store_increase_fn *fn,
			void *arg, struct err *err)
{
	return s->backend->each_increase(s, q, stop, fn, arg, err);
}

int store_each_profile(struct store *s, const struct store_query *q, struct stop *stop, store_profile_fn *fn, void *arg,
		       struct err *err)
{
	return s->backend->each_profile(s, q, stop, fn, arg, err);
}

int store_each_series(struct store *s, const struct store_query *q, store_series_fn *fn, void *arg, struct err *err)
{
	return s->backend->each_series(s, q, fn, arg, err);
}

int store_each_mark(struct store *s, const char *service, bool is_pattern, const char *kind, store_mark_fn *fn,
		    void *arg, struct err *err)
{
	return s->backend->each_mark(s, service, is_pattern, kind, fn, arg, err);
}

int store_each_pin(struct store *s, store_pin_fn *fn, void *arg, struct err *err)
{
	return s->backend->each_pin(s, fn, arg, err);
}
