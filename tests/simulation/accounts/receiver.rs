//! The receivers of webhooks, as a transport of the courier: they get an event, or do not; they answer, or do not.

use std::sync::Arc;

use super::Shared;
use super::promises::{Received, check_received};
use crate::radar::transport::{Done, Transport};
use crate::radar::webhook::attempt::ATTEMPT_TIME_MAX;
use crate::radar::webhook::{AttemptFault, AttemptResult, Message};
use crate::simulation::scheduler::{MILLISECOND, Own, SECOND, lock};
use crate::simulation::site::Fate;

pub struct SimulatedTransport {
    pub shared: Arc<Shared>,
}

impl Transport for SimulatedTransport {
    fn start(&self, message: Message, done: Done) {
        let (own, _) = crate::simulation::site::here();
        let shared = Arc::clone(&self.shared);
        let attempt = move || {
            let own = crate::simulation::scheduler::own().expect("a task");
            done(attempt(&shared, &own, &message));
        };
        drop(
            own.spawn(own.machine, "attempt", self.shared.enter.clone(), attempt).expect("a task"),
        );
    }
}

fn attempt(shared: &Shared, own: &Own, message: &Message) -> AttemptResult {
    let fate = shared.site.travel(own);
    let arrives = matches!(fate, Fate::Answered | Fate::AnswerLost | Fate::Repeated | Fate::Late);
    // Receivers come to rest too.
    let is_well = own.scheduler.now() > super::FAULTS_END;
    let (fails, is_slow, takes) = own.scheduler.with_random(|random| {
        let fails = !is_well && random.percent(shared.plan.receiver_faults);
        (fails, !is_well && random.percent(10), random.skewed(MILLISECOND, 3 * SECOND))
    });
    if arrives && (!fails || is_slow) {
        let received = Received {
            url: message.url.as_str().to_owned(),
            id: message.id.as_str().to_owned(),
            body: message.body.clone(),
        };
        own.scheduler.note(own.machine, "delivers", &received.id);
        check_received(shared, own, &received);
        lock(&shared.received).push(received);
    }
    own.pause_for(takes);
    if fate == Fate::Refused {
        return Ok(503);
    }
    if is_slow || fate != Fate::Answered && fate != Fate::Repeated {
        own.pause_for(u64::try_from(ATTEMPT_TIME_MAX.as_nanos()).expect("short"));
        return Err(AttemptFault::TimedOut { limit: ATTEMPT_TIME_MAX, stage: "waiting" });
    }
    Ok(if fails { 500 } else { 200 })
}
