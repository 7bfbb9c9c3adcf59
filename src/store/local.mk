# src/store - profiles over time: files, journal, catalogue, queries, retention

noinst_LIBRARIES += src/store/libstore.a
src_store_libstore_a_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS) $(XXHASH_CFLAGS)
src_store_libstore_a_SOURCES = \
	src/store/bad.c \
	src/store/bad.h \
	src/store/cap.c \
	src/store/cap.h \
	src/store/chapter_copy.c \
	src/store/chapter_copy.h \
	src/store/compaction.c \
	src/store/compaction.h \
	src/store/compaction_plan.c \
	src/store/copy.c \
	src/store/copy.h \
	src/store/export.c \
	src/store/file.c \
	src/store/files.c \
	src/store/flush.c \
	src/store/flush.h \
	src/store/idset.c \
	src/store/idset.h \
	src/store/instance.c \
	src/store/instance.h \
	src/store/journal_int.h \
	src/store/journal_write.c \
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
	src/store/seen.c \
	src/store/seen.h \
	src/store/span.h \
	src/store/span.c \
	src/store/store.c \
	src/store/store.h \
	src/store/sum.c \
	src/store/upkeep.h \
	src/store/verify_all.c \
	src/store/writer.c \
	src/store/writer.h \
	src/store/writer_int.h

include src/store/window/local.mk
include src/store/local/local.mk
include src/store/local/format/local.mk
include src/store/local/catalogue/local.mk
include src/store/local/read/local.mk
