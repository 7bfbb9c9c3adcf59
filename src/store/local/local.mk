# src/store/local - the directory of a store: system calls that change it, its lock

src_store_libstore_a_SOURCES += \
	src/store/local/layout.c \
	src/store/local/layout.h \
	src/store/local/os.c \
	src/store/local/os.h \
	src/store/local/os_fault.h

# Tests that set faults have this as a source too, so that missing.c is not linked.
store_faults = src/store/local/os_fault.c

if DEV
src_store_libstore_a_SOURCES += $(store_faults)
else
src_store_libstore_a_SOURCES += src/store/local/missing.c
endif
