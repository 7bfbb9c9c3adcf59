/*
 * judge.h - is what a server sent a profile?
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FETCH_JUDGE_H
#define FETCH_JUDGE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

/*
 * Refuse what people get in place of a profile when they ask for the wrong thing: nothing, a web
 * page, an execution trace. Whether the rest is a profile is for the reader to say.
 *
 * data    [n]
 * Fails   ERR_FORMAT
 */
int judge_answer(const uint8_t *data, size_t n, struct err *err);

#endif
