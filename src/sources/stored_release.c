/*
 * stored_release.c - sources release:, which are pins of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *	release:[[WHERE#]SERVICE[/KIND][{MATCH,...}]@]VERSION[+OPTION[=VALUE]]...
 */
#include "config.h"

#include "base/mem.h"
#include "base/str.h"
#include "sources/stored.h"
#include "store/release.h"

#include <stdlib.h>
#include <string.h>

#define RELEASE_SOURCE "release:"

/* A source release:. Each text is a copy. */
struct stored_release {
	char *where, *service, *rest, *version; /* rest: kind and matches; "" for what is missing */
	const char *options;                    /* with their + */
};

bool stored_is_release(const char *name)
{
	return starts_with(name, RELEASE_SOURCE);
}

/* The last byte c in [at, end) that is not in quotes; NULL if there is none. first: the first one */
static const char *release_find(const char *at, const char *end, const char *set, bool first)
{
	const char *found = NULL;
	bool is_quoted = false;

	for (; at < end && !(found && first); at++) {
		if (*at == '"')
			is_quoted = !is_quoted;
		else if (!is_quoted && strchr(set, *at))
			found = at;
	}
	return found;
}

static char *release_copy(const char *from, const char *end)
{
	size_t n = (size_t)(end - from);

	if (n >= 2 && *from == '"' && end[-1] == '"')
		return mem_strndup(from + 1, n - 2);
	return mem_strndup(from, n);
}

static void release_parse(const char *text, struct stored_release *r)
{
	const char *at = text + strlen(RELEASE_SOURCE), *end = text + strlen(text), *sign, *hash, *rest;

	hash = release_find(at, end, "#", true);
	r->where = release_copy(at, hash ? hash : at);
	at = hash ? hash + 1 : at;
	sign = release_find(at, end, "@", false); /* one before # is in the URL of a collector */
	rest = sign ? release_find(at, sign, "/{", true) : NULL;
	r->service = release_copy(at, rest ? rest : sign ? sign : at);
	r->rest = mem_strndup(rest ? rest : "", rest ? (size_t)(sign - rest) : 0);
	at = sign ? sign + 1 : at;
	sign = release_find(at, end, "+", true);
	r->version = release_copy(at, sign ? sign : end);
	r->options = sign ? sign : "";
}

/* The pins of a version, and all releases for the message. */
struct release_search {
	struct store *s;
	const struct stored_release *r;
	struct buf pin, services, all;
	size_t n;
};

static int release_add_pin(void *arg, const struct store_pin_info *p, struct err *err)
{
	struct release_search *x = arg;
	struct buf service = { 0 };
	const char *version;
	size_t n;
	int rc;

	if (!release_is_pin(p->name, &version, &n))
		return 0;
	rc = release_add_services(x->s, p->name, &service, err);
	buf_addf(&x->all, "%s%s@%.*s", x->all.len ? ", " : "", buf_text(&service), (int)n, version);
	if (rc == 0 && strlen(x->r->version) == n && memcmp(version, x->r->version, n) == 0 &&
	    (!*x->r->service || strcmp(x->r->service, buf_text(&service)) == 0)) {
		x->n++;
		x->pin.len = 0;
		buf_addz(&x->pin, p->name);
		buf_addf(&x->services, "%srelease:%s@%s", x->services.len ? " or " : "", buf_text(&service),
			 x->r->version);
	}
	buf_release(&service);
	return rc;
}

static int release_check(const struct release_search *x, struct err *err)
{
	const struct stored_release *r = x->r;

	if (x->n > 1)
		return err_set(err, ERR_USAGE, "several services have a release %s; write %s", r->version,
			       buf_text(&x->services));
	if (x->n == 1)
		return 0;
	return err_set(err, ERR_IO,
		       x->all.len
			       ? "there is no release %s%s%s; releases are %s"
			       : "there is no release %s%s%s; cpa snapshot --release and cpa store release make one%s",
		       r->version, *r->service ? " of " : "", r->service, buf_text(&x->all));
}

static int release_find_pin(struct store *s, const struct stored_release *r, struct buf *out, struct err *err)
{
	struct release_search x = { .s = s, .r = r };
	struct buf service = { 0 };
	int rc = release_each_pin(s, release_add_pin, &x, err);

	rc = rc < 0 ? rc : release_check(&x, err);
	rc = rc < 0 ? rc : release_add_services(s, buf_text(&x.pin), &service, err);
	if (rc == 0)
		buf_addf(out, "\"%s\"%s@pin:\"%s\"%s", buf_text(&service), r->rest, buf_text(&x.pin), r->options);
	buf_release(&service);
	buf_release(&x.pin);
	buf_release(&x.services);
	buf_release(&x.all);
	return rc;
}

int stored_add_release(const char *source, const struct query *q, struct buf *out, struct err *err)
{
	struct stored_release r;
	struct store *s = NULL;
	int rc;

	release_parse(source, &r);
	rc = stored_open_place(r.where, q, &s, err);
	buf_addz(out, "store:");
	if (*r.where)
		buf_addf(out, "%s#", r.where);
	rc = rc < 0 ? rc : release_find_pin(s, &r, out, err);
	if (s)
		store_close(s);
	free(r.where);
	free(r.service);
	free(r.rest);
	free(r.version);
	return rc < 0 ? err_wrap(err, "%.300s", source) : 0;
}
