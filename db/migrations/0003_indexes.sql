-- SPDX-License-Identifier: GPL-2.0-or-later
-- What pages ask again and again finds its rows; without these it reads all results, runs or exclusions there ever were, for each row it shows.

CREATE INDEX exclusion_attempt ON exclusion (attempt_id);                    -- is this result excluded?
CREATE INDEX attempt_finished ON attempt (board, id) WHERE state = 'finished'; -- the last result of a board
CREATE INDEX run_matrix ON run (matrix_id);                                  -- is this matrix frozen?
