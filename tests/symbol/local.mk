# tests/symbol - a program that prints frames, and sources of programs to look into

check_PROGRAMS += tests/symbol/frames_dump

tests_symbol_frames_dump_SOURCES = tests/symbol/frames_dump.c
tests_symbol_frames_dump_LDADD = $(symbol_libs)
