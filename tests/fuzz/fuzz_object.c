/*
 * fuzz_object.c - any bytes are an ELF file, or rejected with a message
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fuzz.h"

#include "symbol/object.h"

#include <sys/mman.h>
#include <unistd.h>

/* Check that each symbol is found at its own address, in order. */
static void look_up(struct object *o)
{
	const struct object_symbol *s;
	size_t n = object_symbols(o, &s), length = 0;
	struct object_symbol found;

	for (size_t i = 0; i < n; i++) {
		length += strlen(s[i].name) + strlen(s[i].file);
		if (i && s[i].addr < s[i - 1].addr)
			abort();
		if (s[i].is_covering && !object_symbol_covering(o, s[i].addr, &found) && s[i].size == 0)
			abort();
	}
	if (length > (size_t)1 << 40)
		abort();
}

static void compute_bases(struct object *o)
{
	static const struct object_map map[] = {
		{ 0x400000, 0x500000, 0, "" },
		{ 0x7f0000001000, 0x7f0000003000, 0x1000, "" },
		{ 0xffffffff81000198, 0xffffffff82000000, 0, "_text" },
		{ 0, UINT64_MAX, 0, "" },
	};
	uint64_t base;
	struct err err;

	for (size_t i = 0; i < sizeof(map) / sizeof(map[0]); i++) {
		if (object_base(o, &map[i], map[i].start + 0x10, &base, &err) < 0 && err.msg[0] == '\0')
			abort();
		object_check_map(o, &map[i], &err);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct symbol_options w = { .debug_dir = "", .kallsyms = "", .symfs = "", .binary_path = "", .cache = "" };
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct object *o = NULL;
	struct err err = { 0 };
	char path[64];
	const char *debug;

	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (object_open(path, &o, &err) < 0) {
		if (o || err.msg[0] == '\0')
			abort();
	} else {
		if (strspn(object_build_id(o), "0123456789abcdef") != strlen(object_build_id(o)))
			abort();
		compute_bases(o);
		look_up(o);
		object_debug(o, &w, NULL, &debug);
		object_debug_alt(o, &w, NULL);
		look_up(o);
	}
	object_close(o);
	close(fd);
	return 0;
}
