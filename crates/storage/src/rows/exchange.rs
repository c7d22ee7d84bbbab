use domain::fiscal::{CommercialApproval, IncomingDocument};
use ports::{ReceivedDocument, StoredApproval, Tenant};

use super::row;
use crate::schema::{commercial_approvals, received_documents};

row! {
    /// One row of `received_documents`.
    ReceivedRow in received_documents by sender number {
        merchant: String,
        mode: String,
        environment: String,
        sender: String,
        number: String,
        ecf_type: i64,
        recipient: String,
        issue_date: String,
        total: i64,
        received_at: i64,
        xml: Vec<u8>,
        acknowledgement: String,
    }
    ReceivedDocument {
        document: IncomingDocument { ecf_type, number, sender, recipient, issue_date, total_minor_units: total },
        environment,
        received_at,
        xml,
        acknowledgement,
    } of Tenant { merchant, mode }
}

row! {
    /// One row of `commercial_approvals`.
    ApprovalRow in commercial_approvals by document {
        merchant: String,
        mode: String,
        document: String,
        issuer: String,
        number: String,
        issue_date: String,
        total: i64,
        buyer: String,
        is_accepted: bool,
        reason: Option<String>,
        decided_at: String,
        received_at: i64,
        xml: Vec<u8>,
    }
    StoredApproval {
        document,
        approval: CommercialApproval {
            issuer,
            number,
            issue_date,
            total_minor_units: total,
            buyer,
            is_accepted,
            reason,
            decided_at,
        },
        received_at,
        xml,
    } of Tenant { merchant, mode }
}
