-- Watch lists of qualified invoice issuers, and the days of their register that were matched.
-- The tables of corporations stay as they are, so that a server of the version before keeps working beside newer ones.

CREATE TABLE watched_issuer (
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    number     INTEGER NOT NULL, -- the digits of a registration number
    added_at   INTEGER NOT NULL,
    PRIMARY KEY (account_id, number)
) STRICT, WITHOUT ROWID;

CREATE INDEX watched_issuer_by_number ON watched_issuer (number);

-- As radar_day, for the register of issuers.
CREATE TABLE radar_issuer_day (
    day        TEXT    NOT NULL PRIMARY KEY, -- YYYY-MM-DD
    list_crc   INTEGER NOT NULL,
    claimed_by TEXT    NOT NULL,
    claimed_at INTEGER NOT NULL,
    deliveries INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The register whose changes the delivery announces.
ALTER TABLE delivery ADD COLUMN register TEXT NOT NULL DEFAULT 'corporate' CHECK (register IN ('corporate', 'invoice'));
