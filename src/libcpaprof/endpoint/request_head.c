/*
 * request_head.c - parse the head of an HTTP request
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each line is checked as soon as it is complete. So an invalid request is refused immediately, and the result does not
 * depend on how the bytes are split. Nothing is written into the data before the head is complete and valid.
 */
#include "config.h"

#include "libcpaprof/endpoint/request_head.h"

#include <string.h>

/* A part of the data. */
struct request_head_part {
	size_t at, n;
};

/* Known fields. Those before N_TEXTS are stored as text. */
enum request_head_field {
	FIELD_HOST,
	FIELD_ORIGIN,
	FIELD_FETCH_SITE,
	FIELD_AUTHORIZATION,
	FIELD_SECRET,
	N_TEXTS,
	FIELD_LENGTH = N_TEXTS,
	FIELD_CODING,
	FIELD_CONNECTION,
	FIELD_EXPECT,
	N_FIELDS
};

static const struct {
	const char *name;
	bool is_unique; /* a repeated field would be ambiguous */
} known[N_FIELDS] = {
	[FIELD_HOST] = { "host", true },
	[FIELD_ORIGIN] = { "origin", true },
	[FIELD_FETCH_SITE] = { "sec-fetch-site", true },
	[FIELD_AUTHORIZATION] = { "authorization", true },
	[FIELD_SECRET] = { "x-cpa-secret", true },
	[FIELD_LENGTH] = { "content-length", true },
	[FIELD_CODING] = { "transfer-encoding", false },
	[FIELD_CONNECTION] = { "connection", false },
	[FIELD_EXPECT] = { "expect", false },
};

struct request_head_scan {
	char *data;
	size_t n, at;
	struct request_head_part method, target, authority, text[N_TEXTS];
	unsigned seen; /* bitmap of the fields seen, by enum request_head_field */
	bool close, keep_alive;
	bool has_request_line; /* the request line was read */
	struct request_head h;
	const char *why;
};

static char lower(char c)
{
	return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static bool request_head_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool request_head_is_alnum(char c)
{
	return request_head_is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z');
}

static bool request_head_is_hex(char c)
{
	return request_head_is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'f');
}

/* tchar of RFC 9110. */
static bool request_head_is_token(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!request_head_is_alnum(s[i]) && (!s[i] || !strchr("!#$%&'*+-.^_`|~", s[i])))
			return false;
	return n > 0;
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

/* Like Go's httpguts.ValidHostHeader: characters that can be part of a name, an address or a port. */
static bool request_head_is_host(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!request_head_is_alnum(s[i]) && (!s[i] || !strchr("!$%&'()*+,-.:;=[]_~", s[i])))
			return false;
	return true;
}

static bool request_head_is_word(const char *s, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!word[i] || lower(s[i]) != word[i])
			return false;
	return !word[n];
}

/* Check the path up to its query: each % is followed by two hexadecimal digits. */
static bool is_path(const char *s, size_t n)
{
	for (size_t i = 0; i < n && s[i] != '?'; i++)
		if (s[i] == '%' && (n - i < 3 || !request_head_is_hex(s[i + 1]) || !request_head_is_hex(s[i + 2])))
			return false;
	return true;
}

static int request_head_refuse(struct request_head_scan *s, int status, const char *why)
{
	s->why = why;
	return -status;
}

/* Parse an absolute target. The part after the authority, possibly empty, becomes the target. */
static bool parse_absolute(struct request_head_scan *s, struct request_head_part target)
{
	const char *t = s->data + target.at;
	size_t n = target.n, scheme, end;

	for (scheme = 0; scheme < n && t[scheme] != ':'; scheme++)
		;
	if ((!request_head_is_word(t, scheme, "http") && !request_head_is_word(t, scheme, "https")) || n - scheme < 3 ||
	    t[scheme + 1] != '/' || t[scheme + 2] != '/')
		return false;
	scheme += 3;
	for (end = scheme; end < n && t[end] != '/' && t[end] != '?'; end++)
		;
	s->authority = (struct request_head_part){ target.at + scheme, end - scheme };
	s->target = (struct request_head_part){ target.at + end, n - end };
	return s->authority.n && request_head_is_host(t + scheme, end - scheme);
}

static bool parse_target(struct request_head_scan *s, struct request_head_part target)
{
	const char *t = s->data + target.at;

	for (size_t i = 0; i < target.n; i++)
		if (is_control(t[i]))
			return false;
	s->target = target;
	if (target.n == 1 && *t == '*')
		return request_head_is_word(s->data + s->method.at, s->method.n, "options");
	if (target.n && *t != '/' && !parse_absolute(s, target))
		return false;
	return target.n && is_path(s->data + s->target.at, s->target.n);
}

/* Parse "METHOD SP target SP HTTP/1.x". */
static int parse_request_line(struct request_head_scan *s, struct request_head_part line)
{
	const char *l = s->data + line.at, *space = memchr(l, ' ', line.n), *second;
	const char *v;

	second = space ? memchr(space + 1, ' ', line.n - (size_t)(space + 1 - l)) : NULL;
	if (!second)
		return request_head_refuse(s, 400, NULL);
	s->method = (struct request_head_part){ line.at, (size_t)(space - l) };
	v = second + 1;
	if (!request_head_is_token(l, s->method.n) || line.n - (size_t)(v - l) != 8 || memcmp(v, "HTTP/", 5) != 0 ||
	    !request_head_is_digit(v[5]) || v[6] != '.' || !request_head_is_digit(v[7]))
		return request_head_refuse(s, 400, NULL);
	if (v[5] != '1')
		return request_head_refuse(s, 505, "unsupported protocol version");
	s->h.minor = v[7] - '0';
	if (!parse_target(s, (struct request_head_part){ line.at + s->method.n + 1, (size_t)(second - space - 1) }))
		return request_head_refuse(s, 400, NULL);
	return 0;
}

static int request_head_parse_length(struct request_head_scan *s, const char *v, size_t n)
{
	uint64_t length = 0;

	for (size_t i = 0; i < n; i++) {
		if (!request_head_is_digit(v[i]) || length > ((uint64_t)INT64_MAX - (uint64_t)(v[i] - '0')) / 10)
			return request_head_refuse(s, 400, NULL);
		length = length * 10 + (uint64_t)(v[i] - '0');
	}
	s->h.length = length;
	return n ? 0 : request_head_refuse(s, 400, NULL);
}

static void parse_connection(struct request_head_scan *s, const char *v, size_t n)
{
	size_t at = 0, end;

	while (at < n) {
		for (end = at; end < n && v[end] != ',' && v[end] != ' ' && v[end] != '\t'; end++)
			;
		s->close |= request_head_is_word(v + at, end - at, "close");
		s->keep_alive |= request_head_is_word(v + at, end - at, "keep-alive");
		at = end + 1;
	}
}

static int parse_field(struct request_head_scan *s, enum request_head_field f, struct request_head_part value)
{
	const char *v = s->data + value.at;
	bool repeated = s->seen & 1U << f;

	if (repeated && known[f].is_unique)
		return request_head_refuse(s, 400, NULL);
	s->seen |= 1U << f;
	if (f < N_TEXTS) {
		if (!repeated)
			s->text[f] = value;
		return f == FIELD_HOST && !request_head_is_host(v, value.n)
			       ? request_head_refuse(s, 400, "malformed Host header")
			       : 0;
	}
	if (f == FIELD_LENGTH)
		return request_head_parse_length(s, v, value.n);
	if (f == FIELD_CONNECTION)
		parse_connection(s, v, value.n);
	if (f == FIELD_CODING) {
		if (s->h.minor == 0)
			return request_head_refuse(s, 400, NULL);
		if (repeated || !request_head_is_word(v, value.n, "chunked"))
			return request_head_refuse(s, 501, "Unsupported transfer encoding");
		s->h.is_chunked = true;
	}
	if (f == FIELD_EXPECT && value.n) {
		if (repeated || !request_head_is_word(v, value.n, "100-continue"))
			return request_head_refuse(s, 417, NULL);
		s->h.expects_continue = s->h.minor > 0;
	}
	return 0;
}

/* Parse NAME ":" value. White space is allowed only around the value. */
static int parse_header_line(struct request_head_scan *s, struct request_head_part line)
{
	const char *l = s->data + line.at, *colon = memchr(l, ':', line.n);
	struct request_head_part value;
	size_t name;

	if (!colon)
		return request_head_refuse(s, 400, NULL);
	name = (size_t)(colon - l);
	if (name && l[name - 1] == ' ' && request_head_is_token(l, 1))
		return request_head_refuse(s, 400, "invalid header name");
	if (!request_head_is_token(l, name))
		return request_head_refuse(s, 400, NULL);
	value = (struct request_head_part){ line.at + name + 1, line.n - name - 1 };
	for (size_t i = 0; i < value.n; i++)
		if (is_control(s->data[value.at + i]) && s->data[value.at + i] != '\t')
			return request_head_refuse(s, 400, NULL);
	for (; value.n && (s->data[value.at] == ' ' || s->data[value.at] == '\t'); value.n--)
		value.at++;
	while (value.n && (s->data[value.at + value.n - 1] == ' ' || s->data[value.at + value.n - 1] == '\t'))
		value.n--;
	for (enum request_head_field f = 0; f < N_FIELDS; f++)
		if (request_head_is_word(l, name, known[f].name))
			return parse_field(s, f, value);
	return 0;
}

/* Check the complete head. */
static int request_head_check(struct request_head_scan *s)
{
	if (s->h.minor > 0 && !(s->seen & 1U << FIELD_HOST))
		return request_head_refuse(s, 400, "missing required Host header");
	if (s->h.is_chunked && s->seen & 1U << FIELD_LENGTH)
		return request_head_refuse(s, 400, NULL);
	s->h.keep_alive = !s->close && (s->h.minor > 0 || s->keep_alive);
	s->h.has_host = s->seen & 1U << FIELD_HOST || s->authority.n;
	s->h.has_origin = s->seen & 1U << FIELD_ORIGIN;
	s->h.has_fetch_site = s->seen & 1U << FIELD_FETCH_SITE;
	return (int)s->at;
}

/* Parse all lines. Returns the same as request_head_parse. */
static int request_head_scan(struct request_head_scan *s)
{
	for (;;) {
		const char *l = s->data + s->at, *lf = memchr(l, '\n', s->n - s->at);
		struct request_head_part line;
		int rc;

		if (!lf)
			return HEAD_MORE;
		if (lf == l || lf[-1] != '\r')
			return request_head_refuse(s, 400, NULL);
		line = (struct request_head_part){ s->at, (size_t)(lf - l) - 1 };
		s->at += line.n + 2;
		if (line.n == 0 && s->has_request_line)
			return request_head_check(s);
		rc = s->has_request_line ? parse_header_line(s, line) : parse_request_line(s, line);
		if (rc < 0)
			return rc;
		s->has_request_line = true;
	}
}

static const char *end_text(struct request_head_scan *s, struct request_head_part p)
{
	if (p.n)
		s->data[p.at + p.n] = 0;
	return p.n ? s->data + p.at : "";
}

/*
 * End the request target with NUL. An authority in the target replaces Host (RFC 9112). It is moved back by two bytes,
 * over the slashes, to make room for its NUL and for the slash of an empty path.
 */
static void end_target(struct request_head_scan *s)
{
	size_t n = s->authority.n;
	char *to = s->data + s->authority.at - 2;

	if (!n) {
		s->h.target = end_text(s, s->target);
		return;
	}
	if (s->target.n)
		s->data[s->target.at + s->target.n] = 0;
	memmove(to, to + 2, n);
	to[n] = 0;
	s->h.host = to;
	if (s->target.n && s->data[s->target.at] == '/') {
		s->h.target = s->data + s->target.at;
		return;
	}
	to[n + 1] = '/';
	if (!s->target.n)
		to[n + 2] = 0;
	s->h.target = to + n + 1;
}

int request_head_parse(char *data, size_t n, struct request_head *out, const char **why)
{
	struct request_head_scan s = { .data = data, .n = n < HEAD_MAX ? n : HEAD_MAX };
	int rc = request_head_scan(&s);

	if (rc == HEAD_MORE && n >= HEAD_MAX)
		rc = -431;
	*why = s.why;
	if (rc <= 0)
		return rc;
	s.h.method = end_text(&s, s.method);
	s.h.host = end_text(&s, s.text[FIELD_HOST]);
	end_target(&s);
	s.h.origin = end_text(&s, s.text[FIELD_ORIGIN]);
	s.h.fetch_site = end_text(&s, s.text[FIELD_FETCH_SITE]);
	s.h.authorization = end_text(&s, s.text[FIELD_AUTHORIZATION]);
	s.h.secret = end_text(&s, s.text[FIELD_SECRET]);
	*out = s.h;
	return rc;
}
