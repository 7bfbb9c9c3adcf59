/*
 * pack.c - compressed parts of a file
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A ratio above RATIO_MAX is never written, so that a damaged or hostile length cannot demand memory or time out of
 * proportion to the file.
 */
#include "config.h"

#include "base/mem.h"
#include "base/zstd.h"
#include "store/local/format/pack.h"

#include <inttypes.h>
#include <libdeflate.h>
#include <stdlib.h>

enum { RATIO_MAX = 1024, RATIO_FREE = 4096 };

struct packer {
	const struct zstd *lib; /* NULL: libzstd is missing, and nothing is compressed */
	ZSTD_CCtx *context;
};

struct packer *pack_new(int level)
{
	struct packer *p = mem_zalloc(1, sizeof(*p));
	struct err ignored;

	if (zstd_load(&p->lib, &ignored) < 0)
		return p;
	p->context = p->lib->createCCtx();
	if (p->context) {
		p->lib->CCtx_setParameter(p->context, ZSTD_c_compressionLevel, level);
		p->lib->CCtx_setParameter(p->context, ZSTD_c_contentSizeFlag, 0);
		p->lib->CCtx_setParameter(p->context, ZSTD_c_checksumFlag, 0);
	}
	return p;
}

void pack_free(struct packer *p)
{
	if (p && p->context)
		p->lib->freeCCtx(p->context);
	free(p);
}

bool pack_add(struct packer *p, const void *data, size_t n, struct buf *out)
{
	char *at = buf_room(out, n);
	size_t size = p->context && n ? p->lib->compress2(p->context, at, n, data, n) : n;

	if (p->context && !p->lib->isError(size) && size < n && n / RATIO_MAX <= size) {
		out->len += size;
		return true;
	}
	buf_add(out, data, n);
	return false;
}

int pack_check(uint64_t n, uint64_t raw, struct err *err)
{
	if (raw > PACK_RAW_MAX || (raw > RATIO_FREE && raw / RATIO_MAX > n))
		return err_set(err, ERR_FORMAT, "%" PRIu64 " bytes cannot contain %" PRIu64, n, raw);
	return 0;
}

int pack_expand(const uint8_t *data, size_t n, void *out, size_t raw, struct err *err)
{
	const struct zstd *lib;
	size_t size;
	int rc = pack_check(n, raw, err);

	if (rc == 0)
		rc = zstd_load(&lib, err);
	if (rc)
		return rc;
	size = lib->decompress(out, raw, data, n);
	if (lib->isError(size))
		return err_set(err, ERR_FORMAT, "the compressed data is damaged: %s", lib->getErrorName(size));
	if (size != raw)
		return err_set(err, ERR_FORMAT, "it has %zu bytes instead of %zu", size, raw);
	return 0;
}

uint32_t pack_crc(const void *data, size_t n)
{
	return libdeflate_crc32(0, data, n);
}
