/*
 * page_rows.h - a page laid out for a width
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_PAGE_ROWS_H
#define VIEWERS_SHELL_PAGE_ROWS_H

#include "viewers/shell/page.h"

/* Make the rows for this many columns, unless they are so already. */
void page_lay(struct page *p, int width);
void page_forget_rows(struct page *p);

/* Where the second column of keys begins, the whole width when there is none; and how wide the names of keys are. */
int page_column(int width);
int page_keys(int width);

#endif
