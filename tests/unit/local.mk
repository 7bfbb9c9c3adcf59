# tests/unit - one cmocka program per source file with logic
#
# To add a test, add its name to unit_tests, and a line that links its own layer and those below it, so
# that a call to a higher layer does not link. Its source is the file of the same name with .c.

unit_base = $(base_libs) $(CMOCKA_LIBS)
unit_profile = $(profile_libs) $(CMOCKA_LIBS)
unit_formats = $(formats_libs) $(CMOCKA_LIBS)
unit_store = src/store/libstore.a $(formats_libs) $(DEFLATE_LIBS) $(CMOCKA_LIBS)
unit_symbol = $(symbol_libs) $(CMOCKA_LIBS)
unit_fetch = $(fetch_libs) $(CMOCKA_LIBS)
unit_scrape = $(scrape_libs) $(CMOCKA_LIBS)
unit_engine = $(engine_libs) $(CMOCKA_LIBS)
unit_report = $(report_libs) $(CMOCKA_LIBS)
unit_gate = $(gate_libs) $(report_libs) $(CMOCKA_LIBS)
unit_answer = $(answer_libs) $(CMOCKA_LIBS)
unit_session = $(session_libs) $(CMOCKA_LIBS)
unit_viewers = viewers/text/libtext.a viewers/json/libjson.a viewers/export/libexport.a \
	$(gate_libs) \
	src/report/libreport.a $(base_libs) $(CMOCKA_LIBS)
unit_flame = viewers/flame/libflame.a src/report/libreport.a $(base_libs) $(CMOCKA_LIBS)
unit_stats = $(stats_libs) $(CMOCKA_LIBS)
unit_shell = src/front/shell/libshell.a src/session/libsession.a $(answer_libs) $(CMOCKA_LIBS)
unit_web = src/front/web/libweb.a src/session/libsession.a $(answer_libs) $(CMOCKA_LIBS)
unit_pdf = viewers/pdf/libpdf.a $(unit_flame)
unit_callgraph = viewers/graph/libgraph.a viewers/xml/libxml.a viewers/flame/libflame.a viewers/text/libtext.a \
	$(report_libs) $(CMOCKA_LIBS)
unit_export = viewers/export/libexport.a viewers/graph/libgraph.a viewers/text/libtext.a $(report_libs) $(formats_libs) $(CMOCKA_LIBS)

# The script that replaces the tests if cmocka is missing, and headers that the tests share.
EXTRA_DIST += \
	tests/unit/cmocka.t \
	tests/unit/tap.sh \
	tests/unit/make_elf.h \
	tests/unit/make_filter.h \
	tests/unit/make_flame.h \
	tests/unit/make_folder.h \
	tests/unit/make_filled_store.h \
	tests/unit/make_gate.h \
	tests/unit/make_gate_answer.h \
	tests/unit/make_gate_options.h \
	tests/unit/make_diff.h \
	tests/unit/make_graph.h \
	tests/unit/make_gzip.h \
	tests/unit/make_jfr.h \
	tests/unit/make_judge.h \
	tests/unit/make_labels.h \
	tests/unit/make_listen.h \
	tests/unit/make_net.h \
	tests/unit/check_profile.h \
	tests/unit/check_reader.h \
	tests/unit/check_stacks.h \
	tests/unit/same_profile.h \
	tests/unit/damage_reader.h \
	tests/unit/field_order.h \
	tests/unit/make_profile.h \
	tests/unit/make_report.h \
	tests/unit/make_segment.h \
	tests/unit/make_numbered.h \
	tests/unit/make_store.h \
	tests/unit/make_serve.h \
	tests/unit/make_live_store.h \
	tests/unit/make_tables.h \
	tests/unit/make_web.h \
	tests/unit/merge_parts.h \
	tests/unit/wire.h

unit_tests = \
	tests/unit/test_address \
	tests/unit/test_busy \
	tests/unit/test_loaded \
	tests/unit/test_access \
	tests/unit/test_foreign \
	tests/unit/test_anonymize \
	tests/unit/test_amount \
	tests/unit/test_arena \
	tests/unit/test_attach_sample \
	tests/unit/test_attach_snap \
	tests/unit/test_context \
	tests/unit/test_thread_labels \
	tests/unit/test_base \
	tests/unit/test_bench_rank \
	tests/unit/test_block \
	tests/unit/test_boxes \
	tests/unit/test_buf \
	tests/unit/test_builder \
	tests/unit/test_bundle \
	tests/unit/test_cache \
	tests/unit/test_callgrind \
	tests/unit/test_callgraph \
	tests/unit/test_calls \
	tests/unit/test_calltree \
	tests/unit/test_collect_config \
	tests/unit/test_schedule \
	tests/unit/test_collect_guard \
	tests/unit/test_collect_targets \
	tests/unit/test_pods \
	tests/unit/test_v8 \
	tests/unit/test_version \
	tests/unit/test_common_types \
	tests/unit/test_centre \
	tests/unit/test_catalogue \
	tests/unit/test_store_compaction \
	tests/unit/test_store_repair \
	tests/unit/test_store_tiers \
	tests/unit/test_estimate \
	tests/unit/test_store_maintain_crash \
	tests/unit/test_check \
	tests/unit/test_child \
	tests/unit/test_compact \
	tests/unit/test_compare \
	tests/unit/test_complete \
	tests/unit/test_csv \
	tests/unit/test_cursor \
	tests/unit/test_damage \
	tests/unit/test_debugfile \
	tests/unit/test_debuginfod \
	tests/unit/test_demangle \
	tests/unit/test_dict \
	tests/unit/test_diff \
	tests/unit/test_dot \
	tests/unit/test_sums_walk \
	tests/unit/test_edges \
	tests/unit/test_edit \
	tests/unit/test_editor \
	tests/unit/test_elfnames \
	tests/unit/test_encode \
	tests/unit/test_err \
	tests/unit/test_fetch_loop \
	tests/unit/test_filter \
	tests/unit/test_filter_tags \
	tests/unit/test_find \
	tests/unit/test_firefox \
	tests/unit/test_flame_captions \
	tests/unit/test_flame_color \
	tests/unit/test_flame_functions \
	tests/unit/test_flame_layout \
	tests/unit/test_flame_palette \
	tests/unit/test_flame_runs \
	tests/unit/test_folded \
	tests/unit/test_folded_read \
	tests/unit/test_callgrind_read \
	tests/unit/test_jemalloc \
	tests/unit/test_jfr \
	tests/unit/test_otlp \
	tests/unit/test_perfscript \
	tests/unit/test_frames \
	tests/unit/test_gate_ci \
	tests/unit/test_gate_config \
	tests/unit/test_gate_decide \
	tests/unit/test_gate_json \
	tests/unit/test_gate_sampling \
	tests/unit/test_gate_names \
	tests/unit/test_gate_options \
	tests/unit/test_gate_renames \
	tests/unit/test_gate_rows \
	tests/unit/test_gate_sum \
	tests/unit/test_gate_text \
	tests/unit/test_endpoint_access \
	tests/unit/test_httpd \
	tests/unit/test_graph \
	tests/unit/test_gzip \
	tests/unit/test_hash \
	tests/unit/test_head \
	tests/unit/test_html \
	tests/unit/test_idmap \
	tests/unit/test_forest \
	tests/unit/test_idtab \
	tests/unit/test_inflate \
	tests/unit/test_jit \
	tests/unit/test_io \
	tests/unit/test_json \
	tests/unit/test_jsonr \
	tests/unit/test_content \
	tests/unit/test_prefs \
	tests/unit/test_keys \
	tests/unit/test_label_order \
	tests/unit/test_label_sets \
	tests/unit/test_label_unit \
	tests/unit/test_layout \
	tests/unit/test_legacy_contention \
	tests/unit/test_legacy_cpu \
	tests/unit/test_legacy_frames \
	tests/unit/test_legacy_go_count \
	tests/unit/test_legacy_heap \
	tests/unit/test_legacy_java \
	tests/unit/test_legacy_text \
	tests/unit/test_legacy_threads \
	tests/unit/test_library \
	tests/unit/test_line \
	tests/unit/test_lines \
	tests/unit/test_list \
	tests/unit/test_listen \
	tests/unit/test_listen_unix \
	tests/unit/test_locate \
	tests/unit/test_maps \
	tests/unit/test_markdown \
	tests/unit/test_match \
	tests/unit/test_match_name \
	tests/unit/test_means \
	tests/unit/test_memmap \
	tests/unit/test_merge \
	tests/unit/test_merge_ids \
	tests/unit/test_merge_stacks \
	tests/unit/test_merger \
	tests/unit/test_names \
	tests/unit/test_net \
	tests/unit/test_nodes \
	tests/unit/test_normal \
	tests/unit/test_normalize \
	tests/unit/test_num \
	tests/unit/test_objdump \
	tests/unit/test_object \
	tests/unit/test_opt \
	tests/unit/test_packed \
	tests/unit/test_path \
	tests/unit/test_pclntab \
	tests/unit/test_pdf \
	tests/unit/test_peer \
	tests/unit/test_perf_read \
	tests/unit/test_pieces \
	tests/unit/test_places \
	tests/unit/test_pool \
	tests/unit/test_radix \
	tests/unit/test_prefix_map \
	tests/unit/test_proto \
	tests/unit/test_proto_sample \
	tests/unit/test_prune \
	tests/unit/test_query \
	tests/unit/test_raw \
	tests/unit/test_push \
	tests/unit/test_pyroscope \
	tests/unit/test_push_parts \
	tests/unit/test_reader \
	tests/unit/test_regex \
	tests/unit/test_regex_syntax \
	tests/unit/test_rename \
	tests/unit/test_report \
	tests/unit/test_report_flame \
	tests/unit/test_report_json \
	tests/unit/test_runtime_names \
	tests/unit/test_reports \
	tests/unit/test_scale \
	tests/unit/test_secrets \
	tests/unit/test_segment \
	tests/unit/test_store_clickhouse \
	tests/unit/test_store_query \
	tests/unit/test_store_read \
	tests/unit/test_reduce_forest \
	tests/unit/test_store_sums \
	tests/unit/test_store_crash \
	tests/unit/test_sink_outcome \
	tests/unit/test_store_spool \
	tests/unit/test_store_writer \
	tests/unit/test_journal \
	tests/unit/test_serve_head \
	tests/unit/test_serve \
	tests/unit/test_serve_answers \
	tests/unit/test_serve_query \
	tests/unit/test_settings \
	tests/unit/test_scrape \
	tests/unit/test_sheet \
	tests/unit/test_shell_palette \
	tests/unit/test_shell_event \
	tests/unit/test_shell_grid \
	tests/unit/test_shell_label \
	tests/unit/test_shell_name \
	tests/unit/test_shell_quote \
	tests/unit/test_shorten \
	tests/unit/test_side \
	tests/unit/test_sides \
	tests/unit/test_simplify \
	tests/unit/test_snap \
	tests/unit/test_snap_text \
	tests/unit/test_source \
	tests/unit/test_source_file \
	tests/unit/test_speedscope \
	tests/unit/test_speedscope_read \
	tests/unit/test_stats \
	tests/unit/test_stats_change \
	tests/unit/test_stats_judge \
	tests/unit/test_stats_runs \
	tests/unit/test_stop \
	tests/unit/test_strtab \
	tests/unit/test_sweep \
	tests/unit/test_symbolize \
	tests/unit/test_symbolz \
	tests/unit/test_tag_sums \
	tests/unit/test_tag_table \
	tests/unit/test_labels \
	tests/unit/test_sums \
	tests/unit/test_tags \
	tests/unit/test_text_traces \
	tests/unit/test_text_view \
	tests/unit/test_stored_browse \
	tests/unit/test_temporality \
	tests/unit/test_tools \
	tests/unit/test_top \
	tests/unit/test_top_sides \
	tests/unit/test_trace \
	tests/unit/test_trace_spans \
	tests/unit/test_traces \
	tests/unit/test_trend \
	tests/unit/test_trim \
	tests/unit/test_time \
	tests/unit/test_unit \
	tests/unit/test_url \
	tests/unit/test_jobs \
	tests/unit/test_response_cache \
	tests/unit/test_configs \
	tests/unit/test_url_params \
	tests/unit/test_url_settings \
	tests/unit/test_utf8 \
	tests/unit/test_view \
	tests/unit/test_workspace \
	tests/unit/test_web \
	tests/unit/test_web_flame \
	tests/unit/test_web_compare \
	tests/unit/test_web_frame \
	tests/unit/test_web_profiles \
	tests/unit/test_web_store \
	tests/unit/test_web_tables \
	tests/unit/test_web_respond \
	tests/unit/test_weblist \
	tests/unit/test_watch \
	tests/unit/test_doctor \
	tests/unit/test_window \
	tests/unit/test_wire \
	tests/unit/test_xml

tests_unit_test_address_LDADD = $(unit_report)
tests_unit_test_loaded_LDADD = $(unit_answer)
tests_unit_test_access_LDADD = $(access_libs) $(CMOCKA_LIBS)
tests_unit_test_amount_LDADD = $(unit_base)
tests_unit_test_collect_config_LDADD = $(unit_scrape)
tests_unit_test_schedule_LDADD = $(unit_scrape)
tests_unit_test_collect_guard_LDADD = $(unit_scrape)
tests_unit_test_collect_targets_LDADD = $(unit_scrape)
tests_unit_test_pods_LDADD = $(unit_scrape)
tests_unit_test_version_LDADD = $(unit_scrape)
tests_unit_test_scrape_LDADD = $(unit_scrape)
tests_unit_test_arena_LDADD = $(unit_base)
tests_unit_test_base_LDADD = $(unit_symbol)
tests_unit_test_boxes_LDADD = $(unit_engine)
tests_unit_test_buf_LDADD = $(unit_base)
tests_unit_test_builder_LDADD = $(unit_profile)
tests_unit_test_bundle_LDADD = $(unit_answer)
tests_unit_test_callgrind_LDADD = $(unit_export)
tests_unit_test_cache_LDADD = $(unit_symbol)
tests_unit_test_catalogue_LDADD = $(unit_store)
tests_unit_test_store_compaction_LDADD = $(unit_store)
tests_unit_test_store_tiers_LDADD = $(unit_store)
tests_unit_test_estimate_LDADD = $(unit_store) -lm
tests_unit_test_store_repair_LDADD = $(unit_store)
tests_unit_test_store_maintain_crash_SOURCES = tests/unit/test_store_maintain_crash.c $(store_faults)
tests_unit_test_store_maintain_crash_LDADD = $(unit_store)
tests_unit_test_calls_LDADD = $(unit_report)
tests_unit_test_calltree_LDADD = $(unit_engine)
tests_unit_test_common_types_LDADD = $(unit_profile)
tests_unit_test_centre_LDADD = $(unit_stats)
tests_unit_test_check_LDADD = $(unit_profile)
tests_unit_test_callgraph_LDADD = $(unit_callgraph)
tests_unit_test_layout_LDADD = viewers/graph/libgraph.a $(base_libs) $(CMOCKA_LIBS)
tests_unit_test_child_LDADD = $(unit_base)
tests_unit_test_compact_LDADD = $(unit_profile)
tests_unit_test_compare_LDADD = $(unit_viewers)
tests_unit_test_complete_LDADD = $(unit_session)
tests_unit_test_csv_LDADD = $(unit_viewers)
tests_unit_test_cursor_LDADD = $(unit_formats)
tests_unit_test_damage_LDADD = $(unit_formats)
tests_unit_test_demangle_LDADD = $(unit_symbol)
tests_unit_test_debugfile_LDADD = $(unit_symbol)
tests_unit_test_debuginfod_LDADD = $(unit_symbol)
tests_unit_test_block_LDADD = $(unit_store)
tests_unit_test_dict_LDADD = $(unit_store)
tests_unit_test_segment_LDADD = $(unit_store)
tests_unit_test_store_clickhouse_LDADD = $(sinks_libs) $(CMOCKA_LIBS)
tests_unit_test_store_query_LDADD = $(unit_store)
tests_unit_test_store_read_LDADD = $(unit_store)
tests_unit_test_reduce_forest_LDADD = $(unit_store)
tests_unit_test_store_sums_LDADD = $(unit_store)
tests_unit_test_store_crash_SOURCES = tests/unit/test_store_crash.c $(store_faults)
tests_unit_test_store_crash_LDADD = $(unit_store)
tests_unit_test_sink_outcome_LDADD = $(sinks_libs) $(CMOCKA_LIBS)
tests_unit_test_store_spool_SOURCES = tests/unit/test_store_spool.c $(store_faults)
tests_unit_test_store_spool_LDADD = $(unit_store)
tests_unit_test_store_writer_SOURCES = tests/unit/test_store_writer.c $(store_faults)
tests_unit_test_store_writer_LDADD = $(unit_store)
tests_unit_test_journal_LDADD = $(unit_store)
tests_unit_test_diff_LDADD = $(unit_report)
tests_unit_test_dot_LDADD = $(unit_export)
tests_unit_test_sums_walk_LDADD = src/engine/libengine.a $(unit_formats) $(ZLIB_LIBS)
tests_unit_test_edges_LDADD = $(unit_engine)
tests_unit_test_foreign_LDADD = $(unit_formats)
tests_unit_test_anonymize_LDADD = $(unit_profile)
tests_unit_test_edit_LDADD = $(unit_profile)
tests_unit_test_editor_LDADD = $(unit_shell)
tests_unit_test_encode_CPPFLAGS = $(AM_CPPFLAGS) -Iproto
tests_unit_test_attach_sample_LDADD = src/attach/libattach.a $(answer_libs) $(endpoint_libs) $(collector_libs) \
	$(CMOCKA_LIBS)
tests_unit_test_attach_snap_LDADD = src/attach/libattach.a $(answer_libs) $(endpoint_libs) $(collector_libs) \
	$(CMOCKA_LIBS)
tests_unit_test_context_LDADD = src/attach/libattach.a $(answer_libs) $(endpoint_libs) $(collector_libs) $(CMOCKA_LIBS)
tests_unit_test_thread_labels_LDADD = $(tests_unit_test_context_LDADD)
tests_unit_test_thread_labels_LDFLAGS = $(AM_LDFLAGS) -rdynamic
tests_unit_test_elfnames_LDADD = $(collector_libs) $(CMOCKA_LIBS)
tests_unit_test_encode_LDADD = proto/libproto.a $(unit_formats) $(PROTOBUF_C_LIBS)
tests/unit/test_encode-test_encode.$(OBJEXT): proto/profile.pb-c.h
tests_unit_test_err_LDADD = $(unit_base)
tests_unit_test_find_LDADD = $(unit_shell)
tests_unit_test_flame_captions_LDADD = $(unit_flame)
tests_unit_test_flame_color_LDADD = $(unit_flame)
tests_unit_test_flame_functions_LDADD = $(unit_flame)
tests_unit_test_flame_layout_LDADD = $(unit_flame)
tests_unit_test_flame_palette_LDADD = $(unit_flame)
tests_unit_test_flame_runs_LDADD = $(unit_shell)
tests_unit_test_folded_LDADD = $(unit_export)
tests_unit_test_folded_read_LDADD = $(unit_formats)
tests_unit_test_jemalloc_LDADD = $(unit_formats)
tests_unit_test_jfr_LDADD = $(unit_formats)
tests_unit_test_perfscript_LDADD = $(unit_formats)
tests_unit_test_otlp_LDADD = $(unit_formats)
tests_unit_test_callgrind_read_LDADD = $(unit_formats)
tests_unit_test_fetch_loop_LDADD = $(unit_fetch)
tests_unit_test_filter_LDADD = $(unit_engine)
tests_unit_test_filter_tags_LDADD = $(unit_engine)
tests_unit_test_frames_LDADD = $(unit_symbol)
tests_unit_test_gate_sampling_LDADD = $(unit_gate)
tests_unit_test_gate_names_LDADD = $(unit_gate)
tests_unit_test_gate_sum_LDADD = $(unit_gate)
tests_unit_test_gzip_LDADD = $(unit_formats)
tests_unit_test_gate_config_LDADD = $(unit_gate)
tests_unit_test_gate_decide_LDADD = $(unit_gate)
tests_unit_test_gate_options_LDADD = $(unit_gate)
tests_unit_test_gate_renames_LDADD = $(unit_gate)
tests_unit_test_gate_rows_LDADD = $(unit_gate)
tests_unit_test_gate_json_LDADD = $(unit_viewers)
tests_unit_test_gate_text_LDADD = $(unit_viewers)
tests_unit_test_gate_ci_LDADD = viewers/ci/libci.a viewers/xml/libxml.a viewers/flame/libflame.a viewers/text/libtext.a \
	$(gate_libs) src/report/libreport.a $(base_libs) $(CMOCKA_LIBS)
tests_unit_test_graph_LDADD = $(unit_engine)
tests_unit_test_hash_LDADD = $(unit_base)
tests_unit_test_head_LDADD = $(unit_report)
tests_unit_test_html_LDADD = viewers/html/libhtml.a $(unit_viewers)
tests_unit_test_idmap_LDADD = $(unit_formats)
tests_unit_test_forest_LDADD = $(unit_profile)
tests_unit_test_idtab_LDADD = $(unit_base)
tests_unit_test_bench_rank_SOURCES = tests/unit/test_bench_rank.c tests/bench/bench_rank.c
tests_unit_test_bench_rank_LDADD = $(CMOCKA_LIBS)
tests_unit_test_busy_SOURCES = tests/unit/test_busy.c src/libcpaprof/collector/read/busy.c
tests_unit_test_busy_LDADD = $(collector_libs) $(CMOCKA_LIBS)
tests_unit_test_label_sets_SOURCES = tests/unit/test_label_sets.c src/libcpaprof/target/labels.c
tests_unit_test_label_sets_LDADD = $(collector_libs) $(CMOCKA_LIBS)
tests_unit_test_inflate_LDADD = $(unit_formats) $(ZLIB_LIBS) $(ZSTD_LIBS) $(LZ4_LIBS)
tests_unit_test_jit_LDADD = $(unit_symbol)
tests_unit_test_io_LDADD = $(unit_base)
tests_unit_test_json_LDADD = $(unit_base)
tests_unit_test_jsonr_LDADD = $(unit_formats)
tests_unit_test_content_LDADD = $(unit_fetch)
tests_unit_test_prefs_LDADD = $(unit_session)
tests_unit_test_keys_LDADD = $(unit_profile)
tests_unit_test_label_order_LDADD = $(unit_profile)
tests_unit_test_label_unit_LDADD = $(unit_engine)
tests_unit_test_legacy_contention_LDADD = $(unit_formats)
tests_unit_test_legacy_cpu_LDADD = $(unit_formats)
tests_unit_test_legacy_frames_LDADD = $(unit_formats)
tests_unit_test_legacy_go_count_LDADD = $(unit_formats)
tests_unit_test_legacy_heap_LDADD = $(unit_formats)
tests_unit_test_legacy_java_LDADD = $(unit_formats)
tests_unit_test_legacy_text_LDADD = $(unit_formats)
tests_unit_test_legacy_threads_LDADD = $(unit_formats)
tests_unit_test_library_LDADD = $(unit_base)
tests_unit_test_line_LDADD = $(unit_session)
tests_unit_test_lines_LDADD = $(unit_profile)
tests_unit_test_locate_LDADD = $(unit_symbol)
tests_unit_test_maps_LDADD = $(collector_libs) $(CMOCKA_LIBS)
tests_unit_test_markdown_LDADD = $(unit_viewers)
tests_unit_test_list_LDADD = $(unit_report)
tests_unit_test_match_LDADD = $(unit_engine)
tests_unit_test_match_name_LDADD = $(unit_engine)
tests_unit_test_means_LDADD = $(unit_store)
tests_unit_test_memmap_LDADD = $(unit_formats)
tests_unit_test_merge_LDADD = $(unit_profile)
tests_unit_test_merge_ids_LDADD = $(unit_profile)
tests_unit_test_merge_stacks_LDADD = $(unit_profile)
tests_unit_test_merger_LDADD = $(unit_profile)
tests_unit_test_names_LDADD = $(unit_symbol)
tests_unit_test_normalize_LDADD = $(unit_profile)
tests_unit_test_runtime_names_LDADD = $(unit_engine)
tests_unit_test_normal_LDADD = $(unit_engine)
tests_unit_test_net_LDADD = $(unit_engine)
tests_unit_test_nodes_LDADD = $(unit_engine)
tests_unit_test_num_LDADD = $(unit_base)
tests_unit_test_objdump_LDADD = $(unit_symbol)
tests_unit_test_object_LDADD = $(unit_symbol)
tests_unit_test_opt_LDADD = $(unit_base)
tests_unit_test_packed_LDADD = $(unit_formats)
tests_unit_test_path_LDADD = $(unit_base)
tests_unit_test_pieces_LDADD = $(unit_formats) $(ZLIB_LIBS)
tests_unit_test_pclntab_LDADD = $(unit_symbol)
tests_unit_test_pdf_LDADD = $(unit_pdf)
tests_unit_test_places_LDADD = $(unit_engine)
tests_unit_test_pool_LDADD = $(unit_base)
tests_unit_test_radix_LDADD = $(unit_base)
tests_unit_test_proto_LDADD = $(unit_formats)
tests_unit_test_proto_sample_LDADD = $(unit_formats)
tests_unit_test_prefix_map_LDADD = $(unit_symbol)
tests_unit_test_prune_LDADD = $(unit_profile)
tests_unit_test_query_LDADD = $(unit_engine)
tests_unit_test_raw_LDADD = $(unit_export)
tests_unit_test_push_LDADD = $(unit_formats)
tests_unit_test_pyroscope_LDADD = $(unit_store)
tests_unit_test_push_parts_LDADD = $(unit_formats) $(ZLIB_LIBS)
tests_unit_test_reader_LDADD = $(unit_formats)
tests_unit_test_regex_LDADD = $(unit_base)
tests_unit_test_regex_syntax_LDADD = $(unit_base)
tests_unit_test_report_LDADD = $(unit_report)
tests_unit_test_report_flame_LDADD = $(unit_report)
tests_unit_test_report_json_LDADD = $(unit_viewers)
tests_unit_test_reports_LDADD = $(unit_answer)
tests_unit_test_scale_LDADD = $(unit_profile)
tests_unit_test_secrets_LDADD = $(unit_fetch)
tests_unit_test_serve_head_LDADD = $(endpoint_libs) $(CMOCKA_LIBS)
tests_unit_test_serve_LDADD = $(endpoint_libs) $(collector_libs) $(CMOCKA_LIBS)
tests_unit_test_serve_answers_LDADD = $(endpoint_libs) $(collector_libs) $(CMOCKA_LIBS)
tests_unit_test_serve_query_LDADD = $(endpoint_libs) $(CMOCKA_LIBS)
tests_unit_test_settings_LDADD = $(unit_session)
tests_unit_test_sheet_LDADD = $(unit_shell)
tests_unit_test_shorten_LDADD = $(unit_engine)
tests_unit_test_sides_LDADD = $(unit_answer)
tests_unit_test_simplify_LDADD = $(unit_profile)
tests_unit_test_endpoint_access_LDADD = $(endpoint_libs) $(CMOCKA_LIBS)
tests_unit_test_httpd_LDADD = $(httpd_libs) $(CMOCKA_LIBS)
tests_unit_test_listen_LDADD = $(endpoint_libs) $(CMOCKA_LIBS)
tests_unit_test_listen_unix_LDADD = $(endpoint_libs) $(CMOCKA_LIBS)
tests_unit_test_peer_LDADD = $(endpoint_libs) $(CMOCKA_LIBS)
tests_unit_test_perf_read_LDADD = $(unit_formats)
tests_unit_test_snap_LDADD = $(collector_libs) $(CMOCKA_LIBS)
tests_unit_test_sweep_LDADD = $(collector_libs) $(CMOCKA_LIBS)
tests_unit_test_stored_browse_LDADD = $(unit_answer)
tests_unit_test_temporality_LDADD = $(unit_profile)
tests_unit_test_trace_LDADD = $(collector_libs) $(CMOCKA_LIBS)
tests_unit_test_trace_spans_LDADD = $(collector_libs) $(CMOCKA_LIBS)
tests_unit_test_snap_text_LDADD = $(collector_libs) $(CMOCKA_LIBS)
tests_unit_test_source_LDADD = $(unit_formats)
tests_unit_test_source_file_LDADD = $(unit_symbol)
tests_unit_test_speedscope_LDADD = $(unit_export)
tests_unit_test_speedscope_read_LDADD = $(unit_formats)
tests_unit_test_firefox_LDADD = $(unit_formats)
tests_unit_test_v8_LDADD = $(unit_formats)
tests_unit_test_rename_LDADD = $(unit_report)
tests_unit_test_shell_palette_LDADD = $(unit_shell)
tests_unit_test_shell_event_LDADD = $(unit_shell)
tests_unit_test_shell_grid_LDADD = $(unit_shell)
tests_unit_test_shell_label_LDADD = $(unit_shell)
tests_unit_test_shell_name_LDADD = $(unit_shell)
tests_unit_test_shell_quote_LDADD = $(unit_shell)
tests_unit_test_side_LDADD = $(unit_report)
tests_unit_test_stats_LDADD = $(unit_stats)
tests_unit_test_stats_change_LDADD = $(unit_stats)
tests_unit_test_stats_judge_LDADD = $(unit_stats)
tests_unit_test_stats_runs_LDADD = $(unit_stats)
tests_unit_test_stop_LDADD = $(unit_report)
tests_unit_test_strtab_LDADD = $(unit_base)
tests_unit_test_symbolize_LDADD = $(unit_answer)
tests_unit_test_symbolz_LDADD = $(unit_answer)
tests_unit_test_tag_sums_LDADD = $(unit_engine)
tests_unit_test_tag_table_LDADD = $(unit_report)
tests_unit_test_labels_LDADD = $(unit_report)
tests_unit_test_sums_LDADD = $(unit_engine)
tests_unit_test_tags_LDADD = $(unit_engine)
tests_unit_test_text_traces_LDADD = $(unit_viewers)
tests_unit_test_text_view_LDADD = $(unit_viewers)
tests_unit_test_tools_LDADD = $(unit_symbol)
tests_unit_test_top_LDADD = $(unit_report)
tests_unit_test_top_sides_LDADD = $(unit_answer)
tests_unit_test_traces_LDADD = $(unit_report)
tests_unit_test_trend_LDADD = $(unit_report)
tests_unit_test_trim_LDADD = $(unit_engine)
tests_unit_test_time_LDADD = $(unit_base)
tests_unit_test_unit_LDADD = $(unit_base)
tests_unit_test_url_LDADD = $(unit_fetch)
tests_unit_test_jobs_LDADD = $(unit_web)
tests_unit_test_response_cache_LDADD = $(unit_web)
tests_unit_test_configs_LDADD = $(unit_session)
tests_unit_test_url_params_LDADD = $(unit_session)
tests_unit_test_url_settings_LDADD = $(unit_session)
tests_unit_test_utf8_LDADD = $(unit_base)
tests_unit_test_view_LDADD = $(unit_engine)
tests_unit_test_web_LDADD = $(unit_web)
tests_unit_test_web_compare_LDADD = $(unit_web)
tests_unit_test_workspace_LDADD = $(unit_session)
tests_unit_test_web_flame_LDADD = $(unit_web)
tests_unit_test_web_frame_LDADD = $(unit_web)
tests_unit_test_web_profiles_LDADD = $(unit_web)
tests_unit_test_web_store_LDADD = $(unit_web)
tests_unit_test_web_tables_LDADD = $(unit_web)
tests_unit_test_web_respond_LDADD = $(unit_web)
tests_unit_test_weblist_LDADD = $(unit_report)
tests_unit_test_wire_LDADD = src/wire/libwire.a $(CMOCKA_LIBS)
tests_unit_test_doctor_LDADD = src/doctor/libdoctor.a $(symbol_libs) src/formats/libformats.a $(profile_libs) $(CMOCKA_LIBS)
tests_unit_test_watch_LDADD = src/watch/libwatch.a $(unit_store)
tests_unit_test_window_LDADD = $(unit_store)
tests_unit_test_xml_LDADD = viewers/xml/libxml.a $(base_libs) $(CMOCKA_LIBS)

# The script that runs every test (see Makefile.am), and its own test.
check_PROGRAMS += tests/unit/bounded tests/unit/send_profiles
tests_unit_send_profiles_SOURCES = tests/unit/send_profiles.c
tests_unit_send_profiles_LDADD = $(sinks_libs)
tests_unit_bounded_SOURCES = tests/unit/bounded.c
TESTS += tests/unit/rerun-measured.t
TESTS += tests/unit/bounded.t
TESTS += tests/unit/select.t
EXTRA_DIST += tests/unit/rerun-measured.t
EXTRA_DIST += tests/unit/bounded.t
EXTRA_DIST += tests/unit/count.awk
EXTRA_DIST += tests/unit/select.awk
EXTRA_DIST += tests/unit/select.t

if CMOCKA
check_PROGRAMS += $(unit_tests)
TESTS += $(unit_tests)
else
TESTS += tests/unit/cmocka.t
endif
