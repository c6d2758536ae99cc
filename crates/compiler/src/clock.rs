//! How long passes take.

use crate::diag::Result;
use hexcc_isl::Ctx;
use std::time::{Duration, Instant};

/// Collects durations of passes; a pass that runs several times adds up.
pub(crate) struct Clock {
    ctx: Ctx,
    pub(crate) laps: Vec<(&'static str, Duration)>,
    /// The pass that runs, and since when.
    running: Option<(&'static str, Instant)>,
}

impl Clock {
    pub(crate) fn new(ctx: &Ctx) -> Clock {
        Clock {
            ctx: ctx.clone(),
            laps: Vec::new(),
            running: None,
        }
    }

    /// Ends the pass that runs and begins another one.
    ///
    /// # Errors
    /// HX0401 where the compilation has been stopped.
    pub(crate) fn begin(&mut self, name: &'static str) -> Result<()> {
        self.end()?;
        self.ctx.stopper().begin(name);
        self.running = Some((name, Instant::now()));
        Ok(())
    }

    /// Ends the pass that runs.
    ///
    /// # Errors
    /// HX0401 where the compilation has been stopped.
    pub(crate) fn end(&mut self) -> Result<()> {
        if let Some((name, since)) = self.running.take() {
            let elapsed = since.elapsed();
            match self.laps.iter_mut().find(|(n, _)| *n == name) {
                Some((_, total)) => *total += elapsed,
                None => self.laps.push((name, elapsed)),
            }
        }
        Ok(self.ctx.check()?)
    }
}
