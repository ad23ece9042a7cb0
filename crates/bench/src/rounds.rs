//! Alternating rounds: ours, the yardstick, ours, … so that whatever else the machine does meets both.

use anyhow::Result;

/// The middle of `values`; of an even number the mean of the two in the middle.
pub(crate) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        length if length % 2 == 1 => sorted[middle],
        _ => f64::midpoint(sorted[middle - 1], sorted[middle]),
    }
}

/// `ours` and `theirs` in turn, `rounds` times each.
///
/// # Errors
/// The first that either gives.
pub(crate) fn alternate<T, U>(
    rounds: usize,
    mut ours: impl FnMut(usize) -> Result<T>,
    mut theirs: impl FnMut(usize) -> Result<U>,
) -> Result<(Vec<T>, Vec<U>)> {
    let (mut first, mut second) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        first.push(ours(round)?);
        second.push(theirs(round)?);
    }
    Ok((first, second))
}

/// Round by round, how many times `second` goes into `first`; the median of that is a ratio that noise which lasts
/// longer than a round leaves alone.
pub(crate) fn ratios(first: &[f64], second: &[f64]) -> Vec<f64> {
    first.iter().zip(second).map(|(first, second)| first / second).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_the_middle_one() {
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
        assert!((median(&[4.0, 1.0, 2.0, 3.0]) - 2.5).abs() < f64::EPSILON);
    }
}
