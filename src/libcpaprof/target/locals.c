/*
 * locals.c - table through which the collector finds the labels of a thread
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A lock-free table by thread id, of the threads that ever had labels. With it the collector reads the label of a
 * waiting thread from that thread's own data, so setting a label remains a single store.
 */
#include "config.h"

#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <errno.h>

enum { N_PIECES = N_LOCALS / LOCAL_PROBES };

static struct local_at table[N_LOCALS];
static _Atomic uint8_t piece_used[N_PIECES]; /* has any entry of this part of the table been used? */

const struct local_at *cpi_locals_table_sig(void)
{
	return table;
}

static bool has_ended_sig(uint32_t tid)
{
	return sys_call(SYS_tgkill, (long)cpi.pid, (long)tid, 0, 0) == -ESRCH;
}

/* Claim a free entry. or_ended: entries of threads that ended unnoticed count as free. */
static struct local_at *locals_claim_sig(uint32_t tid, bool or_ended)
{
	for (uint32_t i = 0; i < LOCAL_PROBES; i++) {
		uint32_t at = (tid + i) % N_LOCALS, owner = atomic_load(&table[at].tid);

		if (owner && owner != tid && (!or_ended || !has_ended_sig(owner)))
			continue;
		if (atomic_compare_exchange_strong(&table[at].tid, &owner, tid)) {
			atomic_store(&piece_used[at / LOCAL_PROBES], 1);
			return &table[at];
		}
	}
	return NULL;
}

void cpi_local_register_sig(void)
{
	uint32_t tid = sys_gettid();
	struct local_at *at;

	if (atomic_exchange(&cpi_local.is_listed, 1))
		return;
	at = locals_claim_sig(tid, false);
	if (!at)
		at = locals_claim_sig(tid, true);
	if (at)
		atomic_store(&at->local, &cpi_local);
}

void cpi_local_unregister(void)
{
	uint32_t tid = sys_gettid();

	if (!atomic_load(&cpi_local.is_listed))
		return;
	for (uint32_t i = 0; i < LOCAL_PROBES; i++) {
		struct local_at *at = &table[(tid + i) % N_LOCALS];

		if (atomic_load(&at->tid) == tid) {
			atomic_store(&at->local, NULL);
			atomic_store(&at->tid, 0);
			return;
		}
	}
}

void cpi_locals_forget(void)
{
	for (uint32_t i = 0; i < N_LOCALS; i++)
		if (atomic_load(&piece_used[i / LOCAL_PROBES])) {
			atomic_store(&table[i].local, NULL);
			atomic_store(&table[i].tid, 0);
		}
	for (uint32_t i = 0; i < N_PIECES; i++)
		if (atomic_load(&piece_used[i]))
			atomic_store(&piece_used[i], 0);
	if (atomic_exchange(&cpi_local.is_listed, 0))
		cpi_local_register_sig();
}
