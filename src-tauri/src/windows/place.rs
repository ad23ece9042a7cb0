//! Where a window stands: remembered a kind of window, and brought back onto a screen that is really there.
//!
//! All numbers are logical pixels, so that a changed scale keeps what people see.

use serde::{Deserialize, Serialize};

use super::kind::{MINIMUM, Size};

/// How far a window stands from another of its kind that is where it would be.
const CASCADE: f64 = 28.0;

/// A window's frame on the desktop.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(crate) struct Place {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    /// Fills its screen; the other numbers say what it goes back to.
    #[serde(default)]
    pub maximized: bool,
}

/// The usable part of a monitor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Screen {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
}

impl Place {
    /// In the middle of `screen`.
    pub(crate) fn centred(size: Size, screen: Screen) -> Self {
        Self {
            x: screen.x + (screen.width - size.width) / 2.0,
            y: screen.y + (screen.height - size.height) / 2.0,
            width: size.width,
            height: size.height,
            maximized: false,
        }
    }

    /// Whether these can be a window's numbers at all: a damaged file may hold anything.
    pub(crate) fn is_sane(self) -> bool {
        let numbers = [self.x, self.y, self.width, self.height];
        numbers.iter().all(|number| number.is_finite() && number.abs() < 1e6) && self.width > 0.0 && self.height > 0.0
    }

    /// This frame, wholly on the screen it overlaps most (else the first): no larger than that screen, no smaller
    /// than the minimum, top left visible even where the screen is smaller than the minimum.
    pub(crate) fn onto(self, screens: &[Screen]) -> Self {
        let width = self.width.max(MINIMUM.width);
        let height = self.height.max(MINIMUM.height);
        let mut best: Option<Screen> = None;
        for screen in screens {
            if best.is_none_or(|best| self.overlap(*screen) > self.overlap(best)) {
                best = Some(*screen);
            }
        }
        let Some(screen) = best else {
            return Self { width, height, ..self };
        };
        let width = width.min(screen.width.max(MINIMUM.width));
        let height = height.min(screen.height.max(MINIMUM.height));
        Self {
            x: self.x.min(screen.x + screen.width - width).max(screen.x),
            y: self.y.min(screen.y + screen.height - height).max(screen.y),
            width,
            height,
            maximized: self.maximized,
        }
    }

    /// This frame, moved until it covers none of `others` exactly.
    pub(crate) fn beside(mut self, others: &[Place]) -> Self {
        while others.iter().any(|other| (other.x - self.x).abs() < 1.0 && (other.y - self.y).abs() < 1.0) {
            self.x += CASCADE;
            self.y += CASCADE;
        }
        self
    }

    fn overlap(self, screen: Screen) -> f64 {
        let across = (self.x + self.width).min(screen.x + screen.width) - self.x.max(screen.x);
        let down = (self.y + self.height).min(screen.y + screen.height) - self.y.max(screen.y);
        across.max(0.0) * down.max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEFT: Screen = Screen { x: 0.0, y: 0.0, width: 1920.0, height: 1080.0 };
    const RIGHT: Screen = Screen { x: 1920.0, y: 200.0, width: 1280.0, height: 800.0 };

    fn place(x: f64, y: f64, width: f64, height: f64) -> Place {
        Place { x, y, width, height, maximized: false }
    }

    #[test]
    fn a_window_that_is_on_a_screen_stays() {
        for stays in [place(10.0, 10.0, 1000.0, 700.0), place(1920.0, 200.0, 1280.0, 800.0)] {
            assert_eq!(stays.onto(&[LEFT, RIGHT]), stays);
        }
    }

    #[test]
    fn a_window_of_a_screen_that_is_gone_comes_to_the_first() {
        let gone = place(2000.0, 300.0, 1000.0, 700.0);
        assert_eq!(gone.onto(&[LEFT]), place(920.0, 300.0, 1000.0, 700.0));
        assert_eq!(place(-5000.0, -5000.0, 1000.0, 700.0).onto(&[LEFT]), place(0.0, 0.0, 1000.0, 700.0));
    }

    #[test]
    fn a_window_over_an_edge_moves_to_the_screen_that_holds_more_of_it() {
        assert_eq!(place(1500.0, 300.0, 1000.0, 700.0).onto(&[LEFT, RIGHT]), place(1920.0, 300.0, 1000.0, 700.0));
        assert_eq!(place(1300.0, 300.0, 1000.0, 700.0).onto(&[LEFT, RIGHT]), place(920.0, 300.0, 1000.0, 700.0));
    }

    #[test]
    fn a_window_is_between_the_minimum_and_its_screen() {
        assert_eq!(place(0.0, 0.0, 5000.0, 5000.0).onto(&[LEFT]), place(0.0, 0.0, 1920.0, 1080.0));
        assert_eq!(place(0.0, 0.0, 10.0, 10.0).onto(&[LEFT]), place(0.0, 0.0, 900.0, 600.0));
        let tiny = Screen { x: 0.0, y: 0.0, width: 640.0, height: 480.0 };
        assert_eq!(place(300.0, 300.0, 1000.0, 700.0).onto(&[tiny]), place(0.0, 0.0, 900.0, 600.0));
    }

    #[test]
    fn without_a_known_screen_the_place_is_kept() {
        assert_eq!(place(5.0, 6.0, 10.0, 700.0).onto(&[]), place(5.0, 6.0, 900.0, 700.0));
    }

    #[test]
    fn a_second_window_of_a_kind_does_not_cover_the_first() {
        let first = place(100.0, 100.0, 1000.0, 700.0);
        let second = first.beside(&[first]);
        assert_eq!(second, place(128.0, 128.0, 1000.0, 700.0));
        assert_eq!(first.beside(&[first, second]), place(156.0, 156.0, 1000.0, 700.0));
        assert_eq!(first.beside(&[]), first);
    }

    #[test]
    fn nonsense_is_not_a_place() {
        assert!(place(0.0, -20.0, 900.0, 600.0).is_sane());
        for nonsense in [place(f64::NAN, 0.0, 1.0, 1.0), place(0.0, 1e9, 1.0, 1.0), place(0.0, 0.0, 0.0, 1.0)] {
            assert!(!nonsense.is_sane());
        }
    }
}
