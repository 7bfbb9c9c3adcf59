/*
 * verdicts.h - results of the gate for the profiles of a page
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_WEB_PARTS_VERDICTS_H
#define FRONT_WEB_PARTS_VERDICTS_H

#include "report/gate/gate.h"
#include "front/web/parts/page.h"

struct web_verdicts;

/* Results that were computed before. Freed with web_verdicts_free, which takes NULL. */
struct web_verdicts *web_verdicts_new(void);
void web_verdicts_free(struct web_verdicts *v);

/*
 * The result of the gate for the sides of a page, as cpa gate computes it. It is computed once per pair of sides and
 * filters.
 *
 * out     released with web_put_gate
 * Fails   ERR_USAGE if there is no base; as gate_sum_add, gate_judge
 */
int web_get_gate(struct web_page *page, const struct gate **out, struct err *err);
void web_put_gate(struct web_page *page, const struct gate *g);

/*
 * The row of a function; NULL if there is none.
 *
 * file    source file, "" if unknown: the gate strips parts of names, depending on the language
 * by_cum  prefer the row of cum to that of flat
 */
const struct gate_row *web_find_verdict(const struct gate *g, const char *name, const char *file, bool by_cum);

#endif
