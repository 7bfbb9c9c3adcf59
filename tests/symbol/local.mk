# tests/symbol - a program that prints frames, and sources of test programs

check_PROGRAMS += tests/symbol/frames_dump

tests_symbol_frames_dump_SOURCES = tests/symbol/frames_dump.c
tests_symbol_frames_dump_LDADD = $(symbol_libs)

EXTRA_DIST += \
	tests/symbol/asm.c \
	tests/symbol/frames.c \
	tests/symbol/frames.cc \
	tests/symbol/frames.go \
	tests/symbol/frames.rs \
	tests/symbol/frames_compare.py
EXTRA_DIST += tests/symbol/asm.c
EXTRA_DIST += tests/symbol/make_profile.py tests/symbol/names.c
