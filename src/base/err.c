/*
 * err.c - errors as values
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/err.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int err_set(struct err *err, int code, const char *fmt, ...)
{
	assert(code < 0);
	va_list ap;

	if (!err)
		return code;
	err->code = code;
	va_start(ap, fmt);
	vsnprintf(err->msg, sizeof(err->msg), fmt, ap);
	va_end(ap);
	return code;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
	char context[sizeof(err->msg)];
	va_list ap;
	size_t n, room;

	assert(!err || err->code < 0);
	if (!err)
		return ERR_FORMAT;
	va_start(ap, fmt);
	vsnprintf(context, sizeof(context) - 2, fmt, ap);
	va_end(ap);
	strcat(context, ": ");
	n = strlen(context);
	room = sizeof(err->msg) - 1 - n;
	if (strlen(err->msg) < room)
		room = strlen(err->msg);
	memmove(err->msg + n, err->msg, room);
	memcpy(err->msg, context, n);
	err->msg[n + room] = 0;
	return err->code;
}
