# src/sinks/datadog - Datadog

src_sinks_libsinks_a_SOURCES += \
	src/sinks/datadog/datadog.c \
	src/sinks/datadog/datadog.h \
	src/sinks/datadog/datadog_int.h \
	src/sinks/datadog/form.c
