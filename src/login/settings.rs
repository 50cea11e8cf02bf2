//! Credentials and the settings of a sign-in from the configuration.

use super::renew::renewal;
use crate::config::{Config, LinusConfig};
use crate::error::Error;
use crate::linus::credentials::{Printed, SignedIn, Source};
use crate::linus::oauth::{Fetcher, Registered, Settings, Store};
use crate::linus::{Credentials, Secret};
use crate::trust;
use std::path::Path;
use toml::Spanned;

/// The credentials for the Linus at `url`: the configured source of a token, else what the user signed in to.
pub fn credentials(config: &Config, url: &str) -> Result<Credentials, Error> {
    let linus = &config.linus;
    if let Some((second, name)) = second_source(linus) {
        let what = "linus has another source of a token already: keep one";
        return Err(config.error_spanned(second, name, what));
    }
    let source = if let Some(name) = &linus.token_env {
        Source::Variable { name: name.get_ref().clone(), token: variable(config, name, "token_env")? }
    } else if let Some(argv) = &linus.token_command {
        let printed = Printed::command("linus.token_command", argv.get_ref(), &linus.command_env);
        Source::Printed(printed.map_err(|e| config.error_at(argv, "token_command", &e.to_string()))?)
    } else if let Some(account) = &linus.token_keyring {
        let printed = Printed::keyring("linus.token_keyring", account.get_ref());
        Source::Printed(printed.map_err(|e| config.error_at(account, "token_keyring", &e.to_string()))?)
    } else {
        let renew = renewal(config.file().map(Path::to_owned), Fetcher::new(&trust::tls(config)?));
        let signed_in = Store::of_user().and_then(|store| SignedIn::new(store, url, renew).ok());
        signed_in.map_or(Source::Nothing, Source::SignedIn)
    };
    Ok(Credentials::new(source))
}

/// The setting that sessions take their token from, if there is one.
pub(super) fn other_source(config: &Config) -> Option<&'static str> {
    let linus = &config.linus;
    let set = [
        (linus.token_env.is_some(), "linus.token_env"),
        (linus.token_command.is_some(), "linus.token_command"),
        (linus.token_keyring.is_some(), "linus.token_keyring"),
    ];
    set.into_iter().find(|(is_set, _)| *is_set).map(|(_, name)| name)
}

/// The second of two sources: which would win is nothing that a user should have to know. Its place and name.
fn second_source(linus: &LinusConfig) -> Option<(std::ops::Range<usize>, &'static str)> {
    let spans = [
        (linus.token_env.as_ref().map(Spanned::span), "token_env"),
        (linus.token_command.as_ref().map(Spanned::span), "token_command"),
        (linus.token_keyring.as_ref().map(Spanned::span), "token_keyring"),
    ];
    let mut set: Vec<_> = spans.into_iter().filter_map(|(span, name)| Some((span?, name))).collect();
    set.sort_by_key(|(span, _)| span.start);
    set.into_iter().nth(1)
}

/// What `[linus.oauth]` says.
pub(super) fn oauth(config: &Config) -> Result<Settings, Error> {
    let oauth = &config.linus.oauth;
    let secret = oauth.client_secret_env.as_ref();
    let client_secret = secret.map(|name| variable(config, name, "client_secret_env")).transpose()?;
    let document = oauth.client_metadata_url.as_ref();
    if let Some(url) = document.filter(|url| !is_document(url.get_ref())) {
        let what = "the address of a client ID metadata document is https and has a path";
        return Err(config.error_at(url, "client_metadata_url", what));
    }
    let registered = Registered {
        client_id: oauth.client_id.clone(),
        client_secret,
        document: document.map(|url| url.get_ref().clone()),
    };
    Ok(Settings { registered, port: oauth.redirect_port })
}

fn is_document(url: &str) -> bool {
    url.strip_prefix("https://")
        .and_then(|rest| rest.split_once('/'))
        .is_some_and(|(_, path)| !path.is_empty())
}

fn variable(config: &Config, name: &Spanned<String>, key: &str) -> Result<Secret, Error> {
    // Not the error of std::env: it shows a value that is not Unicode.
    let value = std::env::var_os(name.get_ref()).and_then(|value| value.into_string().ok());
    let token = value.map(Secret::new).filter(|token| !token.is_empty());
    let what = format!("the environment has no text in {}", name.get_ref());
    token.ok_or_else(|| config.error_at(name, key, &what))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(text: &str) -> Config {
        Config::from_text(text).expect("it parses")
    }

    #[test]
    fn two_sources_of_a_token_are_a_mistake_that_is_named_with_its_line() {
        let two =
            config("[linus]\ntoken_keyring = \"joe\"\ntoken_command = [\"pass\", \"show\", \"linus\"]\n");
        let error = credentials(&two, "https://h/mcp").expect_err("two");
        assert!(error.message.contains("line 3: token_command: "), "{error}");
    }

    #[test]
    fn what_is_wrong_with_a_source_is_said_before_a_session_begins() {
        for (text, wanted) in [
            ("[linus]\ntoken_command = []\n", "token_command"),
            ("[linus]\ntoken_env = \"AISSH_TEST_NO_SUCH_VARIABLE\"\n", "AISSH_TEST_NO_SUCH_VARIABLE"),
        ] {
            let error = credentials(&config(text), "https://h/mcp").expect_err(text);
            assert!(error.message.contains(wanted) && error.status == 78, "{error}");
        }
        for url in ["http://me.example/a.json", "https://me.example", "https://me.example/"] {
            let text = format!("[linus.oauth]\nclient_metadata_url = \"{url}\"\n");
            assert!(oauth(&config(&text)).is_err(), "{url}");
        }
    }
}
