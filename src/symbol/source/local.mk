# src/symbol/source - finds and reads source files

src_symbol_libsymbol_a_SOURCES += \
	src/symbol/source/source_file.c \
	src/symbol/source/source_file.h \
	src/symbol/source/source_path.c \
	src/symbol/source/source_path.h \
	src/symbol/source/source_path_go.c \
	src/symbol/source/source_path_rust.c \
	src/symbol/source/source_roots.c
