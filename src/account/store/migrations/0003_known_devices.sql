-- Devices that signed in to the dashboard before: guesses of others do not hold them up.

-- Of the device's cookie only its SHA-256 is kept. Several accounts may sign in from one device.
CREATE TABLE known_device (
    token_hash BLOB    NOT NULL CHECK (length(token_hash) = 32),
    account_id INTEGER REFERENCES account (id) ON DELETE CASCADE, -- NULL: the operator
    attempts   INTEGER NOT NULL, -- since the last right password
    seen_at    INTEGER NOT NULL, -- when it last signed in
    expires_at INTEGER NOT NULL
) STRICT;

CREATE UNIQUE INDEX known_device_once ON known_device (token_hash, (COALESCE(account_id, 0)));
CREATE INDEX known_device_by_account ON known_device (account_id);
