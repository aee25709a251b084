//! Times as records write them: seconds, perhaps behind minutes and hours.

use std::time::Duration;

/// The longest time that is read, in seconds.
const LONGEST: u64 = 1_000_000_000;

/// `[[HH:]MM:]SS[.fraction]`; digits beyond the ninth of the fraction count for nothing.
pub(crate) fn read(text: &str) -> Option<Duration> {
    let (whole, fraction) = text.trim().split_once('.').unwrap_or((text.trim(), ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let mut seconds = 0u64;
    for (number, unit) in whole.split(':').enumerate() {
        let value: u64 = match unit {
            // `.5` is half a second.
            "" if number == 0 && !fraction.is_empty() => 0,
            unit if is_digits(unit) => unit.parse().ok()?,
            _ => return None,
        };
        seconds = seconds.checked_mul(60)?.checked_add(value)?;
        if number > 2 || seconds > LONGEST {
            return None;
        }
    }
    if !is_digits(fraction) {
        return None;
    }
    let nanos = format!("{:0<9.9}", fraction).parse().ok()?;
    Some(Duration::new(seconds, nanos))
}

/// Seconds with as many digits as it takes, two at least behind the point.
pub(crate) fn write(time: Duration) -> String {
    let text = format!("{}.{:09}", time.as_secs(), time.subsec_nanos());
    let digits = text.trim_end_matches('0').len();
    let point = text.len() - 9;
    text[..digits.max(point + 2)].to_owned()
}
