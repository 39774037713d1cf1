-- SPDX-License-Identifier: GPL-2.0-or-later
-- Every result that is read asks whether it is excluded: found by its attempt, not by reading all exclusions once more for each.

CREATE INDEX exclusion_attempt ON exclusion (attempt_id);
