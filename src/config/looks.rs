//! How the panel is to look, from the configuration and from what the environment says of the terminal.
//!
//! The terminal itself is not asked for its background (OSC 11): where the answer comes late it would be typed into the
//! remote, and what can be read on either background needs no answer.

use super::PanelTheme;
use crate::ui::{Scheme, Theme};

/// The value of an environment variable.
type Env<'a> = &'a dyn Fn(&str) -> Option<String>;

/// What the panel is drawn in, in this environment.
pub fn theme(wanted: PanelTheme) -> Theme {
    of(wanted, &variable)
}

/// How many colours the panel has in this environment, and what says so.
pub fn colours() -> &'static str {
    let env = &variable;
    match () {
        () if is_off(env) => "none, as NO_COLOR says",
        () if has_no_colour(env) => "none, as TERM says",
        () if has_more_than_sixteen(env) => "256, as TERM or COLORTERM says",
        () => "16, as TERM says",
    }
}

/// Whether the user has not turned colours off (`NO_COLOR`).
pub fn wants_colour() -> bool {
    !is_off(&variable)
}

/// Whether the locale's characters are UTF-8.
pub fn has_utf8() -> bool {
    is_utf8(&variable)
}

fn variable(name: &str) -> Option<String> {
    std::env::var_os(name).map(|value| value.to_string_lossy().into_owned())
}

/// Whether the terminal has an alternate screen, as far as the environment tells: GNU screen (`STY`) has none unless it
/// is told to, and neither have consoles and old terminals.
pub fn has_alternate_screen() -> bool {
    const WITHOUT: [&str; 8] = ["linux", "vt52", "vt100", "vt102", "vt220", "vt320", "ansi", "cons25"];
    let is_screen = std::env::var_os("STY").is_some_and(|name| !name.is_empty());
    !is_screen && !std::env::var("TERM").is_ok_and(|term| WITHOUT.contains(&term.as_str()))
}

fn of(wanted: PanelTheme, env: Env<'_>) -> Theme {
    let mut theme = Theme::new(scheme(wanted, env));
    if !has_more_than_sixteen(env) {
        theme = theme.in_sixteen();
    }
    if is_utf8(env) { theme } else { theme.in_ascii() }
}

/// `NO_COLOR` (no-color.org).
fn is_off(env: Env<'_>) -> bool {
    env("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// `NO_COLOR` before anything; what the terminal says of its background where the configuration says
/// nothing.
fn scheme(wanted: PanelTheme, env: Env<'_>) -> Scheme {
    match wanted {
        _ if is_off(env) || has_no_colour(env) => Scheme::None,
        PanelTheme::None => Scheme::None,
        PanelTheme::Dark => Scheme::Dark,
        PanelTheme::Light => Scheme::Light,
        PanelTheme::Auto => background(env),
    }
}

/// `COLORFGBG` (rxvt, Konsole, iTerm2) ends in the background's colour.
fn background(env: Env<'_>) -> Scheme {
    let colours = env("COLORFGBG").unwrap_or_default();
    match colours.rsplit(';').next().and_then(|colour| colour.parse::<u8>().ok()) {
        Some(0..=6 | 8) => Scheme::Dark,
        Some(7 | 9..=15) => Scheme::Light,
        _ => Scheme::Either,
    }
}

fn has_no_colour(env: Env<'_>) -> bool {
    let term = env("TERM").unwrap_or_default();
    term == "dumb"
        || term.starts_with("vt1")
        || term.starts_with("vt2")
        || term.ends_with("-mono")
        || term.ends_with("-m")
}

fn has_more_than_sixteen(env: Env<'_>) -> bool {
    const KNOWN: [&str; 8] =
        ["256color", "direct", "kitty", "ghostty", "alacritty", "foot", "wezterm", "contour"];
    let colours = env("COLORTERM").unwrap_or_default();
    let term = env("TERM").unwrap_or_default();
    matches!(colours.as_str(), "truecolor" | "24bit") || KNOWN.iter().any(|known| term.contains(known))
}

/// The character set of the locale, as setlocale(3) looks for it: the first of these that is set to something.
fn is_utf8(env: Env<'_>) -> bool {
    let set = |name| env(name).filter(|value| !value.is_empty());
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set).unwrap_or_default();
    let charset = locale.split('@').next().and_then(|name| name.split_once('.')).map_or("", |(_, set)| set);
    charset.replace('-', "").eq_ignore_ascii_case("utf8") || locale.eq_ignore_ascii_case("utf-8")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn in_env(wanted: PanelTheme, variables: &[(&str, &str)]) -> Theme {
        let get = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        of(wanted, &get)
    }

    const UTF8: (&str, &str) = ("LANG", "de_DE.UTF-8");
    const MORE: (&str, &str) = ("TERM", "xterm-256color");

    #[test]
    fn the_background_is_what_the_configuration_or_the_terminal_says() {
        let auto = |colours| in_env(PanelTheme::Auto, &[UTF8, MORE, ("COLORFGBG", colours)]);
        assert_eq!(auto("15;0"), Theme::new(Scheme::Dark));
        assert_eq!(auto("0;default;15"), Theme::new(Scheme::Light));
        for unknown in ["", "15;default", "1;999"] {
            assert_eq!(auto(unknown), Theme::new(Scheme::Either), "{unknown}");
        }
        let told = in_env(PanelTheme::Light, &[UTF8, MORE, ("COLORFGBG", "15;0")]);
        assert_eq!(told, Theme::new(Scheme::Light));
        assert_eq!(in_env(PanelTheme::None, &[UTF8, MORE]), Theme::new(Scheme::None));
    }

    #[test]
    fn no_color_is_no_colour_whatever_else_is_said() {
        assert_eq!(in_env(PanelTheme::Dark, &[UTF8, MORE, ("NO_COLOR", "1")]), Theme::new(Scheme::None));
        assert_eq!(in_env(PanelTheme::Dark, &[UTF8, MORE, ("NO_COLOR", "")]), Theme::new(Scheme::Dark));
        assert_eq!(
            in_env(PanelTheme::Dark, &[UTF8, ("TERM", "vt220")]),
            Theme::new(Scheme::None).in_sixteen()
        );
    }

    #[test]
    fn sixteen_colours_unless_the_terminal_is_known_for_more() {
        assert_eq!(
            in_env(PanelTheme::Light, &[UTF8, ("TERM", "linux")]),
            Theme::new(Scheme::Light).in_sixteen()
        );
        let more = in_env(PanelTheme::Light, &[UTF8, ("TERM", "xterm"), ("COLORTERM", "truecolor")]);
        assert_eq!(more, Theme::new(Scheme::Light));
    }

    #[test]
    fn ascii_unless_the_locale_is_utf_8() {
        let is_ascii = |variables: &[(&str, &str)]| {
            in_env(PanelTheme::Dark, &[variables, &[MORE]].concat()) == Theme::new(Scheme::Dark).in_ascii()
        };
        assert!(is_ascii(&[]) && is_ascii(&[("LANG", "C")]) && is_ascii(&[UTF8, ("LC_ALL", "de_DE@euro")]));
        assert!(is_ascii(&[UTF8, ("LC_CTYPE", "de_DE.ISO-8859-1")]));
        assert!(
            !is_ascii(&[UTF8]) && !is_ascii(&[("LC_CTYPE", "UTF-8")]) && !is_ascii(&[("LANG", "C.utf8")])
        );
        assert!(!is_ascii(&[UTF8, ("LC_ALL", "")]));
    }
}
