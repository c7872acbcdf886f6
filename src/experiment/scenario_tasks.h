/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scenario_tasks.h - the task list of a scenario as tasks of a simulation. Inside experiment/ only.
 */
#ifndef IDLEST_EXPERIMENT_SCENARIO_TASKS_H
#define IDLEST_EXPERIMENT_SCENARIO_TASKS_H

#include "experiment/scenario.h"
#include "sim/sim.h"

/** scenario_spawn() - create the tasks of @s in @sim, before it runs; Return: 0 or a negative errno
 */
int scenario_spawn(const struct scenario *s, struct sim *sim, struct err *err);

#endif
