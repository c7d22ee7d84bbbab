//! Content of a printed credit note.

use domain::{FiscalDocument, fiscal::Numbered, refund::LineCredit};
use testkit::sample;

use crate::support::{RenderedPdf, numbered};

async fn printed(note: FiscalDocument, numbered: Numbered) -> String {
    let rendered = RenderedPdf::numbered(note, &numbered).await;
    rendered.read().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[tokio::test]
async fn a_note_names_the_modified_document() {
    let original = sample::issued(1).document;
    let half = vec![LineCredit { line_number: 1, hundredths: None, net_minor_units: 500_00 }];
    for (credits, modification, total) in [
        (None, "Modificación: Anula el NCF modificado", "1,280.00"),
        (Some(half), "Modificación: Corrige montos del NCF modificado", "640.00"),
    ] {
        let note = sample::credit_note(&original, credits);
        let text = printed(note.clone(), numbered(&note)).await;

        for fact in [
            "Nota de Crédito Electrónica",
            "e-NCF: E340000000001",
            "e-NCF Modificado: E320000000001",
            "Fecha del e-NCF Modificado: 01-03-2026",
            modification,
            "Motivo: Devolución de mercancía",
            "Código de Seguridad: aB3+/=",
            total,
        ] {
            assert!(text.contains(fact), "{fact} in {text}");
        }
        assert!(!text.contains("Fecha Vencimiento"), "{text}");
        assert!(!text.contains("Emitida después"), "{text}");
    }
}

/// Day 30 is in time, day 31 is late.
#[tokio::test]
async fn a_late_note_names_the_law() {
    let note = sample::credit_note(&sample::issued(1).document, None);
    for (days, is_late) in [(30, false), (31, true)] {
        let issue_date = sample::today() + chrono::TimeDelta::days(days);
        let text = printed(note.clone(), Numbered { issue_date, ..numbered(&note) }).await;

        let law = "Emitida después de 30 días: Reglamento 293-11, arts. 8 y 28.";
        assert_eq!(text.contains(law), is_late, "{text}");
    }
}
