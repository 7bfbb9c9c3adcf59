/*
 * source.c - read local files and standard input, and detect responses of a server that are not profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fetch/source.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/webpage.h"
#include "fetch/fetch.h"

#include <assert.h>
#include <fcntl.h>
#include <stdbool.h>
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

/* Are the bytes a Go execution trace: "go 1.22 trace" padded with zero bytes? */
static bool is_trace(const uint8_t *s, size_t n)
{
	return n >= 16 && memcmp(s, "go 1.", 5) == 0 && memmem(s, 16, " trace", 6);
}

int fetch_check_content(const uint8_t *data, size_t n, struct err *err)
{
	struct buf title = { 0 };

	assert(data || n == 0);
	if (n == 0)
		return err_set(err, ERR_FORMAT, "the server sent an empty answer");
	if (is_trace(data, n))
		return err_set(err, ERR_FORMAT, "the server sent an execution trace, not a profile; use go tool trace");
	if (!webpage_is(data, n))
		return 0;
	webpage_add_title(data, n, &title);
	if (title.len)
		err_set(err, ERR_FORMAT, "the server sent a web page, not a profile: \"%s\"", title.data);
	else
		err_set(err, ERR_FORMAT, "the server sent a web page, not a profile");
	buf_release(&title);
	return ERR_FORMAT;
}

void fetch_set_limits(struct fetch_options *options, int64_t max_input)
{
	enum { ANSWER_MAX = 512 << 20 }; /* default in bytes, if memory is large enough */
	uint64_t quarter = mem_quarter_of_ram();

	options->max = max_input >= 0 ? (uint64_t)max_input : quarter < ANSWER_MAX ? quarter : ANSWER_MAX;
	options->max_all = max_input == 0 ? 0 : quarter > options->max ? quarter : options->max;
}
