/*
 * tar.c - read tar files
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The format is that of POSIX.1-1988 (ustar): a header of 512 bytes, then the content, padded to 512 bytes. Headers of
 * GNU and pax extensions are skipped: they contain long names, which are only used in messages here.
 */
#include "config.h"

#include "front/cli/store/import.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
	BLOCK = 512,
	AT_NAME = 0,
	NAME_BYTES = 100,
	AT_SIZE = 124,
	AT_TIME = 136,
	NUMBER_BYTES = 12,
	AT_CHECKSUM = 148,
	CHECKSUM_BYTES = 8,
	AT_TYPE = 156,
	AT_MAGIC = 257
};

bool cmd_store_tar_is(const struct bytes *data)
{
	return data->n >= BLOCK && memcmp(data->data + AT_MAGIC, "ustar", strlen("ustar")) == 0;
}

/* Parse an octal number of at most n bytes. Returns false if it is none. */
static bool read_octal(const uint8_t *at, size_t n, uint64_t *out)
{
	size_t i = 0;

	*out = 0;
	while (i < n && at[i] == ' ')
		i++;
	if (i == n || at[i] < '0' || at[i] > '7')
		return false;
	for (; i < n && at[i] >= '0' && at[i] <= '7'; i++)
		*out = *out * 8 + (at[i] - '0');
	return true;
}

static bool has_checksum(const uint8_t *head)
{
	uint64_t sum = 0, want;

	for (size_t i = 0; i < BLOCK; i++)
		sum += i >= AT_CHECKSUM && i < AT_CHECKSUM + CHECKSUM_BYTES ? ' ' : head[i];
	return read_octal(head + AT_CHECKSUM, CHECKSUM_BYTES, &want) && sum == want;
}

int cmd_store_tar_each(const struct bytes *tar, cmd_store_tar_fn *fn, void *arg, struct err *err)
{
	int rc = 0;

	for (size_t at = 0; at + BLOCK <= tar->n && tar->data[at] && rc == 0;) {
		const uint8_t *head = tar->data + at;
		char name[NAME_BYTES + 1] = "";
		uint64_t size, time = 0;

		if (!has_checksum(head) || !read_octal(head + AT_SIZE, NUMBER_BYTES, &size))
			return err_set(err, ERR_FORMAT, "tar header at byte %zu is damaged", at);
		read_octal(head + AT_TIME, NUMBER_BYTES, &time);
		if (size > tar->n - at - BLOCK)
			return err_set(err, ERR_FORMAT, "tar file ends in the file at byte %zu", at);
		memcpy(name, head + AT_NAME, NAME_BYTES);
		if (head[AT_TYPE] == '0' || head[AT_TYPE] == 0) {
			struct bytes data = { .data = mem_alloc(size + 1, 1), .n = (size_t)size };

			memcpy(data.data, head + BLOCK, size);
			rc = fn(arg, name, &data, (int64_t)(time % INT32_MAX) * NS_PER_S, err);
		}
		at += BLOCK + (size + BLOCK - 1) / BLOCK * BLOCK;
	}
	return rc;
}
