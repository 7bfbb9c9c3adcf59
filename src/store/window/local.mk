# src/store/window - the language of the sources store:

src_store_libstore_a_SOURCES += \
	src/store/window/window.c \
	src/store/window/window.h \
	src/store/window/window_clock.c \
	src/store/window/window_int.h \
	src/store/window/window_time.c
