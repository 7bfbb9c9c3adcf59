/*
 * symbolz.c - names from the server that a profile was fetched from
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A server is sent the addresses of a mapping as it knows them: merging may have moved the mapping
 * to where another process has it.
 */
#include "config.h"

#include "answer/symbolz.h"

#include "answer/remote.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/str.h"
#include "profile/lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	ASKS_MAX = 1000,          /* mappings that servers are asked about */
	QUERY_MAX = 6000,         /* bytes of addresses in one URL */
	METHOD_NOT_ALLOWED = 405, /* net/http/pprof since Go 1.22, which forgot that there is a POST */
};

/* One mapping, and the server that is asked about it. */
struct ask {
	uint32_t map;
	uint32_t lo, hi; /* its locations: asks.loc[lo .. hi) */
	uint64_t moved;  /* what is added, modulo 2^64, to an address here to get that of the server */
	struct url url;
	struct buf body;
};

struct asks {
	struct stop *stop;
	struct profile *p;
	uint32_t *loc; /* [n_loc] those without lines but with an address and a mapping, by mapping and address */
	str_id *name;  /* [n_loc] what a server says, 0 for nothing */
	uint32_t n_loc;
	struct ask *ask; /* [n] by mapping */
	size_t n, cap;
};

struct origins {
	struct origin *item; /* [n] by key, then in the order of sources */
	size_t n;
};

bool symbolz_can(const struct load *target, const struct load *base)
{
	return remote_has(target->remote, target->source, target->n) ||
	       (base && remote_has(base->remote, base->source, base->n));
}

/* Is this a path of Go's net/http/pprof or of gperftools? */
static bool is_known(const char *path)
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
	buf_addz(&path, is_known(u->path) ? "symbol" : "symbolz");
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

static void find_locations(struct asks *a)
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

static void add_body(const struct asks *all, struct ask *a)
{
	uint64_t last = 0;

	for (uint32_t i = a->lo; i < a->hi; i++) {
		uint64_t addr = all->p->loc_addr[all->loc[i]];

		if (i > a->lo && addr == last)
			continue;
		buf_addf(&a->body, "%s0x%" PRIx64, i > a->lo ? "+" : "", addr + a->moved);
		last = addr;
	}
}

struct address_key {
	const struct asks *all;
	uint64_t addr;
};

static bool is_below(const void *arg, size_t i)
{
	const struct address_key *key = arg;

	return key->all->p->loc_addr[key->all->loc[i]] < key->addr;
}

/* The first location of an address gets the name; set_lines hands it on to the others. */
static void take_name(struct asks *all, const struct ask *a, uint64_t addr, str_id name)
{
	size_t first = lower_bound(a->lo, a->hi, is_below, &(struct address_key){ all, addr });

	if (first < a->hi && all->p->loc_addr[all->loc[first]] == addr)
		all->name[first] = name;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\f' || c == '\r';
}

static int digit(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* A line with 0xHEX, blanks and a name in it. Like pprof internal/symbolz symbolzRE. */
static void take_line(struct asks *all, const struct ask *a, const char *s, const char *end)
{
	for (; end - s > 3; s++) {
		const char *at = s + 2;
		uint64_t addr = 0;

		if (s[0] != '0' || s[1] != 'x')
			continue;
		for (; at < end && digit(*at) >= 0; at++)
			addr = addr << 4 | (uint64_t)digit(*at);
		if (at == s + 2 || at - s > 18 || at == end || !is_blank(*at))
			continue;
		while (at < end && is_blank(*at))
			at++;
		while (end > at && is_blank(end[-1]))
			end--;
		take_name(all, a, addr - a->moved, strtab_add(all->p->str, at, (size_t)(end - at)));
		return;
	}
}

static void take_answer(struct asks *all, const struct ask *a, const struct bytes *answer)
{
	const char *at = (const char *)answer->data, *end = at + answer->n;

	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)), *stop = newline ? newline : end;

		take_line(all, a, at, stop);
		at = stop + 1;
	}
}

static int compare_found(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Have two locations the same address of the same mapping? */
static bool is_same_place(const struct profile *p, uint32_t a, uint32_t b)
{
	return p->loc_map[a] == p->loc_map[b] && p->loc_addr[a] == p->loc_addr[b];
}

/* Locations that have a name now get it as their line. */
static int set_lines(const struct asks *a, struct err *err)
{
	uint64_t *found = mem_alloc(a->n_loc, sizeof(*found)); /* location, and where its name is */
	struct new_line *line = mem_zalloc(a->n_loc, sizeof(*line));
	uint32_t *loc = mem_alloc(a->n_loc, sizeof(*loc)), *off = mem_alloc((size_t)a->n_loc + 1, sizeof(*off));
	struct new_lines l = { .loc = loc, .off = off, .line = line };
	int rc;

	for (uint32_t i = 1; i < a->n_loc; i++)
		if (is_same_place(a->p, a->loc[i - 1], a->loc[i]))
			a->name[i] = a->name[i - 1];
	for (uint32_t i = 0; i < a->n_loc; i++)
		if (a->name[i])
			found[l.n++] = (uint64_t)a->loc[i] << 32 | i;
	if (l.n)
		qsort(found, l.n, sizeof(*found), compare_found);
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

struct origin_key {
	const struct origins *from;
	const char *key;
};

static bool is_before_key(const void *arg, size_t i)
{
	const struct origin_key *k = arg;

	return strcmp(k->from->item[i].key, k->key) < 0;
}

/* The first server that is known for a key; NULL when none is. */
static const struct origin *find_origin(const struct origins *from, const char *key)
{
	size_t i = lower_bound(0, from->n, is_before_key, &(struct origin_key){ from, key });

	return i < from->n && strcmp(from->item[i].key, key) == 0 ? &from->item[i] : NULL;
}

/* By file, else by build id. */
static const struct origin *origin_of(const struct profile *p, const struct mapping *m, const struct origins *from)
{
	const struct origin *o = m->file ? find_origin(from, profile_text(p, m->file)) : NULL;

	return o || !m->build_id ? o : find_origin(from, profile_text(p, m->build_id));
}

/* Whom to ask about which mapping. */
static void find_asks(struct asks *all, const struct origins *from, bool force, struct buf *notes)
{
	const struct profile *p = all->p;

	for (uint32_t lo = 0, hi; lo < all->n_loc; lo = hi) {
		struct ask a = { .map = p->loc_map[all->loc[lo]], .lo = lo };
		const struct mapping *m = &p->map[a.map];
		const struct origin *origin = m->has_functions && !force ? NULL : origin_of(p, m, from);

		for (hi = lo; hi < all->n_loc && p->loc_map[all->loc[hi]] == a.map; hi++)
			;
		if (!origin)
			continue;
		if (all->n == ASKS_MAX) {
			buf_addf(notes, "servers are asked for the names of the first %d mappings only\n", ASKS_MAX);
			return;
		}
		a.hi = hi;
		a.moved = origin->start - m->start;
		symbolz_url(origin->url, &a.url);
		add_body(all, &a);
		all->ask = mem_grow(all->ask, &all->cap, all->n + 1, sizeof(*all->ask));
		all->ask[all->n++] = a;
	}
}

/* The next addresses for a URL from a body: up to a plus sign or the end. */
static size_t piece_length(const char *s)
{
	size_t n = strlen(s);

	if (n <= QUERY_MAX)
		return n;
	for (n = QUERY_MAX; s[n] != '+'; n--)
		;
	return n;
}

/* The same with GET, for a server that knows nothing else: the addresses are in URLs then. */
static int ask_with_get(struct asks *all, const struct ask *a, const struct fetch_how *how, struct buf *notes,
			struct err *err)
{
	size_t n = a->body.len / (QUERY_MAX / 2) + 1, used = 0;
	struct url *url = mem_zalloc(n, sizeof(*url));
	struct fetch *get = mem_zalloc(n, sizeof(*get));
	int rc = 0;

	for (const char *at = a->body.data; *at; at += *at == '+', used++) {
		size_t length = piece_length(at);

		url_copy(&a->url, &url[used]);
		free(url[used].query);
		url[used].query = mem_strndup(at, length);
		get[used].url = &url[used];
		at += length;
	}
	fetch_all(get, used, how, NULL, all->stop, notes);
	for (size_t i = 0; i < used; i++) {
		if (rc == 0 && get[i].rc < 0) {
			rc = get[i].rc;
			*err = get[i].err;
		}
		if (rc == 0)
			take_answer(all, a, &get[i].bytes);
		free(get[i].bytes.data);
		url_release(&url[i]);
	}
	free(get);
	free(url);
	return rc;
}

static int take_one(struct asks *all, const struct ask *a, const struct fetch *get, const struct fetch_how *how,
		    struct buf *notes, struct err *err)
{
	int rc = get->rc;

	if (get->status == METHOD_NOT_ALLOWED)
		rc = ask_with_get(all, a, how, notes, err);
	else if (rc < 0)
		*err = get->err;
	else
		take_answer(all, a, &get->bytes);
	if (rc == 0)
		all->p->map[a->map].has_functions = true;
	return rc;
}

/* Ask all servers side by side, take their answers in the order of mappings. */
static int ask_servers(struct asks *all, const struct fetch_how *how, struct buf *notes, struct err *err)
{
	struct fetch *get = mem_zalloc(all->n, sizeof(*get));
	int rc = 0;

	for (size_t i = 0; i < all->n; i++)
		get[i] = (struct fetch){ .url = &all->ask[i].url,
					 .body = all->ask[i].body.data,
					 .n_body = all->ask[i].body.len };
	fetch_all(get, all->n, how, NULL, all->stop, notes);
	for (size_t i = 0; i < all->n; i++) {
		if (rc == 0)
			rc = take_one(all, &all->ask[i], &get[i], how, notes, err);
		free(get[i].bytes.data);
	}
	free(get);
	return rc == 0 ? set_lines(all, err) : rc;
}

static void asks_release(struct asks *all)
{
	for (size_t i = 0; i < all->n; i++) {
		url_release(&all->ask[i].url);
		buf_release(&all->ask[i].body);
	}
	free(all->ask);
	free(all->loc);
	free(all->name);
}

/* The origins of both, in their order. */
static struct origins origins_of(const struct load *target, const struct load *base)
{
	struct origins both = { 0 };
	struct origin *more = NULL;
	size_t n_more = 0, cap = 0;

	both.n = remote_origins(target->remote, target->source, target->n, &both.item);
	if (base)
		n_more = remote_origins(base->remote, base->source, base->n, &more);
	if (n_more) {
		cap = both.n;
		both.item = mem_grow(both.item, &cap, both.n + n_more, sizeof(*both.item));
		memcpy(both.item + both.n, more, n_more * sizeof(*more));
		both.n += n_more;
	}
	if (both.n)
		qsort(both.item, both.n, sizeof(*both.item), compare_origins);
	free(more);
	return both;
}

int symbolz_run(struct profile *p, const struct load *target, const struct load *base, bool force, struct buf *notes,
		struct err *err)
{
	const struct remote *remote = target->remote ? target->remote : base ? base->remote : NULL;
	struct asks all = { .p = p };
	struct origins from;
	int rc = 0;

	if (!remote)
		return 0;
	all.stop = target->q->stop;
	from = origins_of(target, base);
	find_locations(&all);
	find_asks(&all, &from, force, notes);
	if (all.n)
		rc = ask_servers(&all, remote_how(remote), notes, err);
	if (stop_is_set(all.stop))
		rc = stop_check(all.stop, err);
	asks_release(&all);
	free(from.item);
	return rc;
}
