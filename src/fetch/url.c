/*
 * url.c - what a source that is not a file asks for
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A source is read as Go's net/url reads it, since that is what people's command lines were written
 * for. Where pprof goes on with what net/url could not make sense of, and asks a server that nobody
 * named, this refuses.
 */
#include "config.h"

#include "fetch/url.h"

#include "base/mem.h"
#include "base/str.h"
#include "fetch/url_query.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const char default_path[] = "/debug/pprof/profile";

struct span {
	const char *at;
	size_t n;
};

/* What is where in a URL, still with its escapes. */
struct parts {
	struct span scheme, user, host, path, query;
	bool has_user;
};

static struct span span_of(const char *s, const char *end)
{
	return (struct span){ s, (size_t)(end - s) };
}

static char *copy(const struct buf *b)
{
	return mem_strndup(buf_text(b), b->len);
}

/* The length of the scheme in front of a colon; 0 when there is none. */
static size_t scheme_length(const char *s)
{
	size_t n = 0;

	while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') ||
	       (n && s[n] && strchr("0123456789+-.", s[n])))
		n++;
	return s[n] == ':' ? n : 0;
}

static bool is_scheme(const struct parts *p, const char *name)
{
	return p->scheme.n == strlen(name) && strncasecmp(p->scheme.at, name, p->scheme.n) == 0;
}

/* Is this a host, with nothing or a colon and digits behind it? */
static bool is_host(struct span h)
{
	const char *end = h.at + h.n, *name_end, *colon;
	struct buf plain = { 0 };
	bool fine;

	if (h.n && *h.at == '[') {
		name_end = memchr(h.at, ']', h.n);
		if (!name_end)
			return false;
		colon = ++name_end;
		fine = strspn(h.at + 1, "0123456789abcdefABCDEF:.") + 2 == (size_t)(name_end - h.at);
	} else {
		colon = memchr(h.at, ':', h.n);
		name_end = colon ? colon : end;
		colon = name_end;
		fine = url_unescape(h.at, (size_t)(name_end - h.at), URL_HOST, &plain) &&
		       !memchr(h.at, '[', (size_t)(name_end - h.at)) && !memchr(h.at, ']', (size_t)(name_end - h.at));
		buf_release(&plain);
	}
	if (colon < end && *colon++ != ':')
		return false;
	while (colon < end && *colon >= '0' && *colon <= '9')
		colon++;
	return fine && colon == end && !(h.n && *h.at == ':');
}

static bool is_userinfo(struct span u)
{
	for (size_t i = 0; i < u.n; i++)
		if (!((u.at[i] >= 'a' && u.at[i] <= 'z') || (u.at[i] >= 'A' && u.at[i] <= 'Z') ||
		      (u.at[i] && strchr("0123456789-._:~!$&'()*+,;=%@", u.at[i]))))
			return false;
	return true;
}

/* What is between // and the path. */
static int split_authority(struct parts *p, struct span a, struct err *err)
{
	const char *at = a.n ? memrchr(a.at, '@', a.n) : NULL;

	p->host = a;
	if (at) {
		p->has_user = true;
		p->user = span_of(a.at, at);
		p->host = span_of(at + 1, a.at + a.n);
	}
	if (!is_userinfo(p->user))
		return err_set(err, ERR_USAGE,
			       "user and password of the URL have characters that need an escape (%%40 for @)");
	if (!is_host(p->host))
		return err_set(err, ERR_USAGE, "the URL has no valid host and port");
	return 0;
}

static bool has_control(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == '\177')
			return true;
	return false;
}

/* Like net/url Parse, without the fragment, which is for browsers only. */
static int split(const char *s, struct parts *p, struct err *err)
{
	size_t n_scheme = scheme_length(s);
	const char *end = s + strcspn(s, "#"), *question;

	*p = (struct parts){ .scheme = { s, n_scheme }, .user = { s, 0 }, .host = { s, 0 } };
	if (has_control(s))
		return err_set(err, ERR_USAGE, "the URL has control characters in it");
	s += n_scheme ? n_scheme + 1 : 0;
	question = memchr(s, '?', (size_t)(end - s));
	p->query = question ? span_of(question + 1, end) : span_of(end, end);
	end = question ? question : end;
	p->path = span_of(s, end);
	if (s == end || *s != '/') {
		const char *slash = s < end ? memchr(s, '/', (size_t)(end - s)) : NULL;

		if (!n_scheme && s < end && memchr(s, ':', (size_t)((slash ? slash : end) - s)))
			return err_set(err, ERR_USAGE, "the URL has a colon in front of its path");
		return 0;
	}
	if (end - s >= 2 && s[1] == '/' && (n_scheme || end - s < 3 || s[2] != '/')) {
		const char *slash = memchr(s + 2, '/', (size_t)(end - s - 2)), *stop = slash ? slash : end;

		p->path = span_of(stop, end);
		return split_authority(p, span_of(s + 2, stop), err);
	}
	return 0;
}

static int take_path(struct span path, struct url *out, struct err *err)
{
	struct buf plain = { 0 }, spelt = { 0 };
	int rc = 0;

	if (!url_unescape(path.at, path.n, URL_PATH, &plain))
		rc = err_set(err, ERR_USAGE, "the path of the URL has a %% without two hexadecimal digits");
	else if (path.n == 0 || (plain.len == 1 && *plain.data == '/'))
		buf_addz(&spelt, default_path);
	else if (url_path_is_fine(path.at, path.n))
		buf_add(&spelt, path.at, path.n);
	else
		url_escape(plain.data, plain.len, URL_PATH, &spelt);
	if (rc == 0)
		out->path = copy(&spelt);
	buf_release(&plain);
	buf_release(&spelt);
	return rc;
}

/* The bytes behind the escapes of a part; NULL when that is nothing to put in a request. */
static char *unescaped(const char *s, size_t n)
{
	struct buf plain = { 0 };
	char *text =
		url_unescape(s, n, URL_USER, &plain) && !memchr(buf_text(&plain), 0, plain.len) ? copy(&plain) : NULL;

	buf_release(&plain);
	return text;
}

static int take_user(const struct parts *p, struct url *out, struct err *err)
{
	const char *colon = p->user.n ? memchr(p->user.at, ':', p->user.n) : NULL, *end = p->user.at + p->user.n;

	if (!p->has_user)
		return 0;
	out->user = unescaped(p->user.at, (size_t)((colon ? colon : end) - p->user.at));
	out->password = colon ? unescaped(colon + 1, (size_t)(end - colon - 1)) : NULL;
	if (!out->user || (colon && !out->password))
		return err_set(err, ERR_USAGE, "user and password of the URL have escapes that mean nothing");
	return 0;
}

static void take_host(struct span host, struct url *out)
{
	struct buf plain = { 0 }, spelt = { 0 };

	url_unescape(host.at, host.n, URL_HOST, &plain);
	url_escape(buf_text(&plain), plain.len, URL_HOST, &spelt);
	out->host = copy(&spelt);
	buf_release(&plain);
	buf_release(&spelt);
}

static int take(const struct parts *p, int64_t seconds, struct url *out, struct err *err)
{
	struct url u = { .seconds = seconds, .insecure = is_scheme(p, "https+insecure") };
	struct buf query = { 0 };
	int rc;

	if (!is_scheme(p, "http") && !is_scheme(p, "https") && !u.insecure)
		return err_set(err, ERR_USAGE, "only http, https, https+insecure and unix can be fetched, not %.*s",
			       (int)(p->scheme.n < 40 ? p->scheme.n : 40), p->scheme.at);
	u.scheme = mem_strndup(is_scheme(p, "http") ? "http" : "https", is_scheme(p, "http") ? 4 : 5);
	take_host(p->host, &u);
	rc = take_path(p->path, &u, err);
	if (rc == 0)
		rc = take_user(p, &u, err);
	if (rc < 0) {
		url_release(&u);
		return rc;
	}
	url_query(p->query.at, p->query.n, &u.seconds, &query);
	u.query = copy(&query);
	buf_release(&query);
	*out = u;
	return 0;
}

/* Where the path of the request begins in SOCKET:/PATH: behind a socket that is there, else behind the
   last colon that can be meant. */
static const char *socket_end(const char *s)
{
	const char *stop = s + strcspn(s, "?#"), *last = NULL;
	struct stat st;

	for (const char *at = s; (at = strstr(at, ":/")) && at < stop; at++) {
		char *name = mem_strndup(s, (size_t)(at - s));
		bool is_socket = stat(name, &st) == 0 && S_ISSOCK(st.st_mode);

		free(name);
		last = at;
		if (is_socket)
			break;
	}
	return last ? last : stop;
}

static int parse_unix(const char *s, int64_t seconds, struct url *out, struct err *err)
{
	const char *end;
	struct parts p;
	struct buf b = { 0 };
	int rc;

	if (starts_with(s, "///"))
		s += 2;
	end = socket_end(s);
	if (end == s)
		return err_set(err, ERR_USAGE, "the URL names no socket; write unix:/run/app.sock:/debug/pprof/heap");
	buf_addf(&b, "http://localhost%s", *end == ':' ? end + 1 : end);
	rc = split(b.data, &p, err);
	if (rc == 0)
		rc = take(&p, seconds, out, err);
	if (rc == 0)
		out->socket = mem_strndup(s, (size_t)(end - s));
	buf_release(&b);
	return rc;
}

/* host:port, which net/url takes for a scheme and a path. */
static int parse_short(const char *source, int64_t seconds, struct url *out, struct err *err)
{
	struct buf b = { 0 };
	struct parts p;
	int rc;

	buf_addf(&b, "http://%s", source);
	rc = split(b.data, &p, NULL) < 0 || p.host.n == 0 ? err_set(err, ERR_UNKNOWN, "is not a URL")
							  : take(&p, seconds, out, err);
	buf_release(&b);
	return rc;
}

int url_parse(const char *source, int64_t seconds, struct url *out, struct err *err)
{
	struct parts p;
	int rc;

	assert(source && out);
	seconds = seconds > 0 ? seconds : 0;
	if (starts_with(source, "unix:"))
		return parse_unix(source + 5, seconds, out, err);
	rc = split(source, &p, err);
	if (p.scheme.n && starts_with(source + p.scheme.n, "://")) {
		if (rc == 0 && p.host.n == 0 && !is_scheme(&p, "file"))
			rc = err_set(err, ERR_USAGE, "the URL has no host");
		return rc < 0 ? rc : take(&p, seconds, out, err);
	}
	if (rc < 0 || (p.scheme.n && !is_scheme(&p, "file")))
		return parse_short(source, seconds, out, err);
	return err_set(err, ERR_UNKNOWN, "is not a URL");
}

/* Secrets are overwritten before they go. */
static void forget(char *secret)
{
	if (secret)
		explicit_bzero(secret, strlen(secret));
	free(secret);
}

void url_release(struct url *u)
{
	free(u->scheme);
	free(u->host);
	free(u->path);
	free(u->query);
	free(u->socket);
	forget(u->user);
	forget(u->password);
	*u = (struct url){ 0 };
}

static char *text_copy(const char *s)
{
	return s ? mem_strndup(s, strlen(s)) : NULL;
}

void url_copy(const struct url *u, struct url *out)
{
	*out = *u;
	out->scheme = text_copy(u->scheme);
	out->host = text_copy(u->host);
	out->path = text_copy(u->path);
	out->query = text_copy(u->query);
	out->socket = text_copy(u->socket);
	out->user = text_copy(u->user);
	out->password = text_copy(u->password);
}

static void add_path(const struct url *u, struct buf *out)
{
	buf_addz(out, u->path);
	if (*u->query)
		buf_addf(out, "?%s", u->query);
}

void url_show(const struct url *u, struct buf *out)
{
	assert(u->scheme && u->host && u->path && u->query);
	if (u->socket)
		buf_addf(out, "unix:%s:", u->socket);
	else
		buf_addf(out, "%s%s://%s", u->scheme, u->insecure ? "+insecure" : "", u->host);
	add_path(u, out);
}

void url_request(const struct url *u, struct buf *out)
{
	assert(u->scheme && u->host && u->path && u->query);
	buf_addf(out, "%s://%s", u->scheme, u->host);
	add_path(u, out);
}

void url_redact(const char *source, struct buf *out)
{
	size_t n = scheme_length(source), first = n && starts_with(source + n, "://") ? n + 3 : 0;
	const char *host = source + first, *stop = host + strcspn(host, "?#");
	const char *at = memrchr(host, '@', strlen(host)), *end = host + strcspn(host, "/?#");

	/* a password may have a / or ? in it that should have been an escape; then what stands in front of
	   it is no host */
	if (at && memchr(host, '@', (size_t)(end - host)))
		at = memrchr(host, '@', (size_t)(stop - host));
	else if (at && is_host(span_of(host, end)))
		at = NULL;
	buf_add(out, source, first);
	buf_addz(out, at ? at + 1 : host);
}

bool url_is_local(const struct url *u)
{
	size_t n = strcspn(u->host, ":");

	return u->socket || starts_with(u->host, "[::1]") || (n == 9 && strncasecmp(u->host, "localhost", n) == 0) ||
	       (starts_with(u->host, "127.") && strspn(u->host, "0123456789.") == n);
}

bool url_is_absolute(const char *text)
{
	struct parts p;

	return scheme_length(text) && split(text, &p, NULL) == 0;
}
