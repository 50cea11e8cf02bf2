//! Figures as they come, and at the end which targets hold.

use std::process::ExitCode;

#[derive(Default)]
pub(crate) struct Table {
    targets: Vec<(bool, String)>,
}

impl Table {
    pub(crate) fn heading(&self, text: &str) {
        println!("\n{text}");
    }

    pub(crate) fn row(&self, name: &str, text: &str) {
        println!("  {name:<22} {text}");
    }

    /// `value` must not be above `limit`.
    pub(crate) fn at_most(&mut self, what: &str, value: f64, limit: f64) {
        self.target(value <= limit, format!("{what}: {value:.3} (at most {limit})"));
    }

    /// `value` must not be below `limit`.
    pub(crate) fn at_least(&mut self, what: &str, value: f64, limit: f64) {
        self.target(value >= limit, format!("{what}: {value:.3} (at least {limit})"));
    }

    pub(crate) fn target(&mut self, holds: bool, text: String) {
        self.targets.push((holds, text));
    }

    pub(crate) fn verdicts(&self) -> ExitCode {
        self.heading("targets");
        for (holds, text) in &self.targets {
            println!("  {} {text}", if *holds { "ok  " } else { "MISS" });
        }
        ExitCode::from(u8::from(self.targets.iter().any(|(holds, _)| !holds)))
    }
}

/// The value below which `share` of all lie. Sorts them.
pub(crate) fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let at = (values.len().saturating_sub(1) as f64 * share).round() as usize;
    values.get(at).copied().unwrap_or(f64::NAN)
}

pub(crate) fn median(values: &[f64]) -> f64 {
    quantile(&mut values.to_vec(), 0.5)
}
