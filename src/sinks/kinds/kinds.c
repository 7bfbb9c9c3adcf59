/*
 * kinds.c - the kinds of sinks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sinks/kinds/kinds.h"

#include "base/buf.h"
#include "base/str.h"
#include "sinks/coroot/coroot.h"
#include "sinks/datadog/datadog.h"
#include "sinks/gcp/gcp.h"
#include "sinks/otlp/otlp_sink.h"
#include "sinks/parca/parca.h"
#include "sinks/pyroscope/pyroscope.h"

#include <string.h>

const struct sink_kind *const sink_kinds[] = {
	&sink_pyroscope, &sink_cpa, &sink_parca, &sink_otlp, &sink_datadog, &sink_gcp, &sink_coroot, NULL,
};

const struct sink_kind *kinds_of_url(const char *url)
{
	for (size_t i = 0; sink_kinds[i]; i++)
		for (size_t k = 0; sink_kinds[i]->prefix[k]; k++)
			if (starts_with(url, sink_kinds[i]->prefix[k]))
				return sink_kinds[i];
	return NULL;
}

/* Append the beginnings of URLs up to the scheme: "pyroscope+, cpa+". */
static void kinds_add_prefixes(struct buf *out)
{
	for (size_t i = 0; sink_kinds[i]; i++)
		for (size_t k = 0; sink_kinds[i]->prefix[k]; k++) {
			const char *prefix = sink_kinds[i]->prefix[k];
			size_t n = strcspn(prefix, "+") + 1;

			if (k == 0 || strncmp(prefix, sink_kinds[i]->prefix[k - 1], n) != 0)
				buf_addf(out, "%s%.*s", out->len ? ", " : "", (int)n, prefix);
		}
}

int kinds_open(const char *url, const struct sink_options *o, struct sink **out, struct err *err)
{
	const struct sink_kind *kind = kinds_of_url(url);
	struct buf known = { 0 };
	int rc;

	if (kind)
		return kind->open(url, o, out, err);
	kinds_add_prefixes(&known);
	rc = err_set(err, ERR_USAGE, "not the URL of a system that cpa sends to; they begin with one of %s",
		     known.data);
	buf_release(&known);
	return rc;
}
