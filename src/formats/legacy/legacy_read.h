/*
 * legacy_read.h - readers of the formats that pprof calls legacy
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Like pprof profile/legacy_profile.go, which tries them in this order. Each is a format_read_fn.
 */
#ifndef FORMATS_LEGACY_LEGACY_READ_H
#define FORMATS_LEGACY_LEGACY_READ_H

#include "formats/common/format.h"

int legacy_read_cpu(const uint8_t *data, size_t n, const struct format_limits *limits, struct profile **out,
		    struct err *err); /* binary CPU profiles of gperftools and Java */
int legacy_read_heap(const uint8_t *data, size_t n, const struct format_limits *limits, struct profile **out,
		     struct err *err);
int legacy_read_go_count(const uint8_t *data, size_t n, const struct format_limits *limits, struct profile **out,
			 struct err *err);
int legacy_read_threads(const uint8_t *data, size_t n, const struct format_limits *limits, struct profile **out,
			struct err *err);
int legacy_read_contention(const uint8_t *data, size_t n, const struct format_limits *limits, struct profile **out,
			   struct err *err);
int legacy_read_java(const uint8_t *data, size_t n, const struct format_limits *limits, struct profile **out,
		     struct err *err);

#endif
