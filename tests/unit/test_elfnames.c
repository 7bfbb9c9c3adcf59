/*
 * test_elfnames.c - function names from the symbol tables of mapped files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/elfnames.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "make_tables.h"

__attribute__((noinline)) static int a_static_function(int n)
{
	return n * 2 + 1;
}

int main(void);

static uint32_t map_of(struct made *m, uint64_t addr)
{
	return maps_find(&m->p->maps, addr);
}

static void finds_the_name_of_a_static_function_in_the_program(void **state)
{
	uint64_t addr = (uint64_t)(uintptr_t)a_static_function;
	struct elfnames *e = elfnames_open();
	struct snap_name name;
	struct made m;

	(void)state;
	made_open(&m);
	maps_add_live(&m.p->maps, getpid());
	assert_int_equal(a_static_function(1), 3);
	assert_true(elfnames_at(e, m.p, addr + 1, map_of(&m, addr), 0, &name));
	assert_string_equal(name.function, "a_static_function");
	assert_int_equal(name.offset, 1);
	assert_true(elfnames_at(e, m.p, (uint64_t)(uintptr_t)main + 1, map_of(&m, addr), 0, &name));
	assert_string_equal(name.function, "main"); /* shorter than the previous name */
	assert_false(elfnames_at(e, m.p, addr + 1, map_of(&m, addr), 1, &name));
	elfnames_close(e);
	made_close(&m);
}

static void finds_the_name_of_a_library_function(void **state)
{
	uint64_t addr = (uint64_t)(uintptr_t)getenv;
	struct elfnames *e = elfnames_open();
	struct snap_name name;
	struct made m;

	(void)state;
	made_open(&m);
	maps_add_live(&m.p->maps, getpid());
	assert_true(elfnames_at(e, m.p, addr, map_of(&m, addr), 0, &name));
	assert_string_equal(name.function, "getenv");
	elfnames_close(e);
	made_close(&m);
}

static void finds_the_names_of_vdso_functions(void **state)
{
	uint64_t addr = getauxval(AT_SYSINFO_EHDR);
	struct elfnames *e = elfnames_open();
	struct snap_name name;
	struct made m;
	bool any = false;

	(void)state;
	if (!addr)
		skip();
	made_open(&m);
	maps_add_live(&m.p->maps, getpid());
	for (uint64_t at = addr; at < addr + 0x2000 && !any; at += 16)
		any = elfnames_at(e, m.p, at, map_of(&m, addr), 0, &name);
	assert_true(any);
	elfnames_close(e);
	made_close(&m);
}

/* Make the process report that a file is mapped at start. */
static void set_mapped(struct process *p, const char *path, uint64_t start, uint64_t n, const uint8_t *id,
		       uint16_t n_id)
{
	_Alignas(8) static uint8_t data[MODULES_MAX];
	struct segment_module h = {
		.n_id = n_id, .n_path = (uint16_t)strlen(path), .start = start, .limit = start + n, .offset = 0
	};

	h.size = (uint32_t)(sizeof(h) + n_id + h.n_path + 7) / 8 * 8;
	memcpy(data, &h, sizeof(h));
	if (n_id)
		memcpy(data + sizeof(h), id, n_id);
	memcpy(data + sizeof(h) + n_id, path, h.n_path);
	maps_add_modules(&p->maps, data, 0, h.size);
}

static void a_file_with_another_build_id_has_no_names(void **state)
{
	static const uint8_t id[20] = { 1, 2, 3 };
	struct elfnames *e = elfnames_open();
	uint64_t start = 0x10000000;
	struct snap_name name;
	struct made m;

	(void)state;
	made_open(&m);
	set_mapped(m.p, "/proc/self/exe", start, 1 << 24, id, sizeof(id));
	for (uint64_t at = 0; at < 1 << 18; at += 64)
		assert_false(elfnames_at(e, m.p, start + at, map_of(&m, start), 0, &name));
	elfnames_close(e);
	made_close(&m);
}

/* The number of addresses of a file that have names. */
static unsigned count_names(const uint8_t *data, size_t n)
{
	char path[] = "/tmp/cpa-elfnames-XXXXXX";
	struct elfnames *e = elfnames_open();
	uint64_t start = 0x10000000;
	struct snap_name name;
	struct made m;
	unsigned found = 0;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, n), n);
	close(fd);
	made_open(&m);
	set_mapped(m.p, path, start, 1 << 24, NULL, 0);
	for (uint64_t at = 0; at < n && at < 1 << 24; at += n / 1024)
		found += elfnames_at(e, m.p, start + at, map_of(&m, start), 0, &name);
	elfnames_close(e);
	made_close(&m);
	unlink(path);
	return found;
}

static void truncated_or_damaged_files_are_safe(void **state)
{
	int fd = open("/proc/self/exe", O_RDONLY);
	struct stat file;
	uint8_t *data, *broken;
	uint32_t seed = 1;
	ssize_t n;

	(void)state;
	assert_int_equal(fstat(fd, &file), 0);
	data = malloc((size_t)file.st_size);
	broken = malloc((size_t)file.st_size);
	n = read(fd, data, (size_t)file.st_size);
	assert_int_equal(n, file.st_size);
	close(fd);
	assert_true(count_names(data, (size_t)n) > 0);
	for (size_t cut = 1024; cut < (size_t)n; cut += (size_t)n / 20)
		count_names(data, cut);
	for (int round = 0; round < 60; round++) {
		memcpy(broken, data, (size_t)n);
		for (int i = 0; i < 40; i++) {
			seed = seed * 1664525 + 1013904223;
			/* file header, program headers, and section headers at the end */
			broken[i % 2 ? seed >> 8 & 1023 : (size_t)n - 1 - (seed >> 8 & 2047)] = (uint8_t)(seed >> 24);
		}
		memcpy(broken, data, 16);
		count_names(broken, (size_t)n);
	}
	free(data);
	free(broken);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_name_of_a_static_function_in_the_program),
		cmocka_unit_test(finds_the_name_of_a_library_function),
		cmocka_unit_test(finds_the_names_of_vdso_functions),
		cmocka_unit_test(a_file_with_another_build_id_has_no_names),
		cmocka_unit_test(truncated_or_damaged_files_are_safe),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
