# src/formats/legacy - the formats that pprof calls legacy

src_formats_libformats_a_SOURCES += \
	src/formats/legacy/legacy.c \
	src/formats/legacy/legacy.h \
	src/formats/legacy/legacy_contention.c \
	src/formats/legacy/legacy_cpu.c \
	src/formats/legacy/legacy_go_count.c \
	src/formats/legacy/legacy_heap.c \
	src/formats/legacy/legacy_java.c \
	src/formats/legacy/legacy_text.c \
	src/formats/legacy/legacy_text.h \
	src/formats/legacy/legacy_threads.c \
	src/formats/legacy/memmap.c \
	src/formats/legacy/memmap.h
