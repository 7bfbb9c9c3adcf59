# src/libcpaprof/collector/write - makes files of snaps: profile.proto, text, the format of gperftools

src_libcpaprof_collector_libcollector_a_SOURCES += \
	src/libcpaprof/collector/write/body.c \
	src/libcpaprof/collector/write/body.h \
	src/libcpaprof/collector/write/gzip.c \
	src/libcpaprof/collector/write/gzip.h \
	src/libcpaprof/collector/write/legacy.c \
	src/libcpaprof/collector/write/proto.c \
	src/libcpaprof/collector/write/stream.c \
	src/libcpaprof/collector/write/stream.h \
	src/libcpaprof/collector/write/strings.c \
	src/libcpaprof/collector/write/strings.h \
	src/libcpaprof/collector/write/text.c \
	src/libcpaprof/collector/write/write.c \
	src/libcpaprof/collector/write/write.h
