// SPDX-License-Identifier: BSD-2-Clause
/*
 * jobs.c - run what /jobs lists: a line "NAME EXPRESSION" each.
 *
 * Before a job the machine idles for 1.3 s, so that its averages have decayed.
 * Of each job go out NAME.trace, NAME.out (what was printed, and how many
 * events the ring buffer lost) and NAME.schedstat-before and -after.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "guest.h"

const char *const guest_events[] = {
	"sched_switch",	      "sched_waking",	    "sched_wakeup",
	"sched_wakeup_new",   "sched_migrate_task", "sched_process_fork",
	"sched_process_exec", "sched_process_exit", "sched_wake_idle_without_ipi",
	NULL,
};

static void pause_ms(long ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000};

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

static void prepare_tracing(void)
{
	char path[256];

	write_text(TRACING "/tracing_on", "0");
	write_text(TRACING "/buffer_size_kb", "8192");
	write_text(TRACING "/trace_clock", "mono");
	write_text(TRACING "/options/record-cmd", "1");
	for (const char *const *e = guest_events; *e; e++) {
		snprintf(path, sizeof(path), TRACING "/events/sched/%s/enable", *e);
		write_text(path, "1");
	}
}

static void send_copy(const char *path, const char *job, const char *suffix)
{
	FILE *f = out_begin();
	char name[1088];

	if (!f)
		return;
	if (copy_file(f, path))
		complain("%s: %s", path, strerror(errno));
	snprintf(name, sizeof(name), "%s.%s", job, suffix);
	out_send(f, name);
}

static long lost_events(void)
{
	long lost = 0;

	for (int c = 0; c < sysconf(_SC_NPROCESSORS_ONLN); c++) {
		char path[128], line[128];
		FILE *f;

		snprintf(path, sizeof(path), TRACING "/per_cpu/cpu%d/stats", c);
		f = fopen(path, "r");
		while (f && fgets(line, sizeof(line), f))
			if (strstr(line, "overrun") || strstr(line, "dropped"))
				lost += atol(strchr(line, ':') ? strchr(line, ':') + 1 : "0");
		if (f)
			fclose(f);
	}
	return lost;
}

/* The runner, its output going into @out. Return: what it ended with. */
static int execute(const char *expr, FILE *out)
{
	pid_t pid, got;
	int status = 0;

	fflush(out);
	pid = fork();
	if (!pid) {
		dup2(fileno(out), 1);
		dup2(fileno(out), 2);
		execl("/bin/wl", "wl", expr, (char *)NULL);
		_exit(127);
	}
	/* orphans end here, too */
	while ((got = wait(&status)) != pid)
		if (got < 0)
			return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void run_job(const char *name, const char *expr)
{
	char out_name[1088];
	FILE *out;
	int status;

	pause_ms(1000);
	send_copy("/proc/schedstat", name, "schedstat-before");
	pause_ms(300);
	write_text(TRACING "/trace", "");
	out = fopen("/tmp/printed", "w+");
	if (!out) {
		complain("/tmp/printed: %s", strerror(errno));
		return;
	}
	write_text(TRACING "/tracing_on", "1");
	status = execute(expr, out);
	write_text(TRACING "/tracing_on", "0");
	send_copy("/proc/schedstat", name, "schedstat-after");
	send_copy(TRACING "/trace", name, "trace");
	fseek(out, 0, SEEK_END);
	fprintf(out, "exit status %d\nlost events: %ld\n", status, lost_events());
	snprintf(out_name, sizeof(out_name), "%s.out", name);
	out_send(out, out_name);
}

void run_jobs(void)
{
	FILE *jobs = fopen("/jobs", "r");
	char line[1024];

	if (!jobs) {
		complain("/jobs: %s", strerror(errno));
		return;
	}
	prepare_tracing();
	while (fgets(line, sizeof(line), jobs)) {
		char *expr = strchr(line, ' ');

		line[strcspn(line, "\n")] = '\0';
		if (!expr)
			continue;
		*expr++ = '\0';
		run_job(line, expr);
	}
	fclose(jobs);
}
