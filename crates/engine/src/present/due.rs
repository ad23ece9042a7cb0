//! How a due date lies to today.

use crate::view::Due;

/// The group of `due_on` seen from `today` (both `YYYY-MM-DD`). A week ends with its Sunday.
pub fn due(due_on: Option<&str>, today: &str) -> Due {
    let Some(due_on) = due_on else { return Due::NoDate };
    match due_on {
        day if day < today => Due::Overdue,
        day if day == today => Due::Today,
        day if day <= last_day_of_week(today).as_str() => Due::ThisWeek,
        _ => Due::Later,
    }
}

/// The Sunday of the week of `today`; `today` itself if it is no date.
pub fn last_day_of_week(today: &str) -> String {
    let Ok(date) = today.parse::<jiff::civil::Date>() else { return today.to_owned() };
    let days = 7 - i32::from(date.weekday().to_monday_one_offset());
    plus_days(today, days)
}

/// The day `days` after `today`; `today` itself if it is no date.
pub fn plus_days(today: &str, days: i32) -> String {
    let date = today.parse::<jiff::civil::Date>();
    let moved = date.and_then(|date| date.checked_add(jiff::Span::new().days(days)));
    moved.map_or_else(|_| today.to_owned(), |date| date.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_week_ends_with_its_sunday() {
        // 2026-11-30 is a Monday.
        for (day, expected) in [
            (None, Due::NoDate),
            (Some("2026-11-29"), Due::Overdue),
            (Some("2026-11-30"), Due::Today),
            (Some("2026-12-01"), Due::ThisWeek),
            (Some("2026-12-06"), Due::ThisWeek),
            (Some("2026-12-07"), Due::Later),
        ] {
            assert_eq!(due(day, "2026-11-30"), expected, "{day:?}");
        }
        assert_eq!(last_day_of_week("2026-12-06"), "2026-12-06");
        assert_eq!(due(Some("2026-12-07"), "2026-12-06"), Due::Later);
        assert_eq!(plus_days("2026-12-28", 7), "2027-01-04");
    }
}
