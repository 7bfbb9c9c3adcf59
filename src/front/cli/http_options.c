/*
 * http_options.c - HTTP options of commands that are not reports
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/http_options.h"

#include "base/mem.h"
#include "front/cli/cmd.h"
#include "front/cli/interrupt.h"
#include "front/cli/messages.h"
#include "front/cli/report/report.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct http_options, field)
#define FETCH COMMAND_GROUP_FETCH

/* clang-format off */
static const struct opt options[] = {
	{ "timeout", OPT_INT, AT(timeout), 0, "-1", "N", FETCH, false, "wait at most N seconds for an answer; -1: 1.5 times --seconds, else 60" },
	{ "tls_cert", OPT_TEXT, AT(tls_cert), 0, "", "FILE", FETCH, false, "client certificate (PEM)" },
	{ "tls_key", OPT_TEXT, AT(tls_key), 0, "", "FILE", FETCH, false, "private key of the client certificate (PEM)" },
	{ "tls_ca", OPT_TEXT, AT(tls_ca), 0, "", "FILE", FETCH, false, "CA certificates to verify servers with (PEM)" },
	{ "header_file", OPT_TEXT, AT(header_file), 0, "", "FILE", FETCH, true, "send the header lines in FILE" },
	{ "bearer_file", OPT_TEXT, AT(bearer_file), 0, "", "FILE", FETCH, true, "send the token in FILE as Authorization: Bearer" },
	{ "netrc", OPT_MODE, AT(netrc), 0, "", "FILE", FETCH, true, "log in with the credentials in ~/.netrc, or in FILE" },
	{ "max_input", OPT_SIZE, AT(max_input), 0, "-1", "SIZE", FETCH, true, "largest answer, such as 50MB; 0: unlimited" },
	{ "max_inflated", OPT_SIZE, AT(max_inflated), 0, "-1", "SIZE", FETCH, true, "largest unpacked answer, such as 50MB; 0: unlimited" },
};
/* clang-format on */
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]) };

void cmd_http_set_defaults(struct http_options *o)
{
	opt_set_defaults(options, N_OPTIONS, o);
}

struct opt_table cmd_http_options(struct http_options *o)
{
	return (struct opt_table){ options, N_OPTIONS, o };
}

const struct opt *cmd_http_option_at(size_t i)
{
	return i < N_OPTIONS ? &options[i] : NULL;
}

uint64_t cmd_http_max_inflated(const struct http_options *o)
{
	return o->max_inflated < 0 ? mem_quarter_of_ram() : (uint64_t)o->max_inflated;
}

void cmd_http_fill_options(const struct http_options *o, struct fetch_options *out)
{
	*out = (struct fetch_options){
		.tls_cert = o->tls_cert,
		.tls_key = o->tls_key,
		.tls_ca = o->tls_ca,
		.header_file = o->header_file,
		.bearer_file = o->bearer_file,
		.netrc = o->netrc,
		.timeout = o->timeout,
	};
	fetch_set_limits(out, o->max_input);
}

bool cmd_http_fetch(const struct http_options *o, struct fetch_request *get, size_t n, const char *what)
{
	struct fetch_options how;
	struct buf notes = { 0 };
	bool was_interrupted;

	assert(n > 0);
	cmd_http_fill_options(o, &how);
	progress_begin(what);
	fetch_all(get, n, &how, progress_fetch, cmd_interrupt_catch(), &notes);
	progress_end();
	was_interrupted = cmd_interrupt_release();
	cmd_report_say_notes(&notes);
	buf_release(&notes);
	return was_interrupted;
}
