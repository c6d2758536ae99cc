//! The processor time that a translation may take.
//!
//! Processor time, that of pet's process included, says what a program costs whatever else the
//! machine does; the clock on the wall would refuse programs on busy machines only.

use crate::render::Failure;
use hexcc_compiler::diag::Diagnostic;
use hexcc_isl::Stopper;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::Duration;

/// Seconds that a translation may take, unless the user says otherwise.
pub const DEFAULT_SECONDS: u64 = 20;

/// Watches over a translation until it is dropped or [`TimeLimit::finish`]ed.
///
/// What takes too long is stopped twice: first isl, which ends most translations with a
/// diagnostic; a while later the process, with the same diagnostic, in case that something
/// else runs on.
pub struct TimeLimit {
    limit: Option<Duration>,
    started: Duration,
    stopper: Stopper,
    /// Hangs up when the translation is over.
    _watched: Option<Sender<()>>,
}

impl TimeLimit {
    /// No limit.
    pub fn none() -> TimeLimit {
        TimeLimit {
            limit: None,
            started: Duration::ZERO,
            stopper: Stopper::default(),
            _watched: None,
        }
    }

    /// Begins to watch; 0 seconds mean no limit.
    pub fn start(seconds: u64) -> TimeLimit {
        if seconds == 0 {
            return TimeLimit::none();
        }
        TimeLimit::watch(Duration::from_secs(seconds), move |stopper, runs_on| {
            let limit = Duration::from_secs(seconds);
            stopper.stop(why(limit, stopper.work()));
            if runs_on(limit + limit / 4 + GRACE) {
                let why = stopper.why().unwrap_or_default();
                Failure::plain(Diagnostic::stopped(why)).render();
                std::process::exit(1);
            }
        })
    }

    /// Watches over something that the translation can do without: half of the time that is left, `None` where most of that
    /// is gone. What it makes is not missed, and the translation goes on.
    pub fn attempt(&self) -> Option<TimeLimit> {
        let (Some(limit), Some(left)) = (self.limit, self.left()) else {
            return Some(TimeLimit::none());
        };
        let stop = |stopper: &Stopper, _: &dyn Fn(Duration) -> bool| stopper.stop(String::new());
        (left > limit * 3 / 5).then(|| TimeLimit::watch(left / 2, stop))
    }

    /// Calls `stop` when a time has passed, with a function that waits for another one.
    fn watch(
        limit: Duration,
        stop: impl FnOnce(&Stopper, &dyn Fn(Duration) -> bool) + Send + 'static,
    ) -> TimeLimit {
        let (sender, receiver) = mpsc::channel::<()>();
        let (started, stopper) = (processor_time(), Stopper::default());
        let its = stopper.clone();
        thread::spawn(move || {
            let reaches = |time: Duration| {
                loop {
                    let left = time.saturating_sub(processor_time().saturating_sub(started));
                    if left.is_zero() {
                        return true;
                    }
                    // Several threads use the processor faster than the clock runs.
                    let pause = left.min(PAUSE);
                    if receiver.recv_timeout(pause) != Err(RecvTimeoutError::Timeout) {
                        return false;
                    }
                }
            };
            if reaches(limit) {
                stop(&its, &reaches);
            }
        });
        TimeLimit {
            limit: Some(limit),
            started,
            stopper,
            _watched: Some(sender),
        }
    }

    /// What stops isl.
    pub fn stopper(&self) -> &Stopper {
        &self.stopper
    }

    /// What is left of the time, at least a moment; `None` for no limit.
    pub fn left(&self) -> Option<Duration> {
        let used = processor_time().saturating_sub(self.started);
        (self.limit).map(|limit| limit.saturating_sub(used).max(Duration::from_millis(1)))
    }

    /// Ends the watch. Fails where the translation has been stopped, because what it made
    /// may lack something.
    pub fn finish(self) -> Result<(), Failure> {
        match self.stopper.why() {
            Some(why) => Err(Failure::plain(Diagnostic::stopped(why))),
            None => Ok(()),
        }
    }
}

/// How often the time is looked at.
const PAUSE: Duration = Duration::from_millis(250);
/// Time between the two stops, besides a part of the limit.
const GRACE: Duration = Duration::from_millis(500);

/// The message of a translation that takes too long.
pub fn why(limit: Duration, work: &str) -> String {
    let limit = format!("the limit of {} s of processor time", limit.as_secs());
    match work {
        "" => format!("the translation has reached {limit}"),
        work => format!("the translation has reached {limit}, in the pass `{work}`"),
    }
}

/// What this process, the children that it has waited for, and those that read C have used.
fn processor_time() -> Duration {
    let used = |who| {
        // SAFETY: all zeros are a value of this structure of numbers.
        let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
        // SAFETY: getrusage writes one structure.
        unsafe { libc::getrusage(who, &raw mut usage) };
        let time = |t: libc::timeval| {
            Duration::new(
                u64::try_from(t.tv_sec).unwrap_or(0),
                u32::try_from(t.tv_usec).unwrap_or(0) * 1000,
            )
        };
        time(usage.ru_utime) + time(usage.ru_stime)
    };
    let read = hexcc_pet::processor_time() + hexcc_front_c::child::processor_time();
    used(libc::RUSAGE_SELF) + used(libc::RUSAGE_CHILDREN) + read
}
