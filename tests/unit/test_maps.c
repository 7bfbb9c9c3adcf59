/*
 * test_maps.c - mappings of a process, and limits of the data that a program reports
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "make_tables.h"

enum { PID_OF_NOBODY = (1 << 22) - 1, MANY = 60000 };

/* A file in the format of /proc/PID/maps. */
static int text_of(const char *text)
{
	int fd = memfd_create("maps", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	lseek(fd, 0, SEEK_SET);
	return fd;
}

static void add_text(struct maps *m, const char *text)
{
	int fd = text_of(text);

	maps_add_text(m, PID_OF_NOBODY, fd);
	close(fd);
}

static uint64_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}

static void an_address_belongs_to_the_newest_mapping(void **state)
{
	enum { PAGES = 200, TIMES = 2000 };
	struct maps m = { 0 };
	uint32_t of[PAGES] = { 0 };
	uint64_t random = 1;

	(void)state;
	for (int i = 0; i < TIMES; i++) {
		uint64_t lo = next(&random) % PAGES, hi = lo + 1 + next(&random) % (PAGES - lo), n = m.map.n;
		char line[128];

		snprintf(line, sizeof(line), "%lx000-%lx000 r-xp %x000 08:01 5 /lib/%d.so\n", lo + 1, hi + 1, i, i);
		add_text(&m, line);
		assert_int_equal(m.map.n, n + 1);
		for (uint64_t k = lo; k < hi; k++)
			of[k] = (uint32_t)m.map.n;
		for (uint64_t k = 0; k < PAGES; k++)
			assert_int_equal(maps_find(&m, (k + 1) << 12), of[k]);
	}
	maps_release(&m);
}

static void lookup_is_fast_with_tens_of_thousands_of_mappings(void **state)
{
	struct maps m = { 0 };
	char *text = malloc(MANY * 64UL), *at = text;
	int fd;

	(void)state;
	for (int i = 0; i < MANY; i++)
		at += sprintf(at, "%x000-%x000 r-xp 00000000 00:00 0 \n", 2 * i + 16, 2 * i + 17);
	fd = text_of(text);
	for (int i = 0; i < 3; i++) {
		lseek(fd, 0, SEEK_SET);
		maps_add_text(&m, PID_OF_NOBODY, fd);
	}
	close(fd);
	free(text);
	assert_int_equal(m.map.n, MANY);
	assert_int_equal(maps_find(&m, (2ULL * 777 + 16) << 12), 778);
	assert_int_equal(maps_find(&m, (2ULL * 777 + 17) << 12), 0);
	maps_release(&m);
}

static void our_segment_is_not_identified_by_the_path_of_a_mapping(void **state)
{
	char folder[] = "/tmp/test-maps-XXXXXX", name[96];
	struct stat file;
	struct made m;
	void *p;
	int fd;

	(void)state;
	made_open(&m);
	assert_non_null(mkdtemp(folder));
	snprintf(name, sizeof(name), "%s/x 00:99 123456 y", folder);
	fd = open(name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(ftruncate(fd, 4096), 0);
	assert_int_equal(fstat(fd, &file), 0);
	p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
	close(fd);
	assert_int_equal(maps_has_file(getpid(), file.st_dev, file.st_ino), MAPS_YES);
	assert_int_equal(maps_has_file(getpid(), 0x99, 123456), MAPS_NO);
	munmap(p, 4096);
	unlink(name);
	rmdir(folder);
	made_close(&m);
}

static void stacks_of_all_processes_share_one_memory_limit(void **state)
{
	uint64_t left = 4 << 20, pc[4], before = left;
	struct stack_table a = { .n_bytes_remaining = &left }, b = { .n_bytes_remaining = &left };

	(void)state;
	for (uint64_t i = 0; i < 200000; i++) {
		for (int k = 0; k < 4; k++)
			pc[k] = i * 4 + (uint64_t)k;
		table_add(i % 2 ? &a : &b, pc, 4, 0, 1);
	}
	assert_true(left < before);
	assert_true(((struct table_stack *)a.stack.data)[PSEUDO_FULL].weight > 0);
	assert_true(a.frames.cap * 4 + b.frames.cap * 4 + a.loc.cap * 16 + b.loc.cap * 16 <= before);
	assert_int_equal(a.weight + b.weight, 200000);
	table_release(&a);
	table_release(&b);
	assert_int_equal(left, before);
}

static void weights_of_a_hostile_program_do_not_overflow(void **state)
{
	const uint64_t pc[] = { 1, 2, 3 };
	struct snap *s;
	struct made m;
	int64_t sum = 0;

	(void)state;
	made_open(&m);
	for (uint32_t i = 1; i <= 3; i++)
		table_add(&m.p->table, pc, i, 0, UINT64_MAX / 2);
	s = made_snap(&m, SNAP_CPU, 0);
	for (size_t i = 0; i < s->row.n; i++)
		assert_false(__builtin_add_overflow(sum, ((struct snap_row *)s->row.data)[i].value[1], &sum));
	assert_true(sum > INT64_MAX / 2);
	snap_free(s);
	made_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_address_belongs_to_the_newest_mapping),
		cmocka_unit_test(lookup_is_fast_with_tens_of_thousands_of_mappings),
		cmocka_unit_test(our_segment_is_not_identified_by_the_path_of_a_mapping),
		cmocka_unit_test(stacks_of_all_processes_share_one_memory_limit),
		cmocka_unit_test(weights_of_a_hostile_program_do_not_overflow),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
