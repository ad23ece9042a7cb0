//! A thousand tenants on one node: the capacity model's assumption that tenants do not wait for each other, tried.

use std::sync::Arc;

use anyhow::{Context, Result};
use domain::CaseId;
use uuid::Uuid;

use crate::bench::Bench;
use crate::figure::Figure;
use crate::figures::work::{Office, Store, as_many, good, processor_us, speeds, text};
use crate::load::request::Sent;
use crate::load::{Requests, Round, drive};
use crate::process::Process;
use crate::rounds::median;
use crate::session::{Session, sign_in};

const TENANTS: usize = 1_000;
const CONNECTIONS: usize = 64;

/// One tenant: somebody who is signed in, and a case.
struct Member {
    session: Session,
    case: CaseId,
}

pub(super) fn measure(bench: &Bench, store: Store) -> Result<Vec<Figure>> {
    let folder = bench.folder(&format!("{}-tenants", store.name()))?;
    let server = store.server(bench, &folder)?;
    for tenant in 0..TENANTS {
        server.add_small_tenant(&slug(tenant), "officer")?;
    }
    let process = server.start()?;
    let members = (0..TENANTS).map(|tenant| join(&process, tenant)).collect::<Result<Vec<Member>>>()?;
    let send = |count: usize| -> Result<Round> {
        good(drive(&[&process.address], &Arc::new(notes(&members, count)), CONNECTIONS)?)
    };
    let size = as_many(&send(TENANTS * 2)?, bench.seconds);
    let mut used = Vec::new();
    let mut rounds = Vec::new();
    for _ in 0..bench.rounds {
        let (round, us) = processor_us(&process, size, || send(size))?;
        rounds.push(round);
        used.push(us);
    }
    let speed = median(&speeds(&rounds));
    let about = "Commands a second of 1,000 tenants in turn over 64 connections to one node: hardly two share a commit";
    let one = Office::open(bench, store, "one-tenant")?;
    let alone = as_many(&one.send(one.commands(2_000), CONNECTIONS)?, bench.seconds);
    let one = (0..bench.rounds).map(|_| one.send(one.commands(alone), CONNECTIONS)).collect::<Result<Vec<_>>>()?;
    Ok(vec![
        Figure::told(store, "tenants_per_second", about, speed, "commands/s")
            .with("one_tenant_per_second", median(&speeds(&one)))
            .with("processor_us_per_command", median(&used))
            .with("rounds", rounds),
    ])
}

fn slug(tenant: usize) -> String {
    format!("city-{tenant:04}")
}

/// Signs in the tenant's officer, who makes a case.
fn join(process: &Process, tenant: usize) -> Result<Member> {
    let session = sign_in(&process.address, &slug(tenant), "officer").context("sign in")?;
    let case = CaseId(Uuid::now_v7());
    let mut requests = Requests::default();
    requests.push(&Sent::case(&session, case).request(&session));
    good(drive(&[&process.address], &Arc::new(requests), 1)?)?;
    Ok(Member { session, case })
}

fn notes(members: &[Member], count: usize) -> Requests {
    let mut requests = Requests::default();
    for (place, member) in members.iter().cycle().take(count).enumerate() {
        let sent = Sent::note(&member.session, member.case, &text(place, 1024));
        requests.push(&sent.request(&member.session));
    }
    requests
}
