//! Writes `ui/src/ipc/bindings.ts` from the types and the table, and fails when the file says something else.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use engine::view::Signal;
use ts_rs::{Config, TS, TypeVisitor};

use super::error::Code;
use super::table::rows;

const PATH: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/ui/src/ipc/bindings.ts");
const HEAD: &str = "\
// Generated from the program's own types by `UPDATE_BINDINGS=1 cargo test -p onceover-desktop bindings`. Do not edit.
import { call } from './call';
";

/// TypeScript declarations by name.
#[derive(Default)]
pub(crate) struct Declarations {
    config: Config,
    by_name: BTreeMap<String, String>,
}

impl Declarations {
    /// Declares `T`, if it has a name of its own, and everything it is made of.
    pub(crate) fn add<T: TS + 'static + ?Sized>(&mut self) {
        self.visit::<T>();
    }
}

impl TypeVisitor for Declarations {
    fn visit<T: TS + 'static + ?Sized>(&mut self) {
        if T::output_path().is_some() {
            let name = T::ident(&self.config);
            if self.by_name.contains_key(&name) {
                return;
            }
            self.by_name.insert(name, T::decl(&self.config));
        }
        T::visit_dependencies(self);
        T::visit_generics(self);
    }
}

fn camel_case(name: &str) -> String {
    let mut parts = name.split('_');
    let mut camel = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        camel.push_str(&part[..1].to_uppercase());
        camel.push_str(&part[1..]);
    }
    camel
}

/// A declaration on one line. What each member means is said in Rust; here it would stand between every two words.
fn on_one_line(declaration: &str) -> String {
    let mut rest = declaration;
    let mut words = String::new();
    while let Some((before, comment)) = rest.split_once("/**") {
        words.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    words.push_str(rest);
    let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
    line.replace(", }", " }")
}

fn generate() -> String {
    let mut declarations = Declarations::default();
    declarations.add::<Signal>();
    declarations.add::<Code>();
    let config = Config::default();
    let mut functions = String::new();
    for row in rows() {
        let (name, function, result) = (row.name, camel_case(row.name), (row.result.name)(&config));
        (row.result.declare)(&mut declarations);
        if let Some(args) = row.args {
            (args.declare)(&mut declarations);
            let args = (args.name)(&config);
            let _ = writeln!(functions, "  {function}: (args: {args}) => call<{result}>('{name}', {{ args }}),");
        } else {
            let _ = writeln!(functions, "  {function}: () => call<{result}>('{name}'),");
        }
    }
    let mut text = HEAD.to_owned();
    for declaration in declarations.by_name.values() {
        let _ = write!(text, "\nexport {}\n", on_one_line(declaration));
    }
    let _ = write!(text, "\nexport const commands = {{\n{functions}}};\n");
    text
}

#[test]
fn bindings_are_current() {
    let generated = generate();
    if std::env::var_os("UPDATE_BINDINGS").is_some() {
        std::fs::write(PATH, &generated).unwrap();
    }
    let stored = std::fs::read_to_string(PATH).unwrap_or_default();
    assert!(stored == generated, "ui/src/ipc/bindings.ts is stale: {}", HEAD.lines().next().unwrap());
}
