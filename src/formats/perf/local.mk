# src/formats/perf - recordings of perf record

src_formats_libformats_a_SOURCES += \
	src/formats/perf/directory.c \
	src/formats/perf/event.c \
	src/formats/perf/feature.c \
	src/formats/perf/file.c \
	src/formats/perf/frame.c \
	src/formats/perf/maps.c \
	src/formats/perf/perf.h \
	src/formats/perf/perf_int.h \
	src/formats/perf/process.c \
	src/formats/perf/queue.c \
	src/formats/perf/read.c \
	src/formats/perf/record.c \
	src/formats/perf/sample.c \
	src/formats/perf/sample_fields.c \
	src/formats/perf/unpack.c
