/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * qemu.h - a machine as QEMU's command line describes it.
 */
#ifndef IDLEST_MACHINE_QEMU_H
#define IDLEST_MACHINE_QEMU_H

#include "machine/machine.h"

/**
 * machine_qemu() - the arguments that make QEMU emulate @m's topology
 * @args: result, to be freed: "-m … -smp … -numa …", blanks between arguments
 *
 * QEMU counts like a machine file: sockets of dies (each with an L3) of modules
 * (which share an L2) of cores of threads, siblings side by side.
 *
 * Return: 0, -ENOTSUP if the machine has a shape that can't be counted so
 * (says at which CPU), -ENOMEM.
 */
int machine_qemu(const struct machine *m, char **args, struct err *err);

#endif
