// SPDX-License-Identifier: BSD-2-Clause
/* init.c - process 1 of an emulated machine. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "guest.h"

static void mount_all(void)
{
	static const struct {
		const char *type, *where;
	} mounts[] = {
		{"proc", "/proc"},
		{"sysfs", "/sys"},
		{"devtmpfs", "/dev"},
		{"debugfs", "/sys/kernel/debug"},
		{"tracefs", TRACING},
		{"cgroup2", "/sys/fs/cgroup"},
	};

	mkdir("/proc", 0755);
	mkdir("/sys", 0755);
	mkdir("/dev", 0755);
	mkdir("/tmp", 0755);
	for (size_t i = 0; i < sizeof(mounts) / sizeof(mounts[0]); i++)
		if (mount(mounts[i].type, mounts[i].where, mounts[i].type, 0, NULL) && errno != EBUSY)
			complain("mount %s: %s", mounts[i].where, strerror(errno));
}

/* Some kernels have the port's driver as modules; the initrd lists them in /modules, in order. */
static void load_modules(void)
{
	FILE *list = fopen("/modules", "r");
	char path[256];

	while (list && fgets(path, sizeof(path), list)) {
		int fd;

		path[strcspn(path, "\n")] = '\0';
		fd = open(path, O_RDONLY | O_CLOEXEC);
		if (fd < 0 || syscall(SYS_finit_module, fd, "", 0))
			complain("%s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
	}
	if (list)
		fclose(list);
}

int main(void)
{
	struct utsname u;
	FILE *f;

	mount_all();
	load_modules();
	uname(&u);
	complain("%s, %ld CPUs", u.release, sysconf(_SC_NPROCESSORS_ONLN));
	if (!out_open()) {
		write_text(SCHED_DEBUG "/verbose", "Y");
		write_text("/proc/sys/kernel/sched_schedstats", "1");
		f = out_begin();
		if (f) {
			dump_machine(f);
			out_send(f, "dump");
		}
		run_jobs();
		f = out_begin();
		if (f)
			out_send(f, "end");
		sync();
	}
	reboot(RB_POWER_OFF);
	return 1;
}
