//! Renewing a sign-in in a process of its own.
//!
//! A server that rotates refresh tokens has made the old one worthless when it answers. A session may end at any moment,
//! and takes its threads with it; the answer that nobody reads then would be the user's sign-in lost. So another process
//! asks and writes, which lives as long as it takes.

use crate::config::Config;
use crate::linus::Canceller;
use crate::linus::credentials::Renew;
use crate::linus::helper::Helper;
use crate::linus::oauth::{self, Fetcher, Key, Store, TokenError};
use crate::trust;
use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{ExitCode, ExitStatus};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

/// First argument of a renewal's command line, as `--monitor` is a monitor's. The key of the sign-in, the number of
/// its state and maybe a configuration file follow: no credential is ever in a command line.
pub const FLAG: &str = "--renew";

/// Longer than it waits for the lock and the server together.
const TIME: Duration = Duration::from_secs(60);

/// Its exit statuses besides 0.
const FAILED: u8 = 1;
const REFUSED: u8 = 2;

/// The renewing process.
pub fn run(args: &[OsString]) -> ExitCode {
    let word = |at: usize| args.get(at).and_then(|word| word.to_str());
    let key = word(0).and_then(Key::named);
    let serial = word(1).and_then(|serial| serial.parse().ok());
    let config =
        args.get(2).map_or_else(|| Ok(Config::default()), |file| Config::load(Some(Path::new(file))));
    let tls = config.and_then(|config| trust::tls(&config));
    let (Some(key), Some(serial), Some(store), Ok(tls)) = (key, serial, Store::of_user(), tls) else {
        return ExitCode::from(FAILED);
    };
    match oauth::refresh(&store, &key, serial, &Fetcher::new(&tls)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(TokenError::Refused(_)) => ExitCode::from(REFUSED),
        Err(TokenError::Failed(_)) => ExitCode::from(FAILED),
    }
}

/// Has another process renew, with this configuration file, and waits for it or until the call is taken back. Where none
/// can be started, `fetcher` does it here.
pub(super) fn renewal(config: Option<PathBuf>, fetcher: Fetcher) -> Renew {
    Arc::new(move |store, key, serial, cancel| {
        let (tx, rx) = channel();
        let ended = tx.clone();
        let tell = move |status: io::Result<ExitStatus>| {
            // Nobody listens any more if the call was taken back.
            let _ = ended.send(status.ok().and_then(|status| status.code()));
        };
        let helper = helper(key, serial, config.as_deref());
        if helper.is_none_or(|helper| helper.launch(tell).is_err()) {
            // This program's file may have been replaced while it runs.
            return oauth::refresh(store, key, serial, &fetcher);
        }
        wait(cancel, tx, &rx)
    })
}

fn wait(cancel: &Canceller, tx: Sender<Option<i32>>, rx: &Receiver<Option<i32>>) -> Result<(), TokenError> {
    let _hooked = cancel.on_cancel(move || {
        let _ = tx.send(None);
    });
    match rx.recv_timeout(TIME) {
        Ok(Some(0)) => Ok(()),
        Ok(Some(code)) if code == i32::from(REFUSED) => {
            Err(TokenError::Refused("the sign-in is no longer valid".into()))
        }
        _ => Err(TokenError::Failed("its authorization server gave no answer that helps".into())),
    }
}

fn helper(key: &Key, serial: u64, config: Option<&Path>) -> Option<Helper> {
    let text = |path: PathBuf| path.into_os_string().into_string().ok();
    let program = text(std::env::current_exe().ok()?)?;
    let mut argv = vec![program, FLAG.to_owned(), key.to_string(), serial.to_string()];
    if let Some(config) = config {
        argv.push(text(std::path::absolute(config).ok()?)?);
    }
    Helper::new(&argv, &[]).ok()
}
