// SPDX-License-Identifier: BSD-2-Clause
/*
 * rtapp - an rt-app file as a workload.
 */
#include <stdio.h>

#include "workload/models.h"
#include "workload/rtapp.h"
#include "workload/rtapp_run.h"

enum { READING_WORKGEN, READING_JSON_C };
enum { SUSPEND_TASK, SUSPEND_NAMED };

/* clang-format off */
static const struct workload_param rtapp_params[] = {
	{ .name = "file", .kind = PARAM_FILE, .doc = "the file; its name may stand alone" },
	{ .name = "reading", .kind = PARAM_CHOICE, .def = READING_WORKGEN,
	  .choices = "workgen|json-c",
	  .doc = "keys given twice: a sequence (workgen), or the last one counts (json-c)" },
	{ .name = "suspend", .kind = PARAM_CHOICE, .def = SUSPEND_TASK, .choices = "task|named",
	  .doc = "a task waits for its own name, or (before 2025) for the one in the file" },
	{ .name = "duration", .kind = PARAM_TIME_NS, .min = NSEC_PER_USEC,
	  .max = 1000000 * NSEC_PER_SEC, .doc = "instead of the file's" },
	{ .name = NULL },
};
/* clang-format on */

static int rtapp_check_workload(const struct workload *w, void **parsed, struct err *err)
{
	struct rtapp_options opt = {
		.reading = workload_int(w, "reading") == READING_JSON_C ? RJSON_C : RJSON_WORKGEN,
		.named_suspend = workload_int(w, "suspend") == SUSPEND_NAMED,
		.endless = workload_is_set(w, "duration"),
	};
	struct rtapp *app = NULL;
	int rc = rtapp_read(workload_string(w, "file"), &opt, &app, err);

	*parsed = app;
	return rc;
}

static void rtapp_free_parsed(void *parsed)
{
	rtapp_free(parsed);
}

static const char *rtapp_warning(const void *parsed, int i)
{
	const struct rtapp *app = parsed;

	return i < app->nr_warnings ? app->warning[i] : NULL;
}

static int rtapp_setup(const struct workload *w, struct sim *sim, void **state, struct err *err)
{
	const struct rtapp *app = workload_parsed(w);
	u64 duration = max(app->duration_s, 0) * NSEC_PER_SEC;
	struct rtapp_run *run = NULL;
	int rc;

	if (workload_is_set(w, "duration"))
		duration = workload_int(w, "duration");
	rc = rtapp_run_new(sim, app, duration, &run, err);
	*state = run;
	return rc;
}

/* The parts of one task that fit into the table of metrics together, or none. */
#define TASK_METRICS 3

static void task_metrics(struct result *r, const struct rtapp_task *t,
			 const struct rtapp_account *account)
{
	char name[sizeof(r->metric[0].name)];

	snprintf(name, sizeof(name), "%.40s run", t->name);
	result_add(r, name, "s", true, account->cpu_ns / 1e9);
	if (!account->wu_lat)
		return;
	snprintf(name, sizeof(name), "%.36s wu_lat p99", t->name);
	result_add(r, name, "us", false, hist_percentile(account->wu_lat, 9900) / 1e3);
	snprintf(name, sizeof(name), "%.40s slack", t->name);
	result_add(r, name, "us", true,
		   account->slack_sum / 1e3 / (double)max(account->slack_nr, 1ULL));
}

static int rtapp_finish(const struct workload *w, struct sim *sim, void *state, struct result *r,
			struct err *err)
{
	const struct rtapp *app = workload_parsed(w);
	struct rtapp_run *run = state;
	struct rtapp_thread *th;
	u64 work = 0;

	if (run->fail.code)
		return err_set(err, run->fail.code, "%s", run->fail.msg);
	list_for_each_entry(th, &run->threads, link) if (th->task) run->account[th->def - app->task]
		.cpu_ns += sim_task_cpu_ns(th->task);
	model_latencies(r, "wakeup latency", &run->latency);
	for (int i = 0; i < app->nr_tasks; i++)
		work += run->account[i].work_ns;
	result_add(r, "work done", "s", true, work / 1e9);
	for (int i = 0; i < app->nr_tasks; i++)
		if (r->nr_metrics + TASK_METRICS <= MAX_METRICS)
			task_metrics(r, &app->task[i], &run->account[i]);
	return 0;
}

const struct workload_model rtapp_model = {
	.name = "rtapp",
	.doc = "a file of rt-app (JSON), also written as its path alone",
	.metric_doc = "wake-up latency p50, p99, max in us; work done; and of each task CPU time, "
		      "how late timers woke it (wu_lat) and the mean slack",
	.params = rtapp_params,
	.check = rtapp_check_workload,
	.free_parsed = rtapp_free_parsed,
	.warning = rtapp_warning,
	.setup = rtapp_setup,
	.finish = rtapp_finish,
};
