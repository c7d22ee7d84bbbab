use std::sync::Arc;

use app::{Ports, operators};
use domain::{
    Mode,
    credential::{MerchantKey, Role},
};
use ports::{Clock, MockMerchantRegistry, Tenant};
use testkit::sample;

use super::World;

impl World {
    /// Returns an admin key of the first merchant.
    pub(crate) async fn admin(&self) -> String {
        operators::create_key(&self.ports, &self.one.tenant, Role::Admin).await.unwrap()
    }

    /// Returns a key of the first merchant's live mode, which is not enabled.
    pub(crate) async fn live(&self) -> String {
        let tenant = Tenant { mode: Mode::Live, ..self.one.tenant.clone() };
        operators::create_key(&self.ports, &tenant, Role::Admin).await.unwrap()
    }

    /// Returns a key of the first merchant for an account without sales.
    pub(crate) async fn restricted(&self) -> String {
        let text = self.forgotten().await;
        let key = MerchantKey {
            digest: self.ports.vault.digest(text.as_bytes()),
            merchant: self.one.tenant.merchant.clone(),
            role: Role::Admin,
            accounts: vec![sample::account_id(7)],
            created_at: self.clock.now(),
            ..sample::merchant_key(7)
        };
        self.ports.registry.add_key(key).await.unwrap();
        text
    }

    /// Returns an expired key of the first merchant.
    pub(crate) async fn ended(&self) -> String {
        let text = self.forgotten().await;
        let key = MerchantKey {
            digest: self.ports.vault.digest(text.as_bytes()),
            merchant: self.one.tenant.merchant.clone(),
            ends_at: Some(self.clock.now()),
            ..sample::merchant_key(1)
        };
        self.ports.registry.add_key(key).await.unwrap();
        text
    }

    /// Returns a well-formed key that does not exist.
    pub(crate) async fn forgotten(&self) -> String {
        let mut registry = MockMerchantRegistry::new();
        registry.expect_add_key().returning(|_| Ok(()));
        let ports = Ports { registry: Arc::new(registry), ..self.ports.clone() };
        operators::create_key(&ports, &self.one.tenant, Role::Standard).await.unwrap()
    }
}
