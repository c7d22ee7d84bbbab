use testkit::{
    contract::{Stores, done},
    sample,
};

use crate::raw::Raw;

/// A refund whose columns contradict each other is an error that names the column.
pub(crate) async fn a_refund_that_contradicts_itself_is_named(stores: &Stores, raw: &impl Raw) {
    stores.register_merchant().await;
    let sale = sample::issued(1);
    done(stores.sales.commit(sample::creation(&sale)).await, "a new sale");
    let before = sample::not_refunded(sale);
    let mut file = before.clone();
    let events = sample::find_return(&mut file, 1, (None, 500_00), "rrn-1");
    let id = sample::refund_id(1);
    done(stores.sales.commit(sample::refund_change(&before, &file, &id, events)).await, "the return is new");
    let unread = "legs = replace(legs, '\"status\":\"succeeded\"', '\"status\":\"returned\"')";
    let failed = "legs = replace(legs, '\"method\":\"refund\"', '\"method\":\"void\",\"other\":1')";

    for (change, column) in [
        ("found_reference = 'rrn-2'", "found_reference"),
        ("details = '[1]'", "details"),
        ("planned = '[{}]'", "planned"),
        (failed, "legs"),
        (unread, "legs"),
    ] {
        let before = raw.texts("SELECT legs AS text FROM refunds").await.remove(0);
        raw.run(&format!("UPDATE refunds SET {change}")).await.expect("the columns may be written");
        let broken = stores.refunds.find(&sample::tenant(), &id).await.expect_err(change);
        assert_eq!(broken.source.to_string(), format!("refunds.{column} of {id} is inconsistent"), "{change}");
        let details = r#"{"settlement_reference":null,"metadata":null,"original_issued_on":null}"#;
        let original = format!("legs = '{before}', found_reference = 'rrn-1', planned = '[]', details = '{details}'");
        raw.run(&format!("UPDATE refunds SET {original}")).await.expect("the columns as they were");
    }
    let without = "UPDATE refunds SET legs = replace(legs, ',\"settled_by\":null', '')";
    raw.run(without).await.expect("the columns may be written");
    let read = stores.refunds.find(&sample::tenant(), &id).await.expect("a leg of an earlier version");
    assert_eq!(read.map(|record| record.refund.state().clone()), file.refund(&id).map(|it| it.state().clone()));
    raw.run("UPDATE payments SET refund_count = 2").await.expect("the columns may be written");
    let broken =
        stores.refunds.refunded_sale(&sample::tenant(), &sample::payment_id(1)).await.expect_err("one is missing");
    assert!(broken.source.to_string().contains("contradict its balance"), "{broken:?}");
}
