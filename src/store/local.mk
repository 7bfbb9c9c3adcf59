# src/store - profiles over time: files, journal, catalogue, queries, retention

noinst_LIBRARIES += src/store/libstore.a
src_store_libstore_a_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS) $(XXHASH_CFLAGS)
src_store_libstore_a_SOURCES = \
	src/store/chapter_copy.c \
	src/store/chapter_copy.h \
	src/store/compaction.c \
	src/store/compaction.h \
	src/store/compaction_plan.c \
	src/store/copy.c \
	src/store/copy.h \
	src/store/export.c \
	src/store/idset.c \
	src/store/idset.h \
	src/store/instance.c \
	src/store/instance.h \
	src/store/maintain.c \
	src/store/means.c \
	src/store/means.h \
	src/store/open.c \
	src/store/pin.c \
	src/store/pin_repair.c \
	src/store/pin_repair.h \
	src/store/recover.c \
	src/store/recover.h \
	src/store/remove.c \
	src/store/repair.c \
	src/store/repair.h \
	src/store/repeats.c \
	src/store/repeats.h \
	src/store/span.h \
	src/store/span.c \
	src/store/store.c \
	src/store/store.h \
	src/store/sum.c \
	src/store/upkeep.h \
	src/store/verify_all.c

include src/store/window/local.mk
include src/store/local/local.mk
include src/store/local/format/local.mk
include src/store/local/catalogue/local.mk
include src/store/local/read/local.mk
include src/store/local/write/local.mk
