/*
 * isal.h - ISA-L, which decompresses gzip piece by piece, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_ISAL_H
#define BASE_ISAL_H

#include "base/err.h"

#include <isa-l/igzip_lib.h>

/* clang-format off */
#define ISAL_FUNCTIONS(F) F(inflate_init) F(inflate_reset) F(inflate)

/* The functions of ISA-L that cpa calls; each has the name of the real one without isal_. */
struct isal {
#define FUNCTION(name) __typeof__(isal_##name) *name;
	ISAL_FUNCTIONS(FUNCTION)
#undef FUNCTION
};
/* clang-format on */

/* Load ISA-L once per process. Callable by any thread. Fails with ERR_IO if it is missing. */
int isal_load(const struct isal **out, struct err *err);

#endif
