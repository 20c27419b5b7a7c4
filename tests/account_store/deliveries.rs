//! The queue of deliveries, on both databases.

use std::sync::Barrier;
use std::thread;

use daicho::account::AccountId;
use daicho::account::store::Store;
use daicho::radar::RadarError;
use daicho::radar::delivery::{self, DeliveryKind, DeliveryState};
use daicho::radar::queue::{ClaimedDelivery, FinishedAttempt, Outcome, Queue};
use daicho::radar::registration;
use daicho::radar::webhook::DeliveryId;
use daicho::radar::webhook::attempt::{NextStep, RETRY_SECONDS_MAX};
use daicho::text::codes::Register;
use jiff::Timestamp;

use super::radar::{NOW, account, cipher, day, queue, secret, url};
use super::support::{TestStore, later, name, now, on_both};

on_both! {
    only_the_last_test_is_kept_and_tests_are_rate_limited
    a_claim_excludes_other_servers_until_it_expires
    concurrent_servers_claim_each_delivery_once
    attempts_are_recorded_and_decide_the_next_state
    many_attempts_are_recorded_at_once
    a_busy_receiver_is_skipped
    deliveries_fail_with_a_removed_webhook_and_can_be_redelivered
    a_failure_of_the_attempt_in_flight_does_not_end_a_redelivery
    finished_deliveries_are_pruned
}

fn take(place: &TestStore, by: &str, now: i64) -> Vec<ClaimedDelivery> {
    queue(place, by).claim(now, now + 30, &[], &mut |_webhook| true).expect("claimed").deliveries
}

/// Adds a delivery of a change, due now.
fn add_delivery(store: &mut Store, account: AccountId, seed: u8) -> DeliveryId {
    let id = DeliveryId::from_random([seed; 15]);
    let day = day("2026-08-03");
    store
        .write(|tx| {
            delivery::insert(tx, &id, account, DeliveryKind::Radar, Register::Corporate, day, now())
        })
        .expect("made");
    id
}

fn only_the_last_test_is_kept_and_tests_are_rate_limited(place: TestStore) {
    let mut store = place.with_demo();
    let a = account(&mut store, "a", "https://a.example");
    let b = account(&mut store, "b", "https://b.example");
    let change = add_delivery(&mut store, a, 200);
    let test = |store: &mut Store, account, seed: u8, at: Timestamp| {
        let id = DeliveryId::from_random([seed; 15]);
        delivery::create_test(store, &id, account, day("2026-08-03"), at).map(|made| made.id)
    };
    let seconds = |refused: RadarError| match refused {
        RadarError::TooOften { wait, .. } => wait,
        other => panic!("{other}"),
    };
    let first = test(&mut store, a, 1, now()).expect("made");
    // A test that is being sent is removed too; recording its attempt then changes nothing.
    let claimed = take(&place, "one", NOW);
    assert_eq!(claimed.len(), 2);
    for seed in 2..=5 {
        test(&mut store, a, seed, now()).expect("made");
    }
    let all: Vec<_> =
        claimed.iter().map(|one| finished(one, Ok(200), Outcome::Delivered)).collect();
    queue(&place, "one").record_attempts(&all, NOW + 2).expect("recorded");
    assert_eq!(seconds(test(&mut store, a, 6, now()).expect_err("too many")), 12);
    let eleven = Timestamp::from_second(NOW + 11).expect("in range");
    assert_eq!(seconds(test(&mut store, a, 6, eleven).expect_err("too early")), 1);
    let listed = |store: &mut Store| -> Vec<DeliveryId> {
        let name = name("a");
        let listed = delivery::latest(store, Some(&name), 99).expect("read");
        listed.into_iter().map(|one| one.id).collect()
    };
    let mut expected = vec![change.clone(), DeliveryId::from_random([5; 15])];
    let mut found = listed(&mut store);
    expected.sort();
    found.sort();
    assert_eq!(found, expected, "without {first}");
    // Each account has its own rate, and a minute later all tests are allowed again.
    test(&mut store, b, 9, now()).expect("made");
    for seed in 10..15 {
        test(&mut store, a, seed, later()).expect("made");
    }
    test(&mut store, a, 16, later()).expect_err("too many");
    assert_eq!(listed(&mut store).len(), 2);
    // Redelivery by an account has a rate; redelivery by the operator has none.
    for _ in 0..60 {
        delivery::redeliver(&mut store, &change, Some(a), now()).expect("due again");
    }
    let refused = delivery::redeliver(&mut store, &change, Some(a), now()).expect_err("too many");
    assert_eq!(seconds(refused), 2);
    delivery::redeliver(&mut store, &change, None, now()).expect("due again");
}

fn a_claim_excludes_other_servers_until_it_expires(place: TestStore) {
    let mut store = place.with_demo();
    let a = account(&mut store, "a", "https://a.example/hook");
    let id = add_delivery(&mut store, a, 1);
    assert!(take(&place, "early", NOW - 1).is_empty(), "not yet due");
    let claimed = take(&place, "one", NOW);
    let [one] = &claimed[..] else { panic!("{claimed:?}") };
    assert_eq!((&one.id, one.account.as_str()), (&id, "a"));
    assert_eq!(one.webhook.url.as_str(), "https://a.example/hook");
    assert_eq!((one.day, one.give_up_at), (day("2026-08-03"), NOW + RETRY_SECONDS_MAX));
    assert!(take(&place, "two", NOW + 29).is_empty(), "claimed");
    assert!(take(&place, "one", NOW + 29).is_empty(), "claimed by the same server");
    assert_eq!(take(&place, "two", NOW + 30).len(), 1, "the claim has expired");
}

fn concurrent_servers_claim_each_delivery_once(place: TestStore) {
    let mut store = place.with_demo();
    let a = account(&mut store, "a", "https://a.example");
    for seed in 0..50 {
        add_delivery(&mut store, a, seed);
    }
    let start = Barrier::new(4);
    let mut claimed = thread::scope(|scope| {
        let (start, place) = (&start, &place);
        let at_once = |server| {
            scope.spawn(move || {
                let mut queue = queue(place, &format!("server {server}"));
                queue.count_waiting().expect("connected");
                start.wait();
                let mut claimed = Vec::new();
                for _turn in 0..10 {
                    let mut left = 5;
                    let choose = |_webhook: &_| {
                        left -= 1;
                        left >= 0
                    };
                    let found = queue.claim(NOW, NOW + 30, &[], &mut { choose });
                    claimed
                        .extend(found.expect("claimed").deliveries.into_iter().map(|one| one.id));
                }
                claimed
            })
        };
        let threads: Vec<_> = (0..4).map(at_once).collect();
        let join = |one: thread::ScopedJoinHandle<'_, _>| one.join().expect("no panic");
        threads.into_iter().flat_map(join).collect::<Vec<DeliveryId>>()
    });
    claimed.extend(take(&place, "rest", NOW).into_iter().map(|one| one.id));
    claimed.sort();
    let count = claimed.len();
    claimed.dedup();
    assert_eq!((count, claimed.len()), (50, 50));
}

fn finished(one: &ClaimedDelivery, answer: Result<u16, &str>, outcome: Outcome) -> FinishedAttempt {
    FinishedAttempt {
        id: one.id.clone(),
        claimed_until: one.claimed_until,
        started_at: NOW + 1,
        took_ms: 1500,
        answer: answer.map_err(str::to_owned),
        outcome,
    }
}

fn attempts_are_recorded_and_decide_the_next_state(place: TestStore) {
    let mut store = place.with_demo();
    let a = account(&mut store, "a", "https://a.example");
    let id = add_delivery(&mut store, a, 1);
    let first = take(&place, "one", NOW).remove(0);
    let retry = Outcome::Failed(NextStep::RetryAt(NOW + 10));
    let failed = finished(&first, Err("cannot connect\0"), retry);
    queue(&place, "one").record_attempts(&[failed], NOW + 2).expect("recorded");
    assert!(take(&place, "one", NOW + 9).is_empty());
    let second = take(&place, "one", NOW + 10).remove(0);
    // The claim has expired and another server has claimed the delivery: that server decides its state.
    let third = take(&place, "two", NOW + 40).remove(0);
    let late = finished(&second, Ok(500), Outcome::Failed(NextStep::GiveUp));
    queue(&place, "one").record_attempts(&[late], NOW + 2).expect("recorded");
    assert_eq!(
        delivery::latest(&mut store, None, 1).expect("read")[0].state,
        DeliveryState::Waiting
    );
    let delivered = finished(&third, Ok(204), Outcome::Delivered);
    queue(&place, "two").record_attempts(&[delivered], NOW + 2).expect("recorded");
    let one = delivery::latest(&mut store, None, 1).expect("read").remove(0);
    assert_eq!((one.state, one.attempts), (DeliveryState::Delivered, 3));
    assert_eq!(one.finished_at, Some(NOW + 2));
    assert_eq!(one.last_attempt.and_then(|last| last.status), Some(204));
    let attempts = delivery::attempts(&mut store, &id).expect("read");
    let found: Vec<_> = attempts.iter().map(|one| (one.number, one.status, &one.error)).collect();
    let connect = Some("cannot connect\u{fffd}".to_owned());
    assert_eq!(found, [(1, None, &connect), (2, Some(500), &None), (3, Some(204), &None)]);
    assert_eq!((attempts[0].started_at, attempts[0].took_ms), (NOW + 1, 1500));
    assert!(take(&place, "one", NOW + 100_000).is_empty(), "done");

    let given_up = add_delivery(&mut store, a, 2);
    let last = take(&place, "one", NOW).remove(0);
    let outcome = Outcome::Failed(NextStep::GiveUp);
    queue(&place, "one")
        .record_attempts(&[finished(&last, Ok(404), outcome)], NOW + 2)
        .expect("recorded");
    let one = delivery::latest(&mut store, None, 9).expect("read");
    let one = one.into_iter().find(|one| one.id == given_up).expect("there");
    assert_eq!((one.state, one.finished_at), (DeliveryState::Failed, Some(NOW + 2)));
}

fn many_attempts_are_recorded_at_once(place: TestStore) {
    let mut store = place.with_demo();
    let a = account(&mut store, "a", "https://a.example");
    for seed in 0..200 {
        add_delivery(&mut store, a, seed);
    }
    let claimed = take(&place, "one", NOW);
    assert_eq!(claimed.len(), 200);
    let retry = Outcome::Failed(NextStep::RetryAt(NOW + 10));
    let mut all: Vec<FinishedAttempt> = Vec::new();
    for (at, one) in claimed.iter().enumerate() {
        let delivered = at % 3 > 0;
        all.push(match delivered {
            true => finished(one, Ok(200), Outcome::Delivered),
            false => finished(one, Ok(500), retry),
        });
        // A second attempt, under a claim that had expired.
        if at % 5 == 0 {
            all.push(finished(one, Err("late"), Outcome::Failed(NextStep::GiveUp)));
        }
    }
    let unknown = ClaimedDelivery { id: DeliveryId::from_random([201; 15]), ..claimed[0].clone() };
    all.push(finished(&unknown, Ok(200), Outcome::Delivered));
    queue(&place, "one").record_attempts(&all, NOW + 2).expect("recorded");
    let found = delivery::latest(&mut store, None, 1000).expect("read");
    for (at, one) in claimed.iter().enumerate() {
        let expected = if at % 3 > 0 { DeliveryState::Delivered } else { DeliveryState::Waiting };
        let delivery = found.iter().find(|found| found.id == one.id).expect("there");
        assert_eq!((at, delivery.state), (at, expected));
        let attempts = delivery::attempts(&mut store, &one.id).expect("read");
        let numbers: Vec<i64> = attempts.iter().map(|one| one.number).collect();
        let expected: &[i64] = if at % 5 == 0 { &[1, 2] } else { &[1] };
        assert_eq!((at, &numbers[..]), (at, expected));
        assert_eq!(delivery.attempts, expected.len() as i64);
    }
    assert_eq!(found.len(), 200);
}

fn a_busy_receiver_is_skipped(place: TestStore) {
    let mut store = place.with_demo();
    let busy = account(&mut store, "busy", "https://busy.example/a");
    let same = account(&mut store, "same", "https://busy.example/b");
    let free = account(&mut store, "free", "https://free.example");
    for (seed, id) in [(1, busy), (2, same), (3, free)] {
        add_delivery(&mut store, id, seed);
    }
    let avoided = ["https://busy.example:443".to_owned(), "https://x.example:443".to_owned()];
    let found = queue(&place, "one").claim(NOW, NOW + 30, &avoided, &mut |_webhook| true);
    let found = found.expect("claimed");
    let whose: Vec<&str> = found.deliveries.iter().map(|one| one.account.as_str()).collect();
    assert_eq!((whose, found.may_have_more), (vec!["free"], false));
    let none =
        queue(&place, "one").claim(NOW, NOW + 30, &[], &mut |_webhook| false).expect("asked");
    assert!(none.deliveries.is_empty(), "a delivery that is not chosen is not claimed");
    assert_eq!(take(&place, "one", NOW).len(), 2);
}

fn deliveries_fail_with_a_removed_webhook_and_can_be_redelivered(place: TestStore) {
    let mut store = place.with_demo();
    let a = account(&mut store, "a", "https://a.example");
    let b = account(&mut store, "b", "https://b.example");
    let id = add_delivery(&mut store, a, 1);
    take(&place, "one", NOW);
    registration::remove(&mut store, a, now()).expect("removed");
    assert_eq!(
        delivery::latest(&mut store, None, 1).expect("read")[0].state,
        DeliveryState::Failed
    );
    let refused = delivery::redeliver(&mut store, &id, None, now()).expect_err("no webhook");
    assert!(matches!(refused, RadarError::NoWebhook));
    registration::set_url(&mut store, &cipher(), a, &url("https://new.example"), &secret(5), now())
        .expect("set");
    let foreign = delivery::redeliver(&mut store, &id, Some(b), now()).expect_err("another's");
    assert!(matches!(foreign, RadarError::NoSuchDelivery { .. }));
    let unknown = DeliveryId::from_random([9; 15]);
    let missing =
        delivery::redeliver(&mut store, &unknown, None, now()).expect_err("no such delivery");
    assert!(matches!(missing, RadarError::NoSuchDelivery { .. }));
    let later = Timestamp::from_second(NOW + 500_000).expect("in range");
    let again = delivery::redeliver(&mut store, &id, Some(a), later).expect("due again");
    assert_eq!((again.state, again.next_attempt_at), (DeliveryState::Waiting, NOW + 500_000));
    let claimed = take(&place, "one", NOW + 500_000).remove(0);
    assert_eq!(claimed.webhook.url.as_str(), "https://new.example/");
    assert_eq!((claimed.id, claimed.give_up_at), (id, NOW + 500_000 + RETRY_SECONDS_MAX));
}

fn a_failure_of_the_attempt_in_flight_does_not_end_a_redelivery(place: TestStore) {
    let mut store = place.with_demo();
    let a = account(&mut store, "a", "https://a.example");
    let id = add_delivery(&mut store, a, 1);
    let claimed = take(&place, "one", NOW).remove(0);
    delivery::redeliver(&mut store, &id, Some(a), now()).expect("due again");
    let last = finished(&claimed, Ok(500), Outcome::Failed(NextStep::GiveUp));
    queue(&place, "one").record_attempts(&[last], NOW + 2).expect("recorded");
    let found = delivery::latest(&mut store, None, 1).expect("read").remove(0);
    assert_eq!((found.state, found.attempts), (DeliveryState::Waiting, 1));
    assert_eq!(take(&place, "one", NOW + 2).len(), 1, "the redelivery is due");
}

fn finished_deliveries_are_pruned(place: TestStore) {
    let mut store = place.with_demo();
    let a = account(&mut store, "a", "https://a.example");
    let done = add_delivery(&mut store, a, 1);
    let one = take(&place, "one", NOW).remove(0);
    queue(&place, "one")
        .record_attempts(&[finished(&one, Ok(200), Outcome::Delivered)], NOW + 2)
        .expect("recorded");
    add_delivery(&mut store, a, 2);
    assert_eq!(queue(&place, "any").prune(NOW).expect("pruned"), 0, "not old enough");
    assert_eq!(queue(&place, "any").prune(NOW + 1000).expect("pruned"), 1);
    let gone = delivery::attempts(&mut store, &done).expect_err("with its attempts");
    assert!(matches!(gone, RadarError::NoSuchDelivery { .. }));
    assert_eq!(queue(&place, "any").count_waiting().expect("read"), 1, "waiting ones are kept");
}
