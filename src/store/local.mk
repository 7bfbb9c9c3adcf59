# src/store - profiles over time: files, journal, catalogue, queries, retention

noinst_LIBRARIES += src/store/libstore.a
src_store_libstore_a_CPPFLAGS = $(AM_CPPFLAGS) $(SQLITE_CFLAGS) $(XXHASH_CFLAGS)
src_store_libstore_a_SOURCES = \
	src/store/block.c \
	src/store/block.h \
	src/store/block_encode.c \
	src/store/block_int.h \
	src/store/block_profiles.c \
	src/store/cap.c \
	src/store/cap.h \
	src/store/catalogue.c \
	src/store/catalogue.h \
	src/store/catalogue_int.h \
	src/store/catalogue_pages.c \
	src/store/catalogue_read.c \
	src/store/catalogue_write.c \
	src/store/chapter.c \
	src/store/chapter_copy.h \
	src/store/compaction.c \
	src/store/compaction.h \
	src/store/compaction_plan.c \
	src/store/dict.c \
	src/store/dict.h \
	src/store/dict_add.c \
	src/store/dict_decode.c \
	src/store/dict_encode.c \
	src/store/dict_index.c \
	src/store/dict_int.h \
	src/store/dict_meta.c \
	src/store/dict_profile.c \
	src/store/dict_translate.c \
	src/store/idset.c \
	src/store/idset.h \
	src/store/journal.h \
	src/store/maintain.c \
	src/store/os.c \
	src/store/os.h \
	src/store/os_undo.c \
	src/store/os_undo.h \
	src/store/pack.c \
	src/store/pack.h \
	src/store/segment.c \
	src/store/segment.h \
	src/store/segment_int.h \
	src/store/segment_write.c \
	src/store/sqlite.c \
	src/store/sqlite.h \
	src/store/store.h \
	src/store/varint.h \
	src/store/window.c \
	src/store/window.h \
	src/store/window_clock.c \
	src/store/window_int.h \
	src/store/window_time.c \
	src/store/writer_int.h
