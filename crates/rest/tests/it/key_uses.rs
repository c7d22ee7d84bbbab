//! Last uses of keys, which no request waits to store.

use app::{operators::list_keys, write_key_uses};
use chrono::{DateTime, TimeDelta, Utc};
use ports::Clock;

use crate::support::{Request, World, on_each_store};

async fn last_used_at(world: &World) -> Vec<Option<DateTime<Utc>>> {
    let keys = list_keys(&*world.ports.registry, &world.one.tenant).await.unwrap();
    keys.into_iter().map(|it| it.last_used_at).collect()
}

#[actix_web::test]
async fn a_read_writes_no_rows_and_its_use_of_the_key_is_stored_later() {
    on_each_store(async |world| {
        let read = Request::get("/v1/payments", &world.one.key);
        let refused = Request::get("/v1/payments", "gk_test_nobody");
        let before = world.home.table_reader().await.rows().await;
        let first = world.clock.now();

        world.send(&read).await;
        world.clock.advance(TimeDelta::seconds(9));
        world.send(&read).await;
        world.send(&refused).await;

        assert_eq!(world.home.table_reader().await.rows().await, before);
        assert_eq!(last_used_at(&world).await, [None]);
        write_key_uses(&world.ports, &world.uses).await.unwrap();
        assert_eq!(last_used_at(&world).await, [Some(first + TimeDelta::seconds(9))]);
    })
    .await;
}

#[actix_web::test]
async fn uses_of_keys_survive_a_read_only_store() {
    on_each_store(async |world| {
        let Some(database) = world.home.database() else { return };
        let read = Request::get("/v1/payments", &world.one.key);
        let standstill = database.stand_still("merchant_key_uses").await;

        let response = world.send(&read).await;
        let unwritten = write_key_uses(&world.ports, &world.uses).await;
        drop(standstill);

        assert_eq!(response.status, 200);
        assert!(unwritten.is_err());
        assert_eq!(last_used_at(&world).await, [None]);
        write_key_uses(&world.ports, &world.uses).await.unwrap();
        assert_eq!(last_used_at(&world).await, [Some(world.clock.now())]);
    })
    .await;
}
