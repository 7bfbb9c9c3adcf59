/*
 * fuzz_elfnames.c - any bytes as a mapped file with symbols
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stops when a name is empty or contains '@', or an address is before its function.
 */
#include "config.h"

#include "fuzz.h"

#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/elfnames.h"
#include "libcpaprof/collector/read/elffile.h"

#include <sys/mman.h>
#include <unistd.h>

static void look_up(const struct process *p, uint64_t addr)
{
	struct elfnames *e = elfnames_open();
	struct snap_name name;

	for (uint64_t at = addr; at < addr + (1 << 16); at += at - addr < 4096 ? 8 : 512)
		if (elfnames_at(e, p, at, 1, 0, &name) && (!*name.function || strchr(name.function, '@')))
			abort();
	elfnames_close(e);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct process p = { .pid = getpid() };
	struct map *map = vec_reserve(&p.maps.map, 1, sizeof(*map), 1);
	char path[64], *text;

	if (fd < 0 || !map || write(fd, data, n) != (ssize_t)n)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	text = vec_reserve(&p.maps.texts, sizeof(path), 1, sizeof(path));
	memcpy(text, path, sizeof(path));
	p.maps.map.n = 1;
	*map = (struct map){ .start = 1 << 20, .limit = 1 << 30, .n_path = (uint32_t)strlen(path) };
	look_up(&p, map->start);
	map->offset = n > 8 ? data[8] * 4096ULL : 0;
	look_up(&p, map->start);
	maps_release(&p.maps);
	close(fd);
	return 0;
}
