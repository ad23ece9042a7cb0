//! Reads how many test cases passed and failed from what the test runners print.

use std::sync::Mutex;

/// Test cases so far.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
}

impl Count {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self { passed: self.passed + other.passed, failed: self.failed + other.failed }
    }
}

/// Adds up the summaries among the lines it is shown.
#[derive(Default)]
pub(crate) struct Counter(Mutex<Count>);

impl Counter {
    pub(crate) fn see(&self, line: &str) {
        if let Some(count) = summary(line)
            && let Ok(mut sum) = self.0.lock()
        {
            *sum = sum.plus(count);
        }
    }

    pub(crate) fn count(&self) -> Count {
        self.0.lock().map(|count| *count).unwrap_or_default()
    }
}

/// The counts in `line`, if it is a summary line of nextest, cargo test, vitest or schemathesis; the last has one for
/// each of its phases, which counts routes.
fn summary(line: &str) -> Option<Count> {
    let line = without_colours(line);
    let trimmed = line.trim();
    let counts = if trimmed.starts_with("Summary [") {
        trimmed.split_once("run:")?.1
    } else if let Some(counts) = line.strip_prefix("test result:") {
        // At the start of the line only: nextest shows, indented, what a failed test's own harness printed.
        counts
    } else if trimmed.starts_with(['\u{2705}', '\u{274c}', '\u{1f6ab}']) {
        trimmed
    } else {
        trimmed.strip_prefix("Tests ")?
    };
    let words: Vec<&str> = counts.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut count = Count::default();
    let mut has_counts = false;
    for pair in words.windows(2) {
        let Ok(number) = pair[0].parse::<usize>() else { continue };
        match pair[1] {
            "passed" => count.passed += number,
            // nextest tells failures, deadlines and programs that would not start apart.
            "failed" | "timed" | "exec" | "error" | "errors" | "errored" => count.failed += number,
            _ => continue,
        }
        has_counts = true;
    }
    has_counts.then_some(count)
}

fn without_colours(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut characters = line.chars();
    while let Some(character) = characters.next() {
        if character == '\u{1b}' {
            characters.by_ref().find(char::is_ascii_alphabetic);
        } else {
            plain.push(character);
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summaries_of_all_runners_are_read() {
        let counts = |passed, failed| Some(Count { passed, failed });
        for (line, expected) in [
            ("     Summary [   0.352s] 25 tests run: 25 passed, 0 skipped", counts(25, 0)),
            (
                "     Summary [   1.1s] 5 tests run: 3 passed (1 slow, 1 flaky), 1 failed, 1 timed out, 2 skipped",
                counts(3, 2),
            ),
            ("     Summary [   1.1s] 4/5 tests run: 2 passed, 1 failed, 1 exec failed, 0 skipped", counts(2, 2)),
            (
                "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 3 filtered out; finished in 0.00s",
                counts(12, 0),
            ),
            ("test result: FAILED. 1 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out", counts(1, 2)),
            ("      Tests  1 failed | 41 passed (42)", counts(41, 1)),
            ("\u{1b}[2m      Tests \u{1b}[22m \u{1b}[1m\u{1b}[32m7 passed\u{1b}[39m\u{1b}[22m (7)", counts(7, 0)),
            ("    test result: FAILED. 0 passed; 1 failed; 0 ignored; 0 measured; 84 filtered out", None),
            ("     \u{2705}  3 passed  \u{23ed}  13 skipped", counts(3, 0)),
            ("     \u{2705} 14 passed  \u{274c}  2 failed", counts(14, 2)),
            ("     \u{1f6ab}  2 errors", counts(0, 2)),
            (" \u{2705}  Coverage (in 35.10s)", None),
            ("  6026 generated, 6026 passed, 20 skipped", None),
            (" Test Files  3 passed (3)", None),
            ("test case::tests::it_works ... ok", None),
        ] {
            assert_eq!(summary(line), expected, "{line}");
        }
    }

    #[test]
    fn several_summaries_add_up() {
        let counter = Counter::default();
        counter.see("test result: ok. 2 passed; 0 failed;");
        counter.see("something else");
        counter.see("test result: FAILED. 1 passed; 1 failed;");
        assert_eq!(counter.count(), Count { passed: 3, failed: 1 });
    }
}
