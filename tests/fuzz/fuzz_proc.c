/*
 * fuzz_proc.c - any text as the files of a process and a thread in /proc
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The kernel is not hostile, but names of threads and paths within these files may be. Stops when a thread has
 * a name that is too long, or when a mapping is empty.
 */
#include "config.h"

#include "fuzz.h"

#include "libcpaprof/collector/read/maps.h"
#include "libcpaprof/collector/read/read_stack.h"
#include "libcpaprof/collector/read/task.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PID_OF_NOBODY = (1 << 22) - 1, LOOKUPS = 64 };

/* A folder like /proc/PID/task with a thread, whose files all contain the input. */
static int folder_of(const uint8_t *data, size_t n)
{
	static const char *const file[] = { "1/stat", "1/schedstat", "1/syscall", "1/status" };
	static char name[256];
	static int folder = -1;

	if (folder < 0) {
		const char *tmp = getenv("TMPDIR");
		snprintf(name, sizeof(name), "%.200s/fuzz-proc-XXXXXX", tmp ? tmp : "/tmp");
		if (!mkdtemp(name) || (folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) < 0 ||
		    mkdirat(folder, "1", 0700) != 0)
			abort();
		for (int i = 1; i < 4; i++)
			if (symlinkat("stat", folder, file[i]) != 0)
				abort();
	}
	{
		int fd = openat(folder, file[0], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

		if (fd < 0 || write(fd, data, n) != (ssize_t)n)
			abort();
		close(fd);
	}
	return folder;
}

static void read_thread(const uint8_t *data, size_t n)
{
	int folder = folder_of(data, n);
	struct task t = { .state = 'S' };
	struct task_signal s;
	enum task_status is;
	char wait[32];

	if (task_read(folder, 1, &t) && strnlen(t.name, sizeof(t.name)) == sizeof(t.name))
		abort();
	is = task_locate(folder, 1, &t);
	task_describe_wait(&t, is, wait, sizeof(wait));
	if (!*wait || strlen(wait) >= sizeof(wait))
		abort();
	task_signal(folder, 1, 27, &s);
}

static void read_maps(int fd)
{
	struct address_space r = { .mem = -1 };
	struct maps m = { 0 };
	struct unwind_object room;
	const struct map *map;

	for (int again = 0; again < 2; again++) {
		lseek(fd, 0, SEEK_SET);
		maps_add_text(&m, PID_OF_NOBODY, fd);
		m.generation++;
		lseek(fd, 0, SEEK_SET);
		space_read_maps_file(&r, PID_OF_NOBODY, fd);
	}
	map = m.map.data;
	for (size_t i = 0; i < m.map.n && i < LOOKUPS; i++) {
		uint32_t found = maps_find(&m, map[i].start);

		if (map[i].start < map[i].limit && !found)
			abort();
		if (found && (map[i].start < map[found - 1].start || map[i].start >= map[found - 1].limit))
			abort();
		space_find(&r, map[i].start, &room);
	}
	space_release(&r);
	maps_release(&m);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	int fd = memfd_create("maps", MFD_CLOEXEC);

	if (fd < 0 || write(fd, data, n) != (ssize_t)n)
		abort();
	read_maps(fd);
	close(fd);
	read_thread(data, n);
	return 0;
}
