-- The state file of daicho 0.2.0, schema 6, with an account and a key, as sqlite3's .dump prints it.
BEGIN TRANSACTION;
CREATE TABLE account (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT    NOT NULL UNIQUE,
    plan        TEXT    NOT NULL CHECK (plan IN ('standard', 'premium', 'enterprise')),
    batch       INTEGER NOT NULL CHECK (batch IN (0, 1)),
    api_version TEXT, -- NULL: always the newest
    created_at  INTEGER NOT NULL
) STRICT;
INSERT INTO "account" VALUES(1,'demo','premium',0,'2026-08-01',1795824994);
CREATE TABLE account_password (
    account_id INTEGER NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    hash       TEXT    NOT NULL, -- Argon2id, PHC string
    changed_at INTEGER NOT NULL
) STRICT;
CREATE TABLE account_quota (
    account_id INTEGER NOT NULL PRIMARY KEY REFERENCES account (id) ON DELETE CASCADE,
    rate       INTEGER CHECK (rate >= 0),
    burst      INTEGER CHECK (burst IS NULL OR (burst > 0 AND rate > 0)),
    monthly    INTEGER CHECK (monthly >= 0)
) STRICT;
CREATE TABLE api_key (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES account (id),
    kind       TEXT    NOT NULL CHECK (kind IN ('public', 'secret')),
    hash       BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32), -- SHA-256 of the key's text
    beginning      TEXT    NOT NULL, -- the key's beginning, for lists
    created_at INTEGER NOT NULL,
    revoked_at INTEGER -- NULL: live
, label TEXT, disabled_by TEXT CHECK (disabled_by IN ('operator', 'account'))) STRICT;
INSERT INTO "api_key" VALUES(1,1,'secret',X'E031409C547ADB59DF0B530AB5052BC0F67D9BFE7E18BC3BCCDF3B3D99555B05','dk_sec_duzx',1795824994,NULL,NULL,NULL);
CREATE TABLE dashboard_session (
    token_hash BLOB    NOT NULL PRIMARY KEY CHECK (length(token_hash) = 32),
    account_id INTEGER REFERENCES account (id) ON DELETE CASCADE, -- NULL: the operator
    created_at INTEGER NOT NULL,
    seen_at    INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT;
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
CREATE TABLE delivery_attempt (
    delivery_id TEXT    NOT NULL REFERENCES delivery (id) ON DELETE CASCADE,
    number      INTEGER NOT NULL, -- from 1
    at          INTEGER NOT NULL,
    status      INTEGER, -- the receiver's; NULL: there was none
    error       TEXT,    -- why there was none, or why the status is no success
    took_ms     INTEGER NOT NULL,
    PRIMARY KEY (delivery_id, number)
) STRICT, WITHOUT ROWID;
CREATE TABLE key_origin (
    key_id INTEGER NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
    origin TEXT    NOT NULL, -- canonical: scheme://host[:port]
    PRIMARY KEY (key_id, origin)
) STRICT, WITHOUT ROWID;
CREATE TABLE key_use (
    key_id  INTEGER NOT NULL PRIMARY KEY REFERENCES api_key (id) ON DELETE CASCADE,
    used_at INTEGER NOT NULL -- the beginning of the hour
) STRICT;
CREATE TABLE known_device (
    token_hash BLOB    NOT NULL CHECK (length(token_hash) = 32),
    account_id INTEGER REFERENCES account (id) ON DELETE CASCADE, -- NULL: the operator
    attempts   INTEGER NOT NULL, -- since the last right password
    seen_at    INTEGER NOT NULL, -- when it last signed in
    expires_at INTEGER NOT NULL
) STRICT;
CREATE TABLE login_failure (
    subject      TEXT    NOT NULL PRIMARY KEY, -- 'name:…' or 'address:…'
    failures     INTEGER NOT NULL,
    last_at      INTEGER NOT NULL,
    locked_until INTEGER NOT NULL
) STRICT;
CREATE TABLE operator_setting (
    name       TEXT    NOT NULL PRIMARY KEY,
    value      TEXT    NOT NULL,
    changed_at INTEGER NOT NULL
) STRICT;
CREATE TABLE plan_quota (
    plan    TEXT    NOT NULL PRIMARY KEY CHECK (plan IN ('standard', 'premium', 'enterprise')),
    rate    INTEGER CHECK (rate > 0),    -- requests a second
    burst   INTEGER CHECK (burst IS NULL OR (burst > 0 AND rate IS NOT NULL)), -- requests at once
    monthly INTEGER CHECK (monthly > 0)  -- requests a calendar month in Japan
) STRICT;
CREATE TABLE radar_day (
    day        TEXT    NOT NULL PRIMARY KEY, -- YYYY-MM-DD
    list_crc   INTEGER NOT NULL, -- of the list of changes; another list is matched again
    claimed_by TEXT    NOT NULL, -- the server, for people
    claimed_at INTEGER NOT NULL,
    deliveries INTEGER NOT NULL  -- how many it made
) STRICT, WITHOUT ROWID;
CREATE TABLE rights (
    id         INTEGER PRIMARY KEY CHECK (id = 1),
    generation INTEGER NOT NULL
) STRICT;
INSERT INTO "rights" VALUES(1,2);
CREATE TABLE usage_by_day (
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    day        TEXT    NOT NULL, -- YYYY-MM-DD in Japan
    requests   INTEGER NOT NULL, -- answered, whatever the answer; refused ones are not among them
    errors     INTEGER NOT NULL, -- of these, with a status of 400 or above
    refused    INTEGER NOT NULL, -- turned away by a quota
    PRIMARY KEY (account_id, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE usage_by_endpoint (
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    day        TEXT    NOT NULL, -- YYYY-MM-DD in Japan
    endpoint   TEXT    NOT NULL, -- the path with its parameters' names
    status     INTEGER NOT NULL, -- of the answer
    requests   INTEGER NOT NULL, -- refused ones too
    PRIMARY KEY (account_id, day, endpoint, status)
) STRICT, WITHOUT ROWID;
CREATE TABLE watched (
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    number     INTEGER NOT NULL, -- a corporate number
    added_at   INTEGER NOT NULL,
    PRIMARY KEY (account_id, number)
) STRICT, WITHOUT ROWID;
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
CREATE TABLE webhook_allowance (
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    action     TEXT    NOT NULL CHECK (action IN ('test', 'redeliver')),
    full_at    INTEGER NOT NULL, -- when all of them are allowed at once again
    PRIMARY KEY (account_id, action)
) STRICT, WITHOUT ROWID;
CREATE INDEX api_key_by_account ON api_key (account_id);
CREATE INDEX dashboard_session_by_account ON dashboard_session (account_id);
CREATE INDEX dashboard_session_by_end ON dashboard_session (expires_at);
CREATE INDEX watched_by_number ON watched (number);
CREATE INDEX delivery_by_account ON delivery (account_id, created_at);
CREATE INDEX delivery_due ON delivery (next_attempt_at) WHERE state = 'waiting';
CREATE UNIQUE INDEX known_device_once ON known_device (token_hash, (COALESCE(account_id, 0)));
CREATE INDEX known_device_by_account ON known_device (account_id);
CREATE INDEX api_key_by_beginning ON api_key (beginning);
CREATE INDEX usage_by_endpoint_by_day ON usage_by_endpoint (day);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('account',1);
INSERT INTO "sqlite_sequence" VALUES('api_key',1);
COMMIT;
PRAGMA application_id = 1684236399;
PRAGMA user_version = 6;
