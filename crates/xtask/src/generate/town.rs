//! Two invented towns: their streets, where they lie, and how house numbers run.

use super::random::Random;

/// A place cases are in.
pub(crate) struct Town {
    streets: &'static [&'static str],
    /// South-west corner and extent, in hundred-thousandths of a degree.
    south: i64,
    west: i64,
    height: i64,
    width: i64,
}

pub(crate) const HARBOR_CITY: Town = Town {
    streets: &[
        "Alder Quay",
        "Anchor St",
        "Breakwater Ave",
        "Capstan Ct",
        "Cooper Lane",
        "Dory St",
        "Ferry Landing Rd",
        "Foghorn Ave",
        "Galley St",
        "Halyard Blvd",
        "Harbormaster Way",
        "Jetty Ave",
        "Keel St",
        "Lantern Hill Dr",
        "Mainsail Ave",
        "Netmakers Row",
        "Old Cannery Rd",
        "Pilot Ave",
        "Quarterdeck St",
        "Ropewalk Ave",
        "Saltbox Lane",
        "Signal St",
        "Tidewater Blvd",
        "Trawler St",
        "W 3rd St",
        "W 11th St",
        "E 15th St",
        "E 22nd St",
        "Windlass Ave",
        "Yardarm Pl",
    ],
    south: 3_371_000,
    west: -11_824_500,
    height: 13_500,
    width: 16_500,
};

pub(crate) const LAKESIDE: Town = Town {
    streets: &[
        "Bittern Rd",
        "Boathouse Ln",
        "Cattail Dr",
        "Cedar Point Rd",
        "County Rd 4",
        "County Rd 17",
        "Duckweed Ct",
        "Heron St",
        "Ice House Rd",
        "Lakeview Ter",
        "Loon Ave",
        "Marsh Rd",
        "Millrace St",
        "Narrows Rd",
        "Otter Way",
        "Perch St",
        "Reed St",
        "Sandbar Ln",
        "Shoreline Dr",
        "Willow Bend",
    ],
    south: 4_402_000,
    west: -8_861_000,
    height: 21_000,
    width: 24_000,
};

impl Town {
    pub(crate) fn address(&self, random: &mut Random) -> String {
        let number = random.between(1, 89) * 100 + random.between(1, 98);
        let street = random.pick(self.streets);
        match random.below(10) {
            0 => format!("{number} {}", street.to_uppercase()),
            1 => format!("{number} {street} #{}", random.between(1, 24)),
            _ => format!("{number} {street}"),
        }
    }

    /// Latitude and longitude, five decimals.
    pub(crate) fn position(&self, random: &mut Random) -> (f64, f64) {
        let degrees = |start: i64, extent: i64, random: &mut Random| {
            let units = i32::try_from(start + random.between(0, extent)).expect("within 180 degrees");
            f64::from(units) / 100_000.0
        };
        (degrees(self.south, self.height, random), degrees(self.west, self.width, random))
    }
}
