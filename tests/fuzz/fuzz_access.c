/*
 * fuzz_access.c - any text as the head and the form of a request to the web UI, for its access control
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The lines of the input are method, path, Host, Origin, Sec-Fetch-Site, Authorization and Cookie; the rest is the body.
 * Stops when a request is accepted without secret or session, from another origin, or for a foreign host.
 */
#include "config.h"

#include "fuzz.h"

#include "access/check.h"
#include "access/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SECRET "0123456789abcdefghijklmnopqrstuvwxyzABCD"
#define ID "0123456789abcdef0123456789abcdef"
#define HOSTS "web.example"

enum { LINES = 8, HEADERS = 5, TEXT_MAX = 1 << 16, SECOND = 1000000000 };

static void demand(bool holds, const char *what)
{
	if (holds)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

/* Split the input into lines; the last one is the rest. Missing lines are "". */
static void split(char *text, char *line[LINES])
{
	for (int i = 0; i < LINES; i++) {
		char *end = strchr(text, '\n');

		line[i] = text;
		text = end && i < LINES - 1 ? end + 1 : text + strlen(text);
		if (end && i < LINES - 1)
			*end = '\0';
	}
}

static bool contains(const char *text, const char *words)
{
	return strstr(text, words) != NULL;
}

static void check_head(const struct http_request *q, char *const line[LINES])
{
	struct access_rules open = { .hosts = HOSTS }, closed = { .secret = { .text = SECRET, .n = sizeof(SECRET) - 1 },
								  .hosts = HOSTS,
								  .cookie = "cpa-8080",
								  .session = { { ID, "127.0.0.1" } } };
	struct access_verdict verdict = access_check(&open, q, SECOND);
	const char *path = q->path;
	bool is_free = strcmp(path, "/ui/enter") == 0 || strncmp(path, "/ui/assets/", 11) == 0 ||
		       strncmp(path, "/ui/", 4) != 0;

	if (verdict.status == 0) {
		demand(access_is_our_host(line[2], HOSTS, false), "a foreign host is accepted");
		demand(!*line[3] || strcmp(line[3], "null") == 0 || contains(line[3], "://"), "an origin is no URL");
		demand(!*line[4] || !contains(line[4], "-site") || strcmp(line[0], "GET") == 0,
		       "another site may change state");
	}
	verdict = access_check(&closed, q, SECOND);
	demand(verdict.status || is_free || contains(line[5], SECRET) || (contains(line[6], "cpa-8080=" ID)),
	       "a request without the secret is accepted");
	demand(verdict.status == 0 || verdict.status == 401 || verdict.status == 403 || verdict.status == 405,
	       "a status is not one of those documented");
	demand(verdict.status == 0 || (verdict.text && *verdict.text), "a refusal has no text");
}

static void check_form(const struct http_request *q)
{
	struct access_rules closed = { .secret = { .text = SECRET, .n = sizeof(SECRET) - 1 }, .cookie = "cpa-8080" };
	char small[8] = "before!", large[TEXT_MAX];

	demand(access_form_field(q->body, "a", small, sizeof(small)) || !*small, "a missing field has a value");
	demand(strlen(small) < sizeof(small), "a field is too long");
	if (access_form_field(q->body, "secret", large, sizeof(large)))
		demand(strlen(large) <= strlen(q->body), "a field is longer than its form");
	if (access_enter(&closed, q, ID, SECOND).status == 0)
		demand(strcmp(large, SECRET) == 0 && strcmp(closed.session[0].id, ID) == 0,
		       "a wrong secret is accepted");
	else
		demand(closed.session[0].id[0] == '\0', "a wrong secret opens a session");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const char *const names[HEADERS] = { "Host", "Origin", "Sec-Fetch-Site", "Authorization", "Cookie" };
	static char text[TEXT_MAX];
	struct http_header header[HEADERS];
	struct http_request q = { .query = "", .upload = -1, .header = header };
	char *line[LINES];

	if (size >= sizeof(text))
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	split(text, line);
	q.method = line[0];
	q.path = line[1];
	for (int i = 0; i < HEADERS; i++)
		if (*line[i + 2])
			header[q.n_headers++] = (struct http_header){ names[i], line[i + 2] };
	q.body = line[LINES - 1];
	q.n_body = strlen(q.body);
	q.peer.is_user = true;
	snprintf(q.peer.address, sizeof(q.peer.address), "127.0.0.1");
	check_head(&q, line);
	check_form(&q);
	return 0;
}
