# src/store/clickhouse - stores in ClickHouse, over HTTP

src_store_libstore_a_SOURCES += \
	src/store/clickhouse/backend.c \
	src/store/clickhouse/chapters.c \
	src/store/clickhouse/click_int.h \
	src/store/clickhouse/clickhouse.h \
	src/store/clickhouse/encode.c \
	src/store/clickhouse/encode.h \
	src/store/clickhouse/epoch.c \
	src/store/clickhouse/epoch.h \
	src/store/clickhouse/fetch.c \
	src/store/clickhouse/init.c \
	src/store/clickhouse/rows.h \
	src/store/clickhouse/schema.c \
	src/store/clickhouse/schema.h \
	src/store/clickhouse/series.c \
	src/store/clickhouse/server.c \
	src/store/clickhouse/server.h \
	src/store/clickhouse/snapshots.c \
	src/store/clickhouse/sums.c \
	src/store/clickhouse/writer.c \
	src/store/clickhouse/writer.h
