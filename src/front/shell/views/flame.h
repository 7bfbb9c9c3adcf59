/*
 * flame.h - shared by the files of the flame graph
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The model is the whole graph, slightly finer than a wide terminal can show. Deeper zooms request a part of the graph:
 * the same boxes on the path to the zoomed box, and finer boxes below it. The whole graph stays in memory, so that
 * zooming responds immediately and is refined when the part arrives. Zoom and selection are stored as paths of names,
 * so they are valid in the whole graph and in parts.
 */
#ifndef FRONT_SHELL_VIEWS_FLAME_H
#define FRONT_SHELL_VIEWS_FLAME_H

#include "base/string_list.h"
#include "viewers/flame/flame.h"
#include "front/shell/state.h"

enum { CRUMBS_MAX = 16 };

/* The view_data of the model. */
struct flame_model {
	const struct report *r;
	const struct flame *f;
	struct flame_layout l;
	struct flame_style style;
	const struct flame_legend *legend; /* [n_legend] */
	size_t n_legend;
	uint32_t *tile;    /* [f->n] index of the tile (position and size) of each box */
	uint32_t *child;   /* [l.n + 1] the children of tile i are tiles child[i] .. child[i + 1) */
	uint32_t *level;   /* [l.n_levels + 1] the first tile of each level */
	uint32_t *deepest; /* [l.n] the deepest level of the tile's subtree */
};

/* The search matches in the current graph. */
struct flame_found {
	bool *frame;          /* [n_frames] true for a match; NULL without a search */
	uint64_t n;           /* number of matching boxes in the whole graph */
	int64_t width;        /* total width of the matches, without nested ones */
	int64_t width_zoomed; /* total width inside the zoomed box */
};

/* A name in the line of the zoomed path, and the length of the path to it. */
struct flame_crumb {
	int x, width;
	size_t n;
};

struct flame_state {
	struct model *part; /* a part that contains the zoomed box; NULL if there is none */
	struct string_list part_path;
	struct string_list zoom;          /* path of names to the zoomed box, from a child of the root down */
	struct string_list selected;      /* path of names to the selected box */
	struct string_list *zoom_history; /* [n_zoom_history] earlier zooms, the newest last */
	size_t n_zoom_history, cap_zoom_history;
	struct string_list requested; /* the path of the last part requested */
	bool is_requested;
	const struct flame_model *graph; /* the whole graph or the part; the tiles below are indexes in it */
	uint32_t zoom_tile, selected_tile;
	bool is_flame, was_icicle; /* is_flame: the roots are at the bottom; was_icicle: last value of the option */
	bool was_inverted;         /* paths start at the leaves */
	bool is_followed;          /* false: scroll to the selected box when drawing */
	uint32_t top;              /* number of levels below the zoomed box that are scrolled out of sight */
	struct area body;          /* the area of boxes, relative to the pane */
	struct flame_crumb crumb[CRUMBS_MAX];
	size_t n_crumbs;
	struct flame_found found;
};

/* A run: adjacent cells of a level that show one box, or a cell that several boxes share. */
struct flame_run {
	int x, width;  /* in cells; width is 0 if it is less than a cell */
	int eighths;   /* eighths of the next cell that it also covers, if that cell is otherwise empty */
	uint32_t tile; /* the tile of the box, or of the widest of several boxes */
	uint32_t end;  /* index after the last tile of the run */
	uint32_t n;    /* number of boxes */
};

/*
 * Map tiles lo .. hi of one level, cut to from .. from + span, to width cells. A tile reaches from the cell of its left
 * side to that of its right side. Tiles that end in the cell in which they begin are combined. If another tile
 * continues from that cell, the cell belongs to it.
 *
 * out     [width] from left to right
 * Returns the number of runs
 */
size_t shell_flame_runs(const struct flame_layout *l, uint32_t lo, uint32_t hi, int64_t from, int64_t span, int width,
			struct flame_run *out);

/*
 * Combine neighbouring runs of at most one cell each, which would be stripes without names, if they have one parent, or
 * parents that are below two cells themselves. Runs stay as they are in windows of FLAME_JOIN_BELOW columns or more.
 *
 * Returns the number of runs
 */
size_t shell_flame_join(const struct flame *f, const struct flame_layout *l, int64_t span, int width,
			struct flame_run *run, size_t n);

enum { FLAME_JOIN_BELOW = 100 };

/* The tiles of a level inside the zoomed box. */
void shell_flame_level(const struct flame_state *st, uint32_t level, uint32_t *lo, uint32_t *hi);

/* The index of the run that shows a tile of the level or covers its cell; 0 if n is 0. */
size_t shell_flame_run_of(const struct flame_run *run, size_t n, uint32_t tile);

/* On the worker's thread; see pane_class. */
int shell_flame_view_make(const struct model_request *a, struct model *m, struct err *err);

/* Request a part if the current graph is too coarse for the zoom. */
void shell_flame_refine(struct shell *s, struct pane *p);

/* Zoom to a tile and remember the zoom before; select a tile. */
void shell_flame_zoom(struct pane *p, uint32_t tile);
void shell_flame_zoom_to(struct pane *p, size_t n_names);
bool shell_flame_unzoom(struct pane *p);
void shell_flame_whole(struct pane *p);
void shell_flame_select(struct pane *p, uint32_t tile);

/* Update the matches for a new graph. */
void shell_flame_update_search(struct pane *p);
/* Does a tile match? */
bool shell_flame_matches(const struct flame_state *st, uint32_t tile);

void shell_flame_draw(struct shell *s, struct pane *p, struct grid *g, struct area a);

/* See pane_class. */
void shell_flame_set_part(struct shell *s, struct pane *p, struct model *m);
void shell_flame_model_changed(struct shell *s, struct pane *p);
void shell_flame_release(struct pane *p);

#endif
