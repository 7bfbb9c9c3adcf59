/*
 * view_flame_search.c - boxes that were searched for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/find.h"
#include "viewers/shell/view_flame.h"

#include <stdlib.h>

bool shell_flame_matches(const struct flame_state *st, uint32_t tile)
{
	uint32_t frame = st->on->f->frame[st->on->l.tile[tile].box];

	return st->found.frame && frame != FLAME_NONE && st->found.frame[frame];
}

static bool *match_frames(const struct flame *f, struct find *find)
{
	bool *out = mem_zalloc((size_t)f->n_frames + 1, sizeof(*out));

	for (uint32_t i = 0; i < f->n_frames; i++)
		out[i] = find_in(find, f->frames[i].name);
	return out;
}

/* Where a box stands to those that match and to what is zoomed. */
enum { UNDER_MATCH = 1, UNDER_ZOOM = 2, UNDER_BOTH = 4 };

/* Add up the outermost boxes that match, of all and of what is zoomed, which is a box. */
static void add_up(const struct flame *f, const bool *match, uint32_t zoom, struct flame_found *out)
{
	uint8_t *state = mem_alloc(f->n, sizeof(*state));

	out->n = 0;
	out->width = out->here = 0;
	for (uint32_t i = 0; i < f->n; i++) {
		bool hit = f->frame[i] != FLAME_NONE && match[f->frame[i]];
		uint8_t above = i ? state[f->parent[i]] : 0;
		bool here = i == zoom || above & UNDER_ZOOM;

		state[i] = (uint8_t)((hit ? UNDER_MATCH : 0) | (above & UNDER_MATCH) | (here ? UNDER_ZOOM : 0) |
				     ((here && hit) ? UNDER_BOTH : 0) | (above & UNDER_BOTH));
		out->n += hit;
		out->width += hit && !(above & UNDER_MATCH) ? f->width[i] : 0;
		out->here += hit && here && !(above & UNDER_BOTH) ? f->width[i] : 0;
	}
	free(state);
}

void shell_flame_search_again(struct pane *p)
{
	struct flame_state *st = p->state;
	const struct flame_model *whole = p->model->own, *m = st->on;
	struct flame_found out = { 0 };
	struct find *find;

	free(st->found.frame);
	st->found = out;
	if (!*p->search)
		return;
	find = find_new(p->search);
	if (m != whole) {
		bool *match = match_frames(whole->f, find);

		add_up(whole->f, match, 0, &out);
		free(match);
	}
	st->found.frame = match_frames(m->f, find);
	add_up(m->f, st->found.frame, m->l.tile[st->zoom_tile].box, &st->found);
	if (m != whole) { /* a part knows nothing of the others */
		st->found.n = out.n;
		st->found.width = out.width;
	}
	find_free(find);
}

void shell_flame_search(struct shell *s, struct pane *p, const char *text)
{
	(void)s;
	(void)text;
	shell_flame_search_again(p);
}

static bool is_wide(const struct flame_state *st, uint32_t tile, int width)
{
	const struct flame_tile *t = st->on->l.tile;

	return (__int128)t[tile].width * width >= t[st->zoom_tile].width;
}

/* The next match after a tile inside of what is zoomed, by level and from the left; 0 when there is none. */
static uint32_t next_match(const struct flame_state *st, bool forward, int width)
{
	const struct flame_model *m = st->on;
	uint32_t best = 0, lo, hi, first = m->l.tile[st->zoom_tile].level, n = m->deepest[st->zoom_tile] - first + 1;
	uint32_t from = m->l.tile[st->at_tile].level - first;

	for (uint32_t k = 0; k <= n; k++) { /* the level at hand twice: behind the selected one, at last before it */
		uint32_t level = first + (forward ? from + k : from + n - k) % n;

		shell_flame_level(st, level, &lo, &hi);
		for (uint32_t i = 0; i < hi - lo; i++) {
			uint32_t t = forward ? lo + i : hi - 1 - i;
			bool is_before = forward ? t <= st->at_tile : t >= st->at_tile;

			if (k == 0 && is_before)
				continue;
			if (shell_flame_matches(st, t) && (!width || is_wide(st, t, width)))
				return t;
		}
	}
	return best;
}

bool shell_flame_next_match(struct shell *s, struct pane *p, bool forward)
{
	struct flame_state *st = p->state;
	uint32_t to;

	if (!st->found.frame) {
		shell_say(s, false, "/ searches");
		return true;
	}
	to = next_match(st, forward, st->body.width);
	if (!to)
		to = next_match(st, forward, 0);
	if (to)
		shell_flame_select(p, to);
	else if (st->found.n)
		shell_say(s, false, "no match in what is zoomed; 0 shows the whole");
	else
		shell_say(s, false, "nothing matches %s", p->search);
	return true;
}
