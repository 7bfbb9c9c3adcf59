/*
 * view_flame.h - what the files of the flame graph share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The model is the whole picture down to what a wide terminal can show, and a bit beyond. What is zoomed in
 * further is made as a part: the same boxes along the way, finer ones below its end. The whole stays,
 * so that zooming answers at once and is only refined when the part is there. Zoom and selection are ways
 * of names, so they outlive both.
 */
#ifndef VIEWERS_SHELL_VIEW_FLAME_H
#define VIEWERS_SHELL_VIEW_FLAME_H

#include "base/texts.h"
#include "viewers/flame/flame.h"
#include "viewers/shell/shell_int.h"

enum { CRUMBS_MAX = 16 };

/* In struct model. */
struct flame_model {
	const struct report *r;
	const struct flame *f;
	struct flame_layout l;
	struct flame_style style;
	const struct flame_legend *legend; /* [n_legend] */
	size_t n_legend;
	uint32_t *tile;    /* [f->n] of boxes */
	uint32_t *child;   /* [l.n + 1] below tile i are the tiles child[i] .. child[i + 1) */
	uint32_t *level;   /* [l.n_levels + 1] the first tile of each */
	uint32_t *deepest; /* [l.n] the lowest level below a tile, or its own */
};

/* What was searched for, in the picture that is shown. */
struct flame_found {
	bool *frame; /* [n_frames] it matches; NULL when nothing is searched for */
	uint64_t n;  /* boxes of the whole that do */
	int64_t width,
		here; /* of all that match, of those inside what is zoomed; what lies in another one counts once */
};

/* A name in the line of what is zoomed, and how long the way to it is. */
struct flame_crumb {
	int x, width;
	size_t n;
};

struct flame_state {
	struct model *part; /* of what is zoomed, or of what it is in; NULL without */
	struct texts part_way;
	struct texts zoom, at; /* ways of names from the root's child down: to what fills the width, what is selected */
	struct texts *past;    /* [n_past] what was zoomed before, the newest last */
	size_t n_past, cap_past;
	struct texts asked; /* the way of the last part that was asked for */
	bool is_asking;
	const struct flame_model *on; /* the whole or the part; what follows are tiles of it */
	uint32_t zoom_tile, at_tile;
	bool is_flame, was_icicle; /* the roots are at the bottom; what the option was */
	bool was_inverted;         /* ways lead from the leaves */
	bool is_followed;          /* the selected box has been scrolled to */
	uint32_t top;              /* levels below the zoomed box that are scrolled away */
	struct area body;          /* where boxes were drawn, relative to the pane */
	struct flame_crumb crumb[CRUMBS_MAX];
	size_t n_crumbs;
	struct flame_found found;
};

/* Cells of a level that are one thing: a box, or those that are together in a single cell. */
struct flame_run {
	int x, width;  /* cells; 0 for a part of one */
	int eighths;   /* of the next cell that it covers too; nothing else is there */
	uint32_t tile; /* that it is, or the widest of */
	uint32_t end;  /* after its last tile */
	uint32_t n;    /* how many boxes */
};

/*
 * The cells of tiles lo .. hi of one level, with from .. from + span on width cells. A tile is drawn from the
 * cell that its left side lies in to that of its right side. Those that end in the cell they begin in are put
 * together; where another one continues from that cell, the cell is of that one.
 *
 * out     [width] from left to right
 * Gives   how many
 */
size_t shell_flame_runs(const struct flame_layout *l, uint32_t lo, uint32_t hi, int64_t from, int64_t span, int width,
			struct flame_run *out);

/* The tiles of a level inside of what is zoomed. */
void shell_flame_level(const struct flame_state *st, uint32_t level, uint32_t *lo, uint32_t *hi);

/* The run that a tile of the level is in, or is drawn over by; 0 when there are none. */
size_t shell_flame_run_of(const struct flame_run *run, size_t n, uint32_t tile);

/* On the worker's thread; see pane_class. */
int shell_flame_view_make(const struct ask *a, struct model *m, struct err *err);

/* Ask for a part where the picture at hand is too coarse for what is zoomed. */
void shell_flame_refine(struct shell *s, struct pane *p);

/* Fill the width with a tile, so that the way back leads to what was; select one. */
void shell_flame_zoom(struct pane *p, uint32_t tile);
void shell_flame_zoom_to(struct pane *p, size_t n_names);
bool shell_flame_unzoom(struct pane *p);
void shell_flame_whole(struct pane *p);
void shell_flame_select(struct pane *p, uint32_t tile);

/* Find again what is searched for, in a new picture. */
void shell_flame_search_again(struct pane *p);
/* Does a tile match? */
bool shell_flame_matches(const struct flame_state *st, uint32_t tile);

void shell_flame_draw(struct shell *s, struct pane *p, struct grid *g, struct area a);

/* See pane_class. */
void shell_flame_take_part(struct shell *s, struct pane *p, struct model *m);
void shell_flame_shown(struct shell *s, struct pane *p);
void shell_flame_end(struct pane *p);

#endif
