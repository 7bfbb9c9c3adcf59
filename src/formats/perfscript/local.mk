# src/formats/perfscript - the text of perf script

src_formats_libformats_a_SOURCES += \
	src/formats/perfscript/lines.c \
	src/formats/perfscript/perfscript.h \
	src/formats/perfscript/perfscript_int.h \
	src/formats/perfscript/read.c
