/*
 * source.c - read local files and standard input
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fetch/source.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char flag[] = "--max-input";

int fetch_read(const char *source, uint64_t max, struct bytes *out, struct err *err)
{
	size_t limit = max && max < SIZE_MAX ? (size_t)max : SIZE_MAX;

	if (strcmp(source, "-") == 0)
		return io_read_fd(STDIN_FILENO, limit, flag, out, err);
	return io_read_file(source, limit, flag, out, err);
}

bool fetch_is_binary(const char *path)
{
	static const struct {
		const char *bytes;
		size_t n;
	} magic[] = {
		{ "\177ELF", 4 },          { "MZ", 2 },
		{ "\xfe\xed\xfa\xce", 4 }, { "\xfe\xed\xfa\xcf", 4 },
		{ "\xce\xfa\xed\xfe", 4 }, { "\xcf\xfa\xed\xfe", 4 },
		{ "\xca\xfe\xba\xbe", 4 }, { "\xca\xfe\xba\xbf", 4 },
	};
	char head[4] = { 0 };
	struct stat st;
	ssize_t n;
	int fd;

	if (stat(path, &st) != 0 || !S_ISREG(st.st_mode)) /* a pipe can be read only once */
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, head, sizeof(head));
	close(fd);
	for (size_t i = 0; n == (ssize_t)sizeof(head) && i < sizeof(magic) / sizeof(magic[0]); i++)
		if (memcmp(head, magic[i].bytes, magic[i].n) == 0)
			return true;
	return false;
}
