/*
 * frames_dwarf.c - frames of many addresses from DWARF: line tables, inlined calls, units
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * There are two passes over the units, each on several threads. The first reads the first entry of every unit and finds
 * the addresses that it covers: ranges are looked up among the addresses, so nothing has to be sorted. The second reads
 * the units that cover an address: the line table, then the entries.
 *
 * The entries of a unit are visited once each, in file order, even those in functions that cover no address, because
 * functions may be nested anywhere. The walk skips the children of inlined calls that cover no address, since these
 * cannot cover an address either, and types in languages that put no code in types. Of the entries that cover an
 * address, the last in order is the innermost. For the last child, dwarf_siblingof returns the end of the list of
 * children, where the sibling of the parent follows. Calling it for the parent would walk over all children again.
 */
#include "config.h"

#include "symbol/frames_dwarf.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/search.h"
#include "symbol/dwarf_handle.h"
#include "symbol/dwp.h"
#include "symbol/elfutils.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The line table of a unit. Zero-initialised; reused for the next unit, released with linetab_release. */
struct linetab {
	Dwarf_Lines *lines; /* NULL when there is no table */
	Dwarf_Files *files;
	size_t n, n_files;
	const char *comp_dir; /* directory of relative paths; "" when unknown */
	bool counts_from_1;   /* does the first file have number 1? True up to DWARF 4 */
	const char **path;    /* [n_files] NULL until requested */
	size_t cap_path;
};

/* The row of an address. */
struct linetab_row {
	uint64_t file;
	uint32_t line, column;
};

enum { INLINES_NONE = UINT32_MAX };

/* A function or an inlined call that covers an address. */
struct inline_node {
	const char *name;   /* points into the sections; NULL if unknown */
	uint64_t call_file; /* file number in the line table of the unit */
	uint32_t call_line, call_column, start_line;
	uint32_t parent; /* node that contains this inlined call, or INLINES_NONE */
	bool is_call;    /* is it an inlined call? Otherwise it is a function */
};

/* The functions and inlined calls of a unit. Zero-initialised; reused for the next unit. */
struct inlines {
	struct inline_node *node; /* [n] */
	size_t n, cap;
	uint32_t *at; /* [addresses] the innermost node at each, or INLINES_NONE */
	size_t cap_at;
	struct inlines_open *open;
	size_t n_open, cap_open;
};

/* Subtract n from the remaining steps. Returns false if there are too few. This bounds the time for hostile files. */
static inline bool spend_steps(uint64_t *work, uint64_t n)
{
	if (*work < n) {
		*work = 0;
		return false;
	}
	*work -= n;
	return true;
}

/* Read the table of a unit, given its first entry. */
static void linetab_open(struct linetab *t, Dwarf_Die *unit)
{
	Dwarf_Half version = 0;
	Dwarf_Attribute attr;

	assert(unit && t);
	t->n = t->n_files = 0;
	if (dwarf_getsrclines(unit, &t->lines, &t->n) != 0)
		t->lines = NULL;
	if (dwarf_getsrcfiles(unit, &t->files, &t->n_files) != 0)
		t->files = NULL;
	dwarf_cu_info(unit->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL);
	t->counts_from_1 = version < 5;
	t->comp_dir = dwarf_attr(unit, DW_AT_comp_dir, &attr) ? dwarf_formstring(&attr) : NULL;
	t->path = mem_grow(t->path, &t->cap_path, t->n_files + 1, sizeof(*t->path));
	memset(t->path, 0, t->n_files * sizeof(*t->path));
}

static uint64_t address(const struct linetab *t, size_t i)
{
	Dwarf_Addr addr;

	return dwarf_lineaddr(dwarf_onesrcline(t->lines, i), &addr) == 0 ? addr : 0;
}

struct frames_dwarf_address_key {
	const struct linetab *t;
	uint64_t addr;
};

static bool frames_dwarf_is_at_or_below(const void *arg, size_t i)
{
	const struct frames_dwarf_address_key *key = arg;

	return address(key->t, i) <= key->addr;
}

/* Find the row of an address: the last one at or below it, unless it ends a sequence; false for none. */
static bool linetab_find(const struct linetab *t, uint64_t addr, struct linetab_row *out)
{
	size_t next = lower_bound(0, t->lines ? t->n : 0, frames_dwarf_is_at_or_below,
				  &(struct frames_dwarf_address_key){ t, addr }),
	       file = 0;
	int line = 0, column = 0;
	Dwarf_Files *files;
	Dwarf_Line *row;
	bool is_end;

	row = next ? dwarf_onesrcline(t->lines, next - 1) : NULL;
	if (!row || dwarf_lineendsequence(row, &is_end) != 0 || is_end || dwarf_line_file(row, &files, &file) != 0)
		return false;
	dwarf_lineno(row, &line);
	dwarf_linecol(row, &column);
	*out = (struct linetab_row){ file, (uint32_t)line, (uint32_t)column };
	return true;
}

static bool is_absolute(const char *path)
{
	return path[0] == '/' || path[0] == '\\' || (path[0] && path[1] == ':' && (path[2] == '/' || path[2] == '\\'));
}

/* libdw prepends the compilation directory to some relative paths, LLVM to all. */
static const char *make_path(const struct linetab *t, const char *path, struct arena *mem)
{
	size_t n = t->comp_dir ? strlen(t->comp_dir) : 0, len = strlen(path);
	char *joined;

	if (!n || is_absolute(path))
		return arena_strndup(mem, path, len);
	joined = arena_alloc(mem, n + len + 2, 1);
	memcpy(joined, t->comp_dir, n);
	if (joined[n - 1] != '/')
		joined[n++] = '/';
	memcpy(joined + n, path, len + 1);
	return joined;
}

/* The path of a file, in mem; NULL for none. */
static const char *linetab_path(struct linetab *t, uint64_t file, struct arena *mem)
{
	const char *path;

	if (!t->files || file >= t->n_files || (t->counts_from_1 && !file))
		return NULL;
	if (!t->path[file]) {
		path = dwarf_filesrc(t->files, file, NULL, NULL);
		t->path[file] = path ? make_path(t, path, mem) : NULL;
	}
	return t->path[file];
}

static void linetab_release(struct linetab *t)
{
	free(t->path);
	*t = (struct linetab){ 0 };
}

struct inlines_open {
	Dwarf_Die die;
	uint64_t depth;
	uint32_t node; /* INLINES_NONE until needed */
	bool is_call;
};

struct frames_dwarf_walk {
	struct inlines *out;
	const uint64_t *addr;
	uint32_t n;
	uint64_t *work;
	const unsigned char *end; /* end of the unit */
	uint64_t depth;
	bool bare_types; /* types of this unit contain no code */
};

static uint32_t frames_dwarf_add_node(struct frames_dwarf_walk *w, Dwarf_Die *die, bool is_call, uint32_t parent)
{
	struct inlines *out = w->out;
	struct inline_node node = {
		.name = dwarf_function_name(die),
		.call_file = is_call ? dwarf_number(die, DW_AT_call_file) : 0,
		.call_line = is_call ? (uint32_t)dwarf_number(die, DW_AT_call_line) : 0,
		.call_column = is_call ? (uint32_t)dwarf_number(die, DW_AT_call_column) : 0,
		.parent = parent,
		.is_call = is_call,
	};
	int line;

	assert(parent == INLINES_NONE || parent < out->n);
	if (dwarf_decl_line(die, &line) == 0)
		node.start_line = (uint32_t)line;
	out->node = mem_grow(out->node, &out->cap, out->n + 1, sizeof(node));
	out->node[out->n++] = node;
	return (uint32_t)(out->n - 1);
}

/* Make the node of the innermost open entry, after those that contain it up to the function. */
static uint32_t open_node(struct frames_dwarf_walk *w)
{
	struct inlines *out = w->out;
	size_t first = out->n_open;
	uint32_t node = INLINES_NONE;

	while (first && out->open[first - 1].node == INLINES_NONE && out->open[first - 1].is_call)
		first--;
	if (first && out->open[first - 1].node == INLINES_NONE)
		first--; /* include the function */
	else if (first)
		node = out->open[first - 1].node;
	for (size_t i = first; i < out->n_open; i++) {
		struct inlines_open *o = &out->open[i];

		o->node = node = frames_dwarf_add_node(w, &o->die, o->is_call, o->is_call ? node : INLINES_NONE);
	}
	return node;
}

/* Assign the covered addresses to an entry. Returns its new node, or INLINES_NONE when it covers none. */
static uint32_t cover(struct frames_dwarf_walk *w, Dwarf_Die *die, bool is_call)
{
	uint32_t node = INLINES_NONE;
	Dwarf_Addr base, lo, hi;

	for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0;) {
		if (!spend_steps(w->work, 1))
			break;
		for (uint32_t k = (uint32_t)lower_bound_u64(w->addr, w->n, lo); k < w->n && w->addr[k] < hi; k++) {
			if (!spend_steps(w->work, 1))
				return node;
			if (node == INLINES_NONE)
				node = frames_dwarf_add_node(w, die, is_call, is_call ? open_node(w) : INLINES_NONE);
			w->out->at[k] = node;
		}
	}
	return node;
}

static int frames_dwarf_find_ranges(Dwarf_Attribute *attr, void *arg)
{
	bool *has = arg;

	*has = attr->code == DW_AT_low_pc || attr->code == DW_AT_ranges;
	return *has ? DWARF_CB_ABORT : DWARF_CB_OK;
}

/*
 * Do types contain no functions with code? C and C++ compilers put these outside of types, except for types in
 * functions (lambdas of GCC). Rust's compiler does not.
 */
static bool has_bare_types(Dwarf_Die *unit)
{
	switch (dwarf_srclang(unit)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
		return true;
	default:
		return false;
	}
}

/* Can the children of such an entry contain functions with code? */
static bool may_hold_code(const struct frames_dwarf_walk *w, int tag)
{
	if (w->bare_types && !w->out->n_open &&
	    (tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type))
		return false;
	return tag != DW_TAG_enumeration_type && tag != DW_TAG_array_type && tag != DW_TAG_subroutine_type &&
	       tag != DW_TAG_formal_parameter && tag != DW_TAG_variable && tag != DW_TAG_call_site &&
	       tag != DW_TAG_GNU_call_site && tag != DW_TAG_GNU_formal_parameter_pack;
}

/* Visit an entry. Returns whether to visit its children too. */
static bool visit(struct frames_dwarf_walk *w, Dwarf_Die *die, int tag)
{
	struct inlines *out = w->out;
	bool is_call = tag == DW_TAG_inlined_subroutine, has_ranges = false;
	uint32_t node = INLINES_NONE;

	if (!is_call && tag != DW_TAG_subprogram)
		return may_hold_code(w, tag);
	dwarf_getattrs(die, frames_dwarf_find_ranges, &has_ranges,
		       0); /* one pass over the attributes; dwarf_ranges needs several */
	if (has_ranges)
		node = cover(w, die, is_call);
	if ((is_call && has_ranges && node == INLINES_NONE) || !dwarf_haschildren(die))
		return false;
	out->open = mem_grow(out->open, &out->cap_open, out->n_open + 1, sizeof(*out->open));
	out->open[out->n_open++] = (struct inlines_open){ *die, w->depth + 1, node, is_call };
	return true;
}

/* Advance to the next entry in file order, or past the children of this one; false at the end. */
static bool frames_dwarf_step(struct frames_dwarf_walk *w, Dwarf_Die *die, bool below)
{
	Dwarf_Die next = { 0 };
	const unsigned char *at;

	if (below && dwarf_haschildren(die) && dwarf_child(die, &next) == 0) {
		w->depth++;
		*die = next;
		return true;
	}
	int rc = dwarf_siblingof(die, &next);
	if (rc == 0) {
		*die = next;
		return true;
	}
	at = next.addr;
	if (rc < 0 || !at)
		return false;
	for (; at < w->end && !*at && w->depth; at++)
		w->depth--;
	if (at >= w->end || !w->depth)
		return false;
	*die = (Dwarf_Die){ .addr = (void *)at, .cu = die->cu };
	return true;
}

/* The end of a unit in memory; NULL when it is damaged. */
static const unsigned char *end_of(Dwarf_Die *unit)
{
	Dwarf_Off off = dwarf_dieoffset(unit), start = off - dwarf_cuoffset(unit), next;
	size_t header;

	if (dwarf_nextcu(dwarf_cu_getdwarf(unit->cu), start, &next, &header, NULL, NULL, NULL) != 0)
		return NULL;
	return (const unsigned char *)unit->addr + (next - off);
}

/*
 * Visit the entries of a unit.
 *
 * unit   its first entry
 * addr   [n] ascending
 * work   remaining steps; reduced
 * out    node and at are filled in; damage ends the walk
 * Like   LLVM DWARFUnit::getInlinedChainForAddress
 */
static void inlines_find(struct inlines *out, Dwarf_Die *unit, const uint64_t *addr, uint32_t n, uint64_t *work)
{
	struct frames_dwarf_walk w = { .out = out, .addr = addr, .n = n, .work = work, .end = end_of(unit) };
	Dwarf_Die die = *unit;

	w.bare_types = has_bare_types(unit);
	out->n = out->n_open = 0;
	out->at = mem_grow(out->at, &out->cap_at, n ? n : 1, sizeof(*out->at));
	for (uint32_t i = 0; i < n; i++)
		out->at[i] = INLINES_NONE;
	while (w.end && spend_steps(work, 1)) {
		while (out->n_open && out->open[out->n_open - 1].depth > w.depth)
			out->n_open--;
		if (!frames_dwarf_step(&w, &die, visit(&w, &die, dwarf_tag(&die))))
			break;
	}
}

static void inlines_release(struct inlines *l)
{
	free(l->node);
	free(l->at);
	free(l->open);
	*l = (struct inlines){ 0 };
}

/* Limits on nested inlined calls, far above what compilers produce, and on frames per address and in total. */
enum { MAX_CHAIN = 512, MAX_MEAN = 64, MAX_FRAMES = 1 << 20 };

/* Rows of line tables that libdw may hold for one thread. */
enum { MAX_HELD = 1 << 17 };

static const uint32_t no_unit = UINT32_MAX;

struct frames_dwarf_worker {
	struct dwarf_handle handle;
	uint64_t work; /* number of remaining steps */
	struct inlines inlines;
	struct linetab lines;
	size_t n_held;     /* number of rows that libdw holds */
	struct arena *mem; /* owns paths */
	uint64_t *unit;    /* [n_units] offsets of first entries */
	uint32_t n_units;
	size_t cap_units;
	struct dwp_unit split; /* the split unit that is open, from a package */
	uint32_t n_missing;    /* split units that were not found */
	uint32_t *owner;       /* [addresses] the first unit that covers each; set by the first pass */
	struct frame *frame;
	size_t n_frames, cap_frames;
	uint64_t *addr; /* [n] addresses of the current unit */
	size_t cap_addr;
};

struct frames_dwarf_span {
	uint32_t worker, n;
	size_t first;
};

struct frames_dwarf {
	struct stop *stop;
	const uint64_t *addr;
	uint32_t n;
	uint64_t size;       /* size of the file */
	struct dwp *package; /* split units */
	uint32_t *index;     /* [n] addresses by unit */
	uint32_t *first_of;  /* [units + 1] start of a unit in index */
	uint32_t *todo;      /* [n_todo] units that cover an address */
	uint32_t n_todo;
	atomic_uint next;
	struct frames_dwarf_span *span; /* [n] */
	struct frames_dwarf_worker *worker;
	unsigned n_workers;
};

/* Find the addresses that a unit covers by its first entry. */
static void claim(struct frames_dwarf *d, struct frames_dwarf_worker *w, uint32_t unit, Dwarf_Die *die)
{
	Dwarf_Addr base, lo, hi;

	for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &lo, &hi)) > 0;) {
		if (!spend_steps(&w->work, 1))
			return;
		for (uint32_t k = (uint32_t)lower_bound_u64(d->addr, d->n, lo); k < d->n && d->addr[k] < hi; k++) {
			if (!spend_steps(&w->work, 1))
				return;
			if (unit < w->owner[k])
				w->owner[k] = unit;
		}
	}
}

/* First pass: every n_workers-th unit. */
static void claim_part(void *arg, unsigned part)
{
	struct frames_dwarf *d = arg;
	struct frames_dwarf_worker *w = &d->worker[part];
	Dwarf_CU *cu = NULL;
	Dwarf_Die die;

	assert(part < d->n_workers);
	w->owner = mem_alloc((size_t)d->n + 1, sizeof(*w->owner));
	for (uint32_t i = 0; i < d->n; i++)
		w->owner[i] = no_unit;
	while (w->handle.dwarf && w->n_units < UINT32_MAX - 2 && !stop_is_set(d->stop) &&
	       dwarf_get_units(w->handle.dwarf, cu, &cu, NULL, NULL, &die, NULL) == 0) {
		uint32_t unit = w->n_units++;

		w->unit = mem_grow(w->unit, &w->cap_units, w->n_units, sizeof(*w->unit));
		w->unit[unit] = dwarf_dieoffset(&die);
		if (unit % d->n_workers == part &&
		    (dwarf_tag(&die) == DW_TAG_compile_unit || dwarf_tag(&die) == DW_TAG_skeleton_unit))
			claim(d, w, unit, &die);
	}
}

/* Counting sort of the addresses by unit. */
static void group(struct frames_dwarf *d)
{
	uint32_t n_units = d->worker[0].n_units, *owner = d->worker[0].owner;
	uint32_t *first = d->first_of = mem_zalloc((size_t)n_units + 2, sizeof(*first));

	for (unsigned i = 1; i < d->n_workers; i++)
		for (uint32_t k = 0; k < d->n; k++)
			if (d->worker[i].owner[k] < owner[k])
				owner[k] = d->worker[i].owner[k];
	for (uint32_t k = 0; k < d->n; k++)
		if (owner[k] != no_unit)
			first[owner[k] + 2]++;
	d->todo = mem_alloc(d->n + 1, sizeof(*d->todo));
	for (uint32_t i = 0; i < n_units; i++) {
		if (first[i + 2])
			d->todo[d->n_todo++] = i;
		first[i + 2] += first[i + 1];
	}
	assert(d->n_todo <= n_units && d->n_todo <= d->n);
	d->index = mem_alloc(d->n + 1, sizeof(*d->index));
	for (uint32_t k = 0; k < d->n; k++)
		if (owner[k] != no_unit)
			d->index[first[owner[k] + 1]++] = k;
}

static void frames_dwarf_put(struct frames_dwarf_worker *w, const char *name, const char *file, uint32_t line,
			     uint32_t column, uint32_t start)
{
	w->frame = mem_grow(w->frame, &w->cap_frames, w->n_frames + 1, sizeof(*w->frame));
	w->frame[w->n_frames++] =
		(struct frame){ .name = name, .file = file, .line = line, .column = column, .start_line = start };
}

/* Add the frames of address k of the current unit. */
static void put_chain(struct frames_dwarf *d, struct frames_dwarf_worker *w, uint32_t k, bool is_split)
{
	bool is_full = w->n_frames / MAX_MEAN > d->n && w->n_frames > MAX_FRAMES;
	uint32_t i = w->inlines.at[k], line = 0, column = 0;
	const char *file = NULL;
	struct linetab_row row;

	if (linetab_find(&w->lines, w->addr[k], &row)) {
		file = linetab_path(&w->lines, row.file, w->mem);
		line = file ? row.line : 0;
		column = file ? row.column : 0;
	}
	if (i == INLINES_NONE) {
		if (file)
			frames_dwarf_put(w, NULL, file, line, column, 0);
		return;
	}
	for (int depth = is_full ? MAX_CHAIN - 1 : 0; depth < MAX_CHAIN; depth++) {
		struct inline_node *node = i == INLINES_NONE ? NULL : &w->inlines.node[i];

		if (node && node->name && is_split) /* the split file is closed soon */
			node->name = arena_strndup(w->mem, node->name, strlen(node->name));
		frames_dwarf_put(w, node ? node->name : NULL, file, line, column, node ? node->start_line : 0);
		if (!node || !node->is_call)
			return;
		file = linetab_path(&w->lines, node->call_file, w->mem);
		line = node->call_line;
		column = node->call_column;
		i = node->parent;
	}
}

/* libdw caches the line tables of all units it has read, so release them now and then. Returns false on failure. */
static bool renew(struct frames_dwarf_worker *w)
{
	w->n_held += w->lines.n;
	if (w->n_held < MAX_HELD)
		return true;
	w->n_held = 0;
	return dwarf_handle_renew(&w->handle);
}

static bool read_unit(struct frames_dwarf *d, struct frames_dwarf_worker *w, unsigned part, uint32_t unit)
{
	uint32_t first = d->first_of[unit], n = d->first_of[unit + 1] - first;
	Dwarf_Die die;
	enum split_status status;

	assert(unit < d->worker[0].n_units && d->first_of[unit] <= d->first_of[unit + 1]);
	if (!dwarf_offdie(w->handle.dwarf, d->worker[0].unit[unit], &die))
		return true;
	w->addr = mem_grow(w->addr, &w->cap_addr, n, sizeof(*w->addr));
	for (uint32_t k = 0; k < n; k++)
		w->addr[k] = d->addr[d->index[first + k]];
	linetab_open(&w->lines, &die);
	spend_steps(&w->work, w->lines.n + w->lines.n_files);
	status = dwp_find_split(d->package, w->handle.elf, &die, &w->split);
	w->n_missing += status == SPLIT_MISSING;
	inlines_find(&w->inlines, &die, w->addr, n, &w->work);
	for (uint32_t k = 0; k < n; k++) {
		size_t start = w->n_frames;

		put_chain(d, w, k, status == SPLIT_FOUND);
		d->span[d->index[first + k]] =
			(struct frames_dwarf_span){ part, (uint32_t)(w->n_frames - start), start };
	}
	dwp_unit_close(&w->split);
	return renew(w);
}

/* Second pass: take the next unit until none remains. */
static void read_part(void *arg, unsigned part)
{
	struct frames_dwarf *d = arg;
	struct frames_dwarf_worker *w = &d->worker[part];

	for (;;) {
		bool can_continue = w->work && w->handle.dwarf && !stop_is_set(d->stop);
		unsigned i = can_continue ? atomic_fetch_add(&d->next, 1) : d->n_todo;

		if (i >= d->n_todo || !read_unit(d, w, part, d->todo[i]))
			return;
	}
}

int frames_dwarf_find(const struct frames_files *files, const uint64_t *addr, uint32_t n, struct frames_dwarf **out,
		      struct err *err)
{
	struct frames_dwarf *d = mem_zalloc(1, sizeof(*d));
	struct stat st;
	int rc = 0;

	d->stop = files->stop;
	d->addr = addr;
	d->n = n;
	d->size = fstat(files->debug_fd, &st) == 0 ? (uint64_t)st.st_size : 0;
	d->n_workers = pool_size();
	d->worker = mem_zalloc(d->n_workers, sizeof(*d->worker));
	for (unsigned i = 0; i < d->n_workers && rc == 0; i++) {
		d->worker[i].work = (1 << 20) + 64 * d->size;
		d->worker[i].mem = arena_new();
		rc = dwarf_handle_open(&d->worker[i].handle, files->debug_fd, files->alt_fd, err);
	}
	if (rc < 0) {
		frames_dwarf_free(d);
		return rc;
	}
	d->package = dwp_open(files->path);
	d->span = mem_zalloc((size_t)n + 1, sizeof(*d->span));
	pool_run(claim_part, d, d->n_workers);
	if (!stop_is_set(d->stop)) { /* otherwise the workers may have seen different units */
		group(d);
		pool_run(read_part, d, d->n_workers);
	}
	*out = d;
	return 0;
}

const struct frame *frames_dwarf_get(const struct frames_dwarf *d, uint32_t i, uint32_t *n)
{
	assert(i < d->n);
	*n = d->span[i].n;
	return *n ? &d->worker[d->span[i].worker].frame[d->span[i].first] : NULL;
}

bool frames_dwarf_is_partial(const struct frames_dwarf *d)
{
	bool is_partial = stop_is_set(d->stop);

	for (unsigned i = 0; i < d->n_workers; i++)
		is_partial |= d->worker[i].n_missing || !d->worker[i].work;
	return is_partial;
}

void frames_dwarf_add_missing(const struct frames_dwarf *d, struct buf *out)
{
	uint32_t n = 0;

	for (unsigned i = 0; i < d->n_workers; i++)
		n += d->worker[i].n_missing;
	dwp_explain(d->package, n, out);
}

uint64_t frames_dwarf_max_text(const struct frames_dwarf *d)
{
	return (1 << 20) + 16 * d->size;
}

void frames_dwarf_free(struct frames_dwarf *d)
{
	if (!d)
		return;
	for (unsigned i = 0; i < d->n_workers; i++) {
		struct frames_dwarf_worker *w = &d->worker[i];

		dwarf_handle_close(&w->handle);
		inlines_release(&w->inlines);
		linetab_release(&w->lines);
		arena_free(w->mem);
		free(w->owner);
		free(w->frame);
		free(w->addr);
		free(w->unit);
	}
	dwp_close(d->package);
	free(d->worker);
	free(d->index);
	free(d->first_of);
	free(d->todo);
	free(d->span);
	free(d);
}
