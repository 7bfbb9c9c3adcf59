/*
 * test_cache.c - cached frames
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/cache.h"

#include "base/buf.h"
#include "base/io.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

static const char id[] = "0123456789abcdef";

static struct frame frames_of_two[] = {
	{ "inner", "/src/a.c", 3, 7, 1 },
	{ "outer", "/src/a.c", 20, 0, 18 },
	{ "other", "", 0, 0, 0 },
};

static const uint64_t addr_of_two[] = { 0x1000, 0x2000, 0x3000 };

static const struct frames two = { .n = 3, .off = (uint32_t[]){ 0, 2, 2, 3 }, .frame = frames_of_two };

struct place {
	char dir[64], sub[80], file[160];
	struct arena *mem;
};

static int make_place(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	snprintf(p->dir, sizeof(p->dir), "/tmp/cpa-cache-XXXXXX");
	assert_non_null(mkdtemp(p->dir));
	snprintf(p->sub, sizeof(p->sub), "%s/a/b", p->dir);
	snprintf(p->file, sizeof(p->file), "%s/%s.frames", p->sub, id);
	p->mem = arena_new();
	*state = p;
	return 0;
}

static int remove_place(void **state)
{
	struct place *p = *state;
	struct buf b = { 0 };
	DIR *d = opendir(p->sub);
	struct dirent *e;

	while (d && (e = readdir(d)))
		unlinkat(dirfd(d), e->d_name, 0);
	if (d)
		closedir(d);
	rmdir(p->sub);
	buf_addf(&b, "%s/a", p->dir);
	rmdir(b.data);
	assert_int_equal(rmdir(p->dir), 0);
	buf_release(&b);
	arena_free(p->mem);
	free(p);
	return 0;
}

static void save(const struct place *p)
{
	cache_save(p->sub, id, &(struct cache){ 0 }, addr_of_two, &two);
}

static void check_frame(const struct cache *c, uint32_t i, const struct frame *want)
{
	assert_string_equal(c->text + c->frame[i].name, want->name);
	assert_string_equal(c->text + c->frame[i].file, want->file);
	assert_int_equal(c->frame[i].line, want->line);
	assert_int_equal(c->frame[i].column, want->column);
	assert_int_equal(c->frame[i].start_line, want->start_line);
}

static void loads_what_was_saved(void **state)
{
	struct place *p = *state;
	struct cache c;

	assert_false(cache_load(p->sub, id, p->mem, &c));
	save(p);
	assert_true(cache_load(p->sub, id, p->mem, &c));
	assert_int_equal(c.n, 3);
	assert_memory_equal(c.addr, addr_of_two, sizeof(addr_of_two));
	assert_memory_equal(c.off, two.off, 4 * sizeof(*two.off));
	for (uint32_t i = 0; i < 3; i++)
		check_frame(&c, i, &two.frame[i]);
}

static void merges_new_addresses_with_cached_ones(void **state)
{
	static const uint64_t addr[] = { 0x0, 0x1800, 0x9000 }, all[] = { 0x0, 0x1000, 0x1800, 0x2000, 0x3000, 0x9000 };
	struct frame f[] = { { "outer", "/src/b.c", 1, 2, 3 }, { "z", "", 9, 9, 9 } };
	struct frames more = { .n = 3, .off = (uint32_t[]){ 0, 0, 1, 2 }, .frame = f };
	struct place *p = *state;
	struct cache c;

	save(p);
	assert_true(cache_load(p->sub, id, p->mem, &c));
	cache_save(p->sub, id, &c, addr, &more);
	assert_true(cache_load(p->sub, id, p->mem, &c));
	assert_int_equal(c.n, 6);
	assert_memory_equal(c.addr, all, sizeof(all));
	assert_int_equal(c.off[6], 5);
	check_frame(&c, 0, &two.frame[0]);
	check_frame(&c, 1, &two.frame[1]);
	check_frame(&c, 2, &f[0]);
	check_frame(&c, 3, &two.frame[2]);
	check_frame(&c, 4, &f[1]);
}

static void only_the_owner_can_read_the_file(void **state)
{
	struct place *p = *state;
	struct stat st;

	save(p);
	assert_int_equal(stat(p->file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(stat(p->sub, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
}

/* A copy of exactly n bytes, so that a sanitizer detects reads past the end. */
static bool parse(const uint8_t *data, size_t n, const char *build_id)
{
	uint8_t *copy = malloc(n ? n : 1);
	struct cache c;
	bool is_sound;

	memcpy(copy, data, n);
	is_sound = cache_parse(copy, n, build_id, &c);
	free(copy);
	return is_sound;
}

static void ignores_a_file_that_is_changed_or_truncated(void **state)
{
	struct place *p = *state;
	struct bytes b;

	save(p);
	assert_int_equal(io_read_file(p->file, 1 << 20, "", &b, NULL), 0);
	assert_true(parse(b.data, b.n, id));
	for (size_t i = 0; i < b.n; i++) {
		assert_false(parse(b.data, i, id));
		for (int bit = 0; bit < 8; bit++) {
			b.data[i] ^= (uint8_t)(1 << bit);
			assert_false(parse(b.data, b.n, id));
			b.data[i] ^= (uint8_t)(1 << bit);
		}
	}
	free(b.data);
}

static void a_changed_file_with_a_valid_checksum_is_read_within_bounds(void **state)
{
	struct place *p = *state;
	struct bytes b;

	save(p);
	assert_int_equal(io_read_file(p->file, 1 << 20, "", &b, NULL), 0);
	for (size_t i = 16; i < b.n; i++) {
		uint8_t was = b.data[i];
		struct cache c;
		uint64_t sum;

		b.data[i] = 0xff;
		sum = cache_sum(b.data, b.n);
		memcpy(b.data + 8, &sum, sizeof(sum));
		if (cache_parse(b.data, b.n, id, &c))
			for (uint32_t k = 0; k < c.off[c.n]; k++)
				assert_true(strlen(c.text + c.frame[k].name) < c.n_text);
		b.data[i] = was;
	}
	free(b.data);
}

static void ignores_a_file_with_another_build_id(void **state)
{
	struct place *p = *state;
	struct bytes b;

	save(p);
	assert_int_equal(io_read_file(p->file, 1 << 20, "", &b, NULL), 0);
	assert_false(parse(b.data, b.n, "0123456789abcdee"));
	free(b.data);
}

static void writes_nothing_for_an_invalid_build_id(void **state)
{
	static const char *const bad[] = { "", "../../etc/passwd", "0123456789ABCDEF/", "0123/56789abcdef" };
	struct place *p = *state;
	struct stat st;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		cache_save(p->sub, bad[i], &(struct cache){ 0 }, addr_of_two, &two);
	assert_int_not_equal(stat(p->sub, &st), 0);
	cache_save("", id, &(struct cache){ 0 }, addr_of_two, &two);
	cache_save("/proc/none", id, &(struct cache){ 0 }, addr_of_two, &two);
}

static void removes_the_least_recently_used_files_of_a_full_folder(void **state)
{
	struct place *p = *state;
	struct stat st;

	save(p); /* this creates the folder */
	for (int i = 0; i < 3; i++) {
		struct timespec when[2] = { { .tv_sec = 1000 + i }, { .tv_sec = 1000 + i } };
		char path[200];
		FILE *f;

		snprintf(path, sizeof(path), "%s/%016d.frames", p->sub, i);
		f = fopen(path, "w");
		assert_non_null(f);
		fclose(f);
		assert_int_equal(truncate(path, 250 << 20), 0); /* sparse */
		assert_int_equal(utimensat(AT_FDCWD, path, when, 0), 0);
	}
	save(p);
	for (int i = 0; i < 3; i++) {
		char path[200];

		snprintf(path, sizeof(path), "%s/%016d.frames", p->sub, i);
		assert_int_equal(stat(path, &st) == 0, i > 0);
	}
	assert_int_equal(stat(p->file, &st), 0);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_place, remove_place)
	const struct CMUnitTest tests[] = {
		TEST(loads_what_was_saved),
		TEST(merges_new_addresses_with_cached_ones),
		TEST(only_the_owner_can_read_the_file),
		TEST(ignores_a_file_that_is_changed_or_truncated),
		TEST(a_changed_file_with_a_valid_checksum_is_read_within_bounds),
		TEST(ignores_a_file_with_another_build_id),
		TEST(writes_nothing_for_an_invalid_build_id),
		TEST(removes_the_least_recently_used_files_of_a_full_folder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
