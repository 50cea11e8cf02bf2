//! What kind of character one is: drawn, acting on the terminal, or not seen at all.
//!
//! The list of what is not seen follows Unicode's `Default_Ignorable_Code_Point` and `Bidi_Control`. Joiners and
//! variation selectors are in it: they hide data and make widths a matter of opinion.

/// C0 and C1 controls and DEL.
pub(crate) fn is_control(c: char) -> bool {
    c.is_control()
}

/// Characters that draw nothing of their own: they reorder, join, annotate or hide text.
pub(crate) fn is_invisible(c: char) -> bool {
    matches!(c,
        // Soft hyphen, combining grapheme joiner, Arabic letter mark (bidi).
        '\u{ad}' | '\u{34f}' | '\u{61c}'
        // Hangul fillers: letters that look like a blank.
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}'
        | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        // Zero-width space, joiners, direction marks.
        | '\u{200b}'..='\u{200f}'
        // Line and paragraph separators; bidi embeddings and overrides.
        | '\u{2028}'..='\u{202e}'
        // Word joiner, invisible operators, bidi isolates, deprecated format characters.
        | '\u{2060}'..='\u{206f}'
        // Variation selectors, byte order mark, interlinear annotation.
        | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        // Tags and the variation selectors supplement: whole messages hide here.
        | '\u{e0000}'..='\u{e0fff}')
}

/// Blanks that are not the blank: a shell does not split words at them.
pub(crate) fn is_odd_space(c: char) -> bool {
    matches!(
        c,
        '\u{a0}' | '\u{1680}' | '\u{2000}'..='\u{200a}' | '\u{202f}' | '\u{205f}' | '\u{3000}' | '\u{2800}'
    )
}
