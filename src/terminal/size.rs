//! A terminal's size.

/// Columns and rows in cells, and the text area in pixels (0 where the terminal does not say).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub cols: u16,
    pub rows: u16,
    pub xpixel: u16,
    pub ypixel: u16,
}

impl Size {
    /// Cells only.
    pub fn new(cols: u16, rows: u16) -> Self {
        Self { cols, rows, xpixel: 0, ypixel: 0 }
    }

    /// The same height, another width; pixels shrink in proportion so that a cell keeps its size.
    pub fn with_cols(self, cols: u16) -> Self {
        let xpixel = match self.cols {
            0 => 0,
            had => (u32::from(self.xpixel) * u32::from(cols) / u32::from(had)) as u16,
        };
        Self { cols, xpixel, ..self }
    }

    /// The same width, another height, in the same way.
    pub fn with_rows(self, rows: u16) -> Self {
        let ypixel = match self.rows {
            0 => 0,
            had => (u32::from(self.ypixel) * u32::from(rows) / u32::from(had)) as u16,
        };
        Self { rows, ypixel, ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_narrower_pane_keeps_the_pixels_of_a_cell() {
        let size = Size { cols: 100, rows: 40, xpixel: 1000, ypixel: 800 };
        assert_eq!(size.with_cols(60), Size { cols: 60, rows: 40, xpixel: 600, ypixel: 800 });
        assert_eq!(size.with_rows(10), Size { cols: 100, rows: 10, xpixel: 1000, ypixel: 200 });
        assert_eq!(Size::new(0, 0).with_cols(10).with_rows(5).xpixel, 0);
    }
}
