/*
 * explain.c - reasons why a report is empty
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/explain.h"

#include "engine/query.h"
#include "engine/view.h"

static bool explain_has_values(const struct profile *p, uint32_t type)
{
	for (uint32_t i = 0; i < p->n_rows; i++)
		if (p->value[type][i] != 0)
			return true;
	return false;
}

const char *answer_explain_empty(const struct profile *p, const struct query *q, bool has_base, struct buf *out)
{
	uint32_t own, t = 0;

	if (view_find_type(p, q->sample_index, &own, NULL) < 0 || explain_has_values(p, own))
		return NULL;
	if (p->n_rows == 0) {
		buf_addz(out, has_base ? "profile and base are equal" : "the profile has no samples");
		return NULL;
	}
	while (t < p->n_types && !explain_has_values(p, t))
		t++;
	if (t == p->n_types) {
		buf_addz(out, "all values of all sample types are 0");
		return NULL;
	}
	buf_addf(out, "all values of %s are 0", profile_text(p, p->type[own].name));
	return profile_text(p, p->type[t].name);
}
