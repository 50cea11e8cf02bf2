//! What a destination is to ssh and to a session. Connects to nothing but a master of the user's own.

use std::cell::LazyCell;
use std::ffi::OsString;
use std::os::fd::AsFd;
use std::path::Path;

use super::fact::Fact;
use crate::destination::Destination;
use crate::ssh::side_channel::Route;
use crate::ssh::surroundings::Observed;
use crate::ssh::{ConfigSays, Facts, Invocation, Places, Plan, decide};
use crate::terminal::{signals, tty};

pub(super) fn facts(destination: &Destination, ssh: &Path, args: &[OsString]) -> Vec<Fact> {
    let route = Route::new(ssh, args);
    let mut facts = vec![host(destination)];
    facts.push(panel(ssh, args));
    facts.push(match &destination.resolved {
        Ok(facts) => side_channel(facts, &route),
        Err(why) => Fact::note("side channel", format!("not looked for: {why}")),
    });
    facts
}

fn host(destination: &Destination) -> Fact {
    const TOPIC: &str = "destination";
    let given = destination.given().unwrap_or_default();
    match &destination.resolved {
        Ok(facts) => {
            let user = facts.user.as_deref().unwrap_or("?");
            let name = facts.hostname.as_deref().unwrap_or("?");
            let port = facts.port.map_or_else(|| "?".to_owned(), |port| port.to_string());
            Fact::good(TOPIC, format!("{given} is {user}@{name}, port {port}, as ssh -G says"))
        }
        Err(why) => Fact::note(TOPIC, format!("{given}: {why}")),
    }
}

/// Whether a session there, started here and now, would have the panel.
fn panel(ssh: &Path, args: &[OsString]) -> Fact {
    const TOPIC: &str = "panel";
    let invocation = Invocation::parse(args);
    let places = LazyCell::new(Places::of_user);
    let cells = tty::winsize(std::io::stdin().as_fd()).map_or((0, 0), |size| (size.cols, size.rows));
    let observed = Observed::new(cells, signals::is_ignored(nix::libc::SIGHUP));
    let plan =
        decide(&invocation, &observed.surroundings(), || ConfigSays::ask(ssh, args, &invocation, &places));
    match plan {
        Plan::Wrap => Fact::good(TOPIC, "a session there has it, one key away"),
        Plan::Become(reason) => Fact::note(TOPIC, format!("it would be plain ssh here: {}", reason.text())),
    }
}

/// What files and facts of the host would go over.
fn side_channel(facts: &Facts, route: &Route) -> Fact {
    const TOPIC: &str = "side channel";
    match &facts.control_path {
        Some(path) if route.is_multiplexed() => Fact::good(
            TOPIC,
            format!("your own multiplexed connection is live ({path}): no second login is needed"),
        ),
        Some(path) => Fact::note(TOPIC, format!("no multiplexed connection is live at {path}"))
            .remedy("for files aissh asks, and logs in a second time without questions"),
        None => Fact::note(TOPIC, "ssh shares no connection there (ControlPath)")
            .remedy("for files aissh asks, and logs in a second time without questions"),
    }
}
