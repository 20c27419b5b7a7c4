-- The oldest schema whose programs can use the present one. They go on beside newer programs, and can be installed again.
-- A later migration that they could not live with sets it to its own number.
CREATE TABLE older_programs (schema_min INTEGER NOT NULL) STRICT;

INSERT INTO older_programs (schema_min) VALUES (9);
