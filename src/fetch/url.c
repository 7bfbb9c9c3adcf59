/*
 * url.c - parse URLs of profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Sources are parsed as by Go's net/url, since users have command lines that rely on this. One difference: when
 * net/url fails, pprof may send its request to a server that the user did not name. Here it is an error.
 */
#include "config.h"

#include "fetch/url.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/url_escape.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

static const char default_path[] = "/debug/pprof/profile";

struct url_span {
	const char *at;
	size_t n;
};

/* The parts of a URL, escaped. */
struct url_parts {
	struct url_span scheme, user, host, path, query;
	bool has_user;
};

static struct url_span make_span(const char *s, const char *end)
{
	return (struct url_span){ s, (size_t)(end - s) };
}

static char *url_copy_buf(const struct buf *b)
{
	return mem_strndup(buf_text(b), b->len);
}

/* The length of the scheme before a colon; 0 if there is none. */
static size_t url_scheme_length(const char *s)
{
	size_t n = 0;

	while ((s[n] >= 'a' && s[n] <= 'z') || (s[n] >= 'A' && s[n] <= 'Z') ||
	       (n && s[n] && strchr("0123456789+-.", s[n])))
		n++;
	return s[n] == ':' ? n : 0;
}

static bool is_scheme(const struct url_parts *p, const char *name)
{
	return p->scheme.n == strlen(name) && strncasecmp(p->scheme.at, name, p->scheme.n) == 0;
}

/* Is this a host, alone or with a colon and a port, which may be empty? */
static bool url_is_host(struct url_span h)
{
	const char *end = h.at + h.n, *name_end, *colon;
	struct buf unescaped = { 0 };
	bool is_valid;

	if (h.n && *h.at == '[') {
		name_end = memchr(h.at, ']', h.n);
		if (!name_end)
			return false;
		colon = ++name_end;
		is_valid = strspn(h.at + 1, "0123456789abcdefABCDEF:.") + 2 == (size_t)(name_end - h.at);
	} else {
		colon = memchr(h.at, ':', h.n);
		name_end = colon ? colon : end;
		colon = name_end;
		is_valid = url_unescape(h.at, (size_t)(name_end - h.at), URL_HOST, &unescaped) &&
			   !memchr(h.at, '[', (size_t)(name_end - h.at)) &&
			   !memchr(h.at, ']', (size_t)(name_end - h.at));
		buf_release(&unescaped);
	}
	if (colon < end && *colon++ != ':')
		return false;
	while (colon < end && *colon >= '0' && *colon <= '9')
		colon++;
	return is_valid && colon == end && !(h.n && *h.at == ':');
}

static bool is_userinfo(struct url_span u)
{
	for (size_t i = 0; i < u.n; i++)
		if (!((u.at[i] >= 'a' && u.at[i] <= 'z') || (u.at[i] >= 'A' && u.at[i] <= 'Z') ||
		      (u.at[i] && strchr("0123456789-._:~!$&'()*+,;=%@", u.at[i]))))
			return false;
	return true;
}

/* Split the part between // and the path into user and host. */
static int split_authority(struct url_parts *p, struct url_span a, struct err *err)
{
	const char *at = a.n ? memrchr(a.at, '@', a.n) : NULL;

	p->host = a;
	if (at) {
		p->has_user = true;
		p->user = make_span(a.at, at);
		p->host = make_span(at + 1, a.at + a.n);
	}
	if (!is_userinfo(p->user))
		return err_set(err, ERR_USAGE,
			       "user or password of the URL has characters that must be escaped (%%40 for @)");
	if (!url_is_host(p->host))
		return err_set(err, ERR_USAGE, "the URL has no valid host and port");
	return 0;
}

static bool url_has_control(const char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == '\177')
			return true;
	return false;
}

/* Split a URL into its parts, without the fragment, which is for browsers only. Like net/url Parse. */
static int url_split(const char *s, struct url_parts *p, struct err *err)
{
	size_t n_scheme = url_scheme_length(s);
	const char *end = s + strcspn(s, "#"), *question;

	*p = (struct url_parts){ .scheme = { s, n_scheme }, .user = { s, 0 }, .host = { s, 0 } };
	if (url_has_control(s))
		return err_set(err, ERR_USAGE, "the URL has control characters");
	s += n_scheme ? n_scheme + 1 : 0;
	question = memchr(s, '?', (size_t)(end - s));
	p->query = question ? make_span(question + 1, end) : make_span(end, end);
	end = question ? question : end;
	p->path = make_span(s, end);
	if (s == end || *s != '/') {
		const char *slash = s < end ? memchr(s, '/', (size_t)(end - s)) : NULL;

		if (!n_scheme && s < end && memchr(s, ':', (size_t)((slash ? slash : end) - s)))
			return err_set(err, ERR_USAGE,
				       "the URL has a colon before the first slash, but no valid scheme");
		return 0;
	}
	if (end - s >= 2 && s[1] == '/' && (n_scheme || end - s < 3 || s[2] != '/')) {
		const char *slash = memchr(s + 2, '/', (size_t)(end - s - 2)), *stop = slash ? slash : end;

		p->path = make_span(stop, end);
		return split_authority(p, make_span(s + 2, stop), err);
	}
	return 0;
}

static int set_path(struct url_span path, struct url *out, struct err *err)
{
	struct buf unescaped = { 0 }, escaped = { 0 };
	int rc = 0;

	if (!url_unescape(path.at, path.n, URL_PATH, &unescaped))
		rc = err_set(err, ERR_USAGE, "the path of the URL has a %% without two hexadecimal digits");
	else if (path.n == 0 || (unescaped.len == 1 && *unescaped.data == '/'))
		buf_addz(&escaped, default_path);
	else if (url_path_is_valid(path.at, path.n))
		buf_add(&escaped, path.at, path.n);
	else
		url_escape(unescaped.data, unescaped.len, URL_PATH, &escaped);
	if (rc == 0)
		out->path = url_copy_buf(&escaped);
	buf_release(&unescaped);
	buf_release(&escaped);
	return rc;
}

/* Unescape a user or password; NULL if it is invalid or contains NUL. */
static char *unescape_secret(const char *s, size_t n)
{
	struct buf unescaped = { 0 };
	char *text = url_unescape(s, n, URL_USER, &unescaped) && !memchr(buf_text(&unescaped), 0, unescaped.len)
			     ? url_copy_buf(&unescaped)
			     : NULL;

	buf_release(&unescaped);
	return text;
}

static int set_user(const struct url_parts *p, struct url *out, struct err *err)
{
	const char *colon = p->user.n ? memchr(p->user.at, ':', p->user.n) : NULL, *end = p->user.at + p->user.n;

	if (!p->has_user)
		return 0;
	out->user = unescape_secret(p->user.at, (size_t)((colon ? colon : end) - p->user.at));
	out->password = colon ? unescape_secret(colon + 1, (size_t)(end - colon - 1)) : NULL;
	if (!out->user || (colon && !out->password))
		return err_set(err, ERR_USAGE, "user or password of the URL has invalid escapes");
	return 0;
}

static void set_host(struct url_span host, struct url *out)
{
	struct buf unescaped = { 0 }, escaped = { 0 };

	url_unescape(host.at, host.n, URL_HOST, &unescaped);
	url_escape(buf_text(&unescaped), unescaped.len, URL_HOST, &escaped);
	out->host = url_copy_buf(&escaped);
	buf_release(&unescaped);
	buf_release(&escaped);
}

/* An unescaped pair of a query; key and value are adjacent in a buffer. */
struct url_pair {
	size_t at, n_key, n_value;
	const char *text; /* start of the key, set when the buffer is complete */
	size_t number;    /* position in the query */
};

struct url_pairs {
	struct url_pair *item;
	size_t n, cap;
	struct buf text;
};

static void url_query_add_pair(struct url_pairs *p, const char *s, size_t n)
{
	const char *equals = memchr(s, '=', n);
	size_t n_key = equals ? (size_t)(equals - s) : n;
	struct url_pair pair = { .at = p->text.len, .number = p->n };

	if (n == 0 || memchr(s, ';', n))
		return;
	if (!url_unescape(s, n_key, URL_QUERY, &p->text))
		return;
	pair.n_key = p->text.len - pair.at;
	if (equals && !url_unescape(equals + 1, n - n_key - 1, URL_QUERY, &p->text))
		return;
	pair.n_value = p->text.len - pair.at - pair.n_key;
	p->item = mem_grow(p->item, &p->cap, p->n + 1, sizeof(*p->item));
	p->item[p->n++] = pair;
}

static int url_query_compare_pairs(const void *a, const void *b)
{
	const struct url_pair *x = a, *y = b;
	size_t n = x->n_key < y->n_key ? x->n_key : y->n_key;
	int order = n ? memcmp(x->text, y->text, n) : 0;

	if (order == 0)
		order = (x->n_key > y->n_key) - (x->n_key < y->n_key);
	return order ? order : (x->number > y->number) - (x->number < y->number);
}

static bool is_seconds(const struct url_pair *p)
{
	return p->n_key == 7 && memcmp(p->text, "seconds", 7) == 0;
}

/* The value as a 32-bit decimal number, as by strconv.ParseInt; 0 if it is not such a number. */
static int64_t url_query_pair_number(const struct url_pair *p)
{
	char digits[16] = "", *end;
	int64_t value;

	if (p->n_value == 0 || p->n_value >= sizeof(digits) || !strchr("+-0123456789", p->text[p->n_key]))
		return 0;
	memcpy(digits, p->text + p->n_key, p->n_value);
	errno = 0;
	value = strtoll(digits, &end, 10);
	return end == digits + p->n_value && errno == 0 && value >= INT32_MIN && value <= INT32_MAX ? value : 0;
}

static void add_escaped_pair(const char *key, size_t n_key, const char *value, size_t n_value, struct buf *out)
{
	if (out->len)
		buf_addz(out, "&");
	url_escape(key, n_key, URL_QUERY, out);
	buf_addz(out, "=");
	url_escape(value, n_value, URL_QUERY, out);
}

static void split_query(struct url_pairs *p, const char *s, size_t n)
{
	const char *end = s + n;

	while (s < end) {
		const char *amp = memchr(s, '&', (size_t)(end - s)), *stop = amp ? amp : end;

		url_query_add_pair(p, s, (size_t)(stop - s));
		s = stop + 1;
	}
	for (size_t i = 0; i < p->n; i++)
		p->item[i].text = p->text.data + p->item[i].at;
}

/*
 * Append a query sorted by key, without invalid pairs.
 *
 * seconds  if at least 1, replaces the value in the query. Else set to the value in the query, or to 0 if this is
 *          missing or not a number
 * Like     net/url ParseQuery and Values.Encode, and go tool pprof's adjustURL
 */
static void url_query(const char *s, size_t n, int64_t *seconds, struct buf *out)
{
	static const char name[] = "seconds";
	struct url_pairs p = { 0 };
	struct buf result = { 0 }, replacement = { 0 };
	bool has_replacement = *seconds > 0, is_found = false;

	assert(seconds && out);
	split_query(&p, s, n);
	if (has_replacement) { /* append the new pair; the pairs it replaces are skipped below */
		buf_addf(&replacement, "%s%" PRId64, name, *seconds);
		p.item = mem_grow(p.item, &p.cap, p.n + 1, sizeof(*p.item));
		p.item[p.n] = (struct url_pair){ .n_key = strlen(name),
						 .n_value = replacement.len - strlen(name),
						 .text = replacement.data,
						 .number = p.n };
		p.n++;
	} else {
		*seconds = 0;
	}
	if (p.n)
		qsort(p.item, p.n, sizeof(*p.item), url_query_compare_pairs);
	for (size_t i = 0; i < p.n; i++) {
		const struct url_pair *pair = &p.item[i];

		if (is_seconds(pair) && has_replacement && pair->text != replacement.data)
			continue;
		if (is_seconds(pair) && !has_replacement && !is_found) {
			*seconds = url_query_pair_number(pair);
			is_found = true;
		}
		add_escaped_pair(pair->text, pair->n_key, pair->text + pair->n_key, pair->n_value, &result);
	}
	buf_add(out, buf_text(&result), result.len);
	free(p.item);
	buf_release(&p.text);
	buf_release(&replacement);
	buf_release(&result);
}

static int url_set(const struct url_parts *p, int64_t seconds, struct url *out, struct err *err)
{
	struct url u = { .seconds = seconds, .insecure = is_scheme(p, "https+insecure") };
	struct buf query = { 0 };
	int rc;

	if (!is_scheme(p, "http") && !is_scheme(p, "https") && !u.insecure)
		return err_set(err, ERR_USAGE, "unsupported scheme %.*s; use http, https, https+insecure or unix",
			       (int)(p->scheme.n < 40 ? p->scheme.n : 40), p->scheme.at);
	u.scheme = mem_strndup(is_scheme(p, "http") ? "http" : "https", is_scheme(p, "http") ? 4 : 5);
	set_host(p->host, &u);
	rc = set_path(p->path, &u, err);
	if (rc == 0)
		rc = set_user(p, &u, err);
	if (rc < 0) {
		url_release(&u);
		return rc;
	}
	url_query(p->query.at, p->query.n, &u.seconds, &query);
	u.query = url_copy_buf(&query);
	buf_release(&query);
	*out = u;
	return 0;
}

/* The end of SOCKET in SOCKET:/PATH: after the first prefix that is an existing socket, else at the last ":/". */
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
	struct url_parts p;
	struct buf b = { 0 };
	int rc;

	if (starts_with(s, "///"))
		s += 2;
	end = socket_end(s);
	if (end == s)
		return err_set(err, ERR_USAGE, "the URL has no socket; write unix:/run/app.sock:/debug/pprof/heap");
	buf_addf(&b, "http://localhost%s", *end == ':' ? end + 1 : end);
	rc = url_split(b.data, &p, err);
	if (rc == 0)
		rc = url_set(&p, seconds, out, err);
	if (rc == 0)
		out->socket = mem_strndup(s, (size_t)(end - s));
	buf_release(&b);
	return rc;
}

/* Parse host:port, which net/url would parse as scheme and path. */
static int parse_short(const char *source, int64_t seconds, struct url *out, struct err *err)
{
	struct buf b = { 0 };
	struct url_parts p;
	int rc;

	buf_addf(&b, "http://%s", source);
	rc = url_split(b.data, &p, NULL) < 0 || p.host.n == 0 ? err_set(err, ERR_UNKNOWN, "is not a URL")
							      : url_set(&p, seconds, out, err);
	buf_release(&b);
	return rc;
}

bool url_is_process(const char *source)
{
	return starts_with(source, "pid:") && source[4] >= '0' && source[4] <= '9';
}

int url_parse(const char *source, int64_t seconds, struct url *out, struct err *err)
{
	struct url_parts p;
	int rc;

	assert(source && out);
	seconds = seconds > 0 ? seconds : 0;
	if (url_is_process(source))
		return err_set(err, ERR_USAGE,
			       "is a process of this machine, not a server; profile it with cpa record -p");
	if (starts_with(source, "unix:"))
		return parse_unix(source + 5, seconds, out, err);
	rc = url_split(source, &p, err);
	if (p.scheme.n && starts_with(source + p.scheme.n, "://")) {
		if (rc == 0 && p.host.n == 0 && !is_scheme(&p, "file"))
			rc = err_set(err, ERR_USAGE, "the URL has no host");
		return rc < 0 ? rc : url_set(&p, seconds, out, err);
	}
	if (rc < 0 || (p.scheme.n && !is_scheme(&p, "file")))
		return parse_short(source, seconds, out, err);
	return err_set(err, ERR_UNKNOWN, "is not a URL");
}

/* Overwrite and free a secret. */
static void url_free_secret(char *secret)
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
	url_free_secret(u->user);
	url_free_secret(u->password);
	*u = (struct url){ 0 };
}

static char *url_copy_string(const char *s)
{
	return s ? mem_strndup(s, strlen(s)) : NULL;
}

void url_copy(const struct url *u, struct url *out)
{
	*out = *u;
	out->scheme = url_copy_string(u->scheme);
	out->host = url_copy_string(u->host);
	out->path = url_copy_string(u->path);
	out->query = url_copy_string(u->query);
	out->socket = url_copy_string(u->socket);
	out->user = url_copy_string(u->user);
	out->password = url_copy_string(u->password);
}

static void url_add_path(const struct url *u, struct buf *out)
{
	buf_addz(out, u->path);
	if (*u->query)
		buf_addf(out, "?%s", u->query);
}

void url_add_redacted(const struct url *u, struct buf *out)
{
	assert(u->scheme && u->host && u->path && u->query);
	if (u->socket)
		buf_addf(out, "unix:%s:", u->socket);
	else
		buf_addf(out, "%s%s://%s", u->scheme, u->insecure ? "+insecure" : "", u->host);
	url_add_path(u, out);
}

void url_add_request(const struct url *u, struct buf *out)
{
	assert(u->scheme && u->host && u->path && u->query);
	buf_addf(out, "%s://%s", u->scheme, u->host);
	url_add_path(u, out);
}

void url_redact(const char *source, struct buf *out)
{
	size_t n = url_scheme_length(source), first = n && starts_with(source + n, "://") ? n + 3 : 0;
	const char *host = source + first, *stop = host + strcspn(host, "?#");
	const char *at = memrchr(host, '@', strlen(host)), *end = host + strcspn(host, "/?#");

	/* an unescaped / or ? may belong to a password; then the part before it is not a host */
	if (at && memchr(host, '@', (size_t)(end - host)))
		at = memrchr(host, '@', (size_t)(stop - host));
	else if (at && url_is_host(make_span(host, end)))
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
	struct url_parts p;

	return url_scheme_length(text) && url_split(text, &p, NULL) == 0;
}
