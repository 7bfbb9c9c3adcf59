/*
 * test_serve_answers.c - answers are equal to recorded answers of net/http/pprof
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * tests/compat/recorded/answers.txt contains the answers of Go: status, header lines, and bodies of errors.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "make_serve.h"

enum { LINE_SIZE = 4096 };

/* Requests whose answers differ on purpose. */
static const char *const other[] = {
	"GET /debug/pprof?~",                  /* the page of Go contains the byte, which is invalid UTF-8 */
	"GET /debug/pprof/my.custom?debug=-1", /* Go sends a compressed profile with the type of text */
};

/* Header lines that only our answers have. */
static const char *const ours[] = { "Cache-Control: no-store", "Cross-Origin-Resource-Policy: same-origin",
				    "X-Content-Type-Options: nosniff" };

static bool is_in(const char *line, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(line, list[i]) == 0)
			return true;
	return false;
}

/* Escape a body as in the recording. */
static void escape_body(const char *s, char out[LINE_SIZE])
{
	size_t n = 0;

	for (; *s && n < LINE_SIZE - 8; s++) {
		if (*s == '\n')
			n += (size_t)snprintf(out + n, 3, "\\n");
		else if ((unsigned char)*s >= 0x7f)
			n += (size_t)snprintf(out + n, 5, "\\x%02x", (unsigned char)*s);
		else
			out[n++] = *s;
	}
	out[n] = '\0';
}

/* Remove a line. Returns false if it is missing. */
static bool take_line(char *all, const char *line)
{
	for (char *at = all; *at; at = strchr(at, '\n') + 1) {
		size_t n = strcspn(at, "\n");

		if (n == strlen(line) && memcmp(at, line, n) == 0) {
			memmove(at, at + n + 1, strlen(at + n + 1) + 1);
			return true;
		}
	}
	return false;
}

/* Compare status, header lines and body. Returns the first difference; NULL: none. */
static const char *find_difference(struct serve_job *j, const char *status, char *lines, const char *body)
{
	static char got[LINE_SIZE];
	const struct serve_answer *a = serve_answer(j);
	char *next;

	snprintf(got, sizeof(got), "%d %s", a->status, serve_reason(a->status));
	if (strcmp(got, status) != 0)
		return got;
	serve_headers(a, got, sizeof(got));
	for (char *line = got; *line; line = next + 2) {
		next = strstr(line, "\r\n");
		*next = '\0';
		if (!take_line(lines, line) && !is_in(line, ours, sizeof(ours) / sizeof(*ours)))
			return line;
	}
	if (*lines)
		return lines;
	if (!body)
		return NULL;
	escape_body(made_text(j), got);
	return strcmp(got, body) == 0 ? NULL : got;
}

static unsigned check(struct serve *s, char *request, const char *status, char *lines, const char *body)
{
	char asked[LINE_SIZE], *target;
	struct serve_job *j;
	const char *why;

	if (is_in(request, other, sizeof(other) / sizeof(*other)))
		return 0;
	snprintf(asked, sizeof(asked), "%s", request);
	for (char *at = asked; (at = strchr(at, '~')); at++)
		*at = '\xff';
	target = strchr(asked, ' ');
	*target++ = '\0';
	j = made_request(s, asked, target);
	why = find_difference(j, status, lines, strcmp(asked, "HEAD") == 0 ? NULL : body);
	if (why)
		print_error("%s: %s\n", request, why);
	serve_end(j);
	return why != NULL;
}

static void answers_match_recorded_answers_of_go(void **state)
{
	char path[LINE_SIZE], line[LINE_SIZE], request[LINE_SIZE] = "", status[LINE_SIZE] = "", body[LINE_SIZE] = "";
	char lines[4 * LINE_SIZE] = "";
	const char *top = getenv("top_srcdir");
	unsigned n = 0, n_other = 0;
	struct made_host h;
	struct serve *s;
	FILE *in;

	(void)state;
	made_host_open(&h);
	assert_int_equal(serve_new(&h.host, &(struct serve_options){ 0 }, &s), 0);
	snprintf(path, sizeof(path), "%s/tests/compat/recorded/answers.txt", top ? top : ".");
	in = fopen(path, "r");
	assert_non_null(in);
	while (fgets(line, sizeof(line), in)) {
		line[strcspn(line, "\n")] = '\0';
		if (*line == '>') {
			snprintf(request, sizeof(request), "%s", line + 2);
			status[0] = lines[0] = body[0] = '\0';
		} else if (!*line && *request) {
			n_other += check(s, request, status, lines, *body ? body : NULL);
			n++;
		} else if (*line == '=') {
			snprintf(body, sizeof(body), "%s", line + 2);
		} else if (*line != '#' && !*status) {
			snprintf(status, sizeof(status), "%s", line);
		} else if (*line != '#') {
			snprintf(lines + strlen(lines), sizeof(lines) - strlen(lines), "%s\n", line);
		}
	}
	fclose(in);
	assert_true(n > 120);
	assert_int_equal(n_other, 0);
	serve_free(s);
	made_host_close(&h);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(answers_match_recorded_answers_of_go) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
