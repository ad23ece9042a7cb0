//! One officer's computer and the server, in one process and one thread.

use std::sync::Arc;

use domain::{ActorId, CaseId, CommandId, Payload, Timestamp};
use onceover_engine::delivery::{OutboxRow, StateName};
use onceover_engine::ports::Vault;
use onceover_engine::testing::build::{ACTOR, TENANT, a_case};
use onceover_engine::testing::model::tenant;
use onceover_engine::testing::{
    Dice, Disk, KeptSignals, ManualClock, MemoryStore, MemoryVault, ModelServer, SeededIds,
};
use onceover_engine::view::{CaseQuery, Mark, Saved};
use onceover_engine::{Account, Engine, Intent, Ports, SyncOptions, SyncReport};

/// A computer with a signed-in officer.
pub(crate) struct Computer {
    pub(crate) clock: Arc<ManualClock>,
    pub(crate) server: Arc<ModelServer>,
    pub(crate) disk: Arc<Disk>,
    pub(crate) vault: Arc<MemoryVault>,
    pub(crate) signals: Arc<KeptSignals>,
    pub(crate) engine: Arc<Engine>,
    pub(crate) actor: ActorId,
    seed: u64,
}

impl Computer {
    /// Signed in as [`ACTOR`]; time turns by itself; the server holds the cases 1 to 3 and so does the computer.
    pub(crate) async fn new() -> Self {
        Self::with(Arc::new(ManualClock::turning()), 1).await
    }

    pub(crate) async fn with(clock: Arc<ManualClock>, seed: u64) -> Self {
        let server = ModelServer::new(&clock);
        for (number, title) in [(1, "Blocked drain"), (2, "Loud works"), (3, "Unlit stairs")] {
            server.put_case(&a_case(number, title));
        }
        let computer = Self::of(clock, server, ACTOR, seed).await;
        computer.engine.signed_in(computer.server.session_of(ACTOR)).await.unwrap();
        computer.engine.pull().await.unwrap();
        computer.server.take_log();
        computer
    }

    /// A computer of `actor`, not signed in.
    pub(crate) async fn of(clock: Arc<ManualClock>, server: Arc<ModelServer>, actor: ActorId, seed: u64) -> Self {
        let (disk, vault, signals) = (Disk::new(), Arc::new(MemoryVault::default()), Arc::new(KeptSignals::default()));
        let ports = ports(&clock, &server, &disk, &vault, &signals, actor, seed);
        let engine = Engine::start(ports, account(actor)).await.unwrap();
        Self { clock, server, disk, vault, signals, engine, actor, seed }
    }

    /// The process is gone, and another one starts on the same disk.
    pub(crate) async fn restart(&mut self) {
        self.seed += 1;
        let ports = ports(&self.clock, &self.server, &self.disk, &self.vault, &self.signals, self.actor, self.seed);
        self.engine = Engine::start(ports, account(self.actor)).await.unwrap();
    }

    /// Saves `payload` on the case `number`.
    pub(crate) async fn save(&self, case: u32, payload: Payload) -> Saved {
        let case_id = Some(onceover_engine::testing::build::case_id(case));
        self.engine.save(Intent { intent_id: self.new_id(), case_id, payload }).await.unwrap()
    }

    pub(crate) fn new_id(&self) -> uuid::Uuid {
        Dice::new(self.disk.rows().len() as u64 ^ 0xABCD).id()
    }

    /// `onceover sync`, with a minute's patience.
    pub(crate) async fn sync(&self) -> SyncReport {
        self.engine.sync_once(SyncOptions { deadline_ms: 60_000, ignore_backoff: true }).await.unwrap()
    }

    pub(crate) fn row(&self, command: CommandId) -> OutboxRow {
        self.disk.rows().into_iter().find(|row| row.command_id == command).unwrap()
    }

    pub(crate) fn state(&self, command: CommandId) -> StateName {
        self.row(command).delivery.name()
    }

    /// The command requests since the last look, by command id.
    pub(crate) fn commands_sent(&self) -> Vec<CommandId> {
        let commands = self.server.take_log().into_iter().filter(|request| request.path == "/v1/commands");
        commands.map(|request| request.key.unwrap().rsplit(':').next().unwrap().parse().unwrap()).collect()
    }

    /// How many effects the server has of a command.
    pub(crate) fn effects_of(&self, command: CommandId) -> usize {
        self.server.effects().iter().filter(|(_, one, _)| *one == command).count()
    }

    pub(crate) async fn shown(&self, case: CaseId) -> onceover_engine::view::CaseDetail {
        self.engine.store().case_detail(case, self.engine.ambient()).await.unwrap().unwrap()
    }

    /// The mark of the case in the list.
    pub(crate) async fn list_mark(&self, case: CaseId) -> Option<Mark> {
        let query = CaseQuery { limit: 100, ..CaseQuery::default() };
        let rows = self.engine.store().case_page(query, self.engine.ambient()).await.unwrap().rows;
        rows.into_iter().find(|row| row.id == case).unwrap().mark
    }

    pub(crate) async fn secret_is_held(&self) -> bool {
        let name = format!("refresh {} {} {}", account(self.actor).server, tenant().id, self.actor);
        self.vault.get(&name).await.unwrap().is_some()
    }
}

fn account(actor: ActorId) -> Account {
    Account {
        server: "https://onceover.example".to_owned(),
        device_id: "device".to_owned(),
        tenant: tenant(),
        actor: wire::ActorInfo {
            id: actor,
            username: "ana".to_owned(),
            display_name: "ana".to_owned(),
            role: domain::Role::Officer,
            rights: Vec::new(),
        },
    }
}

fn ports(
    clock: &Arc<ManualClock>,
    server: &Arc<ModelServer>,
    disk: &Arc<Disk>,
    vault: &Arc<MemoryVault>,
    signals: &Arc<KeptSignals>,
    actor: ActorId,
    seed: u64,
) -> Ports {
    Ports {
        store: Arc::new(MemoryStore::open(disk, TENANT, actor)),
        transport: server.clone(),
        clock: clock.clone(),
        ids: Arc::new(SeededIds::new(seed)),
        vault: vault.clone(),
        signals: signals.clone(),
    }
}

/// Lets other tasks of this thread run until `is_true`, with an end.
pub(crate) async fn until(what: &str, mut is_true: impl FnMut() -> bool) {
    for _ in 0..100_000 {
        if is_true() {
            return;
        }
        tokio::task::yield_now().await;
    }
    panic!("it never came true: {what}");
}

/// Long after everything.
pub(crate) const FAR: Timestamp = Timestamp(i64::MAX / 2);
