/*
 * vdso.c - the vDSO, the library that the kernel maps into every process
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/vdso.h"

#include "base/io.h"
#include "base/path.h"
#include "base/str.h"
#include "symbol/object_int.h"

#include <elf.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#if __SIZEOF_POINTER__ == 8
typedef Elf64_Ehdr own_ehdr;
#else
typedef Elf32_Ehdr own_ehdr;
#endif

enum { VDSO_MAX = 1 << 20 };

bool vdso_is_name(const char *file)
{
	const char *base = path_base(file);

	return strcmp(base, "[vdso]") == 0 || starts_with(base, "linux-vdso");
}

/* Copy the vDSO of this process to a file. Memory has the layout of the file, with the section headers last. */
static int copy_own(struct err *err)
{
	const uint8_t *start = (const uint8_t *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	own_ehdr head;
	size_t size;
	int fd;

	if (!start)
		return err_set(err, ERR_UNKNOWN, "this process has no vDSO");
	memcpy(&head, start, sizeof(head));
	size = (size_t)head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
	if (size > VDSO_MAX || size < sizeof(head))
		return err_set(err, ERR_UNKNOWN, "cannot read the vDSO of this process");
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return err_set(err, ERR_IO, "cannot create a copy of the vDSO");
	if (io_write_fd(fd, start, size, err) < 0) {
		close(fd);
		return ERR_IO;
	}
	return fd;
}

int vdso_open(const char *build_id, struct object **out, struct err *err)
{
	struct object_file f;
	int fd = copy_own(err), rc;

	if (fd < 0)
		return fd;
	rc = object_file_take(fd, "[vdso]", &f, err);
	if (rc < 0)
		return rc;
	if (*build_id == '\0' || strcmp(build_id, f.build_id) != 0) {
		object_file_close(&f);
		return err_set(err, ERR_UNKNOWN, "the running kernel has a different vDSO");
	}
	*out = object_adopt(&f);
	return 0;
}
