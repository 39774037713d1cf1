// SPDX-License-Identifier: GPL-2.0-or-later
/* The board's life: who it is, whether its network works, and what it says about that on the console. */
#include "common/app.h"

#include "common/console.h"
#include "common/identity.h"
#include "common/run.h"
#include "net/arp.h"
#include "net/net.h"
#include "net/nic.h"

#define LINK_CHECK_MS 500u
#define LINK_PATIENCE 20                          /* checks until a missing link is called a fault */

static const char *NET_MEM fault;                 /* what is wrong, or null */
static uint8_t NET_MEM is_dead;                   /* the fault is for good: no network */
static uint8_t NET_MEM is_up;                     /* the link is there, `net` was said */
static uint8_t NET_MEM patience;
static uint16_t NET_MEM checked;

static void say_boot(void)
{
	uint8_t i;

	console_begin("boot");
	console_text("board", LAB_BOARD);
	console_key("build");
	for (i = 0; i < LAB_BUILD_BYTES; i++)
		console_char(lab_build[i]);
	console_char(' ');
	console_text("stack", LAB_STACK);
	console_mac("mac", net_self.mac);
	console_ip("ip", net_self.ip);
	console_end();
}

static void say_net(void)
{
	console_begin("net");
	console_text("link", "up");
	console_ip("ip", net_self.ip);
	console_mac("mac", net_self.mac);
	console_end();
}

static void say_fault(void)
{
	console_begin("fault");
	console_text("what", fault);
	console_end();
}

static void say_state(void)
{
	if (is_up)
		say_net();
	else if (fault)
		say_fault();
}

static void die(const char *what)
{
	fault = what;
	is_dead = 1;
	say_fault();
}

void app_start(void)
{
	bool known = identity_load();

	fault = 0;
	is_dead = 0;
	is_up = 0;
	patience = LINK_PATIENCE;
	checked = (uint16_t)(net_tick() - LINK_CHECK_MS);
	net_init();
	say_boot();
	if (!known)
		die("identity");
	else if (!nic_init(net_self.mac))
		die("nic");
	else
		run_init();
}

static void link_came(void)
{
	is_up = 1;
	fault = 0;
	arp_announce();
	say_net();
}

/* A link that does not come is a fault, said once; it is forgiven when the link comes. */
static void link_is_missing(void)
{
	if (is_up) {
		is_up = 0;
		patience = LINK_PATIENCE;
	}
	if (patience && --patience == 0) {
		fault = "link";
		say_fault();
	}
}

static void check_link(void)
{
	bool link;

	if ((uint16_t)(net_tick() - checked) < LINK_CHECK_MS)
		return;
	checked = net_tick();
	link = nic_link();
	if (link && !is_up)
		link_came();
	else if (!link)
		link_is_missing();
}

void app_step(void)
{
	bool asked = console_asked();

	if (run_is_going()) {                             /* nothing is said, nor a question remembered, during a measurement */
		net_poll();
		run_step();
		return;
	}
	if (asked) {
		say_boot();
		say_state();
	}
	if (is_dead)
		return;
	check_link();
	net_poll();
	run_step();
}
