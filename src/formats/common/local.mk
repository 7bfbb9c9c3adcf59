# src/formats/common - what the readers of all formats share

src_formats_libformats_a_SOURCES += \
	src/formats/common/format.h \
	src/formats/common/inflate.c
