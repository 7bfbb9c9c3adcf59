/*
 * check.c - may a request to the web UI be answered?
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "access/check.h"

#include "access/host.h"
#include "base/base64.h"

#include <string.h>

enum { STATUS_UNAUTHORIZED = 401, STATUS_FORBIDDEN = 403, STATUS_METHOD = 405 };

static struct access_verdict access_check_refuse(int status, const char *text)
{
	return (struct access_verdict){ .status = status, .text = text };
}

static bool access_check_is_method(const struct http_request *q, const char *name)
{
	return strcmp(q->method, name) == 0;
}

static bool is_read(const struct http_request *q)
{
	return access_check_is_method(q, "GET") || access_check_is_method(q, "HEAD");
}

static bool access_check_has_value(const struct http_request *q, const char *name, const char *value)
{
	const char *found = http_request_header(q, name);

	return found && strcmp(found, value) == 0;
}

/* Compare two texts of the same length in constant time. */
static bool is_same_id(const char *a, const char *b)
{
	uint8_t wrong = 0;

	for (int i = 0; i < ACCESS_ID_LENGTH; i++)
		wrong |= (uint8_t)a[i] ^ (uint8_t)b[i];
	__asm__("" : "+r"(wrong)); /* prevents the compiler from leaving the loop early */
	return !wrong;
}

/* ---- where the request comes from ---- */

/*
 * Host is checked for Unix sockets too: with ssh -L a browser sends its requests to one. The port is not compared with
 * ours, since a tunnel changes it.
 */
static struct access_verdict check_host(const struct access_rules *r, const struct http_request *q)
{
	const char *host = http_request_header(q, "Host");

	if (!host || http_request_repeats(q, "Host"))
		return access_check_refuse(STATUS_FORBIDDEN, "the request must have one Host");
	if (!r->any_host && !access_is_our_host(host, r->hosts ? r->hosts : "", r->secret.n > 0))
		return access_check_refuse(
			STATUS_FORBIDDEN,
			"Host is neither localhost nor an address; allow a name with --http-allow-host");
	return (struct access_verdict){ 0 };
}

/* Is the origin a page of this server? */
static bool is_our_origin(const struct http_request *q, const char *origin)
{
	static const char *const schemes[] = { "http://", "https://" }; /* https: a proxy before this server */
	const char *host = http_request_header(q, "Host");

	for (int i = 0; i < 2; i++) {
		size_t n = strlen(schemes[i]);

		if (strncmp(origin, schemes[i], n) == 0 && strlen(origin + n) == strlen(host) &&
		    access_is_same_text(origin + n, host, strlen(host)))
			return true;
	}
	/* browsers send null from a page with Referrer-Policy: no-referrer */
	return strcmp(origin, "null") == 0 && access_check_has_value(q, "Sec-Fetch-Site", "same-origin");
}

/* Browsers send the origin of a request in these headers; other programs send neither. */
static struct access_verdict check_origin(const struct http_request *q)
{
	const char *origin = http_request_header(q, "Origin"), *site = http_request_header(q, "Sec-Fetch-Site");

	if (http_request_repeats(q, "Origin") || http_request_repeats(q, "Sec-Fetch-Site"))
		return access_check_refuse(STATUS_FORBIDDEN, "the request has more than one origin");
	if (origin && !is_our_origin(q, origin))
		return access_check_refuse(STATUS_FORBIDDEN, "requests from other web pages are not allowed");
	if (!site || strcmp(site, "none") == 0 || strcmp(site, "same-origin") == 0)
		return (struct access_verdict){ 0 };
	/* a link on another site may open a page, but not in a frame */
	if (access_check_is_method(q, "GET") && access_check_has_value(q, "Sec-Fetch-Mode", "navigate") &&
	    access_check_has_value(q, "Sec-Fetch-Dest", "document"))
		return (struct access_verdict){ 0 };
	return access_check_refuse(STATUS_FORBIDDEN, "requests from other web pages are not allowed");
}

/* ---- secrets ---- */

/* Is there a cookie with this name whose value is a session of this address? A name may occur several times. */
static bool has_session(const struct access_rules *r, const struct http_request *q)
{
	size_t n_name = strlen(r->cookie);
	bool found = false;

	for (size_t i = 0; i < q->n_headers; i++) {
		const char *at = q->header[i].value;

		if (!access_is_same_text(q->header[i].name, "Cookie", sizeof("Cookie")))
			continue;
		while (*at) {
			size_t n;

			at += strspn(at, "; \t");
			n = strcspn(at, ";");
			if (n == n_name + 1 + ACCESS_ID_LENGTH && strncmp(at, r->cookie, n_name) == 0 &&
			    at[n_name] == '=')
				for (int s = 0; s < ACCESS_SESSIONS_MAX; s++)
					found |= is_same_id(at + n_name + 1, r->session[s].id) &
						 (strcmp(r->session[s].address, q->peer.address) == 0);
			at += n;
		}
	}
	return found;
}

/* Compare n bytes with a text in a time that depends on n only. */
static bool is_same_user(const char *user, const uint8_t *given, size_t n)
{
	size_t n_user = strlen(user);
	uint8_t wrong = n != n_user;

	for (size_t i = 0; i < n; i++)
		wrong |= given[i] ^ (uint8_t)user[i < n_user ? i : n_user];
	__asm__("" : "+r"(wrong)); /* prevents the compiler from leaving the loop early */
	return !wrong;
}

bool access_has_secret(const struct access_secret *s, const char *user, const char *authorization)
{
	enum { USER_MAX = 256, TEXT_MAX = (USER_MAX + 1 + ACCESS_SECRET_MAX) / 3 * 4 + 4 };
	static const char scheme[] = "Basic ";
	uint8_t text[TEXT_MAX / 4 * 3 + 4] = { 0 };
	size_t n = 0;
	const char *colon;
	bool is_it;

	if (!access_is_same_text(authorization, scheme, sizeof(scheme) - 1))
		return !*user && access_is_bearer(s, authorization);
	authorization += sizeof(scheme) - 1;
	authorization += strspn(authorization, " ");
	if (strlen(authorization) > TEXT_MAX || !base64_decode(authorization, strlen(authorization), text, &n))
		return false;
	text[n] = 0;
	colon = memchr(text, ':', n);
	is_it = colon && !memchr(text, 0, n) && access_is_secret(s, colon + 1);
	is_it = (!*user || (colon && is_same_user(user, text, (size_t)(colon - (const char *)text)))) && is_it;
	explicit_bzero(text, sizeof(text));
	return is_it;
}

static struct access_verdict refuse_secret(struct access_rules *r, uint64_t now_ns)
{
	struct access_verdict verdict = access_check_refuse(STATUS_UNAUTHORIZED, "wrong secret");

	verdict.delay_ms = access_count_failure(&r->failures, now_ns);
	if (verdict.delay_ms < ACCESS_WRONG_MS)
		verdict.delay_ms = ACCESS_WRONG_MS;
	return verdict;
}

static bool needs_no_secret(const char *path)
{
	static const char pages[] = "/ui/", assets[] = "/ui/assets/";

	return strcmp(path, ACCESS_ENTER_PATH) == 0 || strncmp(path, assets, sizeof(assets) - 1) == 0 ||
	       strncmp(path, pages, sizeof(pages) - 1) != 0;
}

static struct access_verdict check_secret(struct access_rules *r, const struct http_request *q, uint64_t now_ns)
{
	const char *authorization = http_request_header(q, "Authorization");

	if (r->secret.n == 0 || needs_no_secret(q->path))
		return (struct access_verdict){ 0 };
	if (authorization)
		return access_is_bearer(&r->secret, authorization) ? (struct access_verdict){ 0 }
								   : refuse_secret(r, now_ns);
	if (has_session(r, q))
		return (struct access_verdict){ 0 };
	return access_check_refuse(STATUS_UNAUTHORIZED,
				   "a secret is required: open /ui/enter, or send Authorization: Bearer SECRET");
}

/* ---- requests ---- */

struct access_verdict access_check(struct access_rules *r, const struct http_request *q, uint64_t now_ns)
{
	struct access_verdict verdict = { 0 };

	if (!q->peer.is_user)
		return access_check_refuse(STATUS_FORBIDDEN,
					   "requests from other users of this machine are not allowed");
	verdict = check_host(r, q);
	if (verdict.status == 0)
		verdict = check_origin(q);
	if (verdict.status == 0 && !is_read(q) && !access_check_is_method(q, "POST") &&
	    !access_check_is_method(q, "DELETE"))
		verdict = access_check_refuse(STATUS_METHOD, "method not allowed");
	if (verdict.status == 0)
		verdict = check_secret(r, q, now_ns);
	return verdict;
}

struct access_verdict access_enter(struct access_rules *r, const struct http_request *q, const char *id,
				   uint64_t now_ns)
{
	char given[ACCESS_SECRET_MAX + 1];
	struct access_session *s = &r->session[r->next_session];

	if (r->secret.n == 0 || !access_form_field(q->body, "secret", given, sizeof(given)) ||
	    !access_is_secret(&r->secret, given))
		return refuse_secret(r, now_ns);
	explicit_bzero(given, sizeof(given));
	r->next_session = (r->next_session + 1) % ACCESS_SESSIONS_MAX;
	memcpy(s->id, id, sizeof(s->id));
	memcpy(s->address, q->peer.address, sizeof(s->address));
	return (struct access_verdict){ 0 };
}

static int access_check_digit_of(char c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Decode n bytes of a form. Returns false if they are malformed, contain a NUL or are too long. */
static bool access_check_decode(const char *from, size_t n, char *out, size_t max)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		char c = from[i] == '+' ? ' ' : from[i];

		if (c == '%') {
			int high = i + 2 < n ? access_check_digit_of(from[i + 1]) : -1,
			    low = high < 0 ? -1 : access_check_digit_of(from[i + 2]);

			if (low < 0)
				return false;
			c = (char)(high * 16 + low);
			i += 2;
		}
		if (c == '\0' || at + 1 >= max)
			return false;
		out[at++] = c;
	}
	out[at] = '\0';
	return true;
}

bool access_form_field(const char *form, const char *name, char *out, size_t max)
{
	size_t n_name = strlen(name), n;
	bool found = false;

	for (; !found; form += n + 1) {
		n = strcspn(form, "&");
		found = n > n_name && form[n_name] == '=' && strncmp(form, name, n_name) == 0;
		if (found && access_check_decode(form + n_name + 1, n - n_name - 1, out, max))
			return true;
		if (form[n] == '\0')
			break;
	}
	out[0] = '\0';
	return false;
}
