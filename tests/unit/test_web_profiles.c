/*
 * test_web_profiles.c - several profiles in the web UI: open, close, merge, subtract
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/web.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/unit/make_web.h"

static const char token[] = "00112233445566778899aabbccddeeff";

/* Send a POST; fd is the body of an upload, -1: the form is the body. The caller releases the response. */
static struct http_response post(struct web_test *t, const char *path, const char *query, int fd, const char *form,
				 const char *given_token, const char *type)
{
	const struct http_header header[] = { { "Host", "localhost:1" },
					      { "Content-Type", type },
					      { "X-Cpa-Token", given_token } };
	const struct http_request q = { .method = "POST",
					.path = path,
					.query = query,
					.header = header,
					.n_headers = given_token ? 3 : 2,
					.body = form,
					.n_body = strlen(form),
					.upload = fd };
	struct http_response r = { 0 };
	struct stop stop = { 0 };

	web_answer(t->web, &q, &stop, &r);
	return r;
}

static int open_testdata(const char *file)
{
	char path[1000];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", getenv("TESTDATA"), file);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	return fd;
}

/* Copy the member "id" of a JSON object. */
static void copy_id(const struct http_response *r, char out[9])
{
	const char *at = strstr(body(r), "\"id\": \"");

	if (!at)
		fail_msg("no id in %s", body(r));
	snprintf(out, 9, "%s", at + 7);
}

/* Upload a file of testdata; id receives the id of the profile. */
static void upload(struct web_test *t, const char *file, char id[9])
{
	int fd = open_testdata(file);
	struct http_response r = post(t, "/ui/do/open", "name=x.pb.gz", fd, "", token, "application/octet-stream");

	close(fd);
	if (r.status != 200)
		fail_msg("%s: status %d: %s", file, r.status, body(&r));
	copy_id(&r, id);
	http_response_release(&r);
}

static void uploads_are_opened_and_listed(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	char id[9], page[64];

	(void)state;
	upload(&t, "go-heap1.pb.gz", id);
	snprintf(page, sizeof(page), "/ui/top?prof=%s", id);
	expect_page(&t, page, 200, "inuse_space");
	expect_page(&t, "/ui/compare", 200, id);
	expect_page(&t, "/ui/compare", 200, "x.pb.gz");
	expect_page(&t, "/ui/top", 200, "cpu");
	web_test_end(&t);
}

static void uploads_need_the_token(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	const char *wrong[] = { NULL, "", "00112233445566778899aabbccddeefe", "0" };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		int fd = open_testdata("go-heap1.pb.gz");
		struct http_response r = post(&t, "/ui/do/open", "", fd, "", wrong[i], "application/octet-stream");

		close(fd);
		assert_int_equal(r.status, 403);
		http_response_release(&r);
	}
	expect_absent(&t, "/ui/compare", "upload</td>");
	web_test_end(&t);
}

static void actions_by_get_are_refused(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	const char *action[] = { "/ui/do/open", "/ui/do/close?id=0", "/ui/do/merge" };

	(void)state;
	for (size_t i = 0; i < sizeof(action) / sizeof(action[0]); i++)
		expect_page(&t, action[i], 405, "POST");
	web_test_end(&t);
}

static void corrupt_uploads_are_refused_with_their_name(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	FILE *f = tmpfile();
	struct http_response r;

	(void)state;
	assert_non_null(f);
	fputs("no profile", f);
	fflush(f);
	r = post(&t, "/ui/do/open", "name=%3Cb%3Enotes.txt", fileno(f), "", token, "text/plain");
	fclose(f);
	assert_int_equal(r.status, 400);
	assert_non_null(strstr(body(&r), "notes.txt: "));
	assert_ptr_equal(strchr(body(&r), '\n'), strrchr(body(&r), '\n'));
	http_response_release(&r);
	web_test_end(&t);
}

/* Names of uploads are never opened, expanded or fetched. */
static void names_of_uploads_are_text(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	const char *name[] = { "name=/etc/passwd", "name=-", "name=http://127.0.0.1:1/x", "name=*" };
	char id[9];

	(void)state;
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		int fd = open_testdata("go-heap1.pb.gz");
		struct http_response r = post(&t, "/ui/do/open", name[i], fd, "", token, "application/octet-stream");

		close(fd);
		assert_int_equal(r.status, 200);
		copy_id(&r, id);
		http_response_release(&r);
	}
	web_test_end(&t);
}

/* A form with a file, as browsers send it without scripts. Returns the response. */
static struct http_response send_form(struct web_test *t, const char *given, int n_files, const char *const *file)
{
	FILE *f = tmpfile();
	struct http_response r;

	assert_non_null(f);
	fprintf(f, "--XyZ\r\nContent-Disposition: form-data; name=\"token\"\r\n\r\n%s\r\n", given);
	for (int i = 0; i < n_files; i++) {
		int fd = open_testdata(file[i]), c;
		FILE *from = fdopen(fd, "r");

		fprintf(f,
			"--XyZ\r\nContent-Disposition: form-data; name=\"file\"; filename=\"%s\"\r\n"
			"Content-Type: application/gzip\r\n\r\n",
			file[i]);
		while ((c = getc(from)) != EOF)
			putc(c, f);
		fclose(from);
		fputs("\r\n", f);
	}
	fputs("--XyZ--\r\n", f);
	fflush(f);
	r = post(t, "/ui/do/open", "", fileno(f), "", NULL, "multipart/form-data; boundary=XyZ");
	fclose(f);
	return r;
}

static void forms_open_files_without_scripts(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	const char *const file[] = { "go-heap1.pb.gz", "go-mutex.pb.gz" };
	struct http_response r = send_form(&t, token, 2, file);

	(void)state;
	if (r.status != 200)
		fail_msg("status %d: %s", r.status, body(&r));
	assert_non_null(strstr(body(&r), "diff?base="));
	http_response_release(&r);
	expect_page(&t, "/ui/compare", 200, "go-mutex.pb.gz");
	r = send_form(&t, "00112233445566778899aabbccddeef0", 1, file);
	assert_int_equal(r.status, 403);
	http_response_release(&r);
	r = send_form(&t, token, 0, file);
	assert_int_equal(r.status, 400);
	http_response_release(&r);
	web_test_end(&t);
}

static void closed_profiles_are_gone(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	struct http_response r;
	char id[9], text[64];

	(void)state;
	upload(&t, "go-heap1.pb.gz", id);
	snprintf(text, sizeof(text), "id=%s&token=%s", id, token);
	r = post(&t, "/ui/do/close", "", -1, text, NULL, "application/x-www-form-urlencoded");
	assert_int_equal(r.status, 200);
	http_response_release(&r);
	snprintf(text, sizeof(text), "/ui/top?prof=%s", id);
	expect_page(&t, text, 400, "is not open");
	web_test_end(&t);
}

/* The table of a page, without the rest. */
static char *table_of(struct web_test *t, const char *target)
{
	struct http_response r = get(t, target);
	const char *start = strstr(body(&r), "<tbody>"), *end = start ? strstr(start, "</tbody>") : NULL;
	char *out;

	if (!end)
		fail_msg("%s: no table: %s", target, body(&r));
	out = strndup(start, (size_t)(end - start));
	http_response_release(&r);
	return out;
}

/* Remove all attributes "href", whose URLs name other profiles. */
static void drop_links(char *html)
{
	char *to = html;

	for (const char *at = html; *at;) {
		if (strncmp(at, "href=\"", 6) == 0)
			at = strchr(at + 6, '"') + 1;
		else
			*to++ = *at++;
	}
	*to = '\0';
}

static void differences_equal_those_of_the_command_line(void **state)
{
	struct web_test line = web_test_start_empty(), t = web_test_start("go-heap2.pb.gz");
	char base[9], target[100], *expected, *found;

	(void)state;
	web_test_load(&line, "go-heap2.pb.gz", "go-heap1.pb.gz");
	upload(&t, "go-heap1.pb.gz", base);
	snprintf(target, sizeof(target), "/ui/top?base=%s", base);
	expected = table_of(&line, "/ui/top");
	found = table_of(&t, target);
	drop_links(expected);
	drop_links(found);
	assert_string_equal(found, expected);
	free(expected);
	free(found);
	web_test_end(&line);
	web_test_end(&t);
}

static void sums_equal_merged_files(void **state)
{
	struct web_test t = web_test_start("go-heap1.pb.gz");
	char a[9], b[9], target[100], merged[100], *expected, *found;
	struct http_response r;

	(void)state;
	upload(&t, "go-heap1.pb.gz", a);
	upload(&t, "go-heap2.pb.gz", b);
	snprintf(target, sizeof(target), "/ui/top?prof=%s,%s", a, b);
	found = table_of(&t, target);
	snprintf(target, sizeof(target), "token=%s", token);
	r = post(&t, "/ui/do/merge", "", -1, target, NULL, "application/x-www-form-urlencoded");
	assert_int_equal(r.status, 200);
	snprintf(merged, sizeof(merged), "/ui/top%.14s", strchr(body(&r), '?'));
	http_response_release(&r);
	expected = table_of(&t, merged);
	drop_links(expected);
	drop_links(found);
	assert_string_equal(found, expected);
	free(expected);
	free(found);
	web_test_end(&t);
}

static void trends_list_functions_that_grow(void **state)
{
	struct web_test t = web_test_start("go-heap1.pb.gz");
	char id[9];

	(void)state;
	expect_page(&t, "/ui/trend", 400, "at least two profiles");
	upload(&t, "go-cpu.pb.gz", id);
	expect_page(&t, "/ui/trend", 400, "at least two profiles");
	upload(&t, "go-heap2.pb.gz", id);
	expect_page(&t, "/ui/trend", 200, "2 profiles, oldest first");
	expect_page(&t, "/ui/trend", 200, "1 of 3 profiles have no values of inuse_space and are left out: ");
	expect_page(&t, "/ui/trend", 200, "1 of 1</td>");
	expect_page(&t, "/ui/trend", 200, "<polyline points=\"2.0,");
	expect_page(&t, "/ui/trend?all=t&sort=cum", 200, "All functions.");
	web_test_end(&t);
}

static void captures_need_a_server_of_the_command_line(void **state)
{
	struct web_test t = web_test_start("go-cpu.pb.gz");
	const char *const form[] = { "server=0&kind=profile&seconds=1", "server=localhost:1&kind=heap",
				     "server=-1&kind=heap" };

	(void)state;
	for (size_t i = 0; i < sizeof(form) / sizeof(form[0]); i++) {
		struct http_response r;
		char text[200];

		snprintf(text, sizeof(text), "%s&token=%s", form[i], token);
		r = post(&t, "/ui/do/capture", "", -1, text, NULL, "application/x-www-form-urlencoded");
		assert_int_equal(r.status, 400);
		http_response_release(&r);
		r = post(&t, "/ui/do/capture", "", -1, form[i], NULL, "application/x-www-form-urlencoded");
		assert_int_equal(r.status, 403);
		http_response_release(&r);
	}
	expect_page(&t, "/ui/capture", 200, "No server was given");
	expect_page(&t, "/ui/progress?capture=1", 200, "unknown");
	web_test_end(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(uploads_are_opened_and_listed),
		cmocka_unit_test(uploads_need_the_token),
		cmocka_unit_test(actions_by_get_are_refused),
		cmocka_unit_test(corrupt_uploads_are_refused_with_their_name),
		cmocka_unit_test(names_of_uploads_are_text),
		cmocka_unit_test(forms_open_files_without_scripts),
		cmocka_unit_test(closed_profiles_are_gone),
		cmocka_unit_test(differences_equal_those_of_the_command_line),
		cmocka_unit_test(sums_equal_merged_files),
		cmocka_unit_test(trends_list_functions_that_grow),
		cmocka_unit_test(captures_need_a_server_of_the_command_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
