/*
 * test_collect_targets.c - targets of files and names, the thread that looks them up, and the set of targets
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/io.h"
#include "base/mem.h"
#include "scrape/find_int.h"
#include "scrape/target.h"

#define SECOND INT64_C(1000000000)
#define START (INT64_C(1790000000) * SECOND)

static struct scrape_config *config_of(const char *text)
{
	struct scrape_config *c = NULL;
	struct err err;

	if (scrape_config_parse(text, strlen(text), "c.cpa", NULL, &c, &err) < 0)
		fail_msg("%s", err.msg);
	return c;
}

/* A list as text: "ADDRESS K=V,K=V;ADDRESS;...". */
static void list_is(const struct scrape_list *l, const char *expected)
{
	struct buf all = { 0 };

	for (size_t i = 0; i < l->n; i++) {
		buf_addf(&all, "%s%s", i ? ";" : "", l->found[i].address);
		for (size_t k = 0; k < l->found[i].n_labels; k++)
			buf_addf(&all, "%s%s=%s", k ? "," : " ", l->found[i].label[k].name, l->found[i].label[k].value);
	}
	assert_string_equal(buf_text(&all), expected);
	buf_release(&all);
}

static const struct store_label zone[] = { { "zone", "a" } };
static const struct scrape_found like = { .address = "", .label = zone, .n_labels = 1 };

static void text_is(const char *text, const char *expected)
{
	struct scrape_list l = { 0 };
	struct err err;

	if (scrape_find_in_text(text, strlen(text), "t.list", &like, &l, &err) < 0)
		fail_msg("%s", err.msg);
	list_is(&l, expected);
	scrape_list_release(&l);
}

static void text_fails(const char *text, const char *sentence)
{
	struct scrape_list l = { 0 };
	struct err err = { 0 };

	assert_int_equal(scrape_find_in_text(text, strlen(text), "t.list", &like, &l, &err), ERR_USAGE);
	assert_string_equal(err.msg, sentence);
	scrape_list_release(&l);
}

static void files_have_lines_like_those_after_target(void **state)
{
	(void)state;
	text_is("", "");
	text_is("# nothing\n\n", "");
	text_is("10.0.0.7:6060\nh:1 pod=b zone=c h:2 # two\nunix:/run/a.sock\n[::1]:6060",
		"10.0.0.7:6060 zone=a;h:1 pod=b,zone=c;h:2 zone=a;unix:/run/a.sock zone=a;[::1]:6060 zone=a");
	text_fails("h:1\npod=x", "t.list:2: the label pod=x must follow a target");
	text_fails("h:1 service=x", "t.list:1: label service: the service is the name of the job");
}

static void file_sd_of_prometheus_is_read(void **state)
{
	(void)state;
	text_is("[]", "");
	text_is(" [ {\"targets\": [\"h:1\", \"h:2\"], \"labels\": {\"env\": \"prod\", \"__meta_x\": \"1\", "
		"\"service\": \"s\"}},\n"
		"{\"targets\": [\"h:3\"], \"labels\": {\"__scheme__\": \"https\", \"zone\": \"b\", \"empty\": \"\"}}, "
		"{\"targets\":[]}]",
		"h:1 env=prod,zone=a;h:2 env=prod,zone=a;https://h:3 zone=b");
	text_fails("[{\"targets\": \"h:1\"}]", "t.list: group 1: there is no array \"targets\"");
	text_fails("[{\"targets\": [\"h:1\"]}, {\"targets\": [7]}]", "t.list: group 2: a target is not a text");
	text_fails("[{\"targets\": [], \"labels\": []}]", "t.list: group 1: \"labels\" is not an object");
	text_fails("[{\"targets\": [], \"labels\": {\"a b\": \"c\"}}]",
		   "t.list: group 1: the name of a label is invalid");
	text_fails("[{\"targets\": [], \"labels\": {\"a=b\": \"c\"}}]",
		   "t.list: group 1: the name of a label is invalid");
	text_fails("[{\"targets\": [], \"labels\": {\"a\": 1}}]",
		   "t.list: group 1: the value of a label is not a text");
	text_fails("[{\"targets\": [}]", "t.list:1: unexpected token near '}'");
}

static void names_are_looked_up(void **state)
{
	struct scrape_list l = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(scrape_find_addresses("127.0.0.1:6060", &like, &l, &err), 0);
	assert_int_equal(scrape_find_addresses("https://[::1]:6061", &like, &l, &err), 0);
	list_is(&l, "127.0.0.1:6060 zone=a;https://[::1]:6061 zone=a");
	scrape_list_release(&l);
	assert_int_equal(scrape_find_addresses("localhost:6060", &like, &l, &err), 0);
	assert_true(l.n >= 1); /* both addresses of the machine, once each */
	for (size_t i = 1; i < l.n; i++)
		assert_true(strcmp(l.found[i - 1].address, l.found[i].address) < 0);
	scrape_list_release(&l);
}

/* A response with two SRV records for port 6060 of h2 and h1, the second with a compressed name. */
static const unsigned char srv[] = {
	0,    1,    0x81, 0x80, 0,   1,   0,    2,   0, 0,   0, 0,             /* header */
	2,    '_',  'p',  4,    '_', 't', 'c',  'p', 1, 'x', 0, 0,  33, 0,  1, /* _p._tcp.x SRV IN */
	0xc0, 12,   0,    33,   0,   1,   0,    0,   0, 30,  0, 12, 0,  10, 0,
	5,    0x17, 0xac, 2,    'h', '2', 1,    'x', 0, /* h2.x:6060 */
	0xc0, 12,   0,    33,   0,   1,   0,    0,   0, 30,  0, 11, 0,  10, 0,
	5,    0x17, 0xac, 2,    'h', '1', 0xc0, 20, /* h1.x:6060 */
};

static void srv_records_are_read(void **state)
{
	struct scrape_list l = { 0 };
	struct err err;

	(void)state;
	if (scrape_find_in_srv(srv, sizeof(srv), "", &like, &l, &err) < 0)
		fail_msg("%s", err.msg);
	list_is(&l, "h1.x:6060 zone=a;h2.x:6060 zone=a");
	scrape_list_release(&l);
	/* cut anywhere, the response is refused */
	for (size_t n = 0; n < sizeof(srv); n++) {
		assert_int_equal(scrape_find_in_srv(srv, n, "", &like, &l, &err), ERR_FORMAT);
		scrape_list_release(&l);
	}
	/* with any byte changed, nothing is read out of bounds */
	for (size_t i = 0; i < sizeof(srv); i++) {
		unsigned char *copy = mem_alloc(sizeof(srv), 1);

		memcpy(copy, srv, sizeof(srv));
		copy[i] ^= 0xff;
		scrape_find_in_srv(copy, sizeof(srv), "", &like, &l, &err);
		scrape_list_release(&l);
		free(copy);
	}
}

/* --- the set --- */

static int n_removed;

static void remove_target(void *arg, struct scrape_target *t)
{
	(void)arg;
	n_removed++;
	scrape_target_free(t);
}

static void set_to(struct scrape_targets *t, const char *text, bool at_once, const char *notes)
{
	struct scrape_config *c = config_of(text);
	struct scrape_list l = { 0 };
	struct buf all = { 0 };

	assert_int_equal(scrape_find(c, &l, &all), 0);
	scrape_targets_update(t, c, &l, START, at_once, remove_target, NULL, &all);
	assert_string_equal(buf_text(&all), notes);
	buf_release(&all);
	scrape_list_release(&l);
	scrape_config_unref(c); /* targets do not borrow from it */
}

static void labels_are(const struct scrape_target *t, const char *expected)
{
	struct buf all = { 0 };

	for (size_t i = 0; i < t->labels->n; i++)
		buf_addf(&all, "%s%s=%s", i ? "," : "", t->labels->label[i].name, t->labels->label[i].value);
	assert_string_equal(buf_text(&all), expected);
	buf_release(&all);
}

static void a_target_of_each_form(void **state)
{
	struct scrape_targets t = { 0 };

	(void)state;
	set_to(&t,
	       "label env=prod zone=x\njob shop\nfolder /p\ntarget http://me:pw@h:1 h:2/debug/pprof/heap zone=y "
	       "unix:/run/a.sock instance=a\njob pay\ntarget :1\n",
	       false, "");
	assert_int_equal(t.n, 4);
	assert_string_equal(t.target[0]->key, "pay http://localhost:1/debug/pprof");
	labels_are(t.target[0], "env=prod,instance=localhost:1,zone=x");
	assert_string_equal(t.target[1]->key, "shop http://h:1/p");
	assert_string_equal(t.target[1]->folder.password, "pw");
	assert_string_equal(t.target[2]->key, "shop http://h:2/debug/pprof");
	labels_are(t.target[2], "env=prod,instance=h:2,zone=y");
	assert_string_equal(t.target[3]->key, "shop unix:/run/a.sock:/p");
	labels_are(t.target[3], "env=prod,instance=a,zone=x");
	scrape_targets_release(&t);
}

static void targets_in_both_lists_keep_their_schedule(void **state)
{
	struct scrape_targets t = { 0 };
	struct scrape_target *kept;
	struct scrape_labels *labels;
	int mine = 0;
	size_t kind;

	(void)state;
	n_removed = 0;
	set_to(&t, "job shop\ntarget a:1 b:1 c:1\n", true, "");
	kept = t.target[1];
	kept->owner_data = &mine;
	labels = scrape_labels_ref(kept->labels);
	assert_int_equal(scrape_schedule_next(&kept->schedule, START, &kind), START);
	scrape_schedule_begin(&kept->schedule, kind, START);
	set_to(&t, "label env=dev\njob shop\nkinds heap cpu\ntarget b:1 d:1\n", false, "");
	assert_int_equal(n_removed, 2);
	assert_int_equal(t.n, 2);
	assert_ptr_equal(t.target[0], kept);
	assert_ptr_equal(kept->owner_data, &mine);
	assert_true(kept->schedule.is_running);
	assert_int_equal(kept->schedule.running, 0); /* cpu, still the first */
	labels_are(kept, "env=dev,instance=b:1");
	/* a request that has begun keeps the labels of its start */
	assert_int_equal(labels->n, 1);
	scrape_labels_unref(labels);
	set_to(&t, "", false, "");
	assert_int_equal(n_removed, 4);
	assert_int_equal(t.n, 0);
	scrape_targets_release(&t);
}

static void duplicates_are_left_out_with_a_note(void **state)
{
	struct scrape_targets t = { 0 };

	(void)state;
	set_to(&t, "job a\ntarget h:1 x=1 http://h:1/debug/pprof/ x=2\njob b\ntarget h:1\n", false,
	       "target a http://h:1/debug/pprof is listed twice; the first one is used\n");
	assert_int_equal(t.n, 2);
	scrape_targets_release(&t);
}

static void shards_divide_the_targets(void **state)
{
	struct buf text = { 0 }, targets = { 0 };
	size_t n = 0;

	(void)state;
	for (int i = 0; i < 1000; i++)
		buf_addf(&targets, " h%d:1", i);
	for (int shard = 1; shard <= 3; shard++) {
		struct scrape_targets t = { 0 };

		text.len = 0;
		buf_addf(&text, "shard %d/3\njob a\ntarget%s\n", shard, buf_text(&targets));
		set_to(&t, buf_text(&text), false, "");
		assert_in_range(t.n, 270, 400);
		n += t.n;
		scrape_targets_release(&t);
	}
	assert_int_equal(n, 1000);
	buf_release(&text);
	buf_release(&targets);
}

static void the_plan_names_targets_times_and_bytes(void **state)
{
	struct scrape_config *c =
		config_of("kinds cpu heap\njob shop\ntarget h:1 env=dev\njob pay\nevery 1h\nkinds heap\n");
	struct scrape_list l = { 0 };
	struct scrape_targets t = { 0 };
	struct buf notes = { 0 }, out = { 0 };

	(void)state;
	setenv("TZ", "UTC", 1);
	scrape_find(c, &l, &notes);
	scrape_targets_update(&t, c, &l, START, true, remove_target, NULL, &notes);
	scrape_targets_add_plan(&t, c, START, &out);
	/* 6 captures and 6 heaps an hour; 144 × (300 + 1000) B a day */
	assert_string_equal(buf_text(&out),
			    "shop: cpu 30s every 10m, heap every 10m\n"
			    "  http://h:1/debug/pprof                   first 14:13:20  env=dev instance=h:1\n"
			    "pay: heap every 1h\n"
			    "  no targets\n"
			    "1 target, 12 requests per hour, about 183 KiB per day in the store\n");
	buf_release(&out);
	buf_release(&notes);
	scrape_list_release(&l);
	scrape_targets_release(&t);
	scrape_config_unref(c);
}

/* --- the thread --- */

static char folder[] = "/tmp/cpa-targets-XXXXXX";

static void write_list(const char *text)
{
	char path[64];
	struct err err;

	snprintf(path, sizeof(path), "%s/list", folder);
	if (io_write_file(path, text, strlen(text), &err) < 0)
		fail_msg("%s", err.msg);
}

/* Wait for a new list; it may take a few seconds, but not minutes. */
static void next_list(struct scrape_finder *f, int fd, const char *expected, const char *notes)
{
	struct scrape_list l = { 0 };
	struct scrape_config *c = NULL;
	struct buf all = { 0 };
	struct pollfd p = { fd, POLLIN, 0 };
	uint64_t n;

	assert_int_equal(poll(&p, 1, 120000), 1);
	assert_int_equal(read(fd, &n, sizeof(n)), sizeof(n));
	assert_true(scrape_finder_take(f, &l, &c, &all));
	assert_false(scrape_finder_take(f, &l, &c, &all));
	list_is(&l, expected);
	assert_string_equal(buf_text(&all), notes);
	buf_release(&all);
	scrape_list_release(&l);
	scrape_config_unref(c);
}

static void the_thread_reads_files_again_when_they_change(void **state)
{
	int fd = eventfd(0, EFD_CLOEXEC);
	struct scrape_config *c;
	struct scrape_finder *f;
	char text[200];

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(text, sizeof(text), "job a\ntarget x:1\ntargets file=%s/list\n", folder);
	c = config_of(text);
	write_list("h:1");
	f = scrape_finder_new(c, fd);
	next_list(f, fd, "x:1;h:1", "");
	write_list("h:1 h:2");
	next_list(f, fd, "x:1;h:1;h:2", "");
	/* a file with an error leaves the targets as they were */
	write_list("h:1 h:2 h:3 x=");
	snprintf(text, sizeof(text), "%s/list:1: label x has no value\n", folder);
	next_list(f, fd, "x:1;h:1;h:2", text);
	write_list("h:3");
	next_list(f, fd, "x:1;h:3", "");
	scrape_config_unref(c);
	c = config_of("job b\ntarget y:1\n");
	scrape_finder_reload(f, c);
	next_list(f, fd, "y:1", "");
	scrape_config_unref(c);
	scrape_finder_free(f);
	close(fd);
	snprintf(text, sizeof(text), "%s/list", folder);
	unlink(text);
	rmdir(folder);
}

static void a_missing_file_is_a_note(void **state)
{
	struct scrape_config *c = config_of("job a\ntargets file=/nonexistent/list\ntarget h:1\n");
	struct scrape_list l = { 0 };
	struct buf notes = { 0 };

	(void)state;
	assert_int_equal(scrape_find(c, &l, &notes), 1);
	list_is(&l, "h:1");
	assert_string_equal(buf_text(&notes), "/nonexistent/list: No such file or directory\n");
	buf_release(&notes);
	scrape_list_release(&l);
	scrape_config_unref(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_have_lines_like_those_after_target),
		cmocka_unit_test(file_sd_of_prometheus_is_read),
		cmocka_unit_test(names_are_looked_up),
		cmocka_unit_test(srv_records_are_read),
		cmocka_unit_test(a_target_of_each_form),
		cmocka_unit_test(targets_in_both_lists_keep_their_schedule),
		cmocka_unit_test(duplicates_are_left_out_with_a_note),
		cmocka_unit_test(shards_divide_the_targets),
		cmocka_unit_test(the_plan_names_targets_times_and_bytes),
		cmocka_unit_test(the_thread_reads_files_again_when_they_change),
		cmocka_unit_test(a_missing_file_is_a_note),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
