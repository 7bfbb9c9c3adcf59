/*
 * os_fault.c - faults at changes of files, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/os_fault.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum fault { FAULT_NONE, FAULT_KILL, FAULT_HALF, FAULT_DISCARD, FAULT_FULL, FAULT_FULL_ONCE, FAULT_SYNC };

/* Set once per process from the environment, or by a test before it writes. */
static enum fault fault;
static uint64_t fault_at;
static ino_t fault_file; /* with FAULT_SYNC: the file whose syncs fail */
static atomic_uint_fast64_t n_counted;

static enum fault find_fault(const char *what)
{
	static const char *const name[] = {
		[FAULT_KILL] = "kill", [FAULT_HALF] = "half",       [FAULT_DISCARD] = "discard",
		[FAULT_FULL] = "full", [FAULT_FULL_ONCE] = "full1", [FAULT_SYNC] = "sync",
	};

	for (int i = FAULT_KILL; i <= FAULT_SYNC; i++)
		if (what && strcmp(what, name[i]) == 0)
			return (enum fault)i;
	return what ? FAULT_KILL : FAULT_NONE;
}

void os_set_fault(uint64_t at, const char *what)
{
	fault = find_fault(what);
	fault_at = at;
	fault_file = 0;
	n_counted = 0;
	os_undo_enable(fault == FAULT_DISCARD);
}

static void read_environment(void)
{
	const char *at = getenv("CPA_STORE_DIE_AT"), *what = getenv("CPA_STORE_DIE");

	if (at)
		os_set_fault(strtoull(at, NULL, 10), what ? what : "kill");
}

uint64_t os_changes(void)
{
	return n_counted;
}

_Noreturn void os_die(void)
{
	os_undo_all();
	for (;;)
		raise(SIGKILL);
}

int os_count_change(enum os_need need, int fd)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	uint64_t n;
	struct stat st;

	pthread_once(&once, read_environment);
	n = ++n_counted;
	if (fault == FAULT_NONE || n < fault_at)
		return 0;
	if (fault == FAULT_SYNC && (need & NEEDS_SYNC) && (fd < 0 || fstat(fd, &st) == 0)) {
		if (n == fault_at && fd >= 0)
			fault_file = st.st_ino;
		errno = EIO;
		return n == fault_at || (fd >= 0 && st.st_ino == fault_file) ? -1 : 0;
	}
	if ((fault == FAULT_FULL || (fault == FAULT_FULL_ONCE && n == fault_at)) && (need & NEEDS_SPACE)) {
		errno = ENOSPC;
		return -1;
	}
	if (fault == FAULT_HALF && n == fault_at && need == NEEDS_SPACE)
		return 1;
	if ((fault == FAULT_KILL || fault == FAULT_HALF || fault == FAULT_DISCARD) && n == fault_at)
		os_die();
	return 0;
}

/* ---- undoes changes of files that were not synced, as a power failure does; for tests ---- */

/*
 * Data belong to their file, names to their folder: a sync of a folder makes all names in it durable, of a file its data.
 */

enum undo { UNDO_DATA, UNDO_CREATE, UNDO_MKDIR, UNDO_REMOVE, UNDO_RENAME };

struct os_fault_change {
	enum undo undo;
	dev_t dev;
	ino_t owner; /* the file or folder whose sync makes this durable */
	int fd;      /* of the file, or of the directory that the names are below */
	char *name, *from;
	uint8_t *data; /* former content from offset */
	size_t n;
	uint64_t offset, size; /* size: former size of the file */
};

static bool is_enabled;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of the list */
static struct os_fault_change *change;
static size_t n_changes, cap_changes;

static void change_release(struct os_fault_change *c)
{
	close(c->fd);
	free(c->name);
	free(c->from);
	free(c->data);
}

void os_undo_enable(bool on)
{
	for (size_t i = 0; i < n_changes; i++)
		change_release(&change[i]);
	n_changes = 0;
	is_enabled = on;
}

bool os_undo_is_enabled(void)
{
	return is_enabled;
}

static void os_undo_add(struct os_fault_change *c, int fd, const struct stat *owner)
{
	c->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	c->dev = owner->st_dev;
	c->owner = owner->st_ino;
	pthread_mutex_lock(&lock);
	change = mem_grow(change, &cap_changes, n_changes + 1, sizeof(*change));
	change[n_changes++] = *c;
	pthread_mutex_unlock(&lock);
}

/* Copy [offset, offset + n) of a file as far as it exists. fd may be open for writing only. */
static void os_undo_save(struct os_fault_change *c, int fd, uint64_t offset, uint64_t n)
{
	char path[64];
	int in;
	ssize_t got;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	in = open(path, O_RDONLY | O_CLOEXEC);
	c->data = mem_alloc(n + 1, 1);
	got = in < 0 ? 0 : pread(in, c->data, n, (off_t)offset);
	c->n = got > 0 ? (size_t)got : 0;
	c->offset = offset;
	if (in >= 0)
		close(in);
}

static void os_undo_add_data(int fd, uint64_t offset, uint64_t n)
{
	struct os_fault_change c = { .undo = UNDO_DATA };
	struct stat st;

	if (!is_enabled || fstat(fd, &st) < 0)
		return;
	c.size = (uint64_t)st.st_size;
	os_undo_save(&c, fd, offset, n);
	os_undo_add(&c, fd, &st);
}

void os_undo_write(int fd, size_t n, uint64_t offset)
{
	os_undo_add_data(fd, offset, n);
}

void os_undo_truncate(int fd, uint64_t n)
{
	struct stat st;

	if (is_enabled && fstat(fd, &st) == 0)
		os_undo_add_data(fd, n, (uint64_t)st.st_size > n ? (uint64_t)st.st_size - n : 0);
}

/* Find the folder of a name. */
static bool stat_folder(int dir, const char *name, struct stat *st)
{
	const char *slash = strrchr(name, '/');
	char *folder = slash ? mem_strndup(name, (size_t)(slash - name)) : mem_strndup(".", 1);
	int rc = fstatat(dir, folder, st, 0);

	free(folder);
	return rc == 0;
}

static void os_undo_add_name(enum undo undo, int dir, const char *name, const char *from)
{
	struct os_fault_change c = { .undo = undo };
	struct stat st;

	if (!is_enabled || !stat_folder(dir, name, &st))
		return;
	if (undo == UNDO_REMOVE) {
		struct stat file;
		int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

		if (fd < 0)
			return;
		if (fstat(fd, &file) == 0)
			os_undo_save(&c, fd, 0, (uint64_t)file.st_size);
		close(fd);
	}
	c.name = mem_strndup(name, strlen(name));
	c.from = from ? mem_strndup(from, strlen(from)) : NULL;
	os_undo_add(&c, dir, &st);
}

void os_undo_remove(int dir, const char *name)
{
	os_undo_add_name(UNDO_REMOVE, dir, name, NULL);
}

void os_undo_create(int dir, const char *name, bool is_folder)
{
	os_undo_add_name(is_folder ? UNDO_MKDIR : UNDO_CREATE, dir, name, NULL);
}

void os_undo_rename(int dir, const char *from, const char *to)
{
	os_undo_add_name(UNDO_RENAME, dir, to, from);
}

void os_undo_forget(int fd)
{
	struct stat st;
	size_t kept = 0;

	if (!is_enabled || fstat(fd, &st) < 0)
		return;
	pthread_mutex_lock(&lock);
	for (size_t i = 0; i < n_changes; i++) {
		if (change[i].dev == st.st_dev && change[i].owner == st.st_ino)
			change_release(&change[i]);
		else
			change[kept++] = change[i];
	}
	n_changes = kept;
	pthread_mutex_unlock(&lock);
}

/* The process ends afterwards: errors leave the change as it is. */
static void undo_one(const struct os_fault_change *c)
{
	int fd;

	switch (c->undo) {
	case UNDO_DATA:
		if (pwrite(c->fd, c->data, c->n, (off_t)c->offset) < 0 || ftruncate(c->fd, (off_t)c->size) < 0)
			return;
		break;
	case UNDO_CREATE:
		unlinkat(c->fd, c->name, 0);
		break;
	case UNDO_MKDIR:
		unlinkat(c->fd, c->name, AT_REMOVEDIR);
		break;
	case UNDO_RENAME:
		renameat(c->fd, c->name, c->fd, c->from);
		break;
	case UNDO_REMOVE:
		fd = openat(c->fd, c->name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
		if (fd < 0 || write(fd, c->data, c->n) < 0)
			return;
		close(fd);
		break;
	}
}

void os_undo_all(void)
{
	pthread_mutex_lock(&lock);
	while (is_enabled && n_changes)
		undo_one(&change[--n_changes]);
	pthread_mutex_unlock(&lock);
}
