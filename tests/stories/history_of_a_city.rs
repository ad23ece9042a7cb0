//! A city.
