//! kube-rs as its users write it: typed and dynamic APIs, discovery, events, leases, watchers, a reflector and a controller
//! that goes on after the server was killed.

mod controller;
mod objects;
mod report;
mod streams;

use kube::Client;

#[tokio::main]
async fn main() {
    let client = Client::try_default().await.expect("the kubeconfig loads");
    objects::run(&client).await;
    streams::run(&client).await;
    controller::run(&client).await;
    report::finish();
}
