/*
 * object_file.c - one ELF file, held open
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/object_file.h"

#include "base/mem.h"
#include "symbol/object_notes.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What the system says is wrong, in Go's spelling: without the capital letter. */
static const char *trouble(char out[static 128])
{
	const char *s = strerror(errno);
	size_t n = strnlen(s, 127);

	memcpy(out, s, n);
	out[n] = '\0';
	out[0] = (char)tolower((unsigned char)out[0]);
	return out;
}

static int refuse(const char *path, const uint8_t *magic, struct err *err)
{
	static const char macho[][4] = { "\xfe\xed\xfa\xce", "\xfe\xed\xfa\xcf", "\xce\xfa\xed\xfe",
					 "\xcf\xfa\xed\xfe", "\xca\xfe\xba\xbe", "\xbe\xba\xfe\xca" };

	for (size_t i = 0; i < sizeof(macho) / sizeof(macho[0]); i++)
		if (memcmp(magic, macho[i], 4) == 0)
			return err_set(err, ERR_FORMAT, "%s is a Mach-O file, and cpa reads only ELF", path);
	if (memcmp(magic, "MZ", 2) == 0)
		return err_set(err, ERR_FORMAT, "%s is a Windows (PE) file, and cpa reads only ELF", path);
	return err_set(err, ERR_FORMAT, "unrecognized binary format: %s", path);
}

static int check_magic(int fd, const char *path, struct err *err)
{
	uint8_t magic[4];
	ssize_t n = pread(fd, magic, sizeof(magic), 0);
	char what[128];

	if (n < 0)
		return err_set(err, ERR_IO, "error reading magic number from %s: %s", path, trouble(what));
	if (n < (ssize_t)sizeof(magic))
		return err_set(err, ERR_FORMAT, "error reading magic number from %s: %s", path,
			       n ? "unexpected EOF" : "EOF");
	return memcmp(magic, ELFMAG, SELFMAG) == 0 ? 0 : refuse(path, magic, err);
}

int object_file_take(int fd, const char *path, struct object_file *out, struct err *err)
{
	struct object_file f = { .fd = fd };
	GElf_Ehdr ehdr;
	size_t n;

	*out = (struct object_file){ .fd = -1 };
	if (check_magic(fd, path, err) < 0) {
		close(fd);
		return err ? err->code : ERR_FORMAT;
	}
	elf_version(EV_CURRENT);
	f.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!f.elf || elf_kind(f.elf) != ELF_K_ELF || !gelf_getehdr(f.elf, &ehdr) || elf_getphdrnum(f.elf, &n) < 0 ||
	    elf_getshdrnum(f.elf, &n) < 0) {
		const char *why = elf_errmsg(-1);

		elf_end(f.elf);
		close(fd);
		return err_set(err, ERR_FORMAT, "error reading ELF file %s: %s", path, why ? why : "it is damaged");
	}
	f.path = mem_strndup(path, strlen(path));
	object_notes_build_id(&f, f.build_id);
	*out = f;
	return 0;
}

int object_file_open(const char *path, struct object_file *out, struct err *err)
{
	struct stat st;
	char what[128];
	int fd;

	*out = (struct object_file){ .fd = -1 };
	if (stat(path, &st) < 0)
		return err_set(err, ERR_IO, "stat %s: %s", path, trouble(what));
	if (!S_ISREG(st.st_mode)) /* to open a pipe could take for ever */
		return err_set(err, ERR_IO, "error reading magic number from %s: it is not a regular file", path);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0)
		return err_set(err, ERR_IO, "error opening %s: %s", path, trouble(what));
	return object_file_take(fd, path, out, err);
}

void object_file_close(struct object_file *f)
{
	if (f->elf) {
		elf_end(f->elf);
		close(f->fd);
		free(f->path);
	}
	*f = (struct object_file){ .fd = -1 };
}

const uint8_t *object_file_bytes(const struct object_file *f, size_t *n)
{
	const uint8_t *bytes;

	*n = 0;
	bytes = (const uint8_t *)elf_rawfile(f->elf, n);
	return bytes;
}

Elf_Scn *object_file_section(const struct object_file *f, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(f->elf, &names) < 0)
		return NULL;
	while ((scn = elf_nextscn(f->elf, scn))) {
		const char *its;

		if (!gelf_getshdr(scn, shdr) || shdr->sh_type == SHT_NOBITS || shdr->sh_type == SHT_NULL)
			continue;
		its = elf_strptr(f->elf, names, shdr->sh_name);
		if (its && strcmp(its, name) == 0)
			return scn;
	}
	return NULL;
}

const uint8_t *object_file_section_bytes(const struct object_file *f, const char *name, size_t *n)
{
	GElf_Shdr shdr;
	size_t all;
	const uint8_t *bytes;

	*n = 0;
	if (!object_file_section(f, name, &shdr))
		return NULL;
	bytes = object_file_bytes(f, &all);
	if (!bytes || shdr.sh_offset > all || shdr.sh_size > all - shdr.sh_offset)
		return NULL;
	*n = shdr.sh_size;
	return bytes + shdr.sh_offset;
}

bool object_file_has_dwarf(const struct object_file *f)
{
	GElf_Shdr shdr;

	return (object_file_section(f, ".debug_info", &shdr) || object_file_section(f, ".zdebug_info", &shdr)) &&
	       shdr.sh_size > 0;
}

bool object_file_is_debug(const struct object_file *f)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr sh;
	size_t names;

	if (elf_getshdrstrndx(f->elf, &names) < 0)
		return false;
	while ((scn = elf_nextscn(f->elf, scn))) {
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(f->elf, names, sh.sh_name) : NULL;

		if (name && strcmp(name, ".text") == 0)
			return sh.sh_type == SHT_NOBITS;
	}
	return false;
}
