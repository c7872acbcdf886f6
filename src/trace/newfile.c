// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trace/newfile.h"

/* As a new file of that name would have, or as the old one has. */
static mode_t mode_of(const char *path)
{
	struct stat st;
	mode_t mask;

	if (!stat(path, &st))
		return st.st_mode & 0777;
	mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

/*
 * A file without a name goes away by itself, however the program ends. Where the
 * file system has no such files, one with a name of its own does.
 */
static int open_unfinished(struct new_file *n)
{
	char *slash = strrchr(n->path, '/'), *dir = ".";
	int fd;

	if (slash) {
		dir = strndup(n->path, slash == n->path ? 1 : (size_t)(slash - n->path));
		if (!dir)
			return -1;
	}
	fd = open(dir, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (slash)
		free(dir);
	if (fd >= 0)
		return fd;
	n->has_name = true;
	fd = open(n->unfinished, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		n->has_name = false;
	return fd;
}

static int create(struct new_file *n, struct err *err)
{
	struct stat st;
	int fd;

	if (!stat(n->path, &st) && !S_ISREG(st.st_mode))
		return err_set(err, -EINVAL, "%s: isn't a regular file: only such are written to",
			       n->path);
	if (asprintf(&n->unfinished, "%s.%d.tmp", n->path, (int)getpid()) < 0) {
		n->unfinished = NULL;
		return err_set(err, -ENOMEM, "%s: out of memory", n->path);
	}
	fd = open_unfinished(n);
	if (fd < 0)
		return err_set(err, -errno, "%s: can't be created: %s", n->path, strerror(errno));
	n->f = fdopen(fd, "w");
	if (!n->f || fchmod(fd, mode_of(n->path))) {
		if (!n->f)
			close(fd);
		return err_set(err, -EIO, "%s: can't be created", n->path);
	}
	return 0;
}

int new_file_open(struct new_file *n, const char *path, struct err *err)
{
	int ret;

	*n = (struct new_file){ .path = strdup(path) };
	if (!n->path)
		return err_set(err, -ENOMEM, "%s: out of memory", path);
	ret = create(n, err);
	if (ret)
		new_file_drop(n);
	return ret;
}

static int give_name(struct new_file *n)
{
	char fd[64];

	if (n->has_name)
		return 0;
	snprintf(fd, sizeof(fd), "/proc/self/fd/%d", fileno(n->f));
	if (linkat(AT_FDCWD, fd, AT_FDCWD, n->unfinished, AT_SYMLINK_FOLLOW))
		return -errno;
	n->has_name = true;
	return 0;
}

int new_file_commit(struct new_file *n)
{
	int ret;

	errno = 0;
	if (fflush(n->f) || ferror(n->f))
		return errno ? -errno : -EIO;
	ret = give_name(n);
	if (!ret && rename(n->unfinished, n->path))
		ret = -errno;
	if (!ret)
		n->has_name = false; /* that one is gone */
	return ret;
}

void new_file_drop(struct new_file *n)
{
	if (n->f)
		fclose(n->f);
	if (n->has_name)
		unlink(n->unfinished);
	free(n->unfinished);
	free(n->path);
	*n = (struct new_file){ 0 };
}
