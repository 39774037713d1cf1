// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For tests that need interfaces of their own: a network namespace for the test program and all that it starts. With it comes the right to make TAP interfaces there, as root or, where
 * an ordinary user may have one, in a user namespace. Linux only. Once a process.
 */
#ifndef LAB_TEST_OWN_NETWORK_H
#define LAB_TEST_OWN_NETWORK_H

#include <stdbool.h>
#include <stddef.h>

/* Only a loopback interface is there, up, and IPv6 is off on those to come. False: not to be had on this machine; why has the reason, for SKIP(). */
bool own_network(char *why, size_t room);

#endif
