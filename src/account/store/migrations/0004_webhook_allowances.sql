-- How often an account may have its webhook tested, and deliveries sent again.
CREATE TABLE webhook_allowance (
    account_id INTEGER NOT NULL REFERENCES account (id) ON DELETE CASCADE,
    action     TEXT    NOT NULL CHECK (action IN ('test', 'redeliver')),
    full_at    INTEGER NOT NULL, -- when all of them are allowed at once again
    PRIMARY KEY (account_id, action)
) STRICT, WITHOUT ROWID;
