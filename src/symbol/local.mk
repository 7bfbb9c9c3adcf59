# src/symbol - addresses to names, lines, source and assembly

noinst_LIBRARIES += src/symbol/libsymbol.a
src_symbol_libsymbol_a_CFLAGS = $(AM_CFLAGS) $(DW_CFLAGS) $(ELF_CFLAGS) $(DEBUGINFOD_CFLAGS) $(LZMA_CFLAGS)
src_symbol_libsymbol_a_SOURCES = \
	src/symbol/base.c \
	src/symbol/debugfile.c \
	src/symbol/debugfile.h \
	src/symbol/demangle.c \
	src/symbol/demangle.h \
	src/symbol/demangle_cplus.c \
	src/symbol/demangle_cplus.h \
	src/symbol/demangle_d.c \
	src/symbol/demangle_d.h \
	src/symbol/demangle_rust.c \
	src/symbol/demangle_rust.h \
	src/symbol/disasm.c \
	src/symbol/disasm.h \
	src/symbol/dwarf_handle.c \
	src/symbol/dwarf_handle.h \
	src/symbol/frames.c \
	src/symbol/frames.h \
	src/symbol/locate.c \
	src/symbol/frames_dwarf.c \
	src/symbol/frames_dwarf.h \
	src/symbol/frames_read.c \
	src/symbol/frames_read.h \
	src/symbol/frames_search.h \
	src/symbol/frames_symbols.c \
	src/symbol/frames_symbols.h \
	src/symbol/frames_texts.c \
	src/symbol/frames_texts.h \
	src/symbol/inlines.c \
	src/symbol/inlines.h \
	src/symbol/linetab.c \
	src/symbol/linetab.h \
	src/symbol/locate.h \
	src/symbol/locate_mappings.c \
	src/symbol/names.c \
	src/symbol/names.h \
	src/symbol/objdump.c \
	src/symbol/objdump.h \
	src/symbol/object.c \
	src/symbol/object.h \
	src/symbol/object_debug.c \
	src/symbol/object_file.c \
	src/symbol/object_file.h \
	src/symbol/object_int.h \
	src/symbol/object_lzma.c \
	src/symbol/object_lzma.h \
	src/symbol/object_notes.c \
	src/symbol/object_notes.h \
	src/symbol/source_file.c \
	src/symbol/source_file.h \
	src/symbol/source_path.c \
	src/symbol/source_path.h \
	src/symbol/source_path_go.c \
	src/symbol/source_path_rust.c \
	src/symbol/source_path_tree.c \
	src/symbol/symbols.c \
	src/symbol/tools.c \
	src/symbol/tools.h \
	src/symbol/where.c \
	src/symbol/where.h \
	src/symbol/where_path.c \
	src/symbol/where_path.h
