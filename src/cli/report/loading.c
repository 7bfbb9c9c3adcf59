/*
 * loading.c - several profiles that stay apart, read side by side
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/report/loading.h"

#include "answer/compare.h"
#include "base/pool.h"
#include "cli/messages.h"
#include "cli/report/report.h"
#include "cli/report/save.h"

#include <stdatomic.h>
#include <string.h>

struct queue {
	struct loading *l;
	size_t n;
	atomic_size_t next;
};

static void load_part(void *arg, unsigned part)
{
	struct queue *q = arg;
	size_t i;

	(void)part;
	while ((i = atomic_fetch_add(&q->next, 1)) < q->n) {
		struct load none = { .q = q->l[i].load.q };

		if (compare_load(&q->l[i].load, &none, &q->l[i].profile, &q->l[i].err) < 0)
			q->l[i].profile = NULL;
	}
}

void cmd_report_loading_run(struct loading *l, size_t n)
{
	struct queue q = { .l = l, .n = n };

	pool_run(load_part, &q, pool_size() < n ? pool_size() : (unsigned)n);
	for (size_t i = 0; i < n; i++) {
		if (!l[i].profile || !l[i].load.remote)
			continue;
		progress_end();
		cmd_report_save_fetched(l[i].profile, &l[i].load, NULL);
	}
}

/* With several profiles, each line says which one it is about. */
static void add_named(const struct load *l, struct buf *out)
{
	const char *line = buf_text(&l->told), *several = strcmp(l->kind, "base") == 0 ? "the base" : "the new side";

	while (*line) {
		size_t n = strcspn(line, "\n");

		buf_addf(out, "%s: %.*s\n", l->n == 1 ? l->source[0] : several, (int)n, line);
		line += n + (line[n] == '\n');
	}
}

int cmd_report_loading_tell(const struct loading *l)
{
	struct load named = l->load;

	named.told = (struct buf){ 0 };
	add_named(&l->load, &named.told);
	cmd_report_tell_notes(&named);
	buf_release(&named.told);
	if (!l->profile)
		return say_error("%s", l->err.msg);
	return l->load.n_failed ? STATUS_TROUBLE : STATUS_FINE;
}

void cmd_report_loading_release(struct loading *l)
{
	profile_free(l->profile);
	l->profile = NULL;
	buf_release(&l->load.notes);
	buf_release(&l->load.told);
}
