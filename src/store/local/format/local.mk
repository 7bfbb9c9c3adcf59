# src/store/local/format - what the files of a store contain: dictionaries, blocks, chapters, segments, journals

src_store_libstore_a_SOURCES += \
	src/store/local/format/block.c \
	src/store/local/format/block.h \
	src/store/local/format/block_encode.c \
	src/store/local/format/block_int.h \
	src/store/local/format/block_profiles.c \
	src/store/local/format/chapter.c \
	src/store/local/format/content.c \
	src/store/local/format/dict.c \
	src/store/local/format/dict.h \
	src/store/local/format/dict_add.c \
	src/store/local/format/dict_append.h \
	src/store/local/format/dict_decode.c \
	src/store/local/format/dict_encode.c \
	src/store/local/format/dict_index.c \
	src/store/local/format/dict_int.h \
	src/store/local/format/dict_meta.c \
	src/store/local/format/dict_nodes.h \
	src/store/local/format/dict_order.c \
	src/store/local/format/dict_profile.c \
	src/store/local/format/dict_translate.c \
	src/store/local/format/head.c \
	src/store/local/format/head.h \
	src/store/local/format/head_read.c \
	src/store/local/format/journal.c \
	src/store/local/format/journal.h \
	src/store/local/format/journal_file.h \
	src/store/local/format/journal_follow.c \
	src/store/local/format/journal_follow.h \
	src/store/local/format/journal_int.h \
	src/store/local/format/pack.c \
	src/store/local/format/pack.h \
	src/store/local/format/segment.c \
	src/store/local/format/segment.h \
	src/store/local/format/segment_file.h \
	src/store/local/format/segment_write.c \
	src/store/local/format/sums.c \
	src/store/local/format/sums.h \
	src/store/local/format/varint.h
