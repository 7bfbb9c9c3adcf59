# src/symbol - addresses to names, lines, source and assembly

noinst_LIBRARIES += src/symbol/libsymbol.a
src_symbol_libsymbol_a_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS) $(ELF_CFLAGS) $(DEBUGINFOD_CFLAGS) $(LZMA_CFLAGS)
src_symbol_libsymbol_a_SOURCES = \
	src/symbol/cache.c \
	src/symbol/cache.h \
	src/symbol/debugfile.h \
	src/symbol/debuginfod.h \
	src/symbol/demangle.c \
	src/symbol/demangle.h \
	src/symbol/demangle_cplus.c \
	src/symbol/demangle_d.c \
	src/symbol/demangle_int.h \
	src/symbol/demangle_rust.c \
	src/symbol/disasm.c \
	src/symbol/disasm.h \
	src/symbol/dwarf_handle.h \
	src/symbol/dwp.h \
	src/symbol/elfutils.h \
	src/symbol/frames.h \
	src/symbol/frames_dwarf.h \
	src/symbol/jit.c \
	src/symbol/jit.h \
	src/symbol/jit_process.c \
	src/symbol/jit_process.h \
	src/symbol/jit_profile.c \
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
	src/symbol/source_file.c \
	src/symbol/source_file.h \
	src/symbol/source_path.c \
	src/symbol/source_path.h \
	src/symbol/source_path_go.c \
	src/symbol/source_path_rust.c \
	src/symbol/source_roots.c \
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
