//! `cargo xtask scale`: docs/scale.md, worked out from a report of `cargo xtask bench receive` that is kept beside it.

mod model;
mod page;

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

use crate::workspace::Workspace;
use model::Measured;

/// The report that the page is made from.
const REPORT: &str = "docs/figures/receive.json";
const PAGE: &str = "docs/scale.md";

#[derive(Args)]
pub(crate) struct Options {
    /// Take over this report first, such as artifacts/bench/receive.json
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,
}

/// Writes the page.
///
/// # Errors
/// The report cannot be read, lacks a figure, or says that the model does not hold on the machine it is of.
pub(crate) fn run(options: &Options) -> Result<()> {
    let workspace = Workspace::find()?;
    let kept = workspace.top.join(REPORT);
    if let Some(from) = &options.from {
        let text = fs::read_to_string(from).with_context(|| format!("read {}", from.display()))?;
        let report = Measured::without_rounds(&text)?;
        fs::write(&kept, report).with_context(|| format!("write {}", kept.display()))?;
    }
    let text = fs::read_to_string(&kept).with_context(|| format!("read {}", kept.display()))?;
    let page = page::page(&Measured::read(&text)?)?;
    let to = workspace.top.join(PAGE);
    fs::write(&to, page).with_context(|| format!("write {}", to.display()))?;
    println!("wrote {PAGE}");
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The page says what the kept report comes to, and that run of a thousand tenants bears it out.
    #[test]
    fn the_page_is_what_the_report_comes_to() {
        let top = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
        let report = fs::read_to_string(top.join(REPORT)).unwrap();
        let page = page::page(&Measured::read(&report).unwrap()).unwrap();
        assert_eq!(page, fs::read_to_string(top.join(PAGE)).unwrap(), "run `cargo xtask scale`");
    }
}
