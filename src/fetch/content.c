/*
 * content.c - detect responses of a server that are not profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fetch/fetch.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/webpage.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

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
