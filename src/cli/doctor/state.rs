//! The store of accounts and keys, and the key of webhook secrets. The store is opened without migrating it.

use std::fs::{self, Metadata};
use std::path::Path;

use super::findings::{Findings, Patient};
use crate::account::store::{Store, StoreError, StoreFault, StoreLocation};
use crate::cli::print::counted;
use crate::radar::registration;
use crate::radar::webhook::WebhookUrl;
use crate::system::permissions::{self, may_read_and_write};

/// Returns a URL of each receiver of webhooks.
pub fn check(patient: &Patient<'_>, findings: &mut Findings) -> Vec<WebhookUrl> {
    const CHECK: &str = "state";
    let state = &patient.args.state;
    let location = match state.location() {
        Ok(location) => location,
        Err(error) => {
            findings.error(CHECK, error.to_string(), "");
            return Vec::new();
        }
    };
    if let StoreLocation::File(path) = &location {
        permissions(path, findings);
    }
    let (mut store, due) = match Store::open_unchanged(&location) {
        Ok(opened) => opened,
        Err(error @ StoreError::Unusable { fault: StoreFault::Missing, .. }) => {
            findings.warning(CHECK, error.to_string(), "");
            return Vec::new();
        }
        Err(error) => {
            findings.error(CHECK, error.to_string(), "");
            return Vec::new();
        }
    };
    if due > 0 {
        let found = format!("{location} is of an earlier version");
        findings.warning(CHECK, found, "back it up; the next start of a server changes it");
        return Vec::new();
    }
    let looked = store.check().and_then(|()| {
        let accounts = store.accounts()?.len() as u64;
        Ok((accounts, registration::receivers(&mut store)?))
    });
    match looked {
        Ok((accounts, receivers)) => {
            let accounts = counted(accounts, "account");
            findings.ok(CHECK, format!("{location} is reachable and intact, with {accounts}"));
            webhook_key(patient, !receivers.is_empty(), findings);
            receivers
        }
        Err(error) => {
            findings.error(CHECK, error.to_string(), "");
            Vec::new()
        }
    }
}

/// The state file is private, and this user can write it and its folder.
fn permissions(path: &Path, findings: &mut Findings) {
    const CHECK: &str = "permissions";
    let Ok(metadata) = fs::metadata(path) else { return };
    private(path, &metadata, findings);
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    for place in [path, folder] {
        if !may_read_and_write(place) {
            let found = format!("this user cannot write to {}", place.display());
            let remedy = "run this command as the user of the server, or allow that user to";
            findings.error(CHECK, found, remedy);
        }
    }
    let password = folder.join("admin-password");
    if password.exists() {
        let found = format!("{} still has the operator's first password", password.display());
        findings.warning(CHECK, found, "sign in, then delete the file");
    }
}

/// Reports a file that others may read.
fn private(path: &Path, metadata: &Metadata, findings: &mut Findings) {
    if let Some(mode) = permissions::mode(metadata)
        && mode & permissions::OTHERS != 0
    {
        let found = format!("{} has mode {mode:03o}: others may read it", path.display());
        findings.warning("permissions", found, format!("run chmod 600 {}", path.display()));
    }
}

fn webhook_key(patient: &Patient<'_>, is_needed: bool, findings: &mut Findings) {
    const CHECK: &str = "webhook key";
    let location = match patient.args.radar.webhook_key.location(&patient.args.state) {
        Ok(location) => location,
        Err(error) => return findings.error(CHECK, error.to_string(), ""),
    };
    match location.text() {
        Ok(_key) => {
            if let Some(path) = location.path()
                && let Ok(metadata) = fs::metadata(&path)
            {
                private(&path, &metadata, findings);
            }
            findings.ok(CHECK, format!("readable: {}", location.display_name()));
        }
        Err(fault) if is_needed => findings.error(CHECK, fault.to_string(), ""),
        Err(_fault) => findings.ok(CHECK, "none yet; no webhook needs one"),
    }
}
