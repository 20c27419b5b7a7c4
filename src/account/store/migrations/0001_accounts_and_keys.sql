-- Accounts, their keys, and the origins that public keys are bound to.
-- Times are seconds since 1970-01-01 UTC. Numbers are never given twice: logs and figures name them.

CREATE TABLE account (
    id          INTEGER PRIMARY KEY AUTOINCREMENT,
    name        TEXT    NOT NULL UNIQUE,
    plan        TEXT    NOT NULL CHECK (plan IN ('standard', 'premium', 'enterprise')),
    batch       INTEGER NOT NULL CHECK (batch IN (0, 1)),
    api_version TEXT, -- NULL: always the newest
    created_at  INTEGER NOT NULL
) STRICT;

CREATE TABLE api_key (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account_id INTEGER NOT NULL REFERENCES account (id),
    kind       TEXT    NOT NULL CHECK (kind IN ('public', 'secret')),
    hash       BLOB    NOT NULL UNIQUE CHECK (length(hash) = 32), -- SHA-256 of the key's text
    label      TEXT    NOT NULL, -- the key's beginning, for lists
    created_at INTEGER NOT NULL,
    revoked_at INTEGER -- NULL: live
) STRICT;

CREATE INDEX api_key_by_account ON api_key (account_id);
CREATE INDEX api_key_by_label ON api_key (label);

CREATE TABLE key_origin (
    key_id INTEGER NOT NULL REFERENCES api_key (id) ON DELETE CASCADE,
    origin TEXT    NOT NULL, -- canonical: scheme://host[:port]
    PRIMARY KEY (key_id, origin)
) STRICT, WITHOUT ROWID;
