//! Pages printed from the code. `UPDATE=1 cargo test -p cobro-domain pages` rewrites them.

use std::{fmt::Write, path::Path};

use cobro_domain::{
    Code, Conflict, EventKind, InvalidRequest, Precondition, Unprocessable,
    fiscal::{
        DocumentKind, DocumentStatus, DocumentTrigger, ItemKind, LEGAL_TIP, MeasurementUnit, ProblemCode, TaxTreatment,
    },
    payment::{DeclineCode, PaymentStatus, Trigger},
    split::{self, PartState, PartTrigger},
};

use crate::{
    issuance_stage::{COMMANDS, stage_name, stages},
    orphans::{self, findings},
    split::{moves_of_the_payment, refusals},
};

#[test]
fn the_payment_lifecycle_page_is_current() {
    let rows = PaymentStatus::ALL.map(|from| {
        let cells = Trigger::ALL.map(|on| cell(cobro_domain::payment::next(from, on).map(PaymentStatus::as_str)));
        (from.as_str(), cells.to_vec())
    });
    let about = "Where each trigger takes a payment that one payer pays: bold is the next status, code is the \
                 refusal. The five statuses of a split are computed from its parts; no trigger here leads into them.";
    let mut page = matrix("Payment lifecycle", about, &Trigger::ALL.map(|it| format!("{it:?}")), &rows);

    page.push_str(
        "\n## Orphaned attempts\n\nWhere each finding takes an attempt that its payment has moved on without, by the \
         time since then, if it was looked up twice before without being found: bold is the next stage.\n",
    );
    let names = findings().map(|(name, _)| name);
    write!(page, "\n| from | {} |\n|---|{}", names.join(" | "), "---|".repeat(names.len())).unwrap();
    for (name, cells) in orphans::matrix() {
        write!(page, "\n| {name} | {} |", cells.join(" | ")).unwrap();
    }
    page.push('\n');
    check_page("payment-lifecycle.md", &page);
}

#[test]
fn the_document_lifecycle_page_is_current() {
    let rows = DocumentStatus::ALL.map(|from| {
        let next = |on| cobro_domain::fiscal::next(from, on).map(DocumentStatus::as_str);
        (from.as_str(), DocumentTrigger::ALL.map(|on| cell(next(on))).to_vec())
    });
    let about = "Where each trigger takes a fiscal document: bold is the next status, code is the refusal.";
    let triggers = DocumentTrigger::ALL.map(|it| format!("{it:?}"));
    let mut page = matrix("Fiscal document lifecycle", about, &triggers, &rows);

    page.push_str(
        "\n## Stages of an issuance\n\nWhere each command takes a document that is `issuing` or `delayed`: bold is the \
         next stage or status, code is the refusal.\n",
    );
    let commands = COMMANDS.map(|(name, _)| name);
    write!(page, "\n| from | {} |\n|---|{}", commands.join(" | "), "---|".repeat(commands.len())).unwrap();
    for (name, document) in stages() {
        let cells = COMMANDS.map(|(_, command)| {
            let mut next = document.clone();
            cell(command(&mut next).map(|()| stage_name(&next)))
        });
        write!(page, "\n| {name} | {} |", cells.join(" | ")).unwrap();
    }
    page.push('\n');
    check_page("fiscal-document-lifecycle.md", &page);
}

#[test]
fn the_split_lifecycle_page_is_current() {
    let triggers = PartTrigger::ALL.map(|it| format!("{it:?}"));
    let rows: Vec<(String, Vec<String>)> = PartState::ALL
        .into_iter()
        .map(|from| {
            let next = |on| split::next(from, on).map(|to| to.status().as_str());
            (format!("{from:?}"), PartTrigger::ALL.map(|on| cell(next(on))).to_vec())
        })
        .collect();
    let rows: Vec<(&str, Vec<String>)> = rows.iter().map(|(name, cells)| (name.as_str(), cells.clone())).collect();
    let about = "Where each trigger takes one part of a split: bold is the next status, code is the refusal. A part in \
                 doubt stands differently by what is in doubt, and is `verifying` to the world.";
    let mut page = matrix("Split lifecycle", about, &triggers, &rows);

    page.push_str(
        "\n## Commands\n\nWhat each command makes of a split of two that stands so: bold is the status of the split \
         then, code is the refusal.\n",
    );
    let (commands, rows) = refusals();
    write!(page, "\n| split | {} |\n|---|{}", commands.join(" | "), "---|".repeat(commands.len())).unwrap();
    for (name, cells) in rows {
        write!(page, "\n| {name} | {} |", cells.join(" | ")).unwrap();
    }

    page.push_str(
        "\n\n## The payment\n\nEvery move that a payment makes while two or three share it, in any order \
                   of all that can happen to them.\n\n| from | to |\n|---|---|\n",
    );
    let moves = moves_of_the_payment();
    for from in PaymentStatus::ALL.map(PaymentStatus::as_str) {
        let to: Vec<&str> = moves.iter().filter(|(it, _)| *it == from).map(|(_, to)| *to).collect();
        if !to.is_empty() {
            writeln!(page, "| `{from}` | {} |", to.join(", ")).unwrap();
        }
    }
    check_page("split-lifecycle.md", &page);
}

#[test]
fn the_errors_page_is_current() {
    let mut page = String::from(
        "# Errors that the domain detects\n\nOther families (authentication, permission, not found, gone, rate \
         limit, provider, dependency, artifact) are declared beside the use cases and the HTTP layer.\n\
         \n| family | code | meaning |\n|---|---|---|\n",
    );
    family::<InvalidRequest>(&mut page);
    family::<Conflict>(&mut page);
    family::<Precondition>(&mut page);
    family::<Unprocessable>(&mut page);
    check_page("domain-errors.md", &page);
}

#[test]
fn the_tables_page_is_current() {
    let mut page =
        String::from("# Fiscal and payment tables\n\n## Kinds of document\n\n| kind | e-CF | title |\n|---|---|---|\n");
    for kind in DocumentKind::ALL {
        writeln!(page, "| `{}` | {} | {} |", kind.as_str(), kind.ecf_type(), kind.title()).unwrap();
    }
    page.push_str("\n## Tax treatments\n\n| treatment | billing indicator | rate |\n|---|---|---|\n");
    for it in TaxTreatment::ALL {
        let rate = it.rate_percent().map_or_else(|| "none".to_owned(), |rate| format!("{rate} %"));
        writeln!(page, "| `{}` | {} | {rate} |", it.as_str(), it.billing_indicator()).unwrap();
    }
    writeln!(page, "\nThe legal tip is tax code `{}`, {} %.", LEGAL_TIP.code, LEGAL_TIP.rate).unwrap();
    page.push_str("\n## Units and items\n\n| name | code |\n|---|---|\n");
    for it in MeasurementUnit::ALL {
        writeln!(page, "| `{}` | {} |", it.as_str(), it.code()).unwrap();
    }
    for it in ItemKind::ALL {
        writeln!(page, "| `{}` | {} |", it.as_str(), it.code()).unwrap();
    }
    page.push_str("\n## Declines\n\n| code | may be tried again | text for the payer |\n|---|---|---|\n");
    for it in DeclineCode::ALL {
        writeln!(page, "| `{}` | {} | {} |", it.as_str(), yes(it.may_retry()), it.message()).unwrap();
    }
    problems(&mut page);
    page.push_str("\n## Events\n\n");
    for it in EventKind::ALL {
        writeln!(page, "- `{it}`").unwrap();
    }
    check_page("tables.md", &page);
}

fn problems(page: &mut String) {
    page.push_str(
        "\n## Problems of a document\n\nAfter a rejection by the authority, a merchant's correction helps for the \
         codes that are correctable; a document with a code that waits for the set-up is submitted again once the set-up \
         is corrected; any other is issued again by an operator. Where the authority does not say whether a rejection has \
         spent the number, the column `spends the number` counts.\n\n\
         | code | owner | correctable | waits for the set-up | spends the number | message |\n\
         |---|---|---|---|---|---|\n",
    );
    for code in ProblemCode::ALL {
        let facts = [code.is_correctable(), code.waits_for_setup(), code.spends_number()].map(yes).join(" | ");
        writeln!(page, "| `{}` | {} | {facts} | {} |", code.as_str(), code.owner().as_str(), code.message()).unwrap();
    }
}

fn yes(it: bool) -> &'static str {
    if it { "yes" } else { "no" }
}

fn family<C: Code>(page: &mut String) {
    for code in C::ALL {
        writeln!(page, "| {:?} | `{}` | {} |", C::FAMILY, code.as_str(), code.meaning()).unwrap();
    }
}

fn cell(next: Result<&'static str, Conflict>) -> String {
    next.map_or_else(|code| format!("`{}`", code.as_str()), |to| format!("**{to}**"))
}

fn matrix(title: &str, about: &str, triggers: &[String], rows: &[(&str, Vec<String>)]) -> String {
    let mut page = format!("# {title}\n\n{about}\n\n| from | {} |\n|---|", triggers.join(" | "));
    page.push_str(&"---|".repeat(triggers.len()));
    for (from, cells) in rows {
        write!(page, "\n| `{from}` | {} |", cells.join(" | ")).unwrap();
    }
    page.push('\n');
    page
}

#[track_caller]
pub(crate) fn check_page(name: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/generated").join(name);
    if std::env::var_os("UPDATE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, page).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(committed == page, "{} is stale: run `cargo xtask update`", path.display());
}
