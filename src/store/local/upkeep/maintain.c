/*
 * maintain.c - retention, the cap, compaction
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/time.h"
#include "store/local/upkeep/compaction.h"
#include "store/local/upkeep/downsample.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer_state.h"

#define RECOUNT_NS (NS_PER_HOUR)

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
		rc = downsample_run(w, dry_run, stop, report, err);
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
