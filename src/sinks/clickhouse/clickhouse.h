/*
 * clickhouse.h - the sink of stores in ClickHouse
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SINKS_CLICKHOUSE_CLICKHOUSE_H
#define SINKS_CLICKHOUSE_CLICKHOUSE_H

#include "sinks/sink.h"

extern const struct sink_kind sink_clickhouse;

#endif
