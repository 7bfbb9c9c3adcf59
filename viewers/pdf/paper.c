/*
 * paper.c - the sizes of paper
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/pdf/pdf.h"

#include <string.h>

/* In points of 1/72 inch, lying on the long side. */
static const struct {
	const char *name;
	struct pdf_paper paper;
} papers[] = {
	{ "fit", { 0, 0 } },          { "a3", { 1190.55, 841.89 } }, { "a4", { 841.89, 595.28 } },
	{ "a5", { 595.28, 419.53 } }, { "letter", { 792, 612 } },    { "legal", { 1008, 612 } },
};

int pdf_paper_find(const char *name, struct pdf_paper *out, struct err *err)
{
	for (size_t i = 0; i < sizeof(papers) / sizeof(papers[0]); i++) {
		if (strcmp(name, papers[i].name) == 0) {
			*out = papers[i].paper;
			return 0;
		}
	}
	return err_set(err, ERR_USAGE, "--paper=%s: choose a3, a4, a5, letter, legal or fit", name);
}
