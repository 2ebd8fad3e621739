//! Lines for the harness, and its answer to a request for a restart.

use std::future::Future;
use std::io::{BufRead, stdin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

static FAILED: AtomicUsize = AtomicUsize::new(0);

pub async fn check(name: &str, step: impl Future<Output = anyhow::Result<bool>>) {
    let problem = match tokio::time::timeout(Duration::from_secs(90), step).await {
        Ok(Ok(true)) => return println!("ok {name}"),
        Ok(Ok(false)) => "the outcome is not the expected one".to_string(),
        Ok(Err(error)) => format!("{error:#}"),
        Err(_) => "did not end within 90 s".to_string(),
    };
    FAILED.fetch_add(1, Ordering::Relaxed);
    println!("not ok {name}: {}", problem.replace('\n', " "));
}

/// Polls until the condition holds, for half a minute at most.
pub async fn eventually<F: Future<Output = bool>>(mut condition: impl FnMut() -> F) -> bool {
    for _ in 0..300 {
        if condition().await {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    false
}

pub async fn restart_server() {
    println!("@restart");
    let answered = tokio::task::spawn_blocking(|| stdin().lock().read_line(&mut String::new())).await;
    answered.expect("no panic").expect("the harness answers");
}

pub fn finish() -> ! {
    std::process::exit(if FAILED.load(Ordering::Relaxed) == 0 { 0 } else { 1 })
}
