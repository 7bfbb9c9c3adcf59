# src/store/local - the directory of a store: system calls that change it, its lock

src_store_libstore_a_SOURCES += \
	src/store/local/holder.c \
	src/store/local/holder.h \
	src/store/local/layout.c \
	src/store/local/layout.h \
	src/store/local/os.c \
	src/store/local/os.h \
	src/store/local/os_fault.h \
	src/store/local/os_undo.h

# Tests that set faults have these as sources too, so that missing.c is not linked.
store_faults = src/store/local/os_fault.c src/store/local/os_undo.c

if DEV
src_store_libstore_a_SOURCES += $(store_faults)
else
src_store_libstore_a_SOURCES += src/store/local/missing.c
endif
