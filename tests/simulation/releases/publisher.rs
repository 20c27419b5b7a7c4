//! A publisher: runs its operations one after the other, each with the code of `daicho release`.

use std::sync::Arc;

use super::plan::{LABEL, Operation, Part};
use super::truth::{NO_ERROR, PRUNE_KEEPS};
use super::{Shared, editions, signing};
use crate::clock;
use crate::release::{
    self, Activate, ActivateOptions, Activation, Bucket, Creation, Depth, Label, Number,
    PushOptions, ReleaseError, RetryLimits, WaitOptions,
};
use crate::simulation::scheduler::{Own, SECOND, Time, lock};
use crate::simulation::store;

/// How long activations wait for servers. An operation that began before the end of the faults ends soon after it.
const WAIT_MAX: Time = 20 * SECOND;

pub fn main(shared: &Arc<Shared>, own: &Own) {
    let mut operations: Vec<(Time, Operation)> = Vec::new();
    for part in &shared.plan.parts {
        if let Part::Operation { machine, at, operation } = part
            && *machine == own.machine
            && *at >= own.scheduler.now()
        {
            operations.push((*at, *operation));
        }
    }
    operations.sort_by_key(|(at, _)| *at);
    for (at, operation) in operations {
        // What could not begin in time is left out.
        if own.scheduler.now() > at + 20 * SECOND {
            continue;
        }
        own.pause_until(at);
        own.scheduler.note(own.machine, "begins", &format!("{operation:?}"));
        let result = run(shared, own, operation);
        let told = result.as_ref().map_or_else(ReleaseError::to_string, |()| "done".to_owned());
        own.scheduler.note(own.machine, "ends", &told);
        if let Err(error) = result {
            check_error(shared, own, operation, &error);
        }
    }
}

/// Fails for an error that no fault explains.
fn check_error(shared: &Shared, own: &Own, operation: Operation, error: &ReleaseError) {
    match error {
        // Somebody else was faster, or asked for what is not there.
        ReleaseError::Overtaken { .. }
        | ReleaseError::PruneRunning { .. }
        | ReleaseError::NoSuchRelease { .. }
        | ReleaseError::NoReleases { .. }
        | ReleaseError::NoEarlierRelease { .. }
        | ReleaseError::Unprepared { .. } => {}
        ReleaseError::WrongFileSize { .. } | ReleaseError::WrongChecksum { .. } => {
            own.scheduler.fail(PRUNE_KEEPS, error.to_string());
        }
        // The operation names a release of the stranger.
        ReleaseError::Signature { .. } | ReleaseError::MalformedRelease { .. }
            if shared.plan.has_intrusions()
                && matches!(operation, Operation::Activate { .. } | Operation::RollBack { .. }) => {
        }
        _ if shared.plan.has_faults() => {}
        _ => own.scheduler.fail(NO_ERROR, error.to_string()),
    }
}

fn open() -> Result<Bucket, ReleaseError> {
    Bucket::open(store::URL, RetryLimits::COMMAND)
}

fn wait_options() -> WaitOptions {
    let timeout = std::time::Duration::from_nanos(WAIT_MAX);
    WaitOptions { timeout, ..WaitOptions::default() }
}

fn run(shared: &Shared, own: &Own, operation: Operation) -> Result<(), ReleaseError> {
    let canary = Label::parse(LABEL).expect("a label");
    let label = |for_label: bool| for_label.then_some(&canary);
    let options = |for_label: bool| ActivateOptions {
        label: label(for_label),
        wait: wait_options(),
        key: shared.plan.is_signed.then(signing::public_key),
        depth: Depth::All,
    };
    let bucket = open()?;
    match operation {
        Operation::Push { first, last, activates, for_label } => {
            push(shared, own, (first, last), activates, label(for_label))
        }
        Operation::Activate { back, for_label } => {
            let (current, _) = release::Current::read(&bucket)?;
            let newest = current.newest(&bucket)?.value();
            let number = Number::from_value(u64::from(newest.saturating_sub(back).max(1)));
            let number = number.expect("a number from 1");
            let activation = release::activate(&bucket, number, &options(for_label), &())?;
            acknowledge(shared, own, &activation);
            Ok(())
        }
        Operation::RollBack { for_label } => {
            let activation = release::rollback(&bucket, &options(for_label), &())?;
            acknowledge(shared, own, &activation);
            Ok(())
        }
        Operation::Prune { keep } => release::prune(&bucket, keep, false, &()).map(drop),
    }
}

fn push(
    shared: &Shared,
    own: &Own,
    (first, last): (usize, usize),
    activates: bool,
    label: Option<&Label>,
) -> Result<(), ReleaseError> {
    let machine = own.machine;
    let folder = shared.site.with(machine, |state| {
        state.disk.as_ref().expect("the disk of a publisher").root().join("snapshots")
    });
    editions::put(first, last, &folder);
    let key = shared.plan.is_signed.then(signing::own_key);
    let options = PushOptions {
        snapshots: &folder,
        subjects: &[],
        versions: None,
        created: Creation { time: clock::now(), creator: format!("publisher {machine}") },
        key: key.as_ref(),
        activate: if activates { Activate::Yes } else { Activate::No },
        wait: wait_options(),
        label,
        depth: Depth::All,
    };
    let report = release::push(&open()?, &options, &())?;
    if let Some(activation) = &report.activation {
        acknowledge(shared, own, activation);
    }
    Ok(())
}

fn acknowledge(shared: &Shared, own: &Own, activation: &Activation) {
    let checked = lock(&shared.truth).acknowledge(activation);
    own.check(checked);
}

/// Publishes an edition at the end, from the first publisher's disk; retries what others' late requests disturb.
pub fn push_last(shared: &Arc<Shared>, own: &Own) -> Result<(), ReleaseError> {
    let machine = 1 + super::SERVERS_MAX;
    let result = Arc::new(std::sync::Mutex::new(None));
    let task = {
        let (shared, result) = (Arc::clone(shared), Arc::clone(&result));
        move || {
            let own = super::super::scheduler::own().expect("a task");
            let last = editions::EDITIONS - 1;
            let mut pushed = push(&shared, &own, (last, last), true, None);
            if matches!(pushed, Err(ReleaseError::SwitchScheduled { .. })) {
                own.pause_for(130 * SECOND);
                pushed = push(&shared, &own, (last, last), true, None);
            }
            *lock(&result) = Some(pushed);
        }
    };
    drop(own.spawn(machine, "last push", shared.enter.clone(), task).expect("a thread"));
    let deadline = own.scheduler.now() + 300 * SECOND;
    while own.scheduler.now() < deadline && own.scheduler.failure().is_none() {
        own.pause_for(SECOND);
        if let Some(pushed) = lock(&result).take() {
            return pushed;
        }
    }
    Err(ReleaseError::PruneTooSlow { minutes: 5 })
}
