# src/formats/json - JSON, event by event, and its kinds

src_formats_libformats_a_SOURCES += \
	src/formats/json/jsonr.c \
	src/formats/json/jsonr.h \
	src/formats/json/kind.c \
	src/formats/json/kind.h
