# src/reader - readers of all profile formats

noinst_LIBRARIES += src/reader/libreader.a
src_reader_libreader_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS) $(ZLIB_CFLAGS) $(DEFLATE_CFLAGS) $(ZSTD_CFLAGS) $(LZ4_CFLAGS)
src_reader_libreader_a_CPPFLAGS = $(AM_CPPFLAGS) -Iproto $(JANSSON_CFLAGS)
src_reader_libreader_a_SOURCES = \
	src/reader/annotate.c \
	src/reader/annotate.h \
	src/reader/cursor.h \
	src/reader/idmap.c \
	src/reader/idmap.h \
	src/reader/inflate.c \
	src/reader/legacy.c \
	src/reader/legacy.h \
	src/reader/legacy_contention.c \
	src/reader/legacy_cpu.c \
	src/reader/legacy_go_count.c \
	src/reader/legacy_heap.c \
	src/reader/legacy_java.c \
	src/reader/legacy_text.c \
	src/reader/legacy_text.h \
	src/reader/legacy_threads.c \
	src/reader/memmap.c \
	src/reader/memmap.h \
	src/reader/packed.c \
	src/reader/packed.h \
	src/reader/proto.c \
	src/reader/proto_int.h \
	src/reader/proto_sample.c \
	src/reader/push.c \
	src/reader/push.h \
	src/reader/push_folded.c \
	src/reader/push_int.h \
	src/reader/push_multipart.c \
	src/reader/push_query.c \
	src/reader/reader.c \
	src/reader/reader.h \
	src/reader/reader_int.h \
	src/reader/stacks.c \
	src/reader/stacks.h

# generate the headers before the only files that include them are compiled
src/reader/libreader_a-proto.$(OBJEXT): proto/profile.pb-c.h
src/reader/libreader_a-push.$(OBJEXT): proto/push.pb-c.h
