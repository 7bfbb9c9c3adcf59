/*
 * missing.c - builds without faults of files: every change is made
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/os_fault.h"

#include <stdlib.h>

#pragma GCC diagnostic ignored "-Wunused-parameter"

int os_count_change(enum os_need need, int fd)
{
	return 0;
}

_Noreturn void os_die(void)
{
	abort();
}

bool os_undo_is_enabled(void)
{
	return false;
}

void os_undo_write(int fd, size_t n, uint64_t offset)
{
}

void os_undo_truncate(int fd, uint64_t n)
{
}

void os_undo_remove(int dir, const char *name)
{
}

void os_undo_create(int dir, const char *name, bool is_folder)
{
}

void os_undo_rename(int dir, const char *from, const char *to)
{
}

void os_undo_forget(int fd)
{
}
