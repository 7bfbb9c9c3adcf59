/*
 * anonymize.h - replace the names in a profile by pseudonyms
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A pseudonym is the start of a keyed hash (HMAC-SHA256) of a text and its kind, so the same text has the same pseudonym in
 * all profiles that are anonymized with the same salt, and a guess can be checked only with the salt.
 */
#ifndef PROFILE_ANONYMIZE_H
#define PROFILE_ANONYMIZE_H

#include "base/err.h"
#include "base/regex.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ANONYMIZE_DIGITS = 16 };

struct anonymize_options {
	const void *salt;
	size_t n_salt;
	struct regex *const
		*keep; /* [n_keep] functions with a matching name are kept, and files that have only these */
	size_t n_keep;
	unsigned digits; /* of pseudonyms, at most 64; those that would be equal have more. Usually ANONYMIZE_DIGITS */
};

/* Numbers of distinct texts, except where noted. */
struct anonymize_counts {
	uint32_t functions, files, binaries, texts, keys, comments, urls; /* replaced */
	uint32_t kept_functions, kept_files;
	uint32_t build_ids;    /* binaries whose build id was removed */
	uint32_t source_lines; /* lines of embedded source code that were removed */
};

/* An anonymized profile. Zero-initialised: none. */
struct anonymous {
	struct profile p; /* for readers that do not change it; never passed to profile_free */
	struct anonymize_counts n;
};

/*
 * Make the anonymized copy of a profile. Replaced are names and system names of functions, files, binaries, texts of labels, keys
 * of labels that are not well known, comments and the address of the documentation. Removed are build ids, symbols of
 * kernels, expressions for frames, and source code. All else is shared with p, which must outlive the copy.
 *
 * out     released with anonymize_release, also after a failure
 * Fails   ERR_IO if libcrypto is missing; ERR_LIMIT as regex_match
 */
int anonymize_make(const struct profile *p, const struct anonymize_options *o, struct anonymous *out, struct err *err);
void anonymize_release(struct anonymous *a);

/* Is this key of labels the same in the profiles of everybody ("pid"), so that it is not replaced? */
bool anonymize_keeps_key(const char *key);

#endif
