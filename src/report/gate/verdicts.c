/*
 * verdicts.c - names of verdicts, outcomes and kinds
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/gate/gate.h"

#include <assert.h>

const char *gate_verdict_word(enum gate_verdict v)
{
	static const char *const word[] = {
		[GATE_FAIL] = "FAIL", [GATE_SUSPECT] = "SUSPECT",   [GATE_MOVED] = "MOVED",
		[GATE_NEW] = "NEW",   [GATE_IMPROVED] = "IMPROVED", [GATE_UNRESOLVED] = "UNRESOLVED",
		[GATE_OK] = "OK",     [GATE_GONE] = "GONE",         [GATE_SKIPPED] = "SKIPPED",
	};

	assert(v < N_GATE_VERDICTS);
	return word[v];
}

const char *gate_verdict_key(enum gate_verdict v)
{
	static const char *const key[] = {
		[GATE_FAIL] = "fail", [GATE_SUSPECT] = "suspect",   [GATE_MOVED] = "moved",
		[GATE_NEW] = "new",   [GATE_IMPROVED] = "improved", [GATE_UNRESOLVED] = "unresolved",
		[GATE_OK] = "ok",     [GATE_GONE] = "gone",         [GATE_SKIPPED] = "skipped",
	};

	assert(v < N_GATE_VERDICTS);
	return key[v];
}

const char *gate_outcome_word(enum gate_outcome o)
{
	static const char *const word[] = { [GATE_PASS] = "PASS",
					    [GATE_FAILED] = "FAIL",
					    [GATE_INCONCLUSIVE] = "INCONCLUSIVE",
					    [GATE_ERROR] = "ERROR" };

	return word[o];
}

const char *gate_kind_word(enum gate_kind k)
{
	static const char *const word[] = { [GATE_CUM] = "cum", [GATE_FLAT] = "flat", [GATE_TOTAL] = "total" };

	return word[k];
}

const char *gate_normalize_word(enum gate_normalize n)
{
	static const char *const word[] = {
		[GATE_BULK] = "bulk", [GATE_REST] = "rest",         [GATE_WORK] = "work",
		[GATE_NONE] = "none", [GATE_DURATION] = "duration", [GATE_SHARE] = "share"
	};

	return word[n];
}
