-- When keys expire and from where they were last used, from where sessions were opened, and what operators did.

ALTER TABLE api_key ADD COLUMN expires_at INTEGER; -- NULL: never

-- The client's address; NULL: written by a server of the version before.
ALTER TABLE key_use ADD COLUMN used_from TEXT;

ALTER TABLE dashboard_session ADD COLUMN opened_from TEXT; -- the client's address
ALTER TABLE dashboard_session ADD COLUMN opened_with TEXT; -- what the browser calls itself

-- Kept for a year.
CREATE TABLE operation (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    done_at INTEGER NOT NULL,
    actor   TEXT    NOT NULL, -- the client's address, or the user of the operating system
    place   TEXT    NOT NULL CHECK (place IN ('dashboard', 'command line')),
    action  TEXT    NOT NULL, -- such as 'key revoke'
    account TEXT,             -- its name then; NULL: none
    subject TEXT              -- such as the number of a key
) STRICT;

CREATE INDEX operation_by_time ON operation (done_at);
