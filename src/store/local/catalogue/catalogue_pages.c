/*
 * catalogue_pages.c - checksums of the pages of index.db, and the changes that SQLite makes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * SQLite does not notice a changed byte within a value. So each page ends with the XXH3 of its content and number, in 8 bytes
 * that SQLite leaves free (SQLITE_FCNTL_RESERVE_BYTES): a VFS that is the default one, except that reads check the
 * sum and writes compute it. Pages in the WAL have checksums of SQLite. All changes of files are counted (store/os.h), so that
 * tests can end the process at each of them.
 */
#include "config.h"

#include "store/local/catalogue/catalogue_int.h"

#include "store/local/os.h"
#include "store/local/os_fault.h"

#define XXH_INLINE_ALL
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

enum { OPEN_FILES = 32 };

static sqlite3_vfs vfs;                     /* the default VFS with another name, xOpen and xDelete */
static sqlite3_vfs *real;                   /* the default VFS */
static sqlite3_io_methods checked, counted; /* of databases, and of their logs, with other reads and writes */
static const sqlite3_io_methods *database_methods, *log_methods; /* of the default VFS */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Descriptors of the open files, for undoing their changes in tests; empty otherwise. They are never closed, which would release
   SQLite's locks. Guarded by lock. */
static struct {
	const sqlite3_file *file;
	int fd, folder; /* folder: of a log that was created; -1 after its first sync, which syncs the folder too */
} opened[OPEN_FILES];

static const sqlite3_io_methods *methods_of(const sqlite3_file *f)
{
	return f->pMethods == &checked ? database_methods : log_methods;
}

/* --- changes --- */

static void remember_file(const sqlite3_file *f, const char *name, bool is_new_log)
{
	char folder[PATH_MAX];

	if (!os_undo_is_enabled() || !name)
		return;
	snprintf(folder, sizeof(folder), "%.*s", (int)(strrchr(name, '/') - name), name);
	for (int i = 0; i < OPEN_FILES; i++) {
		if (opened[i].file && opened[i].file != f)
			continue;
		opened[i].file = f;
		opened[i].fd = open(name, O_RDWR | O_CLOEXEC);
		opened[i].folder = is_new_log ? open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
		return;
	}
}

/* The descriptor of an open file; -1 unless changes are undone. */
static int opened_find(const sqlite3_file *f, bool is_synced)
{
	int fd = -1;

	if (!os_undo_is_enabled())
		return -1;
	pthread_mutex_lock(&lock);
	for (int i = 0; i < OPEN_FILES; i++) {
		if (opened[i].file != f)
			continue;
		fd = opened[i].fd;
		if (is_synced && opened[i].folder >= 0) {
			os_undo_forget(opened[i].folder);
			opened[i].folder = -1;
		}
	}
	pthread_mutex_unlock(&lock);
	return fd;
}

static int count_write(sqlite3_file *f, const void *data, int n, sqlite3_int64 offset)
{
	int rc = os_begin_write(opened_find(f, false), (size_t)n, (uint64_t)offset);

	if (rc < 0)
		return errno == ENOSPC ? SQLITE_FULL : SQLITE_IOERR_WRITE;
	if (rc > 0) {
		methods_of(f)->xWrite(f, data, n / 2, offset);
		os_die();
	}
	return methods_of(f)->xWrite(f, data, n, offset);
}

static int count_sync(sqlite3_file *f, int flags)
{
	int rc = os_begin_sync(opened_find(f, false)) < 0 ? SQLITE_IOERR_FSYNC : methods_of(f)->xSync(f, flags);

	if (rc == SQLITE_OK && os_undo_is_enabled())
		os_undo_forget(opened_find(f, true));
	return rc;
}

static int count_truncate(sqlite3_file *f, sqlite3_int64 n)
{
	return os_begin_truncate(opened_find(f, false), (uint64_t)n) < 0 ? SQLITE_IOERR_TRUNCATE
									 : methods_of(f)->xTruncate(f, n);
}

static int count_delete(sqlite3_vfs *v, const char *name, int sync_folder)
{
	return os_begin_unlink(name) < 0 ? SQLITE_IOERR_DELETE : real->xDelete(v, name, sync_folder);
}

/* --- pages --- */

static uint64_t catalogue_pages_sum_of(const uint8_t *page, sqlite3_int64 offset)
{
	return XXH3_64bits_withSeed(page, CATALOGUE_PAGE - CATALOGUE_PAGE_SUM, (uint64_t)offset);
}

static int read_page(sqlite3_file *f, void *data, int n, sqlite3_int64 offset)
{
	int rc = database_methods->xRead(f, data, n, offset);
	uint64_t sum;

	if (n < 512) /* a part of the header of the file; the page is read whole before it is used */
		return rc;
	if (rc == SQLITE_IOERR_SHORT_READ) {
		sqlite3_int64 size;

		return database_methods->xFileSize(f, &size) == SQLITE_OK && size > offset ? SQLITE_IOERR_DATA : rc;
	}
	if (rc != SQLITE_OK)
		return rc;
	if (n != CATALOGUE_PAGE)
		return SQLITE_IOERR_DATA;
	memcpy(&sum, (uint8_t *)data + CATALOGUE_PAGE - CATALOGUE_PAGE_SUM, sizeof(sum));
	return sum == catalogue_pages_sum_of(data, offset) ? SQLITE_OK : SQLITE_IOERR_DATA;
}

static int write_page(sqlite3_file *f, const void *data, int n, sqlite3_int64 offset)
{
	uint8_t page[CATALOGUE_PAGE];
	uint64_t sum;

	if (n != CATALOGUE_PAGE)
		return SQLITE_IOERR_WRITE;
	memcpy(page, data, sizeof(page));
	sum = catalogue_pages_sum_of(page, offset);
	memcpy(page + CATALOGUE_PAGE - CATALOGUE_PAGE_SUM, &sum, sizeof(sum));
	return count_write(f, page, n, offset);
}

/* --- the VFS --- */

/* Methods of the default VFS, without memory mapping, which would bypass them. */
static sqlite3_io_methods count_changes(const sqlite3_io_methods *m)
{
	sqlite3_io_methods own = *m;

	own.iVersion = m->iVersion < 2 ? m->iVersion : 2;
	own.xWrite = count_write;
	own.xSync = count_sync;
	own.xTruncate = count_truncate;
	return own;
}

/* Replace the methods of a file. Returns false if they are not those of the first file of its kind. */
static bool set_methods(sqlite3_file *f, bool is_log)
{
	const sqlite3_io_methods **first = is_log ? &log_methods : &database_methods;
	sqlite3_io_methods *own = is_log ? &counted : &checked;

	if (!*first) {
		*first = f->pMethods;
		*own = count_changes(f->pMethods);
		if (!is_log) {
			own->xRead = read_page;
			own->xWrite = write_page;
		}
	}
	if (f->pMethods != *first)
		return false; /* another kind of file system */
	f->pMethods = own;
	return true;
}

static int catalogue_pages_open_file(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out_flags)
{
	const int logs = SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_WAL;
	bool is_new = os_undo_is_enabled() && name && access(name, F_OK) < 0;
	int rc = real->xOpen(v, name, f, flags, out_flags);

	if (rc != SQLITE_OK || !(flags & (SQLITE_OPEN_MAIN_DB | logs)))
		return rc;
	if (is_new)
		os_undo_create(AT_FDCWD, name, false);
	pthread_mutex_lock(&lock);
	remember_file(f, name, is_new && (flags & logs));
	if (!set_methods(f, flags & logs))
		rc = SQLITE_CANTOPEN;
	pthread_mutex_unlock(&lock);
	return rc;
}

const char *catalogue_pages_vfs(const struct sqlite *lib)
{
	pthread_mutex_lock(&lock);
	if (!real) {
		real = lib->vfs_find(NULL);
		vfs = *real;
		vfs.pNext = NULL;
		vfs.zName = "cpa-checked";
		vfs.xOpen = catalogue_pages_open_file;
		vfs.xDelete = count_delete;
		lib->vfs_register(&vfs, 0);
	}
	pthread_mutex_unlock(&lock);
	return vfs.zName;
}
