//! The user at a sign-in: shown an address, waited for at the loopback door and at the keyboard.

use crate::linus::helper::Helper;
use crate::linus::oauth::{Loopback, Missed, User};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

/// Long enough to find a second factor and be called away once.
const TIME: Duration = Duration::from_secs(600);

pub(super) struct Person;

impl User for Person {
    fn authorize(
        &mut self,
        url: &str,
        door: &Loopback,
        is_answer: &dyn Fn(&str) -> bool,
    ) -> Result<String, String> {
        let opened =
            if open(url) { "has been opened in the browser" } else { "is to be opened in a browser" };
        eprintln!(
            "This address {opened}:\n\n  {url}\n\nIf the browser is on another machine, it ends at an address that it \
             cannot load:\npaste that here and press Enter."
        );
        let stdin = std::io::stdin();
        let mut complain = || eprintln!("That is not the address that this sign-in ends at.");
        let end = Instant::now() + TIME;
        door.wait(is_answer, Some(stdin.as_fd()), &mut complain, end).map_err(|missed| match missed {
            Missed::Deadline => {
                format!("nobody came back from the browser within {} minutes", TIME.as_secs() / 60)
            }
            Missed::Failed(why) => why,
        })
    }
}

/// Opens the user's browser where there is a desktop to show it on. The address goes to it as an argument, never through
/// a shell.
fn open(url: &str) -> bool {
    let has_desktop = ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()));
    let program = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    // Over ssh, macOS would open a window on its own screen.
    let is_here = std::env::var_os("SSH_CONNECTION").is_none();
    if !(has_desktop || cfg!(target_os = "macos") && is_here) {
        return false;
    }
    let argv = [program.to_owned(), url.to_owned()];
    Helper::new(&argv, &["BROWSER".to_owned()]).is_ok_and(|helper| helper.launch(|_| ()).is_ok())
}
