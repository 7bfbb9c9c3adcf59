# src/store - profiles over time: files, journal, catalogue, queries, retention

noinst_LIBRARIES += src/store/libstore.a
src_store_libstore_a_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS) $(XXHASH_CFLAGS)
src_store_libstore_a_SOURCES = \
	src/store/instance.c \
	src/store/instance.h \
	src/store/means.c \
	src/store/means.h \
	src/store/release.c \
	src/store/release.h \
	src/store/store.c \
	src/store/store.h

include src/store/window/local.mk
include src/store/local/local.mk
include src/store/local/format/local.mk
include src/store/local/catalogue/local.mk
include src/store/local/tier/local.mk
include src/store/local/read/local.mk
include src/store/local/write/local.mk
include src/store/local/upkeep/local.mk
include src/store/remote/local.mk
include src/store/clickhouse/local.mk
include src/store/pyroscope/local.mk
include src/store/parca/local.mk
include src/store/gcp/local.mk
include src/store/backends/local.mk
