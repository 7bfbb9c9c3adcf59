/*
 * symbolize.c - add names and lines to the addresses of a profile, from local binaries
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For each mapping, its locations are sorted by their address in the file and looked up together. The lines of all
 * mappings are added to the profile at the end.
 */
#include "config.h"

#include "symbol/symbolize.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/str.h"
#include "profile/lines.h"
#include "symbol/frames.h"
#include "symbol/locate.h"
#include "symbol/object.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* State of one call. */
struct symbolizer {
	struct profile *p;
	const struct symbol_options *w;
	struct symbolize_result *out;
	bool force, kernel_only, wants_tried;
	struct csr locs;   /* [n_maps] locations of each mapping, ascending */
	uint32_t *n_lines; /* [n_locs] number of new lines of each location */
	uint32_t *first;   /* [n_locs] index of the first new line in line */
	struct new_line *line;
	size_t n, cap;
};

/* An address in the file, and its location. */
struct symbolize_wanted {
	uint64_t addr;
	uint32_t loc;
};

void symbolize_result_release(struct symbolize_result *s)
{
	buf_release(&s->missing);
	buf_release(&s->partial);
	buf_release(&s->tried);
}

/* Does the name of a mapping mean memory without a file? */
static bool is_unsymbolizable(const char *file)
{
	const char *base = path_base(file);

	return base[0] == '[' || starts_with(base, "linux-vdso") || starts_with(file, "/dev/dri/") ||
	       starts_with(file, "/memfd:") || strcmp(file, "//anon") == 0 || path_perf_map(file);
}

static bool symbol_symbolize_is_kernel(const char *file)
{
	return starts_with(file, "[kernel.kallsyms]") || starts_with(file, "[guest.kernel.kallsyms]");
}

/* Is it the kernel or the vdso, whose symbols come from elsewhere? */
static bool is_kernel_or_vdso(const char *file)
{
	return symbol_symbolize_is_kernel(file) || strcmp(file, "[vdso]") == 0 ||
	       starts_with(path_base(file), "linux-vdso");
}

/* Is it the URL of the server from which the profile was fetched? */
static bool is_url(const char *file)
{
	size_t n = strcspn(file, ":/");

	for (size_t i = 0; file[n] == ':' && i + 4 <= n; i++)
		if (strncasecmp(file + i, "http", 4) == 0)
			return true;
	return false;
}

static bool is_symbolized(const struct mapping *m)
{
	return m->has_functions || m->has_filenames || m->has_line_numbers;
}

/* Can the mapping be looked up, according to its own fields? */
static bool is_candidate(const struct profile *p, const struct mapping *m, bool force)
{
	const char *file = profile_text(p, m->file);

	if ((!force && is_symbolized(m)) || (is_unsymbolizable(file) && !is_kernel_or_vdso(file)))
		return false;
	return m->build_id || !is_url(file);
}

bool symbolize_needed(const struct profile *p, bool force)
{
	bool any = false;

	for (uint32_t i = 0; !any && i < p->n_maps; i++)
		any = is_candidate(p, &p->map[i], force);
	for (uint32_t loc = 0; any && loc < p->n_locs; loc++) {
		uint32_t map = p->loc_map[loc];

		if (map != PROFILE_NONE && (force || !profile_has_name(p, loc)) && is_candidate(p, &p->map[map], force))
			return true;
	}
	return false;
}

static void sort_locations(struct symbolizer *s)
{
	const struct profile *p = s->p;
	struct csr *l = &s->locs;

	l->n = p->n_maps;
	l->off = mem_zalloc((size_t)p->n_maps + 2, sizeof(*l->off));
	l->item = mem_alloc((size_t)p->n_locs + 1, sizeof(*l->item));
	for (uint32_t loc = 0; loc < p->n_locs; loc++)
		if (p->loc_map[loc] != PROFILE_NONE)
			l->off[p->loc_map[loc] + 2]++;
	for (uint32_t i = 2; i < p->n_maps + 2; i++)
		l->off[i] += l->off[i - 1];
	for (uint32_t loc = 0; loc < p->n_locs; loc++)
		if (p->loc_map[loc] != PROFILE_NONE)
			l->item[l->off[p->loc_map[loc] + 1]++] = loc;
}

static int compare_wanted(const void *left, const void *right)
{
	const struct symbolize_wanted *a = left, *b = right;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->loc < b->loc ? -1 : a->loc > b->loc;
}

static str_id symbol_symbolize_intern(struct symbolizer *s, const char *text)
{
	return strtab_addz(s->p->str, text);
}

/*
 * The length of a name without the version suffix ("f@V1", "f@@V2") that .symtab adds to exported functions. No other
 * ELF names look like this.
 */
static size_t unversioned(const char *name)
{
	static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-+";
	size_t n = strcspn(name, "@"), at = n + strspn(name + n, "@");

	if (n == 0 || at == n || at - n > 2 || name[at] == '\0' || name[at + strspn(name + at, allowed)] != '\0')
		return strlen(name);
	return n;
}

/* Add the frames of an address as lines of a location. Returns true if a frame has a name. */
static bool symbol_symbolize_add_frames(struct symbolizer *s, struct mapping *m, uint32_t loc,
					const struct frame *frame, uint32_t n)
{
	bool named = false;

	s->line = mem_grow(s->line, &s->cap, s->n + n, sizeof(*s->line));
	s->first[loc] = (uint32_t)s->n;
	s->n_lines[loc] = n;
	for (uint32_t i = 0; i < n; i++) {
		str_id name = strtab_add(s->p->str, frame[i].name, unversioned(frame[i].name));

		s->line[s->n++] = (struct new_line){ .name = name,
						     .sysname = name,
						     .file = symbol_symbolize_intern(s, frame[i].file),
						     .start = frame[i].start_line,
						     .line = frame[i].line,
						     .col = frame[i].column };
		named |= name != 0;
		m->has_functions |= name != 0;
		m->has_filenames |= *frame[i].file != '\0';
		m->has_line_numbers |= frame[i].line != 0;
	}
	m->has_inline_frames |= n > 0;
	return named;
}

static uint32_t add_all_frames(struct symbolizer *s, struct mapping *m, const struct symbolize_wanted *wanted,
			       uint32_t n, const struct frames *f, const uint64_t *addr)
{
	uint32_t n_named = 0, at = 0;

	for (uint32_t i = 0; i < n && s->n < UINT32_MAX / 2; i++) {
		uint32_t lo, hi;

		while (addr[at] != wanted[i].addr)
			at++;
		lo = f->off[at];
		hi = f->off[at + 1];
		if (hi > lo && hi - lo < UINT32_MAX / 4)
			n_named += symbol_symbolize_add_frames(s, m, wanted[i].loc, f->frame + lo, hi - lo);
	}
	return n_named;
}

/* Look up wanted[n], which is sorted. Returns the number of addresses with names. */
static uint32_t symbol_symbolize_look_up(struct symbolizer *s, struct mapping *m, struct object *o,
					 const struct symbolize_wanted *wanted, uint32_t n, struct buf *tried)
{
	uint64_t *addr = mem_alloc(n, sizeof(*addr));
	struct arena *mem = arena_new();
	struct frames frames = { 0 };
	uint32_t n_addr = 0, n_named = 0;
	struct err err = { 0 };
	int rc;

	for (uint32_t i = 0; i < n; i++)
		if (n_addr == 0 || addr[n_addr - 1] != wanted[i].addr)
			addr[n_addr++] = wanted[i].addr;
	rc = frames_find(o, s->w, addr, n_addr, mem, &frames, tried, &err);
	if (rc < 0 && tried)
		buf_addf(tried, "%s: %s\n", object_path(o), err.msg);
	if (frames.n == n_addr)
		n_named = add_all_frames(s, m, wanted, n, &frames, addr);
	if (frames.missing) {
		buf_addf(&s->out->partial, "%s: %s\n", path_base(object_path(o)), frames.missing);
		m->has_inline_frames = false;
	}
	if (tried)
		buf_addf(tried, "%s: names of %" PRIu32 " of %" PRIu32 " from %s\n", object_path(o), n_named, n,
			 frames.source ? frames.source : "nowhere");
	arena_free(mem);
	free(addr);
	return n_named;
}

/* Look up the locations inside the mapping. The first location determines the base, as in pprof. Fails as
   object_base. */
static int symbolize_object(struct symbolizer *s, struct mapping *m, struct object *o, const uint32_t *loc, uint32_t n,
			    struct buf *tried, uint32_t *n_named, struct err *err)
{
	struct object_map map = locate_map(s->p, m);
	const uint64_t *addr = s->p->loc_addr;
	struct symbolize_wanted *wanted;
	uint32_t first = 0, n_held = 0, n_kept = 0;
	uint64_t base;
	int rc;

	while (first + 1 < n && !object_map_contains(&map, addr[loc[first]]))
		first++;
	rc = object_base(o, &map, addr[loc[first]], &base, err);
	if (rc < 0)
		return rc;
	wanted = mem_alloc(n, sizeof(*wanted));
	for (uint32_t i = first; i < n; i++)
		if (!object_map_contains(&map, addr[loc[i]]))
			continue;
		else if (!s->force && !m->build_id && profile_has_name(s->p, loc[i]))
			n_kept++; /* without a build id the file may be another one now */
		else
			wanted[n_held++] = (struct symbolize_wanted){ addr[loc[i]] - base, loc[i] };
	qsort(wanted, n_held, sizeof(*wanted), compare_wanted);
	*n_named = n_kept + symbol_symbolize_look_up(s, m, o, wanted, n_held, tried);
	free(wanted);
	return 0;
}

static void symbol_symbolize_note_missing(struct symbolizer *s, const struct mapping *m, const char *why)
{
	static const char prefix[] = "Local symbolization failed for ";
	const char *file = profile_text(s->p, m->file), *id = profile_text(s->p, m->build_id);
	struct buf *out = &s->out->missing;

	if (*file == '\0')
		buf_addz(out, "Main binary filename not available: pass the binary before the profile\n");
	else if (starts_with(why, prefix))
		buf_addf(out, "%s\n", why + strlen(prefix));
	else
		buf_addf(out, "%s%s%s%s: %s\n", path_base(file), *id ? " (build ID " : "", id, *id ? ")" : "", why);
}

static bool has_functions(struct object *o)
{
	const struct object_symbol *symbol;
	size_t n = object_symbols(o, &symbol);

	for (size_t i = 0; i < n; i++)
		if (!symbol[i].is_data)
			return true;
	return false;
}

/* Report why none of the n addresses has a name. */
static void note_unnamed(struct symbolizer *s, const struct mapping *m, struct object *o, uint32_t n)
{
	char why[40];

	snprintf(why, sizeof(why), "no name for %" PRIu32 " %s", n, n == 1 ? "address" : "addresses");
	symbol_symbolize_note_missing(s, m, has_functions(o) ? why : "no names in it, and no debug file found");
}

/* Open the binary of a mapping and look up all of its n locations. Fails with the reason why there are no names. */
static int symbolize_file(struct symbolizer *s, struct mapping *m, const uint32_t *loc, uint32_t n, struct buf *tried,
			  uint32_t *n_named, struct err *err)
{
	struct object *o = NULL;
	int rc = locate_object(s->p, m, s->w, tried, &o, err);

	if (rc == 0)
		rc = symbolize_object(s, m, o, loc, n, tried, n_named, err);
	if (rc == 0 && *n_named == 0)
		note_unnamed(s, m, o, n);
	object_close(o);
	return rc;
}

static void symbolize_mapping(struct symbolizer *s, uint32_t map, const uint32_t *loc, uint32_t n)
{
	struct mapping *m = &s->p->map[map];
	const char *file = profile_text(s->p, m->file), *id = profile_text(s->p, m->build_id);
	struct buf *tried = s->wants_tried ? &s->out->tried : NULL;
	uint32_t n_named = 0;
	struct err err = { 0 };
	int rc = *file ? 0 : ERR_IO;

	if (tried)
		buf_addf(tried, "%s%s%s%s: %" PRIu32 " %s to look up\n", *file ? file : "a mapping without file name",
			 *id ? " (build ID " : "", id, *id ? ")" : "", n, n == 1 ? "address" : "addresses");
	if (rc == 0)
		rc = symbolize_file(s, m, loc, n, tried, &n_named, &err);
	if (rc < 0 && is_kernel_or_vdso(file) && !m->kernel_symbol)
		return; /* reported for recordings of perf only, which have this symbol */
	s->out->n_addresses += n;
	if (*file == '\0' && map != 0) {
		s->out->n_without_binary += n;
		return;
	}
	s->out->n_binaries++;
	s->out->n_named += n_named;
	s->out->n_found += rc == 0;
	if (rc < 0)
		symbol_symbolize_note_missing(s, m, err.msg);
}

static bool all_named(const struct profile *p, const uint32_t *loc, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!profile_has_name(p, loc[i]))
			return false;
	return true;
}

/* Add all lines to the profile, in the order of locations. */
static int symbol_symbolize_add_lines(struct symbolizer *s, struct err *err)
{
	const struct profile *p = s->p;
	uint32_t *loc = mem_alloc(p->n_locs, sizeof(*loc)), *off = mem_alloc((size_t)p->n_locs + 1, sizeof(*off));
	struct new_line *line = mem_alloc(s->n, sizeof(*line));
	struct new_lines all = { .loc = loc, .off = off, .line = line };
	uint32_t at = 0;
	int rc;

	for (uint32_t i = 0; i < p->n_locs; i++) {
		if (s->n_lines[i] == 0)
			continue;
		loc[all.n] = i;
		off[all.n++] = at;
		memcpy(line + at, s->line + s->first[i], s->n_lines[i] * sizeof(*line));
		at += s->n_lines[i];
	}
	off[all.n] = at;
	rc = profile_set_lines(s->p, &all, err);
	free(line);
	free(off);
	free(loc);
	return rc;
}

/* Is the mapping, with n locations, to be looked up? */
static bool symbol_symbolize_is_wanted(const struct symbolizer *s, uint32_t map, const uint32_t *loc, uint32_t n)
{
	const struct mapping *m = &s->p->map[map];

	if (n == 0 || (s->kernel_only && !symbol_symbolize_is_kernel(profile_text(s->p, m->file))))
		return false;
	return is_candidate(s->p, m, s->force) && (s->force || !all_named(s->p, loc, n));
}

static int symbol_symbolize_symbolize(struct symbolizer *s, struct err *err)
{
	const struct profile *p = s->p;
	int rc;

	if (!symbolize_needed(p, s->force))
		return 0;
	sort_locations(s);
	s->n_lines = mem_zalloc(p->n_locs, sizeof(*s->n_lines));
	s->first = mem_alloc(p->n_locs, sizeof(*s->first));
	stop_begin(s->w->stop, "looking up names", 0);
	for (uint32_t map = 0; map < p->n_maps && !stop_is_set(s->w->stop); map++) {
		const uint32_t *loc = s->locs.item + s->locs.off[map];
		uint32_t n = s->locs.off[map + 1] - s->locs.off[map];

		if (symbol_symbolize_is_wanted(s, map, loc, n))
			symbolize_mapping(s, map, loc, n);
	}
	rc = stop_check(s->w->stop, err);
	if (rc == 0 && s->n)
		rc = symbol_symbolize_add_lines(s, err);
	free(s->line);
	free(s->first);
	free(s->n_lines);
	free(s->locs.off);
	free(s->locs.item);
	return rc;
}

int symbolize_local(struct profile *p, const struct symbol_options *w, bool force, bool wants_tried,
		    struct symbolize_result *out, struct err *err)
{
	return symbol_symbolize_symbolize(
		&(struct symbolizer){ .p = p, .w = w, .out = out, .force = force, .wants_tried = wants_tried }, err);
}

int symbolize_kernel(struct profile *p, const struct symbol_options *w, struct err *err)
{
	struct symbolize_result ignored = { 0 };
	int rc = symbol_symbolize_symbolize(
		&(struct symbolizer){ .p = p, .w = w, .out = &ignored, .kernel_only = true }, err);

	symbolize_result_release(&ignored);
	return rc;
}
