//! What means what: styles by role, on the user's own background. On a dark one from the 16 ANSI colours, which the user
//! may have chosen; elsewhere from those that can be read there.
//!
//! No role rests on colour alone: each has a sign, a word or an attribute too, so that the panel reads the same
//! with NO_COLOR.

use ratatui::style::{Color, Modifier, Style};

use crate::linus::contract::Risk;

/// What the user's background is like, as far as the colours go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheme {
    #[default]
    Dark,
    /// Yellow and light cyan cannot be read on white: darker ones of the 256 stand for them.
    Light,
    /// Not known: what can be read on either.
    Either,
    /// No colours of our own (NO_COLOR).
    None,
}

/// Decided outside (NO_COLOR, configuration, what the terminal is).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Theme {
    scheme: Scheme,
    /// The terminal has 16 colours and no more.
    sixteen: bool,
    ascii: bool,
}

/// One colour wherever it may stand. The first of a pair is one of 256, the second one of 16.
#[derive(Debug, Clone, Copy)]
struct Hue {
    dark: Color,
    light: (Color, Color),
    either: (Color, Color),
}

const fn hue(dark: Color, light: (u8, Color), either: (u8, Color)) -> Hue {
    Hue { dark, light: (Color::Indexed(light.0), light.1), either: (Color::Indexed(either.0), either.1) }
}

const CYAN: Hue = hue(Color::Cyan, (24, Color::Blue), (31, Color::LightBlue));
const GREEN: Hue = hue(Color::Green, (22, Color::Blue), (28, Color::LightBlue));
const YELLOW: Hue = hue(Color::Yellow, (94, Color::Magenta), (130, Color::Magenta));
const MAGENTA: Hue = hue(Color::Magenta, (90, Color::Magenta), (133, Color::Magenta));
const RED: Hue = hue(Color::LightRed, (124, Color::Red), (160, Color::LightRed));

impl Theme {
    pub fn new(scheme: Scheme) -> Self {
        Self { scheme, ..Self::default() }
    }

    /// For a terminal that has 16 colours.
    #[must_use]
    pub fn in_sixteen(self) -> Self {
        Self { sixteen: true, ..self }
    }

    /// For a terminal that shows ASCII.
    #[must_use]
    pub fn in_ascii(self) -> Self {
        Self { ascii: true, ..self }
    }

    fn fg(self, hue: Hue) -> Style {
        let of = |(more, few)| Style::new().fg(if self.sixteen { few } else { more });
        match self.scheme {
            Scheme::Dark => Style::new().fg(hue.dark),
            Scheme::Light => of(hue.light),
            Scheme::Either => of(hue.either),
            Scheme::None => Style::new(),
        }
    }

    pub(super) fn is_ascii(self) -> bool {
        self.ascii
    }

    pub(super) fn plain(self) -> Style {
        Style::new()
    }

    pub(super) fn dim(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub(super) fn bold(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    /// What has the focus, and Linus's name.
    pub(super) fn accent(self) -> Style {
        self.fg(CYAN).add_modifier(Modifier::BOLD)
    }

    pub(super) fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// A heading in a message.
    pub(super) fn heading(self) -> Style {
        self.bold().add_modifier(Modifier::UNDERLINED)
    }

    /// Code within a line.
    pub(super) fn code(self) -> Style {
        self.fg(CYAN)
    }

    /// Of a command: an option, a variable, what joins commands.
    pub(super) fn option(self) -> Style {
        self.fg(CYAN)
    }

    pub(super) fn variable(self) -> Style {
        self.fg(YELLOW)
    }

    pub(super) fn operator(self) -> Style {
        self.fg(MAGENTA).add_modifier(Modifier::BOLD)
    }

    /// What was searched for.
    pub(super) fn found(self) -> Style {
        let style = Style::new().add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
        if self.is_coloured() { style.fg(Color::Black).bg(Color::Yellow) } else { style }
    }

    pub(super) fn good(self) -> Style {
        self.fg(GREEN)
    }

    pub(super) fn warning(self) -> Style {
        self.fg(YELLOW).add_modifier(Modifier::BOLD)
    }

    pub(super) fn bad(self) -> Style {
        self.fg(RED).add_modifier(Modifier::BOLD)
    }

    /// The rules between the sections and the line between the panes.
    pub(super) fn rule(self, focused: bool) -> Style {
        if focused { self.accent() } else { self.dim() }
    }

    /// A card's risk: style, sign and word.
    pub(super) fn risk(self, risk: Risk) -> (Style, &'static str) {
        match risk {
            Risk::Low => (self.good(), "● low"),
            Risk::Medium => (self.warning(), "▲ medium"),
            Risk::High => (self.bad(), "◆ high"),
        }
    }

    /// Whether foreign colours (SGR in messages) are shown.
    pub(super) fn is_coloured(self) -> bool {
        self.scheme != Scheme::None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The relative luminance of a colour as xterm has it (WCAG 2.2).
    fn luminance(colour: Color) -> f64 {
        let rgb: [u8; 3] = match colour {
            Color::Red => [205, 0, 0],
            Color::Green => [0, 205, 0],
            Color::Yellow => [205, 205, 0],
            Color::Blue => [0, 0, 238],
            Color::Magenta => [205, 0, 205],
            Color::Cyan => [0, 205, 205],
            Color::LightRed => [255, 0, 0],
            Color::LightBlue => [92, 92, 255],
            Color::Indexed(n @ 16..=231) => {
                let level = |n: u8| if n == 0 { 0 } else { 55 + n * 40 };
                [level((n - 16) / 36), level((n - 16) / 6 % 6), level((n - 16) % 6)]
            }
            other => panic!("{other:?} is in no theme"),
        };
        let linear = rgb.map(|c| {
            let c = f64::from(c) / 255.0;
            if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) }
        });
        0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    }

    fn contrast(colour: Color, background: f64) -> f64 {
        let (one, other) = (luminance(colour) + 0.05, background + 0.05);
        if one > other { one / other } else { other / one }
    }

    #[test]
    fn every_colour_can_be_read_on_the_background_that_it_is_for() {
        const BLACK: f64 = 0.0;
        const WHITE: f64 = 1.0;
        let schemes: [(Scheme, &[f64]); 3] =
            [(Scheme::Dark, &[BLACK]), (Scheme::Light, &[WHITE]), (Scheme::Either, &[BLACK, WHITE])];
        for (scheme, backgrounds) in schemes {
            for theme in [Theme::new(scheme), Theme::new(scheme).in_sixteen()] {
                for style in [theme.accent(), theme.good(), theme.warning(), theme.bad(), theme.operator()] {
                    let colour = style.fg.unwrap();
                    for background in backgrounds {
                        let contrast = contrast(colour, *background);
                        assert!(contrast >= 3.5, "{theme:?} {colour:?} on {background}: {contrast:.1}");
                    }
                }
            }
        }
    }

    #[test]
    fn without_colours_there_are_none() {
        let theme = Theme::new(Scheme::None);
        for style in [theme.accent(), theme.good(), theme.warning(), theme.bad(), theme.rule(true)] {
            assert_eq!((style.fg, style.bg), (None, None));
        }
    }
}
