/*
 * symbolz.c - look up names on the server that sent the profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Addresses are first converted to addresses of the server's process: merging profiles of several
 * processes may have changed the address of the mapping.
 */
#include "config.h"

#include "sources/symbolize.h"

#include "base/mem.h"
#include "base/search.h"
#include "base/str.h"
#include "engine/query.h"
#include "profile/lines.h"
#include "sources/remote.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	LOOKUPS_MAX = 1000,       /* max mappings whose addresses are looked up on servers */
	QUERY_MAX = 6000,         /* max bytes of addresses in a URL */
	METHOD_NOT_ALLOWED = 405, /* response of net/http/pprof to POST since Go 1.22 */
};

/* A query to a server about one mapping. */
struct symbolz_lookup {
	uint32_t map;
	uint32_t lo, hi; /* its locations: lookups.loc[lo .. hi) */
	uint64_t shift;  /* address on the server minus address in the profile, modulo 2^64 */
	struct url url;
	struct buf body;
};

struct lookups {
	struct stop *stop;
	struct profile *p;
	uint32_t *loc; /* [n_loc] locations with address and mapping but no lines, sorted by mapping and address */
	str_id *name;  /* [n_loc] name of loc[i] from a server, 0 for none */
	uint32_t n_loc;
	struct symbolz_lookup *lookup; /* [n] in order of mappings */
	size_t n, cap;
};

bool symbolz_is_available(const struct source_set *new, const struct source_set *base)
{
	return remote_has_fetched(new->from, new->n, false) || (base && remote_has_fetched(base->from, base->n, false));
}

/* Is this a path of Go's net/http/pprof or of gperftools? */
static bool is_pprof_path(const char *path)
{
	static const char *const end[] = { "/pprof/heap", "/pprof/growth", "/pprof/profile", "/pprof/pmuprofile",
					   "/pprof/contention" };

	for (size_t i = 0; i < sizeof(end) / sizeof(end[0]); i++)
		if (ends_with(path, end[i]))
			return true;
	return strstr(path, "/debug/pprof/") != NULL;
}

void symbolz_url(const struct url *u, struct url *out)
{
	size_t n = strlen(u->path);
	struct buf path = { 0 };

	while (n && u->path[n - 1] == '/')
		n--;
	while (n && u->path[n - 1] != '/')
		n--;
	buf_add(&path, u->path, n);
	buf_addz(&path, n ? "" : "/");
	buf_addz(&path, is_pprof_path(u->path) ? "symbol" : "symbolz");
	url_copy(u, out);
	free(out->path);
	free(out->query);
	out->path = mem_strndup(path.data, path.len);
	out->query = mem_strndup("", 0);
	out->seconds = 0;
	buf_release(&path);
}

static int compare_loc(const void *a, const void *b, void *profile)
{
	const struct profile *p = profile;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (p->loc_map[x] != p->loc_map[y])
		return p->loc_map[x] < p->loc_map[y] ? -1 : 1;
	if (p->loc_addr[x] != p->loc_addr[y])
		return p->loc_addr[x] < p->loc_addr[y] ? -1 : 1;
	return (x > y) - (x < y);
}

static void find_locations(struct lookups *a)
{
	const struct profile *p = a->p;

	a->loc = mem_alloc(p->n_locs, sizeof(*a->loc));
	for (uint32_t i = 0; i < p->n_locs; i++)
		if (p->loc_map[i] != PROFILE_NONE && p->loc_addr[i] && p->loc_line[i] == p->loc_line[i + 1])
			a->loc[a->n_loc++] = i;
	if (a->n_loc)
		qsort_r(a->loc, a->n_loc, sizeof(*a->loc), compare_loc, a->p);
	a->name = mem_zalloc(a->n_loc, sizeof(*a->name));
}

static void add_body(const struct lookups *all, struct symbolz_lookup *a)
{
	uint64_t last = 0;

	for (uint32_t i = a->lo; i < a->hi; i++) {
		uint64_t addr = all->p->loc_addr[all->loc[i]];

		if (i > a->lo && addr == last)
			continue;
		buf_addf(&a->body, "%s0x%" PRIx64, i > a->lo ? "+" : "", addr + a->shift);
		last = addr;
	}
}

struct symbolz_address_key {
	const struct lookups *all;
	uint64_t addr;
};

static bool symbolz_is_below(const void *arg, size_t i)
{
	const struct symbolz_address_key *key = arg;

	return key->all->p->loc_addr[key->all->loc[i]] < key->addr;
}

/* Set the name of the first location of an address; set_lines copies it to the others. */
static void symbolz_set_name(struct lookups *all, const struct symbolz_lookup *a, uint64_t addr, str_id name)
{
	size_t first = lower_bound(a->lo, a->hi, symbolz_is_below, &(struct symbolz_address_key){ all, addr });

	if (first < a->hi && all->p->loc_addr[all->loc[first]] == addr)
		all->name[first] = name;
}

static bool symbolz_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\f' || c == '\r';
}

static int symbolz_digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Parse a line that contains 0xHEX, blanks and a name. Like pprof internal/symbolz symbolzRE. */
static void symbolz_parse_line(struct lookups *all, const struct symbolz_lookup *a, const char *s, const char *end)
{
	for (; end - s > 3; s++) {
		const char *at = s + 2;
		uint64_t addr = 0;

		if (s[0] != '0' || s[1] != 'x')
			continue;
		for (; at < end && symbolz_digit(*at) >= 0; at++)
			addr = addr << 4 | (uint64_t)symbolz_digit(*at);
		if (at == s + 2 || at - s > 18 || at == end || !symbolz_is_blank(*at))
			continue;
		while (at < end && symbolz_is_blank(*at))
			at++;
		while (end > at && symbolz_is_blank(end[-1]))
			end--;
		symbolz_set_name(all, a, addr - a->shift, strtab_add(all->p->str, at, (size_t)(end - at)));
		return;
	}
}

static void parse_answer(struct lookups *all, const struct symbolz_lookup *a, const struct bytes *answer)
{
	const char *at = (const char *)answer->data, *end = at + answer->n;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;

		symbolz_parse_line(all, a, at, stop);
		at = stop + 1;
	}
}

static int symbolz_compare_found(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Do two locations have the same address in the same mapping? */
static bool is_same_address(const struct profile *p, uint32_t a, uint32_t b)
{
	return p->loc_map[a] == p->loc_map[b] && p->loc_addr[a] == p->loc_addr[b];
}

/* Add a line to each location whose name was found. */
static int set_lines(const struct lookups *a, struct err *err)
{
	uint64_t *found = mem_alloc(a->n_loc, sizeof(*found)); /* location << 32 | index of its name */
	struct new_line *line = mem_zalloc(a->n_loc, sizeof(*line));
	uint32_t *loc = mem_alloc(a->n_loc, sizeof(*loc)), *off = mem_alloc((size_t)a->n_loc + 1, sizeof(*off));
	struct new_lines l = { .loc = loc, .off = off, .line = line };
	int rc;

	for (uint32_t i = 1; i < a->n_loc; i++)
		if (is_same_address(a->p, a->loc[i - 1], a->loc[i]))
			a->name[i] = a->name[i - 1];
	for (uint32_t i = 0; i < a->n_loc; i++)
		if (a->name[i])
			found[l.n++] = (uint64_t)a->loc[i] << 32 | i;
	if (l.n)
		qsort(found, l.n, sizeof(*found), symbolz_compare_found);
	off[0] = 0;
	for (uint32_t i = 0; i < l.n; i++) {
		loc[i] = (uint32_t)(found[i] >> 32);
		off[i + 1] = i + 1;
		line[i].name = line[i].sysname = a->name[(uint32_t)found[i]];
	}
	rc = profile_set_lines(a->p, &l, err);
	free(found);
	free(line);
	free(loc);
	free(off);
	return rc;
}

static int compare_origins(const void *a, const void *b)
{
	const struct origin *x = a, *y = b;
	int order = strcmp(x->key, y->key);

	return order ? order : (x->number > y->number) - (x->number < y->number);
}

/* The first origin of a key; NULL if there is none. */
static const struct origin *find_origin(const struct origins *from, const char *key)
{
	size_t i;

	return sources_find_name(from->item, from->n, sizeof(*from->item), key, &i) ? &from->item[i] : NULL;
}

/* Find the origin by file, else by build ID. */
static const struct origin *origin_of(const struct profile *p, const struct mapping *m, const struct origins *from)
{
	const struct origin *o = m->file ? find_origin(from, profile_text(p, m->file)) : NULL;

	return o || !m->build_id ? o : find_origin(from, profile_text(p, m->build_id));
}

/* Make a query for each mapping that has an origin. */
static void find_lookups(struct lookups *all, const struct origins *from, bool force, struct buf *notes)
{
	const struct profile *p = all->p;

	for (uint32_t lo = 0, hi; lo < all->n_loc; lo = hi) {
		struct symbolz_lookup a = { .map = p->loc_map[all->loc[lo]], .lo = lo };
		const struct mapping *m = &p->map[a.map];
		const struct origin *origin = m->has_functions && !force ? NULL : origin_of(p, m, from);

		for (hi = lo; hi < all->n_loc && p->loc_map[all->loc[hi]] == a.map; hi++)
			;
		if (!origin)
			continue;
		if (all->n == LOOKUPS_MAX) {
			buf_addf(notes, "names are looked up for the first %d mappings only\n", LOOKUPS_MAX);
			return;
		}
		a.hi = hi;
		a.shift = origin->start - m->start;
		symbolz_url(origin->url, &a.url);
		add_body(all, &a);
		all->lookup = mem_grow(all->lookup, &all->cap, all->n + 1, sizeof(*all->lookup));
		all->lookup[all->n++] = a;
	}
}

/* Number of bytes of s that fit into a URL. s contains addresses separated by plus signs; none of them is split. */
static size_t piece_length(const char *s)
{
	size_t n = strlen(s);

	if (n <= QUERY_MAX)
		return n;
	for (n = QUERY_MAX; s[n] != '+'; n--)
		;
	return n;
}

/* Query a server that does not support POST: send GET requests, with the addresses in their URLs. */
static int query_with_get(struct lookups *all, const struct symbolz_lookup *a, const struct fetch_options *options,
			  struct buf *notes, struct err *err)
{
	size_t n = a->body.len / (QUERY_MAX / 2) + 1, used = 0;
	struct url *url = mem_zalloc(n, sizeof(*url));
	struct fetch_request *request = mem_zalloc(n, sizeof(*request));
	int rc = 0;

	for (const char *at = a->body.data; *at; at += *at == '+', used++) {
		size_t length = piece_length(at);

		url_copy(&a->url, &url[used]);
		free(url[used].query);
		url[used].query = mem_strndup(at, length);
		request[used].url = &url[used];
		at += length;
	}
	fetch_all(request, used, options, NULL, all->stop, notes);
	for (size_t i = 0; i < used; i++) {
		if (rc == 0 && request[i].rc < 0) {
			rc = request[i].rc;
			*err = request[i].err;
		}
		if (rc == 0)
			parse_answer(all, a, &request[i].bytes);
		free(request[i].bytes.data);
		url_release(&url[i]);
	}
	free(request);
	free(url);
	return rc;
}

static int finish_lookup(struct lookups *all, const struct symbolz_lookup *a, const struct fetch_request *request,
			 const struct fetch_options *options, struct buf *notes, struct err *err)
{
	int rc = request->rc;

	if (request->status == METHOD_NOT_ALLOWED)
		rc = query_with_get(all, a, options, notes, err);
	else if (rc < 0)
		*err = request->err;
	else
		parse_answer(all, a, &request->bytes);
	if (rc == 0)
		all->p->map[a->map].has_functions = true;
	return rc;
}

/* Query all servers in parallel, and process their responses in order of mappings. */
static int query_servers(struct lookups *all, const struct fetch_options *options, struct buf *notes, struct err *err)
{
	struct fetch_request *request = mem_zalloc(all->n, sizeof(*request));
	int rc = 0;

	for (size_t i = 0; i < all->n; i++)
		request[i] = (struct fetch_request){ .url = &all->lookup[i].url,
						     .body = all->lookup[i].body.data,
						     .n_body = all->lookup[i].body.len };
	fetch_all(request, all->n, options, NULL, all->stop, notes);
	for (size_t i = 0; i < all->n; i++) {
		if (rc == 0)
			rc = finish_lookup(all, &all->lookup[i], &request[i], options, notes, err);
		free(request[i].bytes.data);
	}
	free(request);
	return rc == 0 ? set_lines(all, err) : rc;
}

static void lookups_release(struct lookups *all)
{
	for (size_t i = 0; i < all->n; i++) {
		url_release(&all->lookup[i].url);
		buf_release(&all->lookup[i].body);
	}
	free(all->lookup);
	free(all->loc);
	free(all->name);
}

int symbolz_run(struct profile *p, const struct source_set *new, const struct source_set *base, bool force,
		struct buf *notes, struct err *err)
{
	const struct remote *remote = new->remote ? new->remote : base ? base->remote : NULL;
	struct lookups all = { .p = p };
	struct origins from = { 0 };
	int rc = 0;

	if (!remote)
		return 0;
	all.stop = new->q->stop;
	remote_add_origins(new->from, new->n, &from);
	if (base)
		remote_add_origins(base->from, base->n, &from);
	if (from.n)
		qsort(from.item, from.n, sizeof(*from.item), compare_origins);
	find_locations(&all);
	find_lookups(&all, &from, force, notes);
	if (all.n)
		rc = query_servers(&all, remote_fetch_options(remote), notes, err);
	if (stop_is_set(all.stop))
		rc = stop_check(all.stop, err);
	lookups_release(&all);
	free(from.item);
	return rc;
}
