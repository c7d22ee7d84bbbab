//! Pagination.

use std::ops::Range;

use crate::{
    blocks::{FLOOR, cells, height},
    fonts::Fonts,
    invoice_layout::InvoiceLayout,
};

/// Distance from the titles of the table to its first row.
pub(crate) const BELOW_TITLES: i32 = 300;

/// Returns the rows of each page for a table that starts at `top`: at least one page, and at least one row on each.
pub(crate) fn pages(layout: &InvoiceLayout, top: i32, fonts: &Fonts) -> Vec<Range<usize>> {
    let mut pages = Vec::new();
    let (mut from, mut y) = (0, top + BELOW_TITLES);
    for (index, row) in layout.rows.iter().enumerate() {
        let (_, lines) = cells(row, 0, fonts);
        if y + height(lines) > FLOOR && index > from {
            pages.push(from..index);
            (from, y) = (index, top + BELOW_TITLES);
        }
        y += height(lines);
    }
    pages.push(from..layout.rows.len());
    pages
}
