/*
 * test_damage.c - flip and truncate every byte of small profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reading a damaged profile must yield a valid profile or an error with a message. Bytes are damaged after
 * decompression, so that the parsers see them, and in a few files also before decompression.
 */
#include "config.h"

#include "formats/formats.h"

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
#include "tests/unit/check_profile.h"

/* In longer inputs only the first bytes are damaged. READS_MAX limits the work per folder. */
enum { HEAD = 600, READS_MAX = 300000 };

/* Under a sanitizer, where reading takes ten times as long, flip only one bit of each byte. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED __has_feature(address_sanitizer)
#else
#define SANITIZED 0
#endif

static const struct format_options small = {
	.max_inflated = 1 << 16,
	.max_ratio = 500,
	.max_count = 1000,
	.max_depth = 1000,
	.max_nesting = 1,
};

/* Name of the input being damaged, for messages. */
struct input {
	const char *name;
	const char *what;
	size_t at;
	unsigned reads, sound;
};

static void read_damaged(struct input *s, const uint8_t *data, size_t n)
{
	struct bytes in = { .data = malloc(n + !n), .n = n };
	struct profile *p = NULL;
	struct err err = { .msg = "" };
	int rc;

	memcpy(in.data, data, n);
	rc = formats_read(&in, &small, &p, &err);
	s->reads++;
	if (rc == 0 && profile_check(p, &err) < 0)
		fail_msg("%s, %s %zu: read, but %s", s->name, s->what, s->at, err.msg);
	if (rc < 0 && (p || !*err.msg || err.code != rc || rc < ERR_RANGE))
		fail_msg("%s, %s %zu: code %d, \"%s\"", s->name, s->what, s->at, rc, err.msg);
	s->sound += rc == 0;
	profile_free(p);
}

static void flip_and_cut(struct input *s, uint8_t *data, size_t n)
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

/* The bytes of a file, as they are or decompressed; n is 0 on failure. */
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
	if (format_inflate(&b, &small, &plain, NULL) < 0)
		return (struct bytes){ 0 };
	return plain;
}

static unsigned damage_file(const char *folder, const char *name, bool unpacked, size_t max)
{
	struct bytes b = load(folder, name, unpacked);
	struct input s = { .name = name };

	if (b.n > max)
		b.n = max;
	if (b.n)
		flip_and_cut(&s, b.data, b.n);
	free(b.data);
	return s.reads;
}

/* Open a folder of test data; skip the test if it does not exist. */
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

static void damaged_edge_cases_are_valid_or_rejected(void **state)
{
	(void)state;
	damage_folder("/edge");
}

static void damaged_bad_inputs_are_valid_or_rejected(void **state)
{
	(void)state;
	damage_folder("/bad");
}

static void damaged_legacy_headers_are_valid_or_rejected(void **state)
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

/* Reading each damaged file starts zlib or zstd from the beginning. */
static void damaged_compression_is_valid_or_rejected(void **state)
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

/* The tests above would also pass if reading always failed. Check that some damaged profiles are still readable. */
static void a_flipped_bit_in_a_name_does_not_stop_reading(void **state)
{
	char folder[4096];
	struct bytes b;
	struct input s = { .name = "columns.pb.gz" };

	(void)state;
	b = load(testdata("/edge", folder), "columns.pb.gz", true);
	flip_and_cut(&s, b.data, b.n);
	free(b.data);
	assert_in_range(s.sound, s.reads / 20, s.reads - s.reads / 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(damaged_edge_cases_are_valid_or_rejected),
		cmocka_unit_test(damaged_bad_inputs_are_valid_or_rejected),
		cmocka_unit_test(damaged_legacy_headers_are_valid_or_rejected),
		cmocka_unit_test(damaged_compression_is_valid_or_rejected),
		cmocka_unit_test(a_flipped_bit_in_a_name_does_not_stop_reading),
	};

	pool_set_size(1); /* these inputs are too small to start threads */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
