/*
 * os.c - system calls that change the files of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/os.h"

#include "store/local/os_fault.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

int os_begin_write(int fd, size_t n, uint64_t offset)
{
	int rc = os_count_change(NEEDS_SPACE, fd);

	if (rc >= 0 && fd >= 0)
		os_undo_write(fd, n, offset);
	return rc;
}

int os_begin_sync(int fd)
{
	return os_count_change(NEEDS_SYNC, fd);
}

int os_begin_truncate(int fd, uint64_t n)
{
	if (os_count_change(NEEDS_NOTHING, fd) < 0)
		return -1;
	if (fd >= 0)
		os_undo_truncate(fd, n);
	return 0;
}

int os_begin_unlink(const char *path)
{
	if (os_count_change(NEEDS_NOTHING, -1) < 0)
		return -1;
	os_undo_remove(AT_FDCWD, path);
	return 0;
}

int os_open(int dir, const char *name, int flags, mode_t mode)
{
	bool is_new = (flags & O_CREAT) && faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW) < 0;
	int fd;

	if (flags & O_CREAT) {
		int rc = os_count_change(NEEDS_SPACE, -1);

		if (rc < 0)
			return -1;
		if (rc > 0)
			os_die();
	}
	fd = openat(dir, name, flags | O_CLOEXEC | O_NOFOLLOW, mode);
	if (fd >= 0 && is_new)
		os_undo_create(dir, name, false);
	return fd;
}

static int os_write_all(int fd, const uint8_t *data, size_t n, uint64_t offset)
{
	while (n) {
		ssize_t got = pwrite(fd, data, n, (off_t)offset);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return -1;
		data += got;
		n -= (size_t)got;
		offset += (uint64_t)got;
	}
	return 0;
}

int os_pwrite(int fd, const void *data, size_t n, uint64_t offset)
{
	int rc = os_count_change(NEEDS_SPACE, fd);

	if (rc < 0)
		return -1;
	os_undo_write(fd, n, offset);
	if (rc > 0) {
		os_write_all(fd, data, n / 2, offset);
		os_die();
	}
	return os_write_all(fd, data, n, offset);
}

int os_truncate(int fd, uint64_t n)
{
	if (os_count_change(NEEDS_NOTHING, fd) < 0)
		return -1;
	os_undo_truncate(fd, n);
	return ftruncate(fd, (off_t)n);
}

/* For file systems that cannot punch holes. */
static int write_zeros(int fd, uint64_t offset, uint64_t end)
{
	static const uint8_t zeros[64 << 10];

	for (uint64_t n; offset < end; offset += n) {
		n = end - offset < sizeof(zeros) ? end - offset : sizeof(zeros);
		if (os_write_all(fd, zeros, n, offset) < 0)
			return -1;
	}
	return 0;
}

int os_clear(int fd, uint64_t offset)
{
	struct stat st;
	int rc;

	if (fstat(fd, &st) < 0 || os_count_change(NEEDS_NOTHING, fd) < 0)
		return -1;
	if ((uint64_t)st.st_size <= offset)
		return 0;
	os_undo_write(fd, (uint64_t)st.st_size - offset, offset);
	do
		rc = fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)offset,
			       st.st_size - (off_t)offset);
	while (rc < 0 && errno == EINTR);
	return rc < 0 && (errno == EOPNOTSUPP || errno == ENOSYS) ? write_zeros(fd, offset, (uint64_t)st.st_size) : rc;
}

int os_allocate(int fd, uint64_t n)
{
	int rc = os_count_change(NEEDS_SPACE, fd);

	if (rc < 0)
		return -1;
	if (rc > 0)
		os_die();
	os_undo_write(fd, 0, 0);
	do
		rc = fallocate(fd, 0, 0, (off_t)n);
	while (rc < 0 && errno == EINTR);
	if (rc < 0 && (errno == EOPNOTSUPP || errno == ENOSYS))
		rc = ftruncate(fd, (off_t)n);
	return rc;
}

int os_fdatasync(int fd)
{
	if (os_count_change(NEEDS_SYNC, fd) < 0 || fdatasync(fd) < 0)
		return -1;
	os_undo_forget(fd);
	return 0;
}

int os_fsync(int fd)
{
	if (os_count_change(NEEDS_SYNC, fd) < 0 || fsync(fd) < 0)
		return -1;
	os_undo_forget(fd);
	return 0;
}

int os_sync_folder(int dir, const char *folder)
{
	int rc, saved, fd = openat(dir, *folder ? folder : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -1;
	rc = os_fsync(fd);
	saved = errno;
	close(fd);
	errno = saved;
	return rc;
}

int os_rename(int dir, const char *from, const char *to)
{
	if (os_count_change(NEEDS_NOTHING, -1) < 0)
		return -1;
	os_undo_remove(dir, to);
	if (renameat(dir, from, dir, to) < 0)
		return -1;
	os_undo_rename(dir, from, to);
	return 0;
}

int os_unlink(int dir, const char *name)
{
	if (os_count_change(NEEDS_NOTHING, -1) < 0)
		return -1;
	os_undo_remove(dir, name);
	return unlinkat(dir, name, 0);
}

int os_mkdir(int dir, const char *name, mode_t mode)
{
	int rc = os_count_change(NEEDS_SPACE, -1);

	if (rc < 0)
		return -1;
	if (rc > 0)
		os_die();
	if (mkdirat(dir, name, mode) < 0)
		return errno == EEXIST ? 0 : -1;
	os_undo_create(dir, name, true);
	return 0;
}

bool os_is_network(int fd, const char **name)
{
	static const struct {
		uint32_t magic;
		const char *name;
	} type[] = {
		{ NFS_SUPER_MAGIC, "NFS" },     { SMB_SUPER_MAGIC, "SMB" }, { CIFS_SUPER_MAGIC, "CIFS" },
		{ 0xfe534d42, "SMB" },          { AFS_SUPER_MAGIC, "AFS" }, { AFS_FS_MAGIC, "AFS" },
		{ CODA_SUPER_MAGIC, "Coda" },   { V9FS_MAGIC, "9P" },       { CEPH_SUPER_MAGIC, "Ceph" },
		{ OCFS2_SUPER_MAGIC, "OCFS2" }, { NCP_SUPER_MAGIC, "NCP" }, { 0x0bd00bd0, "Lustre" },
		{ 0x47504653, "GPFS" },         { 0x01161970, "GFS2" },
	};
	struct statfs fs;

	if (fstatfs(fd, &fs) < 0)
		return false;
	for (size_t i = 0; i < sizeof(type) / sizeof(*type); i++)
		if (type[i].magic == (uint32_t)fs.f_type) {
			*name = type[i].name;
			return true;
		}
	return false;
}
