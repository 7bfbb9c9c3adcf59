/*
 * live.c - a profile that was fetched again
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include <string.h>

/* All panes are to show other data. What they hold of the old ones stays until they are made anew. */
static void show_data(struct shell *s, struct shell_data *data)
{
	data_drop(s->data);
	s->data = data_hold(data);
	for (size_t i = 0; i < s->n_panes; i++)
		s->pane[i]->is_stale = true;
	shell_refresh(s, shell_pane(s));
}

void shell_fetched(struct shell *s, int rc, struct shell_data *data, const struct buf *notes, const struct err *err)
{
	const char *note = buf_text(notes);

	if (rc < 0) {
		shell_say(s, rc != ERR_STOPPED, "%s", err->msg);
		return;
	}
	s->n_fetched++;
	s->two_sides = data->has_base;
	show_data(s, data);
	if (*note)
		shell_say(s, false, "%.*s", (int)strcspn(note, "\n"), note);
	else
		shell_say(s, false, "fetched again; d shows the %s alone",
			  shell_has_last(s) ? "new profile" : "difference");
}

bool shell_has_last(const struct shell *s)
{
	const struct query *q = settings_query(s->now);

	return s->n_fetched && s->data->has_base && !q->diff_base.n && !q->base.n;
}
