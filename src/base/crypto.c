/*
 * crypto.c - libcrypto of OpenSSL, loaded on first use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/crypto.h"

#include "base/library.h"

#define FUNCTIONS LIBRARY_FUNCTION(crypto, "HMAC", hmac) LIBRARY_FUNCTION(crypto, "EVP_sha256", sha256)
LIBRARY_LOADER(crypto, "libcrypto.so.3", FUNCTIONS,
	       "libcrypto is needed for pseudonyms; install it with: apt-get install libssl3")
