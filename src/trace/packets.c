// SPDX-License-Identifier: BSD-2-Clause
/*
 * packets.c - a Perfetto trace that is in memory already.
 */
#include <errno.h>

#include "trace/perfetto.h"

int trace_read_packets(const void *data, size_t len, struct trace **out, struct err *err)
{
	struct trace *t = trace_new();
	struct perfetto_reader *r = t ? perfetto_reader_new(t) : NULL;
	int ret = r ? perfetto_feed(r, data, len) : -ENOMEM;

	*out = NULL;
	if (r && perfetto_end(r))
		ret = -ENOMEM;
	if (!ret)
		ret = trace_finish(t);
	if (ret) {
		trace_free(t);
		return err_set(err, -ENOMEM, "out of memory");
	}
	*out = t;
	return 0;
}
