# src/symbol - addresses to names, lines, source and assembly

noinst_LIBRARIES += src/symbol/libsymbol.a
src_symbol_libsymbol_a_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS) $(ELF_CFLAGS) $(DEBUGINFOD_CFLAGS) $(LZMA_CFLAGS)
src_symbol_libsymbol_a_SOURCES = \
	src/symbol/cache.c \
	src/symbol/cache.h \
	src/symbol/debugfile.h \
	src/symbol/debuginfod.h \
	src/symbol/disasm.c \
	src/symbol/disasm.h \
	src/symbol/dwarf_handle.h \
	src/symbol/dwp.h \
	src/symbol/elfutils.h \
	src/symbol/frames.h \
	src/symbol/frames_dwarf.h \
	src/symbol/kernel.h \
	src/symbol/locate.h \
	src/symbol/names.c \
	src/symbol/names.h \
	src/symbol/objdump.c \
	src/symbol/objdump.h \
	src/symbol/object.h \
	src/symbol/object_file.h \
	src/symbol/object_int.h \
	src/symbol/options.c \
	src/symbol/options.h \
	src/symbol/pclntab.h \
	src/symbol/prefix_map.h \
	src/symbol/symbolize.c \
	src/symbol/symbolize.h \
	src/symbol/tools.c \
	src/symbol/tools.h
# Files that need libelf, libdw, liblzma or libdebuginfod
if WITH_SYMBOLS
src_symbol_libsymbol_a_SOURCES += \
	src/symbol/base.c \
	src/symbol/debugfile.c \
	src/symbol/debuginfod.c \
	src/symbol/dwarf_handle.c \
	src/symbol/dwp.c \
	src/symbol/elfutils.c \
	src/symbol/frames.c \
	src/symbol/frames_dwarf.c \
	src/symbol/kernel.c \
	src/symbol/locate.c \
	src/symbol/object.c \
	src/symbol/object_notes.c \
	src/symbol/object_zstd.c \
	src/symbol/pclntab.c \
	src/symbol/prefix_map.c \
	src/symbol/symbols.c
else
src_symbol_libsymbol_a_SOURCES += src/symbol/missing.c
endif

include src/symbol/demangle/local.mk
include src/symbol/jit/local.mk
include src/symbol/source/local.mk
