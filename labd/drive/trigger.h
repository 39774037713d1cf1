// SPDX-License-Identifier: GPL-2.0-or-later
/* The workload `trigger` of docs/workloads.md, over TCP and UDP. Found through workload_find("trigger"). */
#ifndef LAB_DRIVE_TRIGGER_H
#define LAB_DRIVE_TRIGGER_H

#include "drive/workload.h"

extern const struct workload_ops trigger_workload;

#endif
