//! Durations, as people write them.

use std::time::Duration;

/// Reads `90s`, `30m` or `1h 30m`; a plain number is seconds.
pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.trim().parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).map_err(|error| error.to_string());
    }
    humantime::parse_duration(text)
        .map_err(|error| format!("{error}; expected a time such as 90s, 30m or 1h 30m"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_their_units() {
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("0.5"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1h 30m"), Ok(Duration::from_secs(5400)));
        for wrong in [
            "",
            "-1",
            "1e99",
            "NaN",
            "10 parsecs",
            "99999999999999999999h",
        ] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }
}
