/*
 * serve.c - answer requests to /debug/pprof
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/job.h"

#include "libcpaprof/endpoint/request_query.h"

#include <errno.h>
#include <string.h>

enum { HZ_MAX = 1000 };

int serve_new(const struct serve_host *host, const struct serve_options *options, struct serve **out)
{
	struct serve *s = memory_map(sizeof(*s));

	if (!s)
		return -ENOMEM;
	s->host = host;
	s->options = *options;
	if (s->options.max_seconds <= 0)
		s->options.max_seconds = SERVE_SECONDS_DEFAULT;
	*out = s;
	return 0;
}

void serve_free(struct serve *s)
{
	if (!s)
		return;
	if (s->host->lock(s->host->arg)) {
		job_forget_answers(s, true);
		s->host->unlock(s->host->arg);
	}
	memory_unmap(s, sizeof(*s));
}

void job_set_answered(struct serve_job *j, int rc)
{
	/* on ENOMEM the answer is empty */
	(void)rc;
	j->state = JOB_READY;
}

/* Read the parameters of CPU profiles. Returns false and sets an answer if one is invalid. */
static bool read_cpu(struct serve_job *j, const struct route *r)
{
	char s[QUERY_VALUE_MAX];
	int64_t n;

	if (request_query_value(r->query, r->n_query, "hz", s) && *s) {
		if (!request_query_int(s, &n) || n < 1 || n > HZ_MAX) {
			job_error(j, 400, "invalid value for \"hz\" - must be an integer from 1 to %d", HZ_MAX);
			return false;
		}
		j->cpu.hz = (uint32_t)n;
	}
	if (request_query_value(r->query, r->n_query, "engine", s) && *s) {
		if (!collect_parse_engine(s, &j->cpu.engine)) {
			job_error(j, 400, "invalid value for \"engine\" - must be timer, perf or itimer");
			return false;
		}
		j->cpu.engine++; /* as enum engine_request + 1 */
	}
	if (request_query_value(r->query, r->n_query, "clock", s) && *s && strcmp(s, "cpu") != 0) {
		job_error(j, 400, "invalid value for \"clock\" - must be cpu");
		return false;
	}
	request_query_value(r->query, r->n_query, "share", s);
	request_query_int(s, &n);
	j->share = n > 0;
	return true;
}

static bool serve_read_parameters(struct serve_job *j, const struct route *r)
{
	char s[QUERY_VALUE_MAX];
	int64_t n;

	if (request_query_value(r->query, r->n_query, "pid", s) && *s) {
		if (!request_query_int(s, &n) || n < 1 || n > INT32_MAX) {
			job_error(j, 400, "invalid value for \"pid\" - must be a positive integer");
			return false;
		}
		j->pid = (pid_t)n;
	}
	request_query_value(r->query, r->n_query, "debug", s);
	request_query_int(s, &n);
	j->debug = n == 0 ? 0 : n == 2 || n > 2 ? 2 : 1;
	request_query_value(r->query, r->n_query, "delta", s);
	j->alloc_only = strcmp(s, "alloc") == 0;
	j->symbolize =
		!request_query_value(r->query, r->n_query, "symbolize", s) || !*s || !request_query_int(s, &n) || n > 0;
	request_query_value(r->query, r->n_query, "seconds", s);
	j->seconds[0] = s[0];
	/* may be truncated, but a number of that length is above the limit anyway */
	memcpy(j->seconds, s, sizeof(j->seconds) - 1);
	if (j->is_gperf && r->target == ROUTE_NAMED) { /* clients of gperftools can only read text */
		j->seconds[0] = '\0';
		j->debug = j->debug ? j->debug : 1;
	}
	return r->target != ROUTE_PROFILE || read_cpu(j, r);
}

static int serve_read_request(struct serve_job *j, const struct serve_request *q)
{
	struct route r;
	int rc = route_find(q->method, q->target, &r);

	if (rc < 0)
		return rc;
	j->target = r.target;
	j->is_gperf = r.is_gperf;
	j->is_head = strcmp(q->method, "HEAD") == 0;
	memcpy(j->name, r.name, sizeof(j->name));
	if (r.target < ROUTE_INDEX) {
		rc = reply_route(&j->answer, &r, q->method);
		j->state = JOB_READY;
	} else if (q->n_body > SERVE_BODY_MAX) {
		rc = reply_error(&j->answer, 413, "request body too large: the limit is %d bytes", SERVE_BODY_MAX);
		j->state = JOB_READY;
	} else if (serve_read_parameters(j, &r) && r.target == ROUTE_SYMBOL) {
		bool post = strcmp(q->method, "POST") == 0;

		rc = post ? job_read_addresses(j, q->body, q->n_body) : job_read_addresses(j, r.query, r.n_query);
	}
	return rc;
}

int serve_begin(struct serve *s, const struct serve_request *q, struct serve_job **out)
{
	struct serve_job *j = memory_map(sizeof(*j));
	int rc;

	if (!j)
		return -ENOMEM;
	j->s = s;
	rc = serve_read_request(j, q);
	if (rc < 0) {
		serve_end(j);
		return rc;
	}
	*out = j;
	return 0;
}

static void serve_start(struct serve_job *j)
{
	job_forget_answers(j->s, false);
	switch (j->target) {
	case ROUTE_INDEX:
		job_index(j);
		break;
	case ROUTE_CMDLINE:
		job_cmdline(j);
		break;
	case ROUTE_SYMBOL:
		job_symbol(j);
		break;
	case ROUTE_PROFILE:
		job_cpu_begin(j);
		break;
	case ROUTE_TRACE:
		job_trace_begin(j);
		break;
	default:
		job_snap_begin(j);
	}
}

static uint64_t poll_job(struct serve_job *j, bool hurry)
{
	switch (j->target) {
	case ROUTE_PROFILE:
		return job_cpu_poll(j, hurry);
	case ROUTE_TRACE:
		return job_trace_poll(j, hurry);
	default:
		return job_snap_poll(j, hurry);
	}
}

uint64_t serve_step(struct serve_job *j, bool hurry)
{
	const struct serve_host *host = j->s->host;
	uint64_t due = 0;

	if (j->state == JOB_READY)
		return 0;
	if (!host->lock(host->arg)) {
		job_error(j, 503, "the collector is not available");
		return 0;
	}
	if (j->state == JOB_NEW)
		serve_start(j);
	if (j->state == JOB_CAPTURING)
		due = poll_job(j, hurry);
	if (j->has_lost_collector) {
		job_error(j, 503, "the collector is not available");
		return 0;
	}
	if (j->state == JOB_READY)
		job_end_capture(j);
	host->unlock(host->arg);
	return j->state == JOB_READY ? 0 : due;
}

const struct serve_answer *serve_answer(const struct serve_job *j)
{
	return &j->answer;
}

/* If the collector is gone, its processes are gone, too, and are not released. */
void serve_end(struct serve_job *j)
{
	const struct serve_host *host;

	if (!j)
		return;
	host = j->s->host;
	if ((j->is_counted || j->p) && host->lock(host->arg)) {
		job_end_capture(j);
		host->unlock(host->arg);
	}
	vec_release(&j->addr, sizeof(uint64_t));
	body_release(&j->answer.body);
	memory_unmap(j, sizeof(*j));
}
