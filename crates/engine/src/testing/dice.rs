//! Seeded chance: the same seed gives the same run, everywhere.

use std::sync::Mutex;

use uuid::Uuid;

use crate::ports::Ids;

/// A stream of numbers from a seed (`SplitMix64`).
#[derive(Debug, Clone)]
pub struct Dice(u64);

impl Dice {
    /// The stream of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// A number below `bound`.
    pub fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.roll() % u64::try_from(bound.max(1)).unwrap_or(u64::MAX)).unwrap_or(0)
    }

    /// True `percent` times in a hundred.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// A UUID of version 7 in shape.
    pub fn id(&mut self) -> Uuid {
        let high = u128::from(self.roll());
        let id = (high << 64) | u128::from(self.roll());
        Uuid::from_u128((id & !(0xF << 76) & !(0x3 << 62)) | (0x7 << 76) | (0x2 << 62))
    }
}

/// Ids and fractions from a seed.
#[derive(Debug)]
pub struct SeededIds(Mutex<Dice>);

impl SeededIds {
    /// The ids of this seed.
    pub fn new(seed: u64) -> Self {
        Self(Mutex::new(Dice::new(seed)))
    }
}

impl Ids for SeededIds {
    fn new_id(&self) -> Uuid {
        self.0.lock().unwrap().id()
    }

    #[expect(clippy::cast_precision_loss, reason = "a thousand steps are fine enough")]
    fn fraction(&self) -> f64 {
        self.0.lock().unwrap().below(1_000) as f64 / 1_000.0
    }
}
