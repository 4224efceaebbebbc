//! A decimal number as the nearest double. No table of powers: they are 8 KB that compress badly.

use std::cmp::Ordering;

/// Doubles and powers of ten up to these are exact, and so is what one operation makes of them.
const EXACT: u64 = 1 << 53;
const EXACT_POWER: u64 = 22;
/// No two doubles have a middle with more digits.
const DIGITS: usize = 800;

/// The double nearest to `digits` times ten to the power of `exponent`, to the even one of two; it may be infinite.
pub(super) fn nearest(digits: &str, exponent: i64) -> f64 {
    let digits = digits.trim_start_matches('0');
    let length = i64::try_from(digits.len()).unwrap_or(i64::MAX);
    let magnitude = length.saturating_add(exponent);
    if digits.is_empty() || magnitude < -330 {
        return 0.0;
    }
    if magnitude > 310 {
        return f64::INFINITY;
    }
    exact(digits, exponent).unwrap_or_else(|| divided(digits, exponent))
}

/// The double that needs no rounding, or only that of one operation.
fn exact(digits: &str, exponent: i64) -> Option<f64> {
    let whole = digits.parse::<u64>().ok().filter(|whole| *whole <= EXACT)?;
    let steps = Some(exponent.unsigned_abs()).filter(|steps| *steps <= EXACT_POWER)?;
    let power = (0..steps).fold(1.0, |power, _| power * 10.0);
    let whole = whole as f64;
    Some(if exponent < 0 { whole / power } else { whole * power })
}

/// The quotient of two whole numbers, to 64 bits or more and with what is left over, rounded.
fn divided(digits: &str, exponent: i64) -> f64 {
    let kept = digits.get(..DIGITS).unwrap_or(digits);
    let cut = digits.get(DIGITS..).unwrap_or_default();
    let (mut above, mut below) = (Big::default(), Big(vec![1]));
    for digit in kept.bytes() {
        above.times(10, u32::from(digit & 15));
    }
    let mut power = exponent + cut.len() as i64;
    if !cut.is_empty() {
        above.times(10, u32::from(cut.bytes().any(|digit| digit != b'0')));
        power -= 1;
    }
    let scaled = if power < 0 { &mut below } else { &mut above };
    scaled.scale(power.unsigned_abs());
    // The divisor fills its highest part: so a digit of the quotient can be told from the highest parts.
    let mut shift = -(-below.bits()).rem_euclid(32);
    below.shift(shift.unsigned_abs());
    // The quotient gets 64 bits or more, and no more than three digits.
    let missing = 64 + below.bits() - above.bits();
    if missing < 0 {
        let whole = missing / 32 * 32;
        below.shift(whole.unsigned_abs());
        shift += whole;
    } else {
        above.shift(missing.unsigned_abs());
        shift += missing;
    }
    below.shift(64);
    let mut quotient = 0;
    for _ in 0..3 {
        quotient = quotient << 32 | u128::from(above.divide(&below));
        below.0.remove(0);
    }
    rounded(quotient, shift, !above.0.is_empty())
}

/// The double nearest to `quotient` and a little `more`, divided by two to the power of `shift`.
fn rounded(quotient: u128, shift: i64, more: bool) -> f64 {
    let top = 127 - i64::from(quotient.leading_zeros());
    let exponent = top - shift;
    let bits = (exponent + 1075).min(53);
    if bits < 0 {
        return 0.0;
    }
    let drop = top + 1 - bits;
    let (mantissa, rest) = (quotient >> drop, quotient & ((1 << drop) - 1));
    let up = match rest.cmp(&(1 << (drop - 1))) {
        Ordering::Less => 0,
        Ordering::Equal => u64::from(more) | (mantissa as u64 & 1),
        Ordering::Greater => 1,
    };
    // A mantissa that rounding makes one bit longer carries into the exponent, up to infinity.
    let normal = (exponent + 1022).max(0) as u64;
    f64::from_bits(((normal << 52) + mantissa as u64 + up).min(f64::INFINITY.to_bits()))
}

/// A whole number; the lowest part first, no zero at the end.
#[derive(Default)]
struct Big(Vec<u32>);

impl Big {
    fn times(&mut self, by: u32, plus: u32) {
        let mut carry = u64::from(plus);
        for part in &mut self.0 {
            carry += u64::from(*part) * u64::from(by);
            *part = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            self.0.push(carry as u32);
        }
    }

    fn bits(&self) -> i64 {
        let top = self.0.last().map_or(32, |part| part.leading_zeros());
        self.0.len() as i64 * 32 - i64::from(top)
    }

    fn shift(&mut self, bits: u64) {
        self.times(1 << (bits % 32), 0);
        let mut parts = vec![0; (bits / 32) as usize];
        parts.append(&mut self.0);
        self.0 = parts;
    }

    fn scale(&mut self, power: u64) {
        for _ in 0..power / 9 {
            self.times(1_000_000_000, 0);
        }
        for _ in 0..power % 9 {
            self.times(10, 0);
        }
    }

    /// Takes away a number as often as possible, which is less than `1 << 32` times. Its highest bit must be set.
    fn divide(&mut self, by: &Self) -> u32 {
        let part = |at: usize| u64::from(self.0.get(at).copied().unwrap_or(0));
        let high = part(by.0.len()) << 32 | part(by.0.len().wrapping_sub(1));
        let highest = by.0.last().map_or(1, |part| u64::from(*part));
        let mut digit = u32::try_from(high / highest).unwrap_or(u32::MAX);
        let mut product = Self(by.0.clone());
        product.times(digit, 0);
        product.trim();
        // INVARIANT: twice at most, as the highest bit of the divisor is set.
        while product.compare(self) == Ordering::Greater {
            digit -= 1;
            product.minus(by);
        }
        self.minus(&product);
        digit
    }

    fn compare(&self, other: &Self) -> Ordering {
        let parts = self.0.len().cmp(&other.0.len());
        parts.then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    /// Takes away a number that is not greater.
    fn minus(&mut self, other: &Self) {
        let mut borrow = false;
        let mut others = other.0.iter();
        for part in &mut self.0 {
            let (less, first) = part.overflowing_sub(others.next().copied().unwrap_or(0));
            let (less, second) = less.overflowing_sub(u32::from(borrow));
            *part = less;
            borrow = first || second;
        }
        self.trim();
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

#[cfg(all(test, not(target_family = "wasm")))]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn check(digits: &str, exponent: i64) {
        let text = format!("{digits}e{exponent}");
        let found = nearest(digits, exponent);
        assert_eq!(
            Ok(found.to_bits()),
            text.parse::<f64>().map(f64::to_bits),
            "{text}: {found:e}"
        );
    }

    #[test]
    fn middles_go_to_the_even_one() {
        for (digits, exponent) in [
            ("9007199254740993", 0),
            ("9007199254740995", 0),
            ("90071992547409930000000000000000000000001", -25),
            ("17976931348623157", 292),
            ("17976931348623158", 292),
            (
                "179769313486231580793728971405303415079934132710037826936173778980444968292764750946649017977587207096330286416692887910946555547851940402630657488671505820681908902000708383676273854845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342711559699508093042880",
                0,
            ),
            ("5", -324),
            ("49", -325),
            ("24703282292062327208", -343),
            ("24703282292062327209", -343),
            ("22250738585072011", -324),
            ("22250738585072014", -324),
            ("1", 309),
            ("1", -400),
            ("0", 5),
            ("00012", 3),
        ] {
            check(digits, exponent);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 3000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn any_decimal_is_read_as_the_standard_library_reads_it(digits in "[0-9]{1,25}", exponent in -345..330_i64) {
            check(&digits, exponent);
        }

        #[test]
        fn a_long_decimal_too(digits in "[0-9]{700,900}", exponent in -1250..330_i64) {
            check(&digits, exponent);
        }

        #[test]
        fn a_middle_and_its_neighbours_too(mantissa in (1_u128 << 52)..(1 << 53), power in 0..31_u32) {
            let middle = mantissa * 2 + 1;
            for (digits, exponent) in [(middle * 5_u128.pow(power), -i64::from(power)), (middle << power, 0)] {
                for digits in [digits - 1, digits, digits + 1] {
                    check(&digits.to_string(), exponent);
                }
                check(&format!("{digits}{:0>900}", 1), exponent - 900);
            }
        }

        #[test]
        fn a_double_is_read_as_itself(double in any::<f64>().prop_filter("finite", |double| double.is_finite())) {
            let text = format!("{:.17e}", double.abs());
            let (mantissa, exponent) = text.split_once('e').unwrap();
            let exponent: i64 = exponent.parse().unwrap();
            check(&mantissa.replace('.', ""), exponent - 17);
            // Every digit of it, and of what lies nearly half way to the next one.
            let text = format!("{double:.1080}").replace(['.', '-'], "");
            check(&text, -1080);
            check(&format!("{text}1"), -1081);
        }
    }
}
