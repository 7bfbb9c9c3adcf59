/*
 * maintain.c - retention, the cap, compaction; the counters of the writer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/compaction.h"
#include "store/writer_int.h"

#define RECOUNT_NS (INT64_C(3600) * 1000000000)

/* Free what exceeds the cap, for example since it was lowered. */
static int enforce_cap(struct store_writer *w, struct buf *report, struct err *err)
{
	uint64_t before = w->cap.n_removed, bytes = w->cap.bytes_removed;
	int rc = cap_reserve(&w->cap, 0, "existing data", err);

	if (rc == 0)
		cap_settle(&w->cap, CAP_OTHER, 0, 0);
	if (report && w->cap.n_removed > before)
		buf_addf(report, "removed %llu segments of %llu bytes to stay below the cap\n",
			 (unsigned long long)(w->cap.n_removed - before),
			 (unsigned long long)(w->cap.bytes_removed - bytes));
	if (rc == ERR_LIMIT) { /* nothing may be removed, but compaction can still make files smaller */
		if (report)
			buf_addf(report, "%s\n", err->msg);
		rc = 0;
	}
	return rc;
}

/* Remove series and marks that no segment has any more. */
static int prune(struct store_writer *w, struct err *err)
{
	int rc = catalogue_begin(w->catalogue, err);

	if (rc == 0)
		rc = catalogue_prune(w->catalogue, err);
	if (rc == 0)
		rc = catalogue_commit(w->catalogue, err);
	catalogue_rollback(w->catalogue);
	if (rc == 0)
		writer_segments_changed(w);
	return rc;
}

static int store_maintain_all(struct store_writer *w, bool now, bool dry_run, struct stop *stop, struct buf *report,
			      struct err *err)
{
	uint64_t before = w->cap.n_removed;
	int rc = 0;

	if (!dry_run && w->now() - w->cap.counted >= RECOUNT_NS)
		rc = cap_recount(&w->cap, err);
	if (rc == 0)
		rc = cap_retain(&w->cap, dry_run, report, err);
	if (rc == 0 && !dry_run)
		rc = enforce_cap(w, report, err);
	if (rc == 0)
		rc = compaction_run(w, now, dry_run, stop, report, err);
	if (rc == 0 && w->cap.n_removed > before)
		rc = prune(w, err);
	return rc;
}

int upkeep_run(struct store_writer *w, bool now, bool dry_run, struct stop *stop, struct buf *report, struct err *err)
{
	struct err ignored;
	int rc;

	pthread_mutex_lock(&w->maintenance);
	rc = store_maintain_all(w, now, dry_run, stop, report, err ? err : &ignored);
	pthread_mutex_unlock(&w->maintenance);
	return rc;
}

/* The sums of the catalogue, of now or of the last time it could be read. */
static struct catalogue_stat get_sums(struct store_writer *w)
{
	struct catalogue_stat s;
	bool is_new = false;

	if (pthread_mutex_trylock(&w->maintenance) == 0) {
		struct err ignored;

		is_new = catalogue_get_stat(w->catalogue, &s, &ignored) == 0;
		pthread_mutex_unlock(&w->maintenance);
	}
	pthread_mutex_lock(&w->cap.lock);
	if (is_new)
		w->cap.stat = s;
	else
		s = w->cap.stat;
	pthread_mutex_unlock(&w->cap.lock);
	return s;
}

void writer_get_stat(struct store_writer *w, struct store_stat *out)
{
	struct catalogue_stat s = get_sums(w);
	uint64_t used[N_CAP_KINDS];

	cap_get_used(&w->cap, used);
	*out = (struct store_stat){ .cap = w->cap.limit,
				    .used = cap_used(&w->cap),
				    .index_bytes = catalogue_bytes(w->catalogue),
				    .pin_bytes = used[CAP_PINS],
				    .bad_bytes = used[CAP_BAD],
				    .segments = (uint32_t)s.segments,
				    .services = (uint32_t)s.services,
				    .first_ns = s.first,
				    .last_ns = s.last };
	for (int i = 0; i < N_TIERS; i++) {
		out->bytes[i] = s.bytes[i];
		out->profiles[i] = s.profiles[i];
	}
	writer_get_head(w, &out->journal_bytes, &out->head_profiles);
}
