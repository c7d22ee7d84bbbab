//! Figures of refunds in each medium: the API, the signed XML, the PDF, the e-mail and the receipt page.

mod api;
mod cases;
mod corrections;
mod documents;
mod figures;
mod receipt;
mod shop;
mod tips;
