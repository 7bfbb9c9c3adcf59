# src/formats/common - what all formats share

src_formats_libformats_a_SOURCES += \
	src/formats/common/format.h \
	src/formats/common/gzip.c \
	src/formats/common/gzip.h \
	src/formats/common/inflate.c \
	src/formats/common/location_table.c \
	src/formats/common/location_table.h \
	src/formats/common/merged_rows.c \
	src/formats/common/merged_rows.h \
	src/formats/common/named_frames.c \
	src/formats/common/named_frames.h \
	src/formats/common/pieces.c \
	src/formats/common/pieces.h \
	src/formats/common/put.h \
	src/formats/common/skipped.c \
	src/formats/common/skipped.h \
	src/formats/common/stack_tree.c \
	src/formats/common/stack_tree.h
