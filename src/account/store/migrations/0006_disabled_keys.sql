-- Who disabled a key at the dashboard: they may enable it again for a minute.

-- NULL: nobody, or the key was revoked for good.
ALTER TABLE api_key ADD COLUMN disabled_by TEXT CHECK (disabled_by IN ('operator', 'account'));
