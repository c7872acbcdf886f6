/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fields.h - the plain values of a machine file, one line each.
 *
 * F(key, unit, member of struct machine, smallest, largest): one value
 * D(…): one value for each distance between two CPUs (enum topo_distance)
 *
 * From these lists come the structs that libcyaml fills, its schema, the code
 * that carries values into struct machine, and the check that none is missing.
 */
#ifndef IDLEST_MACHINE_FIELDS_H
#define IDLEST_MACHINE_FIELDS_H

#define TIME_MAX NSEC_PER_SEC
#define SIZE_TIB (1ULL << 40)
#define RATE_MAX (100000ULL * 1000000000)

#define CACHES_FIELDS(F, D)                                                                        \
	F(l2, BYTES, l2_bytes, 0, SIZE_TIB)                                                        \
	F(llc, BYTES, llc_bytes, 0, SIZE_TIB)                                                      \
	F(refill_parallel, COUNT, mlp, 1, 64)

#define MEMORY_FIELDS(F, D) F(per_node, BYTES, node_bytes, 1 << 20, 1024 * SIZE_TIB)

#define LATENCY_FIELDS(F, D)                                                                       \
	D(line, TIME, line_ns, 0, NSEC_PER_MSEC)                                                   \
	F(dram_local, TIME, dram_ns[0], 1, NSEC_PER_MSEC)                                          \
	F(dram_package, TIME, dram_ns[1], 1, NSEC_PER_MSEC)                                        \
	F(dram_remote, TIME, dram_ns[2], 1, NSEC_PER_MSEC)

#define BANDWIDTH_FIELDS(F, D)                                                                     \
	F(core, RATE, bw.core, 0, RATE_MAX)                                                        \
	F(core_write, RATE, bw.core_write, 0, RATE_MAX)                                            \
	F(core_llc, RATE, bw.core_llc, 0, RATE_MAX)                                                \
	F(llc_read, RATE, bw.llc_read, 0, RATE_MAX)                                                \
	F(llc_write, RATE, bw.llc_write, 0, RATE_MAX)                                              \
	F(llc_mixed, RATE, bw.llc_mixed, 0, RATE_MAX)                                              \
	F(node, RATE, bw.node, 0, RATE_MAX)                                                        \
	F(link, RATE, bw.link, 0, RATE_MAX)                                                        \
	F(node_link, RATE, bw.node_link, 0, RATE_MAX)

#define CPU_FIELDS(F, D)                                                                           \
	F(base, FREQ, base_mhz, 1, 100000)                                                         \
	F(max, FREQ, max_mhz, 1, 100000)                                                           \
	F(smt_speed, PERMILLE, smt_permille, 100, 1000)                                            \
	F(dhrystone, COUNT, dhrystone, 1, 1000000)

#define KERNEL_FIELDS(F, D)                                                                        \
	F(hz, COUNT, hz, 24, 10000)                                                                \
	F(scale, PERCENT, kernel_scale, 1, 100000)                                                 \
	F(busy_scale, PERCENT, kernel_busy_scale, 0, 100000)                                       \
	F(cpuidle, BOOL, cpuidle, 0, 1)                                                            \
	F(fork_locked, PERMILLE, locked.fork, 0, 1000)                                             \
	F(exec_locked, PERMILLE, locked.exec, 0, 1000)                                             \
	F(exit_locked, PERMILLE, locked.exit, 0, 1000)                                             \
	F(timer_slack, TIME, timer_slack_ns, 0, TIME_MAX)                                          \
	F(irq_jitter, TIME, irq_jitter_ns, 0, TIME_MAX)                                            \
	F(irq_turn, TIME, irq_turn_ns, 0, TIME_MAX)

#define COSTS_FIELDS(F, D)                                                                         \
	F(syscall, TIME, cost.syscall, 0, TIME_MAX)                                                \
	F(switch_same_mm, TIME, cost.switch_same_mm, 0, TIME_MAX)                                  \
	F(switch_other_mm, TIME, cost.switch_other_mm, 0, TIME_MAX)                                \
	F(wake_local, TIME, cost.wake_local, 0, TIME_MAX)                                          \
	D(wake_remote, TIME, cost.wake_remote, 0, TIME_MAX)                                        \
	F(wake_list_push, TIME, cost.wake_list_push, 0, TIME_MAX)                                  \
	F(select_base, TIME, cost.select_base, 0, TIME_MAX)                                        \
	D(inspect_cpu, TIME, cost.inspect_cpu, 0, TIME_MAX)                                        \
	F(balance_base, TIME, cost.balance_base, 0, TIME_MAX)                                      \
	F(balance_cpu, TIME, cost.balance_cpu, 0, TIME_MAX)                                        \
	F(balance_task, TIME, cost.balance_task, 0, TIME_MAX)                                      \
	D(ipi, TIME, cost.ipi, 0, TIME_MAX)                                                        \
	F(poll_wake, TIME, cost.poll_wake, 0, TIME_MAX)                                            \
	F(tick, TIME, cost.tick, 0, TIME_MAX)                                                      \
	F(block, TIME, cost.block, 0, TIME_MAX)                                                    \
	F(uclamp, TIME, cost.uclamp, 0, TIME_MAX)                                                  \
	F(yield, TIME, cost.yield, 0, TIME_MAX)                                                    \
	F(fork, TIME, cost.fork, 0, TIME_MAX)                                                      \
	F(exec, TIME, cost.exec, 0, TIME_MAX)                                                      \
	F(exit, TIME, cost.exit, 0, TIME_MAX)                                                      \
	F(timer_irq, TIME, cost.timer_irq, 0, TIME_MAX)                                            \
	F(futex_wake, TIME, cost.futex_wake, 0, TIME_MAX)                                          \
	F(futex_wait, TIME, cost.futex_wait, 0, TIME_MAX)                                          \
	F(pipe_write, TIME, cost.pipe_write, 0, TIME_MAX)                                          \
	F(pipe_read, TIME, cost.pipe_read, 0, TIME_MAX)                                            \
	F(sock_write, TIME, cost.sock_write, 0, TIME_MAX)                                          \
	F(sock_read, TIME, cost.sock_read, 0, TIME_MAX)                                            \
	F(udp_send, TIME, cost.udp_send, 0, TIME_MAX)                                              \
	F(udp_rx, TIME, cost.udp_rx, 0, TIME_MAX)                                                  \
	F(udp_read, TIME, cost.udp_read, 0, TIME_MAX)                                              \
	F(tcp_write, TIME, cost.tcp_write, 0, TIME_MAX)                                            \
	F(tcp_xmit, TIME, cost.tcp_xmit, 0, TIME_MAX)                                              \
	F(tcp_rx, TIME, cost.tcp_rx, 0, TIME_MAX)                                                  \
	F(tcp_read, TIME, cost.tcp_read, 0, TIME_MAX)                                              \
	F(tcp_ack, TIME, cost.tcp_ack, 0, TIME_MAX)                                                \
	F(net_kib, TIME, cost.net_kib, 0, TIME_MAX)                                                \
	D(lock_handover, TIME, cost.lock_handover, 0, TIME_MAX)

/* S(section, its list): how the file groups them */
#define MACHINE_SECTIONS(S)                                                                        \
	S(caches, CACHES_FIELDS)                                                                   \
	S(memory, MEMORY_FIELDS)                                                                   \
	S(latency, LATENCY_FIELDS)                                                                 \
	S(bandwidth, BANDWIDTH_FIELDS)                                                             \
	S(cpu, CPU_FIELDS)                                                                         \
	S(kernel, KERNEL_FIELDS)                                                                   \
	S(costs, COSTS_FIELDS)

#endif
