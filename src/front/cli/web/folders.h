/*
 * folders.h - folders among the sources of cpa -http
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_WEB_FOLDERS_H
#define FRONT_CLI_WEB_FOLDERS_H

#include "base/err.h"

#include <stddef.h>

struct web_folders {
	const char **folder; /* [n_folders] words that are folders */
	size_t n_folders;
	const char **word; /* [n_words] the other words; if there is none, the newest file of the folders */
	size_t n_words;
	char *newest; /* owned */
};

/*
 * Split the words of a command line.
 *
 * out     borrows the words; released with cmd_web_folders_release, also after a failure
 * Fails   ERR_USAGE if all are folders and none has a file
 */
int cmd_web_folders_find(const char *const *word, size_t n, struct web_folders *out, struct err *err);
void cmd_web_folders_release(struct web_folders *f);

#endif
