// SPDX-License-Identifier: GPL-2.0-or-later
/* The power seam: every error says which driver it came from. */
#include "bench/power.h"

bool power_on(struct power *p, struct err *e)
{
	return p->ops->set(p, true, e) || err_prefix(e, "power %s: on", p->ops->name);
}

bool power_off(struct power *p, struct err *e)
{
	return p->ops->set(p, false, e) || err_prefix(e, "power %s: off", p->ops->name);
}

bool power_state(struct power *p, bool *on, struct err *e)
{
	if (!p->ops->state)
		return err_set(e, ERR_UNSUPPORTED, "power %s: this switch cannot tell its state", p->ops->name);
	return p->ops->state(p, on, e) || err_prefix(e, "power %s: state", p->ops->name);
}

void power_destroy(struct power *p)
{
	if (p)
		p->ops->destroy(p);
}
