# src/sinks/clickhouse - stores in ClickHouse

src_sinks_libsinks_a_SOURCES += \
	src/sinks/clickhouse/clickhouse.c \
	src/sinks/clickhouse/clickhouse.h
