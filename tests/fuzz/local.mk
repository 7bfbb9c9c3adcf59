# tests/fuzz - targets for libFuzzer; without it replay.c runs them over files, in every make check
#
# To add a target, add fuzz_NAME to fuzz_targets, its sources and its libraries. script/fuzz NAME runs it.

fuzz_targets = \
	tests/fuzz/fuzz_reader \
	tests/fuzz/fuzz_block \
	tests/fuzz/fuzz_segment \
	tests/fuzz/fuzz_sums \
	tests/fuzz/fuzz_query \
	tests/fuzz/fuzz_journal \
	tests/fuzz/fuzz_differential \
	tests/fuzz/fuzz_encode \
	tests/fuzz/fuzz_frames \
	tests/fuzz/fuzz_stacks \
	tests/fuzz/fuzz_symbol_cache \
	tests/fuzz/fuzz_filter \
	tests/fuzz/fuzz_firefox \
	tests/fuzz/fuzz_flame \
	tests/fuzz/fuzz_callgrind \
	tests/fuzz/fuzz_folded \
	tests/fuzz/fuzz_otlp \
	tests/fuzz/fuzz_perfscript \
	tests/fuzz/fuzz_pieces \
	tests/fuzz/fuzz_pods \
	tests/fuzz/fuzz_gate \
	tests/fuzz/fuzz_gcp \
	tests/fuzz/fuzz_gate_sides \
	tests/fuzz/fuzz_layout \
	tests/fuzz/fuzz_line \
	tests/fuzz/fuzz_configs \
	tests/fuzz/fuzz_dict \
	tests/fuzz/fuzz_cpu \
	tests/fuzz/fuzz_heap \
	tests/fuzz/fuzz_go_count \
	tests/fuzz/fuzz_threads \
	tests/fuzz/fuzz_contention \
	tests/fuzz/fuzz_java \
	tests/fuzz/fuzz_jemalloc \
	tests/fuzz/fuzz_jfr \
	tests/fuzz/fuzz_jit \
	tests/fuzz/fuzz_object \
	tests/fuzz/fuzz_objdump \
	tests/fuzz/fuzz_collect \
	tests/fuzz/fuzz_collect_config \
	tests/fuzz/fuzz_elfnames \
	tests/fuzz/fuzz_access \
	tests/fuzz/fuzz_guard \
	tests/fuzz/fuzz_perf \
	tests/fuzz/fuzz_proc \
	tests/fuzz/fuzz_push \
	tests/fuzz/fuzz_pyroscope \
	tests/fuzz/fuzz_push_parts \
	tests/fuzz/fuzz_rpc \
	tests/fuzz/fuzz_serve_head \
	tests/fuzz/fuzz_serve_query \
	tests/fuzz/fuzz_speedscope \
	tests/fuzz/fuzz_tables \
	tests/fuzz/fuzz_unwind \
	tests/fuzz/fuzz_v8 \
	tests/fuzz/fuzz_web \
	tests/fuzz/fuzz_window

check_PROGRAMS += $(fuzz_targets)
TESTS += tests/fuzz/replay.t
EXTRA_DIST += tests/fuzz/.gitattributes tests/fuzz/replay.t tests/fuzz/corpus

if FUZZ
fuzz_main =
fuzz_ldflags = -fsanitize=fuzzer
else
fuzz_main = tests/fuzz/replay.c
fuzz_ldflags =
endif

tests_fuzz_fuzz_reader_SOURCES = tests/fuzz/fuzz_reader.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_reader_LDADD = $(formats_libs)
tests_fuzz_fuzz_reader_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_differential_SOURCES = tests/fuzz/fuzz_differential.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_differential_CPPFLAGS = $(AM_CPPFLAGS) -Iproto
tests_fuzz_fuzz_differential_LDADD = proto/libproto.a $(formats_libs) $(PROTOBUF_C_LIBS)
tests_fuzz_fuzz_differential_LDFLAGS = $(fuzz_ldflags)
tests/fuzz/fuzz_differential-fuzz_differential.$(OBJEXT): proto/profile.pb-c.h

tests_fuzz_fuzz_dict_SOURCES = tests/fuzz/fuzz_dict.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_dict_LDADD = src/store/libstore.a $(formats_libs)
tests_fuzz_fuzz_dict_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_encode_SOURCES = tests/fuzz/fuzz_encode.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_encode_LDADD = $(formats_libs)
tests_fuzz_fuzz_encode_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_filter_SOURCES = tests/fuzz/fuzz_filter.c tests/fuzz/fuzz.h tests/unit/make_filter.h $(fuzz_main)
tests_fuzz_fuzz_filter_LDADD = $(engine_libs)
tests_fuzz_fuzz_filter_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_flame_SOURCES = tests/fuzz/fuzz_flame.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_flame_LDADD = src/report/libreport.a src/engine/libengine.a src/symbol/libsymbol.a $(formats_libs) \
	$(DW_LIBS) $(ELF_LIBS) $(LZMA_LIBS) $(IBERTY_LIBS)
tests_fuzz_fuzz_flame_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_gate_SOURCES = tests/fuzz/fuzz_gate.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_gate_LDADD = src/report/gate/libgate.a $(engine_libs)
tests_fuzz_fuzz_gate_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_gate_sides_SOURCES = tests/fuzz/fuzz_gate_sides.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_gate_sides_LDADD = viewers/ci/libci.a $(answer_libs)
tests_fuzz_fuzz_gate_sides_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_layout_SOURCES = tests/fuzz/fuzz_layout.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_layout_LDADD = viewers/graph/libgraph.a $(base_libs)
tests_fuzz_fuzz_layout_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_line_SOURCES = tests/fuzz/fuzz_line.c tests/fuzz/fuzz.h tests/unit/make_labels.h $(fuzz_main)
tests_fuzz_fuzz_line_LDADD = $(session_libs)
tests_fuzz_fuzz_line_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_collect_config_SOURCES = tests/fuzz/fuzz_collect_config.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_collect_config_LDADD = $(scrape_libs)
tests_fuzz_fuzz_collect_config_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_pods_SOURCES = tests/fuzz/fuzz_pods.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_pods_LDADD = $(scrape_libs)
tests_fuzz_fuzz_pods_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_configs_SOURCES = tests/fuzz/fuzz_configs.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_configs_LDADD = $(session_libs)
tests_fuzz_fuzz_configs_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_object_SOURCES = tests/fuzz/fuzz_object.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_object_LDADD = $(symbol_libs)
tests_fuzz_fuzz_object_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_jit_SOURCES = tests/fuzz/fuzz_jit.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_jit_LDADD = $(symbol_libs)
tests_fuzz_fuzz_jit_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_objdump_SOURCES = tests/fuzz/fuzz_objdump.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_objdump_LDADD = $(symbol_libs)
tests_fuzz_fuzz_objdump_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_tables_SOURCES = tests/fuzz/fuzz_tables.c tests/fuzz/fuzz.h tests/unit/make_tables.h $(fuzz_main)
tests_fuzz_fuzz_tables_LDADD = $(collector_libs) $(formats_libs)
tests_fuzz_fuzz_tables_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_collect_SOURCES = tests/fuzz/fuzz_collect.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_collect_LDADD = $(collector_libs) $(formats_libs)
tests_fuzz_fuzz_collect_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_elfnames_SOURCES = tests/fuzz/fuzz_elfnames.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_elfnames_LDADD = $(collector_libs) $(formats_libs)
tests_fuzz_fuzz_elfnames_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_perf_SOURCES = tests/fuzz/fuzz_perf.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_perf_LDADD = $(formats_libs)
tests_fuzz_fuzz_perf_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_proc_SOURCES = tests/fuzz/fuzz_proc.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_proc_LDADD = $(collector_libs) $(formats_libs)
tests_fuzz_fuzz_proc_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_push_SOURCES = tests/fuzz/fuzz_push.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_push_LDADD = $(formats_libs)
tests_fuzz_fuzz_push_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_pyroscope_SOURCES = tests/fuzz/fuzz_pyroscope.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_pyroscope_LDADD = src/store/libstore.a $(formats_libs)
tests_fuzz_fuzz_pyroscope_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_push_parts_SOURCES = tests/fuzz/fuzz_push_parts.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_push_parts_LDADD = $(formats_libs)
tests_fuzz_fuzz_push_parts_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_serve_head_SOURCES = tests/fuzz/fuzz_serve_head.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_serve_head_LDADD = $(endpoint_libs) $(formats_libs)
tests_fuzz_fuzz_serve_head_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_serve_query_SOURCES = tests/fuzz/fuzz_serve_query.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_serve_query_LDADD = $(endpoint_libs) $(collector_libs) $(formats_libs)
tests_fuzz_fuzz_serve_query_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_unwind_SOURCES = tests/fuzz/fuzz_unwind.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_unwind_LDADD = src/libcpaprof/target/unwind/libunwind.a $(base_libs)
tests_fuzz_fuzz_unwind_LDFLAGS = $(fuzz_ldflags)

# One source file for the parsers of the legacy formats, compiled once for each.
fuzz_legacy = tests/fuzz/fuzz_legacy.c tests/fuzz/fuzz.h $(fuzz_main)

tests_fuzz_fuzz_cpu_SOURCES = $(fuzz_legacy)
tests_fuzz_fuzz_cpu_CPPFLAGS = $(AM_CPPFLAGS) -DTARGET=legacy_read_cpu
tests_fuzz_fuzz_cpu_LDADD = $(formats_libs)
tests_fuzz_fuzz_cpu_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_heap_SOURCES = $(fuzz_legacy)
tests_fuzz_fuzz_heap_CPPFLAGS = $(AM_CPPFLAGS) -DTARGET=legacy_read_heap
tests_fuzz_fuzz_heap_LDADD = $(formats_libs)
tests_fuzz_fuzz_heap_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_go_count_SOURCES = $(fuzz_legacy)
tests_fuzz_fuzz_go_count_CPPFLAGS = $(AM_CPPFLAGS) -DTARGET=legacy_read_go_count
tests_fuzz_fuzz_go_count_LDADD = $(formats_libs)
tests_fuzz_fuzz_go_count_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_threads_SOURCES = $(fuzz_legacy)
tests_fuzz_fuzz_threads_CPPFLAGS = $(AM_CPPFLAGS) -DTARGET=legacy_read_threads
tests_fuzz_fuzz_threads_LDADD = $(formats_libs)
tests_fuzz_fuzz_threads_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_contention_SOURCES = $(fuzz_legacy)
tests_fuzz_fuzz_contention_CPPFLAGS = $(AM_CPPFLAGS) -DTARGET=legacy_read_contention
tests_fuzz_fuzz_contention_LDADD = $(formats_libs)
tests_fuzz_fuzz_contention_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_java_SOURCES = $(fuzz_legacy)
tests_fuzz_fuzz_java_CPPFLAGS = $(AM_CPPFLAGS) -DTARGET=legacy_read_java
tests_fuzz_fuzz_java_LDADD = $(formats_libs)
tests_fuzz_fuzz_java_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_folded_SOURCES = tests/fuzz/fuzz_folded.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_folded_LDADD = $(formats_libs)
tests_fuzz_fuzz_folded_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_jemalloc_SOURCES = tests/fuzz/fuzz_jemalloc.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_jemalloc_LDADD = $(formats_libs)
tests_fuzz_fuzz_jemalloc_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_jfr_SOURCES = tests/fuzz/fuzz_jfr.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_jfr_LDADD = $(formats_libs)
tests_fuzz_fuzz_jfr_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_callgrind_SOURCES = tests/fuzz/fuzz_callgrind.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_callgrind_LDADD = $(formats_libs)
tests_fuzz_fuzz_callgrind_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_otlp_SOURCES = tests/fuzz/fuzz_otlp.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_otlp_LDADD = $(formats_libs)
tests_fuzz_fuzz_otlp_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_perfscript_SOURCES = tests/fuzz/fuzz_perfscript.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_perfscript_LDADD = $(formats_libs)
tests_fuzz_fuzz_perfscript_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_pieces_SOURCES = tests/fuzz/fuzz_pieces.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_pieces_LDADD = $(formats_libs) $(ZLIB_LIBS)
tests_fuzz_fuzz_pieces_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_frames_SOURCES = tests/fuzz/fuzz_frames.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_frames_LDADD = $(symbol_libs)
tests_fuzz_fuzz_frames_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_symbol_cache_SOURCES = tests/fuzz/fuzz_symbol_cache.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_symbol_cache_LDADD = $(symbol_libs)
tests_fuzz_fuzz_symbol_cache_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_access_SOURCES = tests/fuzz/fuzz_access.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_access_LDADD = $(access_libs)
tests_fuzz_fuzz_access_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_guard_SOURCES = tests/fuzz/fuzz_guard.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_guard_LDADD = $(endpoint_libs) $(profile_libs)
tests_fuzz_fuzz_guard_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_stacks_SOURCES = tests/fuzz/fuzz_stacks.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_stacks_LDADD = $(formats_libs)
tests_fuzz_fuzz_stacks_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_web_SOURCES = tests/fuzz/fuzz_web.c tests/fuzz/fuzz.h tests/unit/make_labels.h $(fuzz_main)
tests_fuzz_fuzz_web_LDADD = src/front/web/libweb.a $(session_libs)
tests_fuzz_fuzz_web_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_journal_SOURCES = tests/fuzz/fuzz_journal.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_journal_LDADD = $(store_libs)
tests_fuzz_fuzz_journal_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_gcp_SOURCES = tests/fuzz/fuzz_gcp.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_gcp_LDADD = $(store_libs)
tests_fuzz_fuzz_gcp_LDFLAGS = $(fuzz_ldflags)
tests_fuzz_fuzz_rpc_SOURCES = tests/fuzz/fuzz_rpc.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_rpc_LDADD = $(store_libs)
tests_fuzz_fuzz_rpc_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_window_SOURCES = tests/fuzz/fuzz_window.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_window_LDADD = $(store_libs)
tests_fuzz_fuzz_window_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_block_SOURCES = tests/fuzz/fuzz_block.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_block_LDADD = src/store/libstore.a $(formats_libs) $(DEFLATE_LIBS)
tests_fuzz_fuzz_block_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_sums_SOURCES = tests/fuzz/fuzz_sums.c tests/fuzz/fuzz.h tests/unit/make_segment.h $(fuzz_main)
tests_fuzz_fuzz_sums_LDADD = src/store/libstore.a $(formats_libs) $(DEFLATE_LIBS)
tests_fuzz_fuzz_sums_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_query_SOURCES = tests/fuzz/fuzz_query.c tests/fuzz/segment_sums.h tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_query_LDADD = $(store_libs)
tests_fuzz_fuzz_query_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_segment_SOURCES = tests/fuzz/fuzz_segment.c tests/fuzz/segment_sums.h tests/fuzz/fuzz.h tests/unit/make_segment.h $(fuzz_main)
tests_fuzz_fuzz_segment_LDADD = src/store/libstore.a $(formats_libs) $(DEFLATE_LIBS)
tests_fuzz_fuzz_segment_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_firefox_SOURCES = tests/fuzz/fuzz_firefox.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_firefox_LDADD = $(formats_libs)
tests_fuzz_fuzz_firefox_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_speedscope_SOURCES = tests/fuzz/fuzz_speedscope.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_speedscope_LDADD = $(formats_libs)
tests_fuzz_fuzz_speedscope_LDFLAGS = $(fuzz_ldflags)

tests_fuzz_fuzz_v8_SOURCES = tests/fuzz/fuzz_v8.c tests/fuzz/fuzz.h $(fuzz_main)
tests_fuzz_fuzz_v8_LDADD = $(formats_libs)
tests_fuzz_fuzz_v8_LDFLAGS = $(fuzz_ldflags)
