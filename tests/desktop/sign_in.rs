//! Signing in: what is wrong is said below the form, and nothing is lost of it.

use onceover_tests::desktop::{Desktop, id};
use onceover_tests::proxy::{Fault, Proxy};
use onceover_tests::server::{PASSWORD, TENANT};

use crate::office::{Office, row};

const PAGE: &str = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n\r\n\
    <!doctype html><title>Guest network</title><p>Accept the terms to go on.</p>";

/// Tries to sign in, and waits for the sentence and its code below the form.
async fn refused(desktop: &Desktop, form: [&str; 3], code: &str, sentence: &str) {
    let [server, tenant, password] = form;
    desktop.type_into(&id("signin-server"), server).await;
    desktop.type_into(&id("signin-tenant"), tenant).await;
    desktop.type_into(&id("signin-username"), "mara").await;
    desktop.type_into(&id("signin-password"), password).await;
    desktop.press(&id("signin-submit")).await;
    let below = format!("{}[data-code='{code}']:not([hidden])", id("signin-error"));
    desktop.wait_for_text(&below, sentence).await;
    assert_eq!(desktop.count(&id("case-list")).await, 0);
}

/// Issue 2's bad input: a wrong password, an unknown organization, a wrong port and a server that is not ours are each
/// told with what is known; the right entries sign in; the theme is the person's choice, in every window.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_sign_in_that_fails_says_why() {
    let office = Office::opened();
    let case = office.case_of_mara("Water heater vented into the bedroom");
    office.case_of_mara("Stairs without a light");
    let hotel = Proxy::before(office.server.port(), |_, _| Fault::Instead(PAGE)).await;
    let mut closed = Proxy::before(office.server.port(), |_, _| Fault::None).await;
    closed.unplug().await;
    let server = office.server.url();
    let home = tempfile::tempdir().unwrap();

    let desktop = Desktop::started("sign-in", home.path()).await;
    let credentials = "Organization, user name or password is not right.";
    refused(&desktop, [&server, TENANT, "wrong"], "invalid-credentials", credentials).await;
    desktop.picture("01-wrong-password").await;
    refused(&desktop, [&server, "harbour-city", PASSWORD], "invalid-credentials", credentials).await;
    let nobody = |url: &str| format!("No Onceover server answers at {url}.");
    refused(&desktop, [&closed.url(), TENANT, PASSWORD], "unreachable", &nobody(&closed.url())).await;
    desktop.picture("02-wrong-port").await;
    refused(&desktop, [&hotel.url(), TENANT, PASSWORD], "not-our-server", &nobody(&hotel.url())).await;
    desktop.picture("03-not-our-server").await;

    desktop.sign_in(&server, "mara").await;
    desktop.press(&row(&case)).await;
    desktop.press(&id("open-window")).await;
    desktop.go_to_window(&format!("case-{case}")).await;
    desktop.find(&id("case-title")).await;
    desktop.go_to_window("main").await;
    for theme in ["dark", "light"] {
        desktop.press(&id("account-menu")).await;
        desktop.choose(&id("theme"), theme).await;
        desktop.find(&id("theme")).await.send_keys(thirtyfour::Key::Escape + "").await.unwrap();
        desktop.wait_until_gone(&id("theme")).await;
        desktop.find(&format!("html[data-theme='{theme}']")).await;
        desktop.go_to_window(&format!("case-{case}")).await;
        desktop.find(&format!("html[data-theme='{theme}']")).await;
        desktop.go_to_window("main").await;
        desktop.picture(&format!("04-{theme}")).await;
    }
    desktop.quit().await;
}
