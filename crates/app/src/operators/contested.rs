//! Documents with a number of another document at the authority, as after a restore from an older dump.

use domain::{FiscalDocument, fiscal::DocumentKind};

use super::survey::TenantSetup;

/// Returns the count of documents of each kind with a number of another document, with the command that resolves the
/// conflict.
pub(super) fn remarks(of: &TenantSetup) -> impl Iterator<Item = String> + '_ {
    let of_kind = |kind: DocumentKind| {
        of.contested.iter().filter_map(FiscalDocument::contested_number).filter(move |it| it.number.is_of(kind))
    };
    DocumentKind::ALL.iter().filter_map(move |&kind| {
        let highest = of_kind(kind).map(|it| &it.number).max()?;
        let (count, kind) = (of_kind(kind).count(), kind.as_str());
        let (merchant, mode) = (&of.tenant.merchant, of.tenant.mode.as_str());
        let skip = format!("cobro sequence skip --merchant {merchant} --mode {mode} --kind {kind} --to N");
        Some(format!(
            "{count} {kind} documents have a number that another holds at the authority, up to {highest}: `{skip}`"
        ))
    })
}

#[cfg(test)]
mod tests {
    use domain::{Mode, fiscal::ProblemCode};
    use ports::{Setup, Tenant};
    use testkit::sample;

    use super::*;

    #[test]
    fn documents_with_a_contested_number_are_warned_about() {
        let mut document = sample::paid(1).document;
        document.numbered(sample::numbered(1), sample::noon()).unwrap();
        document.refuse(ProblemCode::DuplicateNumber, true, sample::noon()).unwrap();
        let tenant = Tenant { mode: Mode::Test, ..sample::tenant() };
        let surveyed = TenantSetup { tenant, setup: Setup::default(), contested: vec![document] };

        let [remark]: [String; 1] = remarks(&surveyed).collect::<Vec<_>>().try_into().unwrap();

        let whose = format!("--merchant {} --mode test", sample::tenant().merchant);
        let begin = "1 consumer documents have a number that another holds at the authority, up to E320000000001";
        assert_eq!(remark, format!("{begin}: `cobro sequence skip {whose} --kind consumer --to N`"));
    }
}
