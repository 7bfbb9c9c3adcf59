/*
 * test_damage.c - every byte of small profiles flipped and cut
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whatever is done to a profile, reading it ends in a sound profile or in an error with a sentence.
 * The bytes are damaged behind their compression, where the parsers see them, and of a few files
 * before it too.
 */
#include "config.h"

#include "reader/reader_int.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/pool.h"
#include "profile/check.h"

/* Of longer inputs only the head is looked at; READS_MAX caps the work on one folder. */
enum { HEAD = 600, READS_MAX = 300000 };

/* Under a sanitizer, where a read takes ten times as long, one bit of each byte has to do. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED 0
#endif

static const struct reader_limits small = {
	.max_inflated = 1 << 16,
	.max_ratio = 500,
	.max_count = 1000,
	.max_depth = 1000,
	.max_nesting = 1,
};

/* What is being damaged, for the sentence of a failure. */
struct subject {
	const char *name;
	const char *what;
	size_t at;
	unsigned reads, sound;
};

static void read_damaged(struct subject *s, const uint8_t *data, size_t n)
{
	struct bytes in = { malloc(n + !n), n };
	struct profile *p = NULL;
	struct err err = { .msg = "" };
	int rc;

	memcpy(in.data, data, n);
	rc = reader_read(&in, &small, &p, &err);
	s->reads++;
	if (rc == 0 && profile_check(p, &err) < 0)
		fail_msg("%s, %s %zu: read, but %s", s->name, s->what, s->at, err.msg);
	if (rc < 0 && (p || !*err.msg || err.code != rc || rc < ERR_RANGE))
		fail_msg("%s, %s %zu: code %d, \"%s\"", s->name, s->what, s->at, rc, err.msg);
	s->sound += rc == 0;
	profile_free(p);
}

static void flip_and_cut(struct subject *s, uint8_t *data, size_t n)
{
	size_t head = n < HEAD ? n : HEAD;

	for (s->at = 0; s->at < head; s->at++) {
		uint8_t old = data[s->at];

		s->what = "cut at byte";
		read_damaged(s, data, s->at);
		s->what = "all bits of byte";
		data[s->at] = old ^ 0xff;
		read_damaged(s, data, n);
		for (unsigned bit = SANITIZED ? s->at % 8 : 0; bit < 8; bit += SANITIZED ? 8 : 1) {
			s->what = "a bit of byte";
			data[s->at] = (uint8_t)(old ^ 1 << bit);
			read_damaged(s, data, n);
		}
		data[s->at] = old;
	}
}

/* The bytes of a file, as they are or unpacked; n is 0 when that fails. */
static struct bytes load(const char *folder, const char *name, bool unpacked)
{
	struct bytes b = { 0 }, plain = { 0 };
	char path[8192];
	struct err err;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (io_read_file(path, SIZE_MAX, "", &b, &err) < 0)
		fail_msg("%s: %s", path, err.msg);
	if (!unpacked)
		return b;
	if (reader_inflate(&b, &small, &plain, NULL) < 0)
		return (struct bytes){ 0 };
	return plain;
}

static unsigned damage_file(const char *folder, const char *name, bool unpacked, size_t max)
{
	struct bytes b = load(folder, name, unpacked);
	struct subject s = { .name = name };

	if (b.n > max)
		b.n = max;
	if (b.n)
		flip_and_cut(&s, b.data, b.n);
	free(b.data);
	return s.reads;
}

/* Folder of test data; skips the test when there is none. */
static const char *testdata(const char *sub, char path[4096])
{
	const char *folder = getenv("TESTDATA");

	if (!folder)
		skip();
	snprintf(path, 4096, "%s%s", folder, sub);
	return path;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void damage_folder(const char *sub)
{
	char folder[4096];
	struct dirent **entry;
	unsigned reads = 0;
	int n = scandir(testdata(sub, folder), &entry, NULL, by_name);

	assert_true(n > 10);
	for (int i = 0; i < n; i++) {
		if (entry[i]->d_name[0] != '.' && reads < READS_MAX)
			reads += damage_file(folder, entry[i]->d_name, true, 2048);
		free(entry[i]);
	}
	free(entry);
	assert_in_range(reads, 1000, READS_MAX + 10 * HEAD);
}

static void damaged_edge_cases_are_sound_or_refused(void **state)
{
	(void)state;
	damage_folder("/edge");
}

static void damaged_bad_inputs_are_sound_or_refused(void **state)
{
	(void)state;
	damage_folder("/bad");
}

static void damaged_heads_of_legacy_profiles_are_sound_or_refused(void **state)
{
	static const char *const files[] = { "cpp.cpu",
					     "cpp-32be.cpu",
					     "cpp-32le.cpu",
					     "cpp-64be.cpu",
					     "java.cpu",
					     "cpp.heap",
					     "cpp.heap_v2",
					     "cpp.growth",
					     "go-heap.txt",
					     "go-block.txt",
					     "go-goroutine.txt",
					     "go-mutex.txt",
					     "go-threadcreate.txt",
					     "cpp.contention",
					     "cpp.contentionz",
					     "cpp.threadz",
					     "java.contention",
					     "java.heap" };
	char folder[4096];

	(void)state;
	testdata("", folder);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		assert_true(damage_file(folder, files[i], true, HEAD) > 0);
}

/* Each of these goes through zlib or zstd from its start. */
static void damaged_compression_is_sound_or_refused(void **state)
{
	static const char *const files[] = { "edge/columns.pb.gz", "edge/gzip-members.pb.gz", "edge/zstd.pb.zst",
					     "bad/gzip-nested.pb.gz", "bad/gzip-trailing-junk.pb.gz" };
	char folder[4096];
	unsigned reads = 0;

	(void)state;
	testdata("", folder);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		reads += damage_file(folder, files[i], false, HEAD);
	assert_true(reads > 0);
}

/* A test that reads nothing would pass: some damage must be small enough to stay readable. */
static void a_flipped_bit_of_a_name_does_not_stop_reading(void **state)
{
	char folder[4096];
	struct bytes b;
	struct subject s = { .name = "columns.pb.gz" };

	(void)state;
	b = load(testdata("/edge", folder), "columns.pb.gz", true);
	flip_and_cut(&s, b.data, b.n);
	free(b.data);
	assert_in_range(s.sound, s.reads / 20, s.reads - s.reads / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_edge_cases_are_sound_or_refused),
		cmocka_unit_test(damaged_bad_inputs_are_sound_or_refused),
		cmocka_unit_test(damaged_heads_of_legacy_profiles_are_sound_or_refused),
		cmocka_unit_test(damaged_compression_is_sound_or_refused),
		cmocka_unit_test(a_flipped_bit_of_a_name_does_not_stop_reading),
	};

	pool_set_size(1); /* these inputs are not worth a thread */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
