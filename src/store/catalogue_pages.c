/*
 * catalogue_pages.c - checksums of the pages of index.db
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * SQLite does not notice a changed byte within a value. So each page ends with the XXH3 of its content and number, in 8 bytes
 * that SQLite leaves free (SQLITE_FCNTL_RESERVE_BYTES): a VFS that is the default one, except that reads check the
 * sum and writes compute it. Pages in the WAL have checksums of SQLite.
 */
#include "config.h"

#include "store/catalogue_int.h"

#define XXH_INLINE_ALL
#include <pthread.h>
#include <string.h>
#include <xxhash.h>

static sqlite3_vfs vfs;                   /* the default VFS with another name and xOpen */
static sqlite3_vfs *real;                 /* the default VFS */
static sqlite3_io_methods checked;        /* the methods of its files with other reads and writes */
static const sqlite3_io_methods *methods; /* the methods of its files */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static uint64_t sum_of(const uint8_t *page, sqlite3_int64 offset)
{
	return XXH3_64bits_withSeed(page, CATALOGUE_PAGE - CATALOGUE_PAGE_SUM, (uint64_t)offset);
}

static int read_page(sqlite3_file *f, void *data, int n, sqlite3_int64 offset)
{
	int rc = methods->xRead(f, data, n, offset);
	uint64_t sum;

	if (n < 512) /* a part of the header of the file; the page is read whole before it is used */
		return rc;
	if (rc == SQLITE_IOERR_SHORT_READ) {
		sqlite3_int64 size;

		return methods->xFileSize(f, &size) == SQLITE_OK && size > offset ? SQLITE_IOERR_DATA : rc;
	}
	if (rc != SQLITE_OK)
		return rc;
	if (n != CATALOGUE_PAGE)
		return SQLITE_IOERR_DATA;
	memcpy(&sum, (uint8_t *)data + CATALOGUE_PAGE - CATALOGUE_PAGE_SUM, sizeof(sum));
	return sum == sum_of(data, offset) ? SQLITE_OK : SQLITE_IOERR_DATA;
}

static int write_page(sqlite3_file *f, const void *data, int n, sqlite3_int64 offset)
{
	uint8_t page[CATALOGUE_PAGE];
	uint64_t sum;

	if (n != CATALOGUE_PAGE)
		return SQLITE_IOERR_WRITE;
	memcpy(page, data, sizeof(page));
	sum = sum_of(page, offset);
	memcpy(page + CATALOGUE_PAGE - CATALOGUE_PAGE_SUM, &sum, sizeof(sum));
	return methods->xWrite(f, page, n, offset);
}

static int open_file(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out_flags)
{
	int rc = real->xOpen(v, name, f, flags, out_flags);

	if (rc != SQLITE_OK || !(flags & SQLITE_OPEN_MAIN_DB))
		return rc;
	pthread_mutex_lock(&lock);
	if (!methods) {
		methods = f->pMethods;
		checked = *methods;
		checked.iVersion = 2; /* without memory mapping, which would bypass read_page */
		checked.xRead = read_page;
		checked.xWrite = write_page;
	}
	if (f->pMethods == methods)
		f->pMethods = &checked;
	else
		rc = SQLITE_CANTOPEN; /* another kind of file system than that of the first file */
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
		vfs.xOpen = open_file;
		lib->vfs_register(&vfs, 0);
	}
	pthread_mutex_unlock(&lock);
	return vfs.zName;
}
