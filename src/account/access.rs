//! What a key may ask for: its kind, its account's plan and its options against a service.
//!
//! Holds the table of the specification's section Authentication. Knows neither paths nor status
//! codes: routes name a [`Service`], and a [`Denied`] says which status it is.

use super::{Account, KeyEntry, KeyKind, Plan};

/// What a request asks for, as plans and options are sold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Service {
    /// Banks and branches.
    Bank,
    /// Postal look-up, its versions and updates.
    Postal,
    /// Search over postal records and addresses.
    AddressSearch,
    /// Corporate look-up and search.
    Corporate,
    /// The watch list and its changes.
    Radar,
    /// Several postal look-ups in a request.
    PostalBatch,
    /// Several corporate look-ups in a request.
    CorporateBatch,
    /// A whole data set.
    Download,
    /// What any key may ask: whoami, cities, holidays.
    Own,
}

impl Service {
    /// Every service.
    pub const ALL: [Service; 9] = [
        Service::Bank,
        Service::Postal,
        Service::AddressSearch,
        Service::Corporate,
        Service::Radar,
        Service::PostalBatch,
        Service::CorporateBatch,
        Service::Download,
        Service::Own,
    ];

    /// Whether only a secret key opens it (contract.md section 3).
    fn secret_only(self) -> bool {
        match self {
            Service::Radar | Service::PostalBatch | Service::CorporateBatch | Service::Download => {
                true
            }
            Service::Bank
            | Service::Postal
            | Service::AddressSearch
            | Service::Corporate
            | Service::Own => false,
        }
    }

    /// The smallest plan that includes it.
    pub fn plan(self) -> Plan {
        match self {
            Service::Corporate | Service::Radar | Service::CorporateBatch => Plan::Premium,
            Service::Bank
            | Service::Postal
            | Service::AddressSearch
            | Service::PostalBatch
            | Service::Download
            | Service::Own => Plan::Standard,
        }
    }

    fn batch(self) -> bool {
        matches!(self, Service::PostalBatch | Service::CorporateBatch)
    }
}

/// A known key may not have what it asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    /// Status 401: a public key where only a secret one opens.
    #[error("this needs a secret key; found a public key; send the account's secret key")]
    SecretKeyRequired,
    /// Status 403: the plan does not include the service.
    #[error("this needs the {needed} plan or above; the account has the {has} plan")]
    PlanTooLow {
        /// The smallest plan that would do.
        needed: Plan,
        /// The account's.
        has: Plan,
    },
    /// Status 403: the account lacks the batch option.
    #[error("this needs the batch option; the account does not have it")]
    BatchOptionMissing,
}

/// Whether this key opens this service. The kind of the key is judged first, then the plan, then
/// the option: a public key learns nothing of what its account has.
pub fn decide(entry: &KeyEntry, service: Service) -> Result<(), Denied> {
    decide_for(entry.kind, &entry.account, service)
}

/// Whether a key of this kind would open this service to this account.
pub fn decide_for(kind: KeyKind, account: &Account, service: Service) -> Result<(), Denied> {
    if service.secret_only() && kind != KeyKind::Secret {
        return Err(Denied::SecretKeyRequired);
    }
    let (needed, has) = (service.plan(), account.plan);
    if has < needed {
        return Err(Denied::PlanTooLow { needed, has });
    }
    if service.batch() && !account.batch {
        return Err(Denied::BatchOptionMissing);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::keyring::tests::{account, entry};
    use super::*;

    /// Every plan, kind, option and service: one letter a service, in the order of
    /// [`Service::ALL`]. `+` granted, `k` a secret key, `p` a higher plan, `b` the batch option.
    #[test]
    fn every_combination() {
        #[track_caller]
        fn check(plan: Plan, batch: bool, kind: KeyKind, expected: &str) {
            let entry = entry(1, kind, &account("demo", plan, batch), &[]);
            let found: String = Service::ALL
                .into_iter()
                .map(|service| match decide(&entry, service) {
                    Ok(()) => '+',
                    Err(Denied::SecretKeyRequired) => 'k',
                    Err(Denied::PlanTooLow { needed: Plan::Premium, has: Plan::Standard }) => 'p',
                    Err(Denied::PlanTooLow { .. }) => '?',
                    Err(Denied::BatchOptionMissing) => 'b',
                })
                .collect();
            assert_eq!(found, expected, "{plan} {kind}, batch {batch}");
        }
        use KeyKind::{Public, Secret};
        use Plan::{Enterprise, Premium, Standard};
        // Bank, Postal, AddressSearch, Corporate, Radar, both batches, Download, Own.
        check(Standard, false, Public, "+++pkkkk+");
        check(Standard, false, Secret, "+++ppbp++");
        check(Standard, true, Public, "+++pkkkk+");
        check(Standard, true, Secret, "+++pp+p++");
        check(Premium, false, Public, "++++kkkk+");
        check(Premium, false, Secret, "+++++bb++");
        check(Premium, true, Public, "++++kkkk+");
        check(Premium, true, Secret, "+++++++++");
        check(Enterprise, false, Public, "++++kkkk+");
        check(Enterprise, false, Secret, "+++++bb++");
        check(Enterprise, true, Public, "++++kkkk+");
        check(Enterprise, true, Secret, "+++++++++");
    }

    #[test]
    fn a_denial_says_what_is_missing() {
        let denied = Denied::PlanTooLow { needed: Plan::Premium, has: Plan::Standard };
        assert_eq!(
            denied.to_string(),
            "this needs the premium plan or above; the account has the standard plan"
        );
    }
}
