//! Whether the threads of connections let others run before they wait for more requests.
//!
//! A client on the same machine needs a core too. Where the threads offer it theirs before they wait, it
//! sends many requests meanwhile, and they answer many at once instead of being woken for every few: a
//! tenth to a fifth more requests a second. But where what runs meanwhile is no client, they wait for it
//! in vain, for milliseconds. Nothing tells the one from the other beforehand, so it is tried: under load
//! both ways take turns of [`TURN`] for a while, and the one that answered more requests is followed until
//! the next trial. Nothing is tried while there is little to do.
//!
//! [`Pace`] is what the threads share; [`Choice`] decides, and knows no clock and no thread.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// How long one way is followed before requests are counted.
const TURN: Duration = Duration::from_millis(10);

/// Turns of each way in one trial.
const TURNS_EACH: u32 = 8;

/// With fewer requests a second nothing is tried: nobody waits for a core.
const RATE_MIN: f64 = 10_000.0;

/// A turn that nobody ended for so long says only that nobody asked anything.
const SILENCE: Duration = Duration::from_secs(1);

/// So many times the requests of the usual way are worth another.
const GAIN_MIN: f64 = 1.01;

/// Where so few are answered, of what was or of what the usual way answers, that is looked into at once.
const LOSS_MAX: f64 = 0.5;

/// After so many turns of each way: fewer say little.
const TURNS_EACH_MIN: u32 = 2;

/// How long a way that gained is followed before it is tried against the usual one again.
const KEPT_FOR: Duration = Duration::from_secs(2);

/// How long nothing is tried where it gained nothing: twice as long each time, from the first to the last.
const PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(32));

thread_local! {
    /// Requests that began on this thread.
    static REQUESTS: Cell<u64> = const { Cell::new(0) };
}

/// Notes that a request begins on this thread.
pub fn note_request() {
    REQUESTS.set(REQUESTS.get() + 1);
}

/// What the threads of connections share.
#[derive(Debug)]
pub struct Pace {
    started: Instant,
    /// Requests by thread, as of its last wait.
    requests: Box<[Count]>,
    yielding: AtomicBool,
    /// Nanoseconds from `started` to the end of this turn.
    turn_ends: AtomicU64,
    choice: Mutex<Choice>,
}

/// Alone in its cache lines.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Count(AtomicU64);

impl Pace {
    /// For so many threads.
    pub fn of(threads: usize) -> Pace {
        Pace {
            started: Instant::now(),
            requests: (0..threads).map(|_| Count::default()).collect(),
            yielding: AtomicBool::new(false),
            turn_ends: AtomicU64::new(0),
            choice: Mutex::new(Choice::default()),
        }
    }

    /// To be called by a thread, of this number, that has nothing more to do.
    pub fn before_wait(&self, thread: usize) {
        self.requests[thread].0.store(REQUESTS.get(), Relaxed);
        if self.yielding.load(Relaxed) {
            std::thread::yield_now();
        }
        let now = self.started.elapsed();
        let nanos = |time: Duration| u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let ended = || nanos(now) >= self.turn_ends.load(Relaxed);
        if !ended() {
            return;
        }
        // Where another thread is at it, or just was, there is nothing to do.
        let Some(mut choice) = self.choice.try_lock().ok().filter(|_| ended()) else { return };
        let requests = self.requests.iter().map(|count| count.0.load(Relaxed)).sum();
        self.yielding.store(choice.look(now, requests), Relaxed);
        self.turn_ends.store(nanos(now + TURN), Relaxed);
    }
}

/// What is being done, and why.
#[derive(Debug, Default)]
struct Choice {
    phase: Phase,
    /// How long nothing is tried after the next trial in vain.
    pause: Duration,
    /// The last look: when, and how many requests there had been.
    last: (Duration, u64),
}

#[derive(Debug, Clone, Copy)]
enum Phase {
    /// Both ways take turns: what each has answered, and whether this turn yields.
    Trial { usual: Tally, yielding: Tally, yields: bool },
    /// The usual way until then.
    Rest { until: Duration },
    /// Yielding until then, which answered so many requests a second.
    Kept { until: Duration, rate: f64 },
}

impl Default for Phase {
    fn default() -> Phase {
        Phase::Trial { usual: Tally::default(), yielding: Tally::default(), yields: false }
    }
}

#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    turns: u32,
    requests: u64,
    time: Duration,
}

impl Tally {
    fn add(&mut self, requests: u64, time: Duration) {
        *self = Tally {
            turns: self.turns + 1,
            requests: self.requests + requests,
            time: self.time + time,
        };
    }

    fn rate(self) -> f64 {
        self.requests as f64 / self.time.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

impl Choice {
    /// Ends a turn: at this time, after so many requests in all. Whether to yield in the next one.
    fn look(&mut self, now: Duration, requests: u64) -> bool {
        let (then, before) = std::mem::replace(&mut self.last, (now, requests));
        let mut turn = Tally::default();
        turn.add(requests.saturating_sub(before), now.saturating_sub(then));
        if turn.time >= SILENCE || (turn.rate() < RATE_MIN && !self.yields()) {
            // When there is more to do, it is tried anew.
            if !matches!(self.phase, Phase::Rest { .. }) {
                self.phase = Phase::default();
            }
            return false;
        }
        self.phase = match self.phase {
            Phase::Trial { mut usual, mut yielding, yields } => {
                let tally = if yields { &mut yielding } else { &mut usual };
                tally.add(turn.requests, turn.time);
                self.judge(now, usual, yielding, !yields)
            }
            phase @ Phase::Rest { until } if now < until => phase,
            phase @ Phase::Kept { until, rate } if now < until && turn.rate() > LOSS_MAX * rate => {
                phase
            }
            Phase::Rest { .. } | Phase::Kept { .. } => Phase::default(),
        };
        self.yields()
    }

    fn yields(&self) -> bool {
        match self.phase {
            Phase::Trial { yields, .. } => yields,
            Phase::Rest { .. } => false,
            Phase::Kept { .. } => true,
        }
    }

    /// What follows in a trial that knows this.
    fn judge(&mut self, now: Duration, usual: Tally, yielding: Tally, yields: bool) -> Phase {
        let gain = yielding.rate() / usual.rate();
        let both = usual.turns.min(yielding.turns);
        let lost = both >= TURNS_EACH_MIN && gain < LOSS_MAX;
        if both < TURNS_EACH && !lost {
            return Phase::Trial { usual, yielding, yields };
        }
        if gain >= GAIN_MIN {
            self.pause = Duration::ZERO;
            return Phase::Kept { until: now + KEPT_FOR, rate: yielding.rate() };
        }
        self.pause = (2 * self.pause).clamp(PAUSE.0, PAUSE.1);
        Phase::Rest { until: now + self.pause }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests a second, of the usual way and of yielding.
    type Rates = (f64, f64);

    /// A choice and the machine that it is made for.
    #[derive(Default)]
    struct Machine {
        choice: Choice,
        now: Duration,
        requests: f64,
        yields: bool,
    }

    impl Machine {
        /// Lets so many turns pass; the share of them that yielded.
        fn run(&mut self, turns: u32, (usual, yielding): Rates) -> f64 {
            let mut yielded = 0;
            for _ in 0..turns {
                let rate = if self.yields { yielding } else { usual };
                yielded += u32::from(self.yields);
                self.now += TURN;
                self.requests += rate * TURN.as_secs_f64();
                self.yields = self.choice.look(self.now, self.requests as u64);
            }
            f64::from(yielded) / f64::from(turns)
        }
    }

    #[test]
    fn the_way_that_answers_more_is_followed() {
        let share = |rates| Machine::default().run(6_000, rates);
        assert!(share((70e3, 85e3)) > 0.95, "{}", share((70e3, 85e3)));
        // As good, hardly better, worse.
        for yielding in [70e3, 70.3e3, 60e3] {
            assert!(share((70e3, yielding)) < 0.02, "{}", share((70e3, yielding)));
        }
        // So much worse that a trial is broken off; even where that is as little as nothing is tried with.
        assert!(share((35e3, 15e3)) < 0.004, "{}", share((35e3, 15e3)));
        assert!(share((35e3, 5e3)) < 0.004, "{}", share((35e3, 5e3)));
    }

    #[test]
    fn nothing_is_tried_where_there_is_little_to_do() {
        let mut machine = Machine::default();
        assert_eq!(machine.run(1_000, (5e3, 9e3)), 0.0);
        assert!(machine.run(1_000, (70e3, 85e3)) > 0.9, "and at once where there is more");
        machine.run(1, (0.0, 0.0));
        assert_eq!(machine.run(1_000, (100.0, 100.0)), 0.0);
    }

    #[test]
    fn a_silence_speaks_against_neither_way() {
        let mut machine = Machine::default();
        for _ in 0..20 {
            machine.run(2, (70e3, 85e3));
            while !machine.yields {
                machine.run(1, (70e3, 85e3));
            }
            // In the middle of a trial, in a turn that yields.
            machine.now += SILENCE;
        }
        assert_eq!(machine.choice.pause, Duration::ZERO);
        assert!(machine.run(200, (70e3, 85e3)) > 0.85);
    }

    #[test]
    fn what_turns_bad_is_left_at_once() {
        let mut machine = Machine::default();
        assert!(machine.run(150, (70e3, 85e3)) > 0.8);
        assert!(machine.yields);
        // A program begins to compute on every core.
        assert!(machine.run(20, (35e3, 11e3)) < 0.2);
        assert!(machine.run(1_000, (35e3, 11e3)) < 0.01);
        // It ends: found at the next trial.
        machine.run(3_200, (70e3, 85e3));
        assert!(machine.run(1_000, (70e3, 85e3)) > 0.9);
    }

    #[test]
    fn threads_that_wait_end_the_turns() {
        let pace = Pace::of(2);
        for turn in 0..20 {
            pace.before_wait(turn % 2);
        }
        std::thread::sleep(TURN);
        note_request();
        pace.before_wait(1);
        let choice = pace.choice.lock().expect("nobody else");
        assert_eq!(choice.last.1, 1);
        assert!(!pace.yielding.load(Relaxed));
    }
}
