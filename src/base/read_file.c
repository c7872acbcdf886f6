// SPDX-License-Identifier: BSD-2-Clause
#include "base/read_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_FILE_BYTES (64 << 20)

int read_whole_file(struct arena *a, const char *path, const char **text, size_t *len,
		    struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	size_t n = 0;
	char *p;

	if (fd < 0)
		return err_set(err, -errno, "%s: %s", path, strerror(errno));
	if (fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_FILE_BYTES) {
		close(fd);
		return err_set(err, -EINVAL, "%s: not a file of at most %d MiB", path,
			       MAX_FILE_BYTES >> 20);
	}
	p = arena_alloc(a, st.st_size + 1);
	while (p && n < (size_t)st.st_size) {
		ssize_t r = read(fd, p + n, st.st_size - n);

		if (r <= 0)
			break;
		n += r;
	}
	close(fd);
	if (!p)
		return err_set(err, -ENOMEM, "%s: out of memory", path);
	*text = p;
	*len = n;
	return 0;
}
