/*
 * reload.c - load the sources again, and compare them with the previous data
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include "answer/sides.h"
#include "base/mem.h"

/* Collect the notes of a load. */
static void reload_add_note(void *arg, bool is_error, const char *line, size_t n)
{
	(void)is_error;
	buf_addf(arg, "%.*s\n", (int)n, line);
}

int shell_reload(const struct shell_options *options, const struct shell_data *last, struct stop *stop,
		 struct shell_data **out, struct buf *notes, struct err *err)
{
	const struct load_events events = { .arg = notes, .note = reload_add_note };
	const struct sides_options sides = { .keep_sides = true,
					     .normalize = "",
					     .new_name = "the new profile",
					     .base_name = "the previous profile",
					     .stop = stop };
	struct load_request request = *options->reload;
	struct shell_data *data;
	struct profile *change = NULL;
	struct loaded l;
	int rc;

	request.is_reload = true;
	request.keep_sides = request.n_bases > 0;
	request.stop = stop;
	request.events = &events;
	rc = answer_load(&request, &l, err);
	if (rc == 0 && request.n_bases == 0)
		rc = sides_make(l.profile, last->p, &sides, &l.sides, err);
	if (rc == 0 && request.n_bases == 0)
		rc = sides_join(l.sides, &change, err);
	if (rc == 0) {
		data = mem_zalloc(1, sizeof(*data));
		*data = (struct shell_data){ .p = l.profile,
					     .sides = l.sides ? l.sides : l.profile,
					     .change = change ? change : l.profile,
					     .has_base = true,
					     .is_change = request.n_bases > 0 };
		l.profile = l.sides = NULL;
		*out = data;
	}
	loaded_release(&l);
	return rc;
}
