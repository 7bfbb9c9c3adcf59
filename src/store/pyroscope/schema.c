/*
 * schema.c - the fields of the messages of Pyroscope's querier.v1.QuerierService
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From api/querier/v1/querier.proto, api/types/v1/types.proto and api/google/v1/profile.proto of Pyroscope 2.
 */
#include "config.h"

#include "store/pyroscope/message.h"

#define MESSAGE(name, fields) static const struct pyro_message name = { fields, sizeof(fields) / sizeof((fields)[0]) }
#define AT(member) .offset = offsetof(struct pyro_request, member)

/* ---- requests ---- */

static const char *const schema_formats[] = { "PROFILE_FORMAT_UNSPECIFIED", "PROFILE_FORMAT_FLAMEGRAPH",
					      "PROFILE_FORMAT_TREE",        "PROFILE_FORMAT_DOT",
					      "PROFILE_FORMAT_PPROF",       NULL };
static const char *const schema_aggregations[] = { "TIME_SERIES_AGGREGATION_TYPE_SUM",
						   "TIME_SERIES_AGGREGATION_TYPE_AVERAGE", NULL };
static const char *const schema_exemplars[] = { "EXEMPLAR_TYPE_UNSPECIFIED", "EXEMPLAR_TYPE_NONE",
						"EXEMPLAR_TYPE_INDIVIDUAL", "EXEMPLAR_TYPE_SPAN", NULL };

/* Names of a path of calls are appended to the list of the request. */
static const struct pyro_field call_fields[] = {
	{ 1, PYRO_TEXT, .is_list = true, .name = "name", AT(call_site) },
};
MESSAGE(schema_call, call_fields);
static const struct pyro_message schema_any = { NULL, 0 };
static const struct pyro_field stack_fields[] = {
	{ 1, PYRO_MESSAGE, .is_list = true, .name = "callSite", .message = &schema_call },
	{ 2, PYRO_MESSAGE, .name = "goPgo", .message = &schema_any, AT(has_pgo) },
};
MESSAGE(schema_stack, stack_fields);

static const struct pyro_field types_request_fields[] = {
	{ 1, PYRO_INT, .name = "start", AT(start_ms) },
	{ 2, PYRO_INT, .name = "end", AT(end_ms) },
};
MESSAGE(types_request, types_request_fields);
static const struct pyro_field values_request_fields[] = {
	{ 1, PYRO_TEXT, .name = "name", AT(name) },
	{ 2, PYRO_TEXT, .is_list = true, .name = "matchers", AT(matchers) },
	{ 3, PYRO_INT, .name = "start", AT(start_ms) },
	{ 4, PYRO_INT, .name = "end", AT(end_ms) },
};
MESSAGE(values_request, values_request_fields);
static const struct pyro_field names_request_fields[] = {
	{ 1, PYRO_TEXT, .is_list = true, .name = "matchers", AT(matchers) },
	{ 2, PYRO_INT, .name = "start", AT(start_ms) },
	{ 3, PYRO_INT, .name = "end", AT(end_ms) },
};
MESSAGE(names_request, names_request_fields);
static const struct pyro_field sets_request_fields[] = {
	{ 1, PYRO_TEXT, .is_list = true, .name = "matchers", AT(matchers) },
	{ 2, PYRO_TEXT, .is_list = true, .name = "labelNames", AT(label_names) },
	{ 3, PYRO_INT, .name = "start", AT(start_ms) },
	{ 4, PYRO_INT, .name = "end", AT(end_ms) },
};
MESSAGE(sets_request, sets_request_fields);

#define SELECTION                                                                                                      \
	{ 1, PYRO_TEXT, .name = "profileTypeID", AT(profile_type) },                                                   \
	{                                                                                                              \
		2, PYRO_TEXT, .name = "labelSelector", AT(selector)                                                    \
	}

static const struct pyro_field stacks_request_fields[] = {
	SELECTION,
	{ 3, PYRO_INT, .name = "start", AT(start_ms) },
	{ 4, PYRO_INT, .name = "end", AT(end_ms) },
	{ 5, PYRO_INT, .name = "maxNodes", AT(max_nodes) },
	{ 6, PYRO_ENUM, .name = "format", .value = schema_formats, AT(format) },
	{ 7, PYRO_MESSAGE, .name = "stackTraceSelector", .message = &schema_stack },
	{ 8, PYRO_TEXT, .is_list = true, .name = "profileIdSelector", AT(profile_ids) },
	{ 9, PYRO_MESSAGE, .name = "async", .message = &schema_any, AT(has_async) },
	{ 10, PYRO_TEXT, .is_list = true, .name = "traceIdSelector", AT(trace_ids) },
	{ 11, PYRO_TEXT, .is_list = true, .name = "spanSelector", AT(spans) },
};
MESSAGE(stacks_request, stacks_request_fields);
static const struct pyro_field span_request_fields[] = {
	SELECTION,
	{ 3, PYRO_TEXT, .is_list = true, .name = "spanSelector", AT(spans) },
	{ 4, PYRO_INT, .name = "start", AT(start_ms) },
	{ 5, PYRO_INT, .name = "end", AT(end_ms) },
	{ 6, PYRO_INT, .name = "maxNodes", AT(max_nodes) },
	{ 7, PYRO_ENUM, .name = "format", .value = schema_formats, AT(format) },
};
MESSAGE(span_request, span_request_fields);
static const struct pyro_field profile_request_fields[] = {
	SELECTION,
	{ 3, PYRO_INT, .name = "start", AT(start_ms) },
	{ 4, PYRO_INT, .name = "end", AT(end_ms) },
	{ 5, PYRO_INT, .name = "maxNodes", AT(max_nodes) },
	{ 6, PYRO_MESSAGE, .name = "stackTraceSelector", .message = &schema_stack },
	{ 7, PYRO_TEXT, .is_list = true, .name = "profileIdSelector", AT(profile_ids) },
	{ 8, PYRO_TEXT, .is_list = true, .name = "traceIdSelector", AT(trace_ids) },
};
MESSAGE(profile_request, profile_request_fields);
static const struct pyro_field series_request_fields[] = {
	SELECTION,
	{ 3, PYRO_INT, .name = "start", AT(start_ms) },
	{ 4, PYRO_INT, .name = "end", AT(end_ms) },
	{ 5, PYRO_TEXT, .is_list = true, .name = "groupBy", AT(group_by) },
	{ 6, PYRO_DOUBLE, .name = "step", AT(step_s) },
	{ 7, PYRO_ENUM, .name = "aggregation", .value = schema_aggregations, AT(aggregation) },
	{ 8, PYRO_MESSAGE, .name = "stackTraceSelector", .message = &schema_stack },
	{ 9, PYRO_INT, .name = "limit", AT(limit) },
	{ 10, PYRO_ENUM, .name = "exemplarType", .value = schema_exemplars, AT(exemplars) },
};
MESSAGE(series_request, series_request_fields);
static const struct pyro_field diff_request_fields[] = {
	{ 1, PYRO_MESSAGE, .name = "left", .message = &stacks_request, AT(left), .is_request = true },
	{ 2, PYRO_MESSAGE, .name = "right", .message = &stacks_request, AT(right), .is_request = true },
};
MESSAGE(diff_request, diff_request_fields);

/* ---- responses ---- */

static const struct pyro_field pair_fields[] = {
	{ 1, PYRO_TEXT, .name = "name" },
	{ 2, PYRO_TEXT, .name = "value" },
};
MESSAGE(schema_pair, pair_fields);
static const struct pyro_field type_fields[] = {
	{ 1, PYRO_TEXT, .name = "ID" },         { 2, PYRO_TEXT, .name = "name" },
	{ 4, PYRO_TEXT, .name = "sampleType" }, { 5, PYRO_TEXT, .name = "sampleUnit" },
	{ 6, PYRO_TEXT, .name = "periodType" }, { 7, PYRO_TEXT, .name = "periodUnit" },
};
MESSAGE(schema_type, type_fields);
static const struct pyro_field types_response_fields[] = {
	{ 1, PYRO_MESSAGE, .is_list = true, .name = "profileTypes", .message = &schema_type },
};
MESSAGE(types_response, types_response_fields);
static const struct pyro_field names_response_fields[] = {
	{ 1, PYRO_TEXT, .is_list = true, .name = "names" },
};
MESSAGE(names_response, names_response_fields);
static const struct pyro_field set_fields[] = {
	{ 1, PYRO_MESSAGE, .is_list = true, .name = "labels", .message = &schema_pair },
};
MESSAGE(schema_set, set_fields);
static const struct pyro_field sets_response_fields[] = {
	{ 2, PYRO_MESSAGE, .is_list = true, .name = "labelsSet", .message = &schema_set },
};
MESSAGE(sets_response, sets_response_fields);

static const struct pyro_field level_fields[] = {
	{ 1, PYRO_INT, .is_list = true, .name = "values" },
};
MESSAGE(schema_level, level_fields);
static const struct pyro_field flame_fields[] = {
	{ 1, PYRO_TEXT, .is_list = true, .name = "names" },
	{ 2, PYRO_MESSAGE, .is_list = true, .name = "levels", .message = &schema_level },
	{ 3, PYRO_INT, .name = "total" },
	{ 4, PYRO_INT, .name = "maxSelf" },
	{ 5, PYRO_INT, .name = "leftTicks" },
	{ 6, PYRO_INT, .name = "rightTicks" },
};
MESSAGE(schema_flame, flame_fields);

static const struct pyro_field value_type_fields[] = {
	{ 1, PYRO_INT, .name = "type" },
	{ 2, PYRO_INT, .name = "unit" },
};
MESSAGE(schema_value_type, value_type_fields);
static const struct pyro_field label_fields[] = {
	{ 1, PYRO_INT, .name = "key" },
	{ 2, PYRO_INT, .name = "str" },
	{ 3, PYRO_INT, .name = "num" },
	{ 4, PYRO_INT, .name = "numUnit" },
};
MESSAGE(schema_label, label_fields);
static const struct pyro_field sample_fields[] = {
	{ 1, PYRO_INT, .is_list = true, .name = "locationId" },
	{ 2, PYRO_INT, .is_list = true, .name = "value" },
	{ 3, PYRO_MESSAGE, .is_list = true, .name = "label", .message = &schema_label },
};
MESSAGE(schema_sample, sample_fields);
static const struct pyro_field mapping_fields[] = {
	{ 1, PYRO_INT, .name = "id" },
	{ 2, PYRO_INT, .name = "memoryStart" },
	{ 3, PYRO_INT, .name = "memoryLimit" },
	{ 4, PYRO_INT, .name = "fileOffset" },
	{ 5, PYRO_INT, .name = "filename" },
	{ 6, PYRO_INT, .name = "buildId" },
	{ 7, PYRO_BOOL, .name = "hasFunctions" },
	{ 8, PYRO_BOOL, .name = "hasFilenames" },
	{ 9, PYRO_BOOL, .name = "hasLineNumbers" },
	{ 10, PYRO_BOOL, .name = "hasInlineFrames" },
};
MESSAGE(schema_mapping, mapping_fields);
static const struct pyro_field line_fields[] = {
	{ 1, PYRO_INT, .name = "functionId" },
	{ 2, PYRO_INT, .name = "line" },
};
MESSAGE(schema_line, line_fields);
static const struct pyro_field location_fields[] = {
	{ 1, PYRO_INT, .name = "id" },
	{ 2, PYRO_INT, .name = "mappingId" },
	{ 3, PYRO_INT, .name = "address" },
	{ 4, PYRO_MESSAGE, .is_list = true, .name = "line", .message = &schema_line },
	{ 5, PYRO_BOOL, .name = "isFolded" },
};
MESSAGE(schema_location, location_fields);
static const struct pyro_field function_fields[] = {
	{ 1, PYRO_INT, .name = "id" },         { 2, PYRO_INT, .name = "name" },
	{ 3, PYRO_INT, .name = "systemName" }, { 4, PYRO_INT, .name = "filename" },
	{ 5, PYRO_INT, .name = "startLine" },
};
MESSAGE(schema_function, function_fields);
static const struct pyro_field profile_fields[] = {
	{ 1, PYRO_MESSAGE, .is_list = true, .name = "sampleType", .message = &schema_value_type },
	{ 2, PYRO_MESSAGE, .is_list = true, .name = "sample", .message = &schema_sample },
	{ 3, PYRO_MESSAGE, .is_list = true, .name = "mapping", .message = &schema_mapping },
	{ 4, PYRO_MESSAGE, .is_list = true, .name = "location", .message = &schema_location },
	{ 5, PYRO_MESSAGE, .is_list = true, .name = "function", .message = &schema_function },
	{ 6, PYRO_TEXT, .is_list = true, .name = "stringTable" },
	{ 7, PYRO_INT, .name = "dropFrames" },
	{ 8, PYRO_INT, .name = "keepFrames" },
	{ 9, PYRO_INT, .name = "timeNanos" },
	{ 10, PYRO_INT, .name = "durationNanos" },
	{ 11, PYRO_MESSAGE, .name = "periodType", .message = &schema_value_type },
	{ 12, PYRO_INT, .name = "period" },
	{ 13, PYRO_INT, .is_list = true, .name = "comment" },
	{ 14, PYRO_INT, .name = "defaultSampleType" },
};
MESSAGE(schema_profile, profile_fields);
static const struct pyro_field pprof_fields[] = {
	{ 1, PYRO_MESSAGE, .name = "profile", .message = &schema_profile },
};
MESSAGE(schema_pprof, pprof_fields);

static const struct pyro_field stacks_response_fields[] = {
	{ 1, PYRO_MESSAGE, .name = "flamegraph", .message = &schema_flame },
	{ 2, PYRO_BYTES, .name = "tree" },
	{ 3, PYRO_TEXT, .name = "dot" },
	{ 5, PYRO_MESSAGE, .name = "pprof", .message = &schema_pprof },
};
MESSAGE(stacks_response, stacks_response_fields);
static const struct pyro_field diff_response_fields[] = {
	{ 1, PYRO_MESSAGE, .name = "flamegraph", .message = &schema_flame },
};
MESSAGE(diff_response, diff_response_fields);
static const struct pyro_field point_fields[] = {
	{ 1, PYRO_DOUBLE, .name = "value" },
	{ 2, PYRO_INT, .name = "timestamp" },
};
MESSAGE(schema_point, point_fields);
static const struct pyro_field series_fields[] = {
	{ 1, PYRO_MESSAGE, .is_list = true, .name = "labels", .message = &schema_pair },
	{ 2, PYRO_MESSAGE, .is_list = true, .name = "points", .message = &schema_point },
};
MESSAGE(schema_series, series_fields);
static const struct pyro_field series_response_fields[] = {
	{ 1, PYRO_MESSAGE, .is_list = true, .name = "series", .message = &schema_series },
};
MESSAGE(series_response, series_response_fields);
static const struct pyro_field stats_response_fields[] = {
	{ 1, PYRO_BOOL, .name = "dataIngested" },
	{ 2, PYRO_INT, .name = "oldestProfileTime" },
	{ 3, PYRO_INT, .name = "newestProfileTime" },
};
MESSAGE(stats_response, stats_response_fields);

const struct pyro_method pyro_methods[] = {
	{ "ProfileTypes", &types_request, &types_response },
	{ "LabelNames", &names_request, &names_response },
	{ "LabelValues", &values_request, &names_response },
	{ "Series", &sets_request, &sets_response },
	{ "SelectMergeStacktraces", &stacks_request, &stacks_response },
	{ "SelectMergeSpanProfile", &span_request, &stacks_response },
	{ "SelectMergeProfile", &profile_request, &schema_profile },
	{ "SelectSeries", &series_request, &series_response },
	{ "Diff", &diff_request, &diff_response },
	{ "GetProfileStats", &schema_any, &stats_response },
};
const size_t pyro_n_methods = sizeof(pyro_methods) / sizeof(pyro_methods[0]);
