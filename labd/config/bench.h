// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A bench file: which boards there are and how each is reached. docs/benches.md explains every key.
 *
 * Read once at start, immutable afterwards, any thread. All texts are borrowed from the bench and live as long as it.
 */
#ifndef LAB_CONFIG_BENCH_H
#define LAB_CONFIG_BENCH_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/err.h"

#define BENCH_MAX_BOARDS 64
#define BENCH_MAX_ARGUMENTS 32

enum bench_power_driver { BENCH_POWER_VIRTUAL, BENCH_POWER_COMMAND };
enum bench_line_driver { BENCH_LINE_RFC2217, BENCH_LINE_SERIAL };
enum bench_wire_mode { BENCH_WIRE_GATE, BENCH_WIRE_TAP, BENCH_WIRE_NIC };
enum bench_tap_driver { BENCH_TAP_STREAM, BENCH_TAP_PCAP, BENCH_TAP_NONE };
enum bench_pace { BENCH_PACE_TURNS, BENCH_PACE_WALL };
enum bench_reset { BENCH_RESET_DTR, BENCH_RESET_RTS, BENCH_RESET_POWER };        /* how a flasher resets the chip */
enum bench_boot { BENCH_BOOT_RTS, BENCH_BOOT_DTR, BENCH_BOOT_NONE };             /* the line that asks for the boot loader (PSEN of an 8051) */
enum bench_echo { BENCH_ECHO_CHARACTER, BENCH_ECHO_RECORD };

/* The words of the enums above, as in the file; each list ends with NULL. */
extern const char *const bench_power_words[], *const bench_line_words[], *const bench_wire_words[], *const bench_tap_words[], *const bench_pace_words[];

/* An argument vector, NULL-terminated; argv[0] NULL: not given. */
struct bench_command {
	const char *argv[BENCH_MAX_ARGUMENTS + 1];
};

struct bench_power {
	int driver;                                                          /* enum bench_power_driver */
	struct bench_command on, off, state;                                 /* state: prints "on" or "off" */
	uint32_t deadline_ms;                                                /* of one command */
	uint32_t pause_ms;                                                   /* between off and on; capacitors */
};

struct bench_line {
	int driver;                                                          /* enum bench_line_driver */
	const char *path;                                                    /* serial: /dev/serial/by-id/... */
	const char *host;                                                    /* rfc2217 of a real board; NULL: the virtual board's */
	uint16_t port;
	bool survives_power;                                                 /* the adapter keeps its power when the board loses it */
	uint32_t reopen_ms;                                                  /* if not: how long it may take to come back */
};

struct bench_flash {
	const char *method;                                                  /* "atmel_isp" */
	int reset, boot, echo;                                               /* enum bench_reset, bench_boot, bench_echo */
	bool reset_inverted, boot_inverted;                                  /* active when the signal is released */
	uint32_t baud;
	uint32_t sync_tries;                                                 /* 'U's per reset */
	uint32_t step_ms, erase_ms, total_ms;                                /* deadlines: one record, a chip erase, a whole operation */
};

struct bench_wire {
	int mode;                                                            /* enum bench_wire_mode */
	uint64_t rate;                                                       /* bit/s */
	uint32_t latency_ns, ack_delay_ms;                                   /* of the bench PC, mode gate */
	const char *outer;                                                   /* loopback address of the gate's listeners */
	bool ports_auto;                                                     /* free ports instead of the services' own */
	const char *interface;                                               /* modes tap and nic */
};

struct bench_net {
	const char *mac, *ip, *mask, *gateway, *host;                        /* the board's; host: the bench PC's address on this wire; gateway may be NULL */
};

struct bench_tap {
	int driver;                                                          /* enum bench_tap_driver */
	const char *interface;
};

struct bench_board {
	const char *name, *type;
	struct bench_power power;
	struct bench_line line;
	struct bench_flash flash[4];
	size_t flash_count;
	struct bench_wire wire;
	struct bench_net net;
	struct bench_tap tap;
	int pace;                                                            /* enum bench_pace */
	bool is_virtual;                                                     /* a vboard process stands for it; recorded with results, asked by nobody else */
	const json_t *chip, *faults;                                         /* of a virtual board, handed to it; NULL = none */
};

struct bench {
	const char *name;
	struct bench_board *boards;
	size_t count;
	json_t *root;                                                        /* keeps the texts */
};

/* file: for the sentences ("virtual.json:7: boards[0].wire.latancy_ns: no such key; ..."). */
bool bench_parse(const char *file, const char *text, size_t size, struct bench **out, struct err *e);
bool bench_load(const char *path, struct bench **out, struct err *e);
void bench_destroy(struct bench *b);                                         /* accepts NULL */

const struct bench_board *bench_find(const struct bench *b, const char *name);       /* NULL: none of that name */

#endif
