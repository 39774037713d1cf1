// SPDX-License-Identifier: GPL-2.0-or-later
/* For tests: a pseudo terminal in raw mode, and a free TCP port. */
#ifndef LAB_DRIVERS_PTY_END_H
#define LAB_DRIVERS_PTY_END_H

#include <stdbool.h>
#include <stdint.h>

/* slave stays open, so that closing it elsewhere is no hang-up. path: valid until the next call. */
struct pty_end { int master, slave; const char *path; };
bool pty_end_open(struct pty_end *p);
void pty_end_close(struct pty_end *p);

uint16_t pty_end_free_port(void);
bool pty_end_listens(uint16_t port);                                         /* within 5 s */

/* "LD_PRELOAD=.../pty_tty.so" of this build, or NULL when it was not built. Valid for good. */
const char *pty_end_preload(void);

#endif
