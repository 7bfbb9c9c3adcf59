/*
 * http_options.c - how the commands that are no reports ask servers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/http_options.h"

#include "base/mem.h"
#include "cli/interrupt.h"
#include "cli/messages.h"
#include "cli/report/report.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define AT(field) offsetof(struct http_options, field)

/* clang-format off */
static const struct opt options[] = {
	{ "timeout", OPT_INT, AT(timeout), 0, "-1", "N", 0, false, "wait N seconds for an answer (60, or 1.5 times --seconds)" },
	{ "tls_cert", OPT_TEXT, AT(tls_cert), 0, "", "FILE", 0, false, "certificate to show to servers (PEM)" },
	{ "tls_key", OPT_TEXT, AT(tls_key), 0, "", "FILE", 0, false, "private key of that certificate (PEM)" },
	{ "tls_ca", OPT_TEXT, AT(tls_ca), 0, "", "FILE", 0, false, "certificates to trust servers by (PEM)" },
	{ "header_file", OPT_TEXT, AT(header_file), 0, "", "FILE", 0, true, "send the header lines in FILE" },
	{ "bearer_file", OPT_TEXT, AT(bearer_file), 0, "", "FILE", 0, true, "send the token in FILE as Authorization: Bearer" },
	{ "netrc", OPT_MODE, AT(netrc), 0, "", NULL, 0, true, "log in with what ~/.netrc says, or =FILE" },
	{ "max_input", OPT_INT, AT(max_input), 0, "-1", "BYTES", 0, true, "of one answer; 0: no limit" },
	{ "max_inflated", OPT_INT, AT(max_inflated), 0, "-1", "BYTES", 0, true, "of one answer, unpacked; 0: no limit" },
};
/* clang-format on */
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]) };

void cmd_http_preset(struct http_options *o)
{
	opt_preset(options, N_OPTIONS, o);
}

const struct opt *cmd_http_option(const char *name, size_t n)
{
	return opt_find(options, N_OPTIONS, name, n);
}

static void name_of(const struct opt *o, char out[2 * OPT_NAME_MAX])
{
	char name[OPT_NAME_MAX];

	snprintf(out, 2 * OPT_NAME_MAX, "%s%s%s%s", o->own ? "--" : "-", opt_shown(o, name), o->arg ? "=" : "",
		 o->arg ? o->arg : "");
}

void cmd_http_help(void)
{
	char shown[2 * OPT_NAME_MAX];

	puts("\nHow servers are asked");
	for (size_t i = 0; i < N_OPTIONS; i++) {
		name_of(&options[i], shown);
		printf("  %-22s %s\n", shown, options[i].help);
	}
}

void cmd_http_print_words(void)
{
	char name[OPT_NAME_MAX];

	for (size_t i = 0; i < N_OPTIONS; i++)
		printf("--%s%s ", opt_shown(&options[i], name), opt_is_flag(&options[i]) ? "" : "=");
}

uint64_t cmd_http_max_inflated(const struct http_options *o)
{
	return o->max_inflated < 0 ? mem_quarter() : (uint64_t)o->max_inflated;
}

bool cmd_http_fetch(const struct http_options *o, struct fetch *get, size_t n, const char *what)
{
	struct fetch_how how = {
		.tls_cert = o->tls_cert,
		.tls_key = o->tls_key,
		.tls_ca = o->tls_ca,
		.header_file = o->header_file,
		.bearer_file = o->bearer_file,
		.netrc = o->netrc,
		.timeout = o->timeout,
	};
	struct buf notes = { 0 };
	bool was_interrupted;

	assert(n > 0);
	fetch_set_limits(&how, o->max_input);
	progress_begin(what);
	fetch_all(get, n, &how, progress_fetch, cmd_interrupt_catch(), &notes);
	progress_end();
	was_interrupted = cmd_interrupt_release();
	cmd_report_say_notes(&notes);
	buf_release(&notes);
	return was_interrupted;
}
