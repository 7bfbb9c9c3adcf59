/*
 * route.c - find the handler of a request
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Paths are cleaned in their escaped form, then their segments are unescaped one by one: an escaped slash is not a
 * separator, and an escaped ".." does not go up.
 */
#include "config.h"

#include "libcpaprof/endpoint/route.h"

#include "libcpaprof/endpoint/request_query.h"

#include <errno.h>
#include <string.h>

/* Characters besides letters and digits: those that route_escape does not escape; those that an escaped path may
 * contain. */
static const char unescaped[] = "-_.~$&+,/:;=@", valid[] = "-_.~$&+,/:;=@!'()*[]%";

static bool endpoint_route_is_one_of(char c, const char *set)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c && strchr(set, c));
}

size_t route_escape(const char *path, size_t n, char *out, size_t size)
{
	static const char digit[] = "0123456789ABCDEF";
	size_t len = 0;

	for (size_t i = 0; i < n; i++) {
		char c[3] = { path[i], digit[(unsigned char)path[i] >> 4], digit[path[i] & 15] };
		bool is_unescaped = endpoint_route_is_one_of(path[i], unescaped);

		if (!is_unescaped)
			c[0] = '%';
		for (size_t k = 0; k < (is_unescaped ? 1 : 3); k++, len++)
			if (len + 1 < size)
				out[len] = c[k];
	}
	if (size)
		out[len < size ? len : size - 1] = '\0';
	return len;
}

/* Remove double slashes and dot segments; a trailing slash stays. out: [n + 2]. Returns the length. */
static size_t endpoint_route_clean(const char *path, size_t n, char *out)
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

/* The path of a target, after its scheme and host if present; NULL for none. */
static const char *path_of(const char *target)
{
	const char *at = target;

	/* the path may become part of a header line */
	for (; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			return NULL;
	at = target;
	if (*target == '/')
		return target;
	while (endpoint_route_is_one_of(*at, "+-."))
		at++;
	if (at == target || strncmp(at, "://", 3) != 0)
		return NULL;
	at += 3;
	return at + strcspn(at, "/?");
}

/* The forms of a path, in one allocation. */
struct path {
	const char *text; /* [n] path of the target */
	size_t n;
	char *plain;   /* [n_plain] unescaped */
	char *escaped; /* [n_escaped] path as received if that is valid, else escaped again */
	char *clean;   /* [n_clean] escaped, then cleaned */
	char *room;    /* buffer for the longest of them */
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
		is_valid &= endpoint_route_is_one_of(text[i], valid);
	if (is_valid) {
		memcpy(p->escaped, text, n);
		p->n_escaped = n;
	} else {
		p->n_escaped = route_escape(p->plain, p->n_plain, p->escaped, 3 * n + 1);
	}
	p->n_clean = endpoint_route_clean(p->escaped, p->n_escaped, p->clean);
	return 0;
}

static void path_release(struct path *p)
{
	memory_unmap(p->memory, p->size);
}

static void endpoint_route_redirect(struct route *r, const char *path, size_t n)
{
	size_t len = route_escape(path, n, r->location, sizeof(r->location));
	static const char digit[] = "0123456789abcdef";

	r->target = ROUTE_REDIRECT;
	for (size_t i = 0; i < r->n_query + (r->n_query != 0); i++) {
		char c = i ? r->query[i - 1] : '?';
		char code[3] = { '%', digit[(unsigned char)c >> 4], digit[c & 15] };
		size_t size = (unsigned char)c >= 0x80 ? 3 : 1;

		if (len + size < sizeof(r->location))
			memcpy(r->location + len, size == 3 ? code : &c, size);
		len += size;
	}
	if (len >= sizeof(r->location))
		r->target = ROUTE_TOO_LONG;
	else
		r->location[len] = '\0';
}

static bool endpoint_route_is_method(const char *method, bool post)
{
	return strcmp(method, "GET") == 0 || strcmp(method, "HEAD") == 0 || (post && strcmp(method, "POST") == 0);
}

/* Set the handler from the name of a profile or page. The name is unescaped as a whole, so it may contain slashes. */
static void set_named(struct route *r, const char *name, size_t n)
{
	static const struct {
		const char *name;
		enum route_target to;
	} special[] = {
		{ "", ROUTE_INDEX },        { "cmdline", ROUTE_CMDLINE }, { "profile", ROUTE_PROFILE },
		{ "symbol", ROUTE_SYMBOL }, { "trace", ROUTE_TRACE },
	};
	bool fits = n < sizeof(r->name) && !memchr(name, '\0', n);

	r->target = ROUTE_NAMED;
	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		if (strlen(special[i].name) == n && memcmp(special[i].name, name, n) == 0)
			r->target = special[i].to;
	n = fits ? n : 0;
	memcpy(r->name, name, n);
	r->name[n] = '\0';
}

/*
 * Skip the first segment of a path if it matches.
 *
 * room    buffer for the unescaped segment
 */
static bool skip_segment(const char **path, const char *segment, char *room)
{
	size_t n = **path ? strcspn(*path + 1, "/") : 0;
	long got = **path ? request_query_unescape(*path + 1, n, false, room) : -1;

	if (got != (long)strlen(segment) || memcmp(room, segment, (size_t)got) != 0)
		return false;
	*path += n + 1;
	return true;
}

/* Names used by clients of gperftools. Their contention profile is our mutex profile. */
static const char *const gperf_names[][2] = { { "block", "block" },      { "cmdline", "cmdline" },
					      { "contention", "mutex" }, { "heap", "heap" },
					      { "mutex", "mutex" },      { "profile", "profile" },
					      { "symbol", "symbol" },    { "thread", "threads" } };

static void match(struct route *r, const char *method, struct path *p)
{
	const char *at = p->clean, *name = NULL;
	bool in = skip_segment(&at, "debug", p->room) && skip_segment(&at, "pprof", p->room), bare = in && !*at;
	size_t n = 0;

	r->target = ROUTE_NOT_FOUND;
	if (in && *at) {
		name = p->room;
		n = (size_t)request_query_unescape(at + 1, strlen(at + 1), false, p->room);
	}
	at = p->clean;
	r->is_gperf = !in && skip_segment(&at, "pprof", p->room) && *at;
	for (size_t i = 0; r->is_gperf && i < sizeof(gperf_names) / sizeof(*gperf_names); i++)
		if (strcmp(at + 1, gperf_names[i][0]) == 0) {
			name = gperf_names[i][1];
			n = strlen(name);
		}
	if (name)
		set_named(r, name, n);
	if (bare && endpoint_route_is_method(method, false)) {
		n = endpoint_route_clean(p->plain, p->n_plain, p->room);
		p->room[n] = '/';
		endpoint_route_redirect(r, p->room, n + (p->room[n - 1] != '/'));
	} else if (p->n_clean != p->n_escaped || memcmp(p->clean, p->escaped, p->n_clean) != 0) {
		endpoint_route_redirect(r, p->clean, p->n_clean);
	} else if ((bare || name) && !endpoint_route_is_method(method, r->target == ROUTE_SYMBOL)) {
		r->allow = r->target == ROUTE_SYMBOL ? "GET, HEAD, POST" : "GET, HEAD";
		r->target = ROUTE_METHOD;
	}
}

int route_find(const char *method, const char *target, struct route *out)
{
	const char *text = path_of(target);
	size_t n = text ? strcspn(text, "?") : 0;
	struct path p;
	int rc;

	*out = (struct route){ .target = ROUTE_BAD_PATH };
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
