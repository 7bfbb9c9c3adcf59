# src/formats - readers of all profile formats

noinst_LIBRARIES += src/formats/libformats.a
src_formats_libformats_a_CFLAGS = $(AM_CFLAGS) $(PROTOBUF_C_CFLAGS) $(ZLIB_CFLAGS) $(DEFLATE_CFLAGS) $(ZSTD_CFLAGS) $(LZ4_CFLAGS)
src_formats_libformats_a_CPPFLAGS = $(AM_CPPFLAGS) -Iproto $(JANSSON_CFLAGS)
src_formats_libformats_a_SOURCES = \
	src/formats/annotate.c \
	src/formats/annotate.h \
	src/formats/cursor.h \
	src/formats/formats.c \
	src/formats/formats.h \
	src/formats/idmap.c \
	src/formats/idmap.h \
	src/formats/legacy.c \
	src/formats/legacy.h \
	src/formats/legacy_contention.c \
	src/formats/legacy_cpu.c \
	src/formats/legacy_go_count.c \
	src/formats/legacy_heap.c \
	src/formats/legacy_java.c \
	src/formats/legacy_read.h \
	src/formats/legacy_text.c \
	src/formats/legacy_text.h \
	src/formats/legacy_threads.c \
	src/formats/memmap.c \
	src/formats/memmap.h \
	src/formats/packed.c \
	src/formats/packed.h \
	src/formats/pprof.h \
	src/formats/proto.c \
	src/formats/proto_int.h \
	src/formats/proto_sample.c \
	src/formats/push.c \
	src/formats/push.h \
	src/formats/push_folded.c \
	src/formats/push_int.h \
	src/formats/push_multipart.c \
	src/formats/push_query.c \
	src/formats/stacks.c \
	src/formats/stacks.h

# generate the headers before the only files that include them are compiled
src/formats/libformats_a-proto.$(OBJEXT): proto/profile.pb-c.h
src/formats/libformats_a-push.$(OBJEXT): proto/push.pb-c.h
