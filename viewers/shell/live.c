/*
 * live.c - a profile that was fetched again
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include "base/mem.h"

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

void shell_fetched(struct shell *s, int rc, struct profile *p, const struct buf *notes, const struct err *err)
{
	struct shell_data *data;

	if (rc < 0) {
		shell_say(s, true, "%s", err->msg);
		return;
	}
	data = mem_zalloc(1, sizeof(*data));
	*data = (struct shell_data){ .p = p, .sides = p };
	s->n_fetched++;
	show_data(s, data);
	shell_say(s, false, "%.*s", (int)strcspn(buf_text(notes), "\n"), buf_text(notes));
}
