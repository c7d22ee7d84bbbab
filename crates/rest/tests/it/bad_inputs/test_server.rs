use std::net::SocketAddr;

use chrono::TimeDelta;
use domain::FiscalDocumentId;
use sandbox::{Fault, Target};
use testkit::{
    bad_inputs::{Placeholders, ServerUnderTest, TableContents},
    sample,
};

use super::leak_log;
use crate::support::{
    APPROVED_CARD, DECLINED_CARD, LOST_CARD, Request, SALE, Served, TableReader, World, card, token_request, with,
};

/// The issuer reports the card as stolen.
const STOLEN_CARD: &str = "4222220000000438";

/// Server on a socket, with the placeholders of the requests.
pub(crate) struct TestServer {
    world: World,
    served: Served,
    tables: TableReader,
    placeholders: Placeholders,
}

impl TestServer {
    pub(crate) async fn start(world: World) -> Self {
        let placeholders = placeholders(&world).await;
        leak_log::collect_lines_with(
            placeholders.iter().filter(|(name, _)| is_secret(name)).map(|(_, value)| value.clone()),
        );
        Self { served: Served::start(&world), tables: world.home.table_reader().await, placeholders, world }
    }
}

impl ServerUnderTest for TestServer {
    fn address(&self) -> SocketAddr {
        self.served.address
    }

    fn placeholders(&mut self) -> &mut Placeholders {
        &mut self.placeholders
    }

    async fn stored(&mut self) -> TableContents {
        self.tables.stored().await
    }

    async fn apply(&mut self, change: &str) {
        let World { ports, clock, sale_store, artifact_store, faults, one, .. } = &self.world;
        match change.split_once(' ') {
            Some(("store", "down")) => sale_store.fail(),
            Some(("store", "up")) => sale_store.recover(),
            Some(("artifacts", "spoilt")) => artifact_store.corrupt(),
            Some(("fault", target_and_fault)) => {
                let (target, fault) = target_and_fault.split_once(' ').unwrap();
                faults.inject(Target::from_code(target).unwrap(), Fault::from_code(fault).unwrap(), 1).unwrap();
            }
            Some(("clock", seconds)) => clock.advance(TimeDelta::seconds(seconds.parse().unwrap())),
            Some(("issue", name)) => {
                let document = FiscalDocumentId::parse(&self.placeholders[name]).unwrap();
                app::issue_document(ports, &one.tenant, &document).await.unwrap();
            }
            _ => panic!("unknown change: {change}"),
        }
    }

    fn leaked_log_lines(&self) -> Vec<String> {
        leak_log::leaks()
    }

    async fn stop(self) {
        self.served.stop().await;
    }
}

fn is_secret(name: &str) -> bool {
    name.ends_with("KEY") || name.ends_with("TOKEN") || name.ends_with("_CARD") || name == "LINK"
}

async fn placeholders(world: &World) -> Placeholders {
    let created = world.sale(SALE).await;
    let second = world.sale(SALE).await;
    let of_other = world.send(&Request::post("/v1/payments", &world.other.key, SALE)).await;
    let admin = world.admin().await;
    let sale: serde_json::Value = serde_json::from_str(SALE).unwrap();
    let line = sale["fiscalDocument"]["lines"][0].to_string();
    let payment = created.field("/id");
    let owned = [
        ("ACCOUNT", world.one.account.to_string()),
        ("ADMIN_KEY", admin),
        ("CARD", card(APPROVED_CARD)),
        ("D", created.field("/fiscalDocument/id")),
        ("D_OF_OTHER", of_other.field("/fiscalDocument/id")),
        ("ENDED_KEY", world.ended().await),
        ("FORGOTTEN_KEY", world.forgotten().await),
        ("KEY", world.one.key.clone()),
        ("LINE_AT_100025", with(&line, "unitPriceMinorUnits", "100025")),
        ("LINE_AT_25", with(&line, "unitPriceMinorUnits", "25")),
        ("LINE", line),
        ("LINK", created.field("/nextAction/url").rsplit('/').next().unwrap().to_owned()),
        ("LIVE_KEY", world.live().await),
        ("OTHER_ACCOUNT", world.other.account.to_string()),
        ("OTHER_KEY", world.other.key.clone()),
        ("P_TAIL", payment["payment".len()..].to_owned()),
        ("P", payment),
        ("P2_REFERENCE", second.field("/checkoutReference")),
        ("P2", second.field("/id")),
        ("P2_TOKEN", world.token(&second, "pay").await),
        ("P_OF_NOBODY", sample::payment_id(7).to_string()),
        ("P_OF_OTHER", of_other.field("/id")),
        ("REFERENCE", created.field("/checkoutReference")),
        ("RESTRICTED_KEY", world.restricted().await),
        ("TOKEN", world.token(&created, "pay").await),
        ("TOKEN_WISH", token_request(&created.field("/checkoutReference"), "pay")),
    ];
    let fixed = [
        ("APPROVED_CARD", APPROVED_CARD),
        ("COMPANY", sandbox::demo_buyers().company),
        ("DECLINED_CARD", DECLINED_CARD),
        ("HOST", Request::HOST),
        ("LOST_CARD", LOST_CARD),
        ("SALE", SALE),
        ("STOLEN_CARD", STOLEN_CARD),
    ];
    let fixed = fixed.map(|(name, value)| (name, value.to_owned()));
    owned.into_iter().chain(fixed).map(|(name, value)| (name.to_owned(), value)).collect()
}
