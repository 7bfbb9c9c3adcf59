/*
 * fuzz_web.c - any text as an HTTP request to the web UI, on three profiles with hostile names
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The input is a request as sent: request line, header lines, an empty line, the body. A line that begins with "token"
 * is replaced by the header with the right token. Stops when a response has no valid status or header lines, when a
 * page contains markup from a name or from the request, or a file that a profile names as its source.
 */
#include "config.h"

#include "fuzz.h"

#include "base/http.h"
#include "engine/query.h"
#include "front/web/web.h"

#include "tests/unit/make_labels.h"

#include <stdbool.h>
#include <unistd.h>

#define HOSTILE "\"'><x-hostile onclick=a()>\x1b[2J\xe2\x80\xae\xff"

enum { N_WEBS = 3, HEADERS_MAX = 20 };

static const char secret[] = "root:x:0:"; /* in /etc/passwd */
static const char token[] = "00112233445566778899aabbccddeeff";
static struct web *web[N_WEBS];
static struct query query;

static void demand(bool holds, const char *what, const char *text)
{
	if (holds)
		return;
	fprintf(stderr, "%s: %.2000s\n", what, text);
	abort();
}

static struct profile *labelled(void)
{
	struct make m = make_start("samples/count cpu/nanoseconds");
	const uint32_t labels[] = { labels_one(&m, "route", HOSTILE, 0, ""), labels_one(&m, HOSTILE, NULL, 64, "kb") };

	make_map(&m, "/bin/" HOSTILE);
	make_row(&m, "0x10=main.run@/etc/passwd:1;0x20=main.(*T).go@/etc/passwd:2+" HOSTILE "@" HOSTILE ":7",
		 (const int64_t[]){ 1, 20 }, labels, 2);
	ROW(&m, "0x10=main.run@/etc/passwd:1;0x30=" HOSTILE, 3, 40);
	ROW(&m, "0x40;0x50", 1, 1);
	return make_end(&m);
}

static struct profile *difference(void)
{
	struct make m = make_start("inuse_objects/count inuse_space/bytes " HOSTILE "/count");

	ROW(&m, "a;b;c;a;b", 5, -500, 1);
	ROW(&m, "d;b;c", -7, INT64_MIN + 1, 0);
	ROW(&m, "operator new[](unsigned long);std::vector<int, a<b>>::push_back(int const&);c", 1, 2, INT64_MAX / 2);
	return make_end(&m);
}

static struct profile *empty(void)
{
	struct make m = make_start("samples/count");

	return make_end(&m);
}

static void set_up(void)
{
	static struct profile *(*const make[N_WEBS])(void) = { labelled, difference, empty };
	struct web_options options = { .q = &query, .cache_bytes = 1 << 20 };
	const char *tmp = getenv("TMPDIR");
	struct err err;

	/* saved configs are written to the temporary folder; no other program is started */
	setenv("XDG_CONFIG_HOME", tmp && *tmp == '/' ? tmp : "/tmp", 1);
	setenv("PATH", "/nonexistent", 1);
	query_init(&query);
	query.symbolize = "none";
	memcpy(options.token, token, sizeof(token));
	for (int i = 0; i < N_WEBS; i++) {
		struct load_result l = { .profile = make[i]() };

		web[i] = web_new(&options);
		demand(web_set_loaded(web[i], &l, HOSTILE, &err) == 0, "not loaded", err.msg);
	}
}

/* Cut a line off a text that ends with NUL. Control characters never reach web_answer, because the server refuses them. */
static char *cut_line(char **text)
{
	char *line = *text;
	size_t n = strcspn(line, "\n");

	*text = line + n + (line[n] == '\n');
	line[n] = '\0';
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < ' ' || *c == 0x7f)
			*c = '.';
	return line;
}

static size_t cut_headers(char **text, struct http_header header[HEADERS_MAX])
{
	size_t n = 0;

	for (char *line; n < HEADERS_MAX && *(line = cut_line(text)); n++) {
		char *colon = strchr(line, ':');

		header[n] =
			(struct http_header){ .name = line, .value = colon ? colon + 1 + strspn(colon + 1, " ") : "" };
		if (colon)
			*colon = '\0';
		if (strncmp(line, "token", strlen("token")) == 0)
			header[n] = (struct http_header){ .name = "X-Cpa-Token", .value = token };
	}
	return n;
}

static void check_header(const struct http_response *r)
{
	const char *text = buf_text(&r->header);

	demand(strlen(text) == r->header.len, "a NUL in the headers", text);
	demand(strstr(text, "Content-Security-Policy: default-src 'none'"), "no policy", text);
	while (*text) {
		size_t n = strcspn(text, "\r\n");

		demand(text[n] == '\r' && text[n + 1] == '\n' && memchr(text, ':', n), "not a header line", text);
		text += n + 2;
	}
}

/* Is this a script of the server, not one in the page? */
static bool is_asset(const char *element)
{
	static const char *const start[] = { "<script type=\"module\" src=\"", "<script defer src=\"" };

	for (size_t i = 0; i < sizeof(start) / sizeof(start[0]); i++) {
		const char *url = element + strlen(start[i]);

		if (strncmp(element, start[i], strlen(start[i])) == 0)
			return strncmp(url + (strncmp(url, "../", 3) == 0 ? 3 : 0), "assets/", 7) == 0;
	}
	return false;
}

static void check_page(const char *body)
{
	demand(!strstr(body, "<x-hostile"), "markup from a name", body);
	for (const char *at = body; (at = strstr(at, "<script")); at++)
		demand(is_asset(at), "a script in the page", at);
}

/* has_secret: the request contains the text that no response may contain */
static void check(const struct http_response *r, bool has_secret)
{
	const char *body = r->blob ? blob_data(r->blob) : buf_text(&r->body);

	demand(r->status >= 200 && r->status < 600, "no status", body);
	check_header(r);
	demand(has_secret || !strstr(body, secret), "a file that is not a source", body);
	if (r->type && strncmp(r->type, "text/html", 9) == 0)
		check_page(body);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	char *copy = mem_strndup((const char *)data, n), *rest = copy, *line = cut_line(&rest);
	bool has_secret = memmem(data, n, secret, strlen(secret));
	struct http_header header[HEADERS_MAX];
	struct http_request q = { .upload = -1, .header = header, .n_headers = cut_headers(&rest, header) };
	struct http_response r = { 0 };
	struct stop stop = { 0 };

	if (!web[0])
		set_up();
	q.method = strsep(&line, " ");
	q.path = line ? strsep(&line, "? ") : "/";
	q.query = line ? strsep(&line, " ") : "";
	q.body = rest;
	q.n_body = strlen(rest);
	q.peer = (struct http_peer){ .is_loopback = true, .is_user = true, .address = "127.0.0.1" };
	web_answer(web[n % N_WEBS], &q, &stop, &r);
	check(&r, has_secret);
	http_response_release(&r);
	free(copy);
	return 0;
}
