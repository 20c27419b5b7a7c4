-- Labels of keys, when keys were last used, and the requests of accounts by endpoint and status.

-- Until now the column label held the key's beginning.
ALTER TABLE api_key RENAME COLUMN label TO beginning;
DROP INDEX api_key_by_label;
CREATE INDEX api_key_by_beginning ON api_key (beginning);
ALTER TABLE api_key ADD COLUMN label TEXT; -- what the owner calls it; NULL: nothing

-- Written by every server, once an hour for a key that is in use. No row: not used yet.
CREATE TABLE key_use (
    key_id  INTEGER NOT NULL PRIMARY KEY REFERENCES api_key (id) ON DELETE CASCADE,
    used_at INTEGER NOT NULL -- the beginning of the hour
) STRICT;

-- Added to by every server every few seconds; kept for a month.
CREATE TABLE usage_by_endpoint (
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    day        TEXT    NOT NULL, -- YYYY-MM-DD in Japan
    endpoint   TEXT    NOT NULL, -- the path with its parameters' names
    status     INTEGER NOT NULL, -- of the answer
    requests   INTEGER NOT NULL, -- refused ones too
    PRIMARY KEY (account_id, day, endpoint, status)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_by_endpoint_by_day ON usage_by_endpoint (day);
