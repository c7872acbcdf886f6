// SPDX-License-Identifier: BSD-2-Clause
#include "explain/diff.h"
#include "report/json.h"

static json_t *follow_json(const struct diff_side *side)
{
	json_t *list = json_array();

	for (int i = 0; i < side->nr_follow; i++) {
		const struct diff_follow *fo = &side->follow[i];

		json_array_append_new(
			list,
			json_pack("{s:s, s:I, s:I, s:i, s:s, s:o}", "kind",
				  explain_kind_name(fo->kind), "nr", (json_int_t)fo->nr, "time_ns",
				  (json_int_t)fo->now, "cpu", fo->target, "reason",
				  sched_reason_name(fo->reason), "waited_ns",
				  fo->waited == UINT64_MAX ? json_null()
							   : json_integer((json_int_t)fo->waited)));
	}
	return list;
}

json_t *diff_json(const struct diff *d, const struct sched_topology *topo, const char *const *name)
{
	static const char *const how[] = {
		[DIFF_NONE] = "none",
		[DIFF_CHOICE] = "choice",
		[DIFF_ORDER] = "order",
		[DIFF_END] = "end",
	};
	json_t *sides = json_array();
	json_t *shift = json_null();

	if (d->shift.nr)
		shift = json_pack("{s:I, s:[I,I], s:[I,I]}", "decision", (json_int_t)d->shift.nr,
				  "time_ns", (json_int_t)d->shift.now[0],
				  (json_int_t)d->shift.now[1], "cost_ns",
				  (json_int_t)d->shift.cost[0], (json_int_t)d->shift.cost[1]);
	for (int i = 0; i < 2; i++) {
		const struct diff_side *side = &d->side[i];

		json_array_append_new(
			sides,
			json_pack("{s:o, s:o, s:o, s:o, s:o}", "kernel", json_text(name[i]),
				  "decision",
				  side->d ? explain_json(side->d, topo->nr_cpus) : json_null(),
				  "task_after", follow_json(side), "after",
				  explain_summary_json(side->after), "result",
				  result_json(&side->result)));
	}
	return json_pack("{s:s, s:I, s:o, s:o}", "difference", how[d->how], "same_decisions",
			 (json_int_t)d->same, "times_differ", shift, "kernels", sides);
}
