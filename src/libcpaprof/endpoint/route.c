/*
 * route.c - which answer a request is for
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Paths are made clean as they were escaped, and their segments are unescaped one by one: an escaped slash is
 * no slash, an escaped dot does not lead upward.
 */
#include "config.h"

#include "libcpaprof/endpoint/route.h"

#include "libcpaprof/endpoint/request_query.h"

#include <errno.h>
#include <string.h>

/* Bytes that a path may have as they are, beside letters and digits. */
static const char kept[] = "-_.~$&+,/:;=@", valid[] = "-_.~$&+,/:;=@!'()*[]%";

static bool is_one_of(char c, const char *set)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c && strchr(set, c));
}

size_t route_escape(const char *path, size_t n, char *out, size_t size)
{
	static const char digit[] = "0123456789ABCDEF";
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		char c[3] = { path[i], digit[(unsigned char)path[i] >> 4], digit[path[i] & 15] };
		bool is_kept = is_one_of(path[i], kept);

		if (!is_kept)
			c[0] = '%';
		for (size_t k = 0; k < (is_kept ? 1 : 3); k++, len++)
			if (len + 1 < size)
				out[len] = c[k];
	}
	if (size)
		out[len < size ? len : size - 1] = '\0';
	return len;
}

/* Without double slashes and segments of dots; a slash at the end stays. out: [n + 2]. Gives the length. */
static size_t clean(const char *path, size_t n, char *out)
{
	size_t len = 0;

	for (size_t i = 0; i < n;) {
		const char *stop = memchr(path + i, '/', n - i);
		size_t size = stop ? (size_t)(stop - path) - i : n - i;

		if (size == 2 && memcmp(path + i, "..", 2) == 0) {
			while (len && out[--len] != '/')
				;
		} else if (size && !(size == 1 && path[i] == '.')) {
			out[len++] = '/';
			memcpy(out + len, path + i, size);
			len += size;
		}
		i += size + 1;
	}
	if (len == 0 || path[n - 1] == '/')
		out[len++] = '/';
	out[len] = '\0';
	return len;
}

/* The path of the target: behind scheme and host, if it has them. NULL: there is none. */
static const char *path_of(const char *target)
{
	const char *at = target;

	/* what is to become a head line, or was to be one */
	for (; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return NULL;
	at = target;
	if (*target == '/')
		return target;
	while (is_one_of(*at, "+-."))
		at++;
	if (at == target || strncmp(at, "://", 3) != 0)
		return NULL;
	at += 3;
	return at + strcspn(at, "/?");
}

/* Room for what a path becomes on the way. */
struct path {
	const char *text; /* [n] of the target */
	size_t n;
	char *plain;   /* [n_plain] unescaped */
	char *escaped; /* [n_escaped] as it came, or as it should have been */
	char *clean;   /* [n_clean] of that */
	char *room;    /* for as much as the longest of them */
	size_t n_plain, n_escaped, n_clean, size;
	char *memory;
};

static int path_make(struct path *p, const char *text, size_t n)
{
	bool is_valid = true;
	long got;

	*p = (struct path){ .text = text, .n = n, .size = 12 * n + 64 };
	p->memory = memory_map(p->size);
	if (!p->memory)
		return -ENOMEM;
	p->plain = p->memory;
	p->escaped = p->plain + n + 4;
	p->clean = p->escaped + 3 * n + 4;
	p->room = p->clean + 3 * n + 4;
	got = request_query_unescape(text, n, false, p->plain);
	if (got < 0)
		return -EINVAL;
	p->n_plain = (size_t)got;
	for (size_t i = 0; i < n; i++)
		is_valid &= is_one_of(text[i], valid);
	if (is_valid) {
		memcpy(p->escaped, text, n);
		p->n_escaped = n;
	} else {
		p->n_escaped = route_escape(p->plain, p->n_plain, p->escaped, 3 * n + 1);
	}
	p->n_clean = clean(p->escaped, p->n_escaped, p->clean);
	return 0;
}

static void path_release(struct path *p)
{
	memory_unmap(p->memory, p->size);
}

static void redirect(struct route *r, const char *path, size_t n)
{
	size_t len = route_escape(path, n, r->location, sizeof(r->location));
	static const char digit[] = "0123456789abcdef";

	r->to = ROUTE_REDIRECT;
	for (size_t i = 0; i < r->n_query + (r->n_query != 0); i++) {
		char c = i ? r->query[i - 1] : '?';
		char code[3] = { '%', digit[(unsigned char)c >> 4], digit[c & 15] };
		size_t size = (unsigned char)c >= 0x80 ? 3 : 1;

		if (len + size < sizeof(r->location))
			memcpy(r->location + len, size == 3 ? code : &c, size);
		len += size;
	}
	if (len >= sizeof(r->location))
		r->to = ROUTE_LONG;
	else
		r->location[len] = '\0';
}

static bool is_method(const char *method, bool post)
{
	return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 || (post && strcmp(method, "POST") == 0);
}

/* The profile that is named behind the root, unescaped as a whole: its name may have slashes. */
static void named(struct route *r, const char *name, size_t n)
{
	static const struct {
		const char *name;
		enum route_to to;
	} special[] = {
		{ "", ROUTE_INDEX },        { "cmdline", ROUTE_CMDLINE }, { "profile", ROUTE_PROFILE },
		{ "symbol", ROUTE_SYMBOL }, { "trace", ROUTE_TRACE },
	};
	bool fits = n < sizeof(r->name) && !memchr(name, '\0', n);

	r->to = ROUTE_NAMED;
	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		if (strlen(special[i].name) == n && memcmp(special[i].name, name, n) == 0)
			r->to = special[i].to;
	n = fits ? n : 0;
	memcpy(r->name, name, n);
	r->name[n] = '\0';
}

/*
 * Is the first segment of a path this one? Then the path goes on behind it.
 *
 * room    for the segment, unescaped
 */
static bool skip(const char **path, const char *segment, char *room)
{
	size_t n = **path ? strcspn(*path + 1, "/") : 0;
	long got = **path ? request_query_unescape(*path + 1, n, false, room) : -1;

	if (got != (long)strlen(segment) || memcmp(room, segment, (size_t)got) != 0)
		return false;
	*path += n + 1;
	return true;
}

/* Names of gperftools' clients. What they call contention is of mutexes. */
static const char *const old_names[][2] = { { "block", "block" },   { "cmdline", "cmdline" }, { "contention", "mutex" },
					    { "heap", "heap" },     { "mutex", "mutex" },     { "profile", "profile" },
					    { "symbol", "symbol" }, { "thread", "threads" } };

static void match(struct route *r, const char *method, struct path *p)
{
	const char *at = p->clean, *name = NULL;
	bool in = skip(&at, "debug", p->room) && skip(&at, "pprof", p->room), bare = in && !*at;
	size_t n = 0;

	r->to = ROUTE_NOWHERE;
	if (in && *at) {
		name = p->room;
		n = (size_t)request_query_unescape(at + 1, strlen(at + 1), false, p->room);
	}
	at = p->clean;
	r->old = !in && skip(&at, "pprof", p->room) && *at;
	for (size_t i = 0; r->old && i < sizeof(old_names) / sizeof(*old_names); i++)
		if (strcmp(at + 1, old_names[i][0]) == 0) {
			name = old_names[i][1];
			n = strlen(name);
		}
	if (name)
		named(r, name, n);
	if (bare && is_method(method, false)) {
		n = clean(p->plain, p->n_plain, p->room);
		p->room[n] = '/';
		redirect(r, p->room, n + (p->room[n - 1] != '/'));
	} else if (p->n_clean != p->n_escaped || memcmp(p->clean, p->escaped, p->n_clean) != 0) {
		redirect(r, p->clean, p->n_clean);
	} else if ((bare || name) && !is_method(method, r->to == ROUTE_SYMBOL)) {
		r->allow = r->to == ROUTE_SYMBOL ? "GET, HEAD, POST" : "GET, HEAD";
		r->to = ROUTE_METHOD;
	}
}

int route_find(const char *method, const char *target, struct route *out)
{
	const char *text = path_of(target);
	size_t n = text ? strcspn(text, "?") : 0;
	struct path p;
	int rc;

	*out = (struct route){ .to = ROUTE_NO_WAY };
	if (!text)
		return 0;
	out->query = text + n + (text[n] == '?');
	out->n_query = strlen(out->query);
	rc = path_make(&p, text, n);
	if (rc == 0)
		match(out, method, &p);
	path_release(&p);
	return rc == -ENOMEM ? rc : 0;
}
