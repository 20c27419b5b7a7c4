-- Quotas and usage, the dashboard's logins, the radar's watch lists and deliveries.
-- Times are seconds since 1970-01-01 UTC unless the name says otherwise.

-- One row. Raised by every transaction that changes what keys may do, so that every server sees
-- by one small read whether to load its keyring anew.
CREATE TABLE rights (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    generation INTEGER NOT NULL
) STRICT;

INSERT INTO rights (id, generation) VALUES (1, 0);

-- NULL, or no row: no limit. A burst is kept only with a rate.
CREATE TABLE plan_quota (
    plan    TEXT    NOT NULL PRIMARY KEY CHECK (plan IN ('standard', 'premium', 'enterprise')),
    rate    INTEGER CHECK (rate > 0),    -- requests a second
    burst   INTEGER CHECK (burst IS NULL OR (burst > 0 AND rate IS NOT NULL)), -- requests at once
    monthly INTEGER CHECK (monthly > 0)  -- requests a calendar month in Japan
) STRICT;

-- What an account has instead of its plan's. NULL, or no row: as the plan; 0: no limit.
CREATE TABLE account_quota (
    account_id INTEGER NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    rate       INTEGER CHECK (rate >= 0),
    burst      INTEGER CHECK (burst IS NULL OR (burst > 0 AND rate > 0)),
    monthly    INTEGER CHECK (monthly >= 0)
) STRICT;

-- Added to by every server every few seconds.
CREATE TABLE usage_by_day (
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    day        TEXT    NOT NULL, -- YYYY-MM-DD in Japan
    requests   INTEGER NOT NULL, -- answered, whatever the answer; refused ones are not among them
    errors     INTEGER NOT NULL, -- of these, with a status of 400 or above
    refused    INTEGER NOT NULL, -- turned away by a quota
    PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;

-- No row: the account cannot log in.
CREATE TABLE account_password (
    account_id INTEGER NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    hash       TEXT    NOT NULL, -- Argon2id, PHC string
    changed_at INTEGER NOT NULL
) STRICT;

-- The operator's settings: the password's hash and the like.
CREATE TABLE operator_setting (
    name       TEXT    NOT NULL PRIMARY KEY,
    value      TEXT    NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT;

-- A login to the dashboard. Of the token only its SHA-256 is kept.
CREATE TABLE dashboard_session (
    token_hash BLOB    NOT NULL PRIMARY KEY CHECK (length(token_hash) = 32),
    account_id INTEGER REFERENCES account (id) ON DELETE CASCADE, -- NULL: the operator
    created_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;

CREATE INDEX dashboard_session_by_account ON dashboard_session (account_id);
CREATE INDEX dashboard_session_by_end ON dashboard_session (expires_at);

-- Logins that failed, by the name that was tried and by the address it was tried from.
CREATE TABLE login_failure (
    subject      TEXT    NOT NULL PRIMARY KEY, -- 'name:…' or 'address:…'
    failures     INTEGER NOT NULL,
    last_at      INTEGER NOT NULL,
    locked_until INTEGER NOT NULL
) STRICT;

-- Where an account's changes are announced. The secrets sign what is sent, so they are kept whole.
CREATE TABLE webhook (
    account_id      INTEGER NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    url             TEXT    NOT NULL,
    receiver        TEXT    NOT NULL, -- the URL's scheme, host and port
    secret          BLOB    NOT NULL,
    previous_secret BLOB,    -- signs as well until previous_until
    previous_until  INTEGER,
    created_at      INTEGER NOT NULL,
    changed_at      INTEGER NOT NULL
) STRICT;

CREATE TABLE watched (
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    number     INTEGER NOT NULL, -- a corporate number
    added_at   INTEGER NOT NULL,
    PRIMARY KEY (account_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX watched_by_number ON watched (number);

-- Days whose changes were matched with the watch lists; each is matched once, by the server whose
-- transaction makes this row together with the deliveries.
CREATE TABLE radar_day (
    day        TEXT    NOT NULL PRIMARY KEY, -- YYYY-MM-DD
    list_crc   INTEGER NOT NULL, -- of the list of changes; another list is matched again
    claimed_by TEXT    NOT NULL, -- the server, for people
    claimed_at INTEGER NOT NULL,
    deliveries INTEGER NOT NULL  -- how many it made
) STRICT, WITHOUT ROWID;

CREATE TABLE delivery (
    id              TEXT    NOT NULL PRIMARY KEY, -- the webhook-id; the same at every attempt
    account_id      INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    kind            TEXT    NOT NULL CHECK (kind IN ('radar', 'test')),
    day             TEXT    NOT NULL, -- YYYY-MM-DD
    state           TEXT    NOT NULL CHECK (state IN ('waiting', 'delivered', 'failed')),
    attempts        INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    next_attempt_at INTEGER NOT NULL,
    give_up_at      INTEGER NOT NULL,
    finished_at     INTEGER, -- when it was delivered or given up
    claimed_by      TEXT,    -- the server that is at it; NULL: nobody
    claimed_until   INTEGER  -- after this the claim is void
) STRICT;

CREATE INDEX delivery_by_account ON delivery (account_id, created_at);
CREATE INDEX delivery_due ON delivery (next_attempt_at) WHERE state = 'waiting';

CREATE TABLE delivery_attempt (
    delivery_id TEXT    NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL, -- from 1
    at          INTEGER NOT NULL,
    status      INTEGER, -- the receiver's; NULL: there was none
    error       TEXT,    -- why there was none, or why the status is no success
    took_ms     INTEGER NOT NULL,
    PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;
