/*
 * crypto.h - libcrypto of OpenSSL, which computes keyed hashes, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_CRYPTO_H
#define BASE_CRYPTO_H

#include "base/err.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

/* The functions of libcrypto that cpa calls. */
struct crypto {
	__typeof__(HMAC) *hmac;
	__typeof__(EVP_sha256) *sha256;
};

/* Load libcrypto once per process. Callable by any thread. Fails with ERR_IO if it is missing. */
int crypto_load(const struct crypto **out, struct err *err);

#endif
