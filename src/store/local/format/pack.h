/*
 * pack.h - compressed parts of a file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_FORMAT_PACK_H
#define STORE_LOCAL_FORMAT_PACK_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PACK_RAW_MAX = 128 << 20 }; /* maximum bytes before compression */

struct packer;
struct packer *pack_new(int level); /* of zstd */
void pack_free(struct packer *p);

/*
 * Append data[n], compressed if that is shorter.
 *
 * Returns true if it is compressed
 */
bool pack_add(struct packer *p, const void *data, size_t n, struct buf *out);

/*
 * Decompress data[n] to exactly raw bytes at out.
 *
 * Fails  ERR_FORMAT, also before anything is allocated when raw cannot be true: see pack_check; ERR_IO without libzstd
 */
int pack_expand(const uint8_t *data, size_t n, void *out, size_t raw, struct err *err);

/* Can n bytes be raw bytes that pack_add compressed? Fails with ERR_FORMAT. */
int pack_check(uint64_t n, uint64_t raw, struct err *err);

/* CRC-32 as in gzip. */
uint32_t pack_crc(const void *data, size_t n);

#endif
