use super::*;

struct Nobody;

impl Names for Nobody {
    fn constant(&self, name: &str) -> Option<Expression> {
        (name == "length").then(|| Expression::number(2.0))
    }
    fn reading(&mut self, name: &str) -> Result<usize, String> {
        Err(format!("there is no {name:?}"))
    }
    fn reading_between(&mut self, _: &str, _: &[String]) -> Result<usize, String> {
        Err("nothing to look at".into())
    }
    fn memory(&mut self, _: Real, _: Expression) -> Result<usize, String> {
        Err("nothing to remember".into())
    }
    fn known(&self) -> Vec<String> {
        vec!["length".into()]
    }
}

fn at(text: &str, time: Real) -> Jet {
    let variables = Variables { time, index: 3.0, count: 5.0, ..Default::default() };
    Expression::parse(text, &mut Nobody).expect(text).at(&variables)
}

#[test]
fn operators_bind_as_in_mathematics() {
    for (text, value) in [
        ("1 + 2*3", 7.0),
        ("-2^2", -4.0),
        ("2^3^2", 512.0),
        ("(1+2)*3 - 4/2", 7.0),
        ("length*i + n", 11.0),
        ("1e-3*1000", 1.0),
        ("if(2 > 1, 5, 6)", 5.0),
        ("max(1, 4, 2)", 4.0),
        ("mod(7, 4)", 3.0),
        ("30 deg", std::f64::consts::PI / 6.0),
        ("36 km/h", 10.0),
        ("5 N*s/m", 5.0),
        ("2 m * 3", 6.0),
        ("20 %", 0.2),
    ] {
        assert!((at(text, 0.0).value - value).abs() < 1e-12, "{text}: {}", at(text, 0.0).value);
    }
}

/// Rates and second derivatives are those of central differences.
#[test]
fn derivatives_by_time_are_exact() {
    for text in [
        "sin(3*t)*t^2",
        "exp(-t)/(1 + t*t)",
        "sqrt(1 + t)",
        "atan2(t, 2) + tan(t/3)",
        "hypot(t, 2*t, 1)",
        "noise(3*t)",
        "smooth(0, 2, t)",
        "asin(t/3) + acos(t/4) + ln(1 + t)",
        "(1 + t)^t",
        "atan(t^3)",
    ] {
        let (t, h) = (0.7, 1e-4);
        let (low, mid, high) = (at(text, t - h), at(text, t), at(text, t + h));
        assert!((mid.rate - (high.value - low.value) / (2.0 * h)).abs() < 1e-5, "{text}: {mid:?}");
        assert!((mid.second - (high.rate - low.rate) / (2.0 * h)).abs() < 1e-4, "{text}: {mid:?}");
    }
}

#[test]
fn faults_point_at_the_word_and_say_what_was_meant() {
    for (text, place, message, help) in [
        ("2 + lenght", 4, "there is no \"lenght\"", "did you mean \"length\"?"),
        ("sni(t)", 0, "there is no function \"sni\"", "did you mean \"sin\"?"),
        ("3 kgs", 2, "\"kgs\" is no unit", "did you mean \"kg\"?"),
        ("(1 + 2", 6, "a parenthesis is not closed", "expected \")\""),
        ("1 +", 3, "the formula ends too early", "expected a number"),
        ("2 3", 2, "\"3\" does not belong here", "expected an operator"),
        ("1.2.3", 0, "\"1.2.3\" is no number", ""),
        ("sin(1, 2)", 0, "sin takes 1, not 2", ""),
    ] {
        let error = Expression::parse(text, &mut Nobody).expect_err(text);
        assert_eq!((error.at, error.message.as_str()), (place, message), "{text}");
        assert!(error.help.unwrap_or_default().starts_with(help), "{text}");
    }
    let deep = "(".repeat(10_000);
    assert!(Expression::parse(&deep, &mut Nobody).is_err());
    assert!(Expression::parse(&"-".repeat(10_000), &mut Nobody).is_err());
}

#[test]
fn quantities_know_their_dimension() {
    use crate::scene::unit::*;
    let dimension = |text: &str| Expression::parse(text, &mut Nobody).expect(text).quantity;
    assert_eq!(dimension("3 kg"), Some(MASS));
    assert_eq!(dimension("-3 m/s^2"), Some(ACCELERATION));
    assert_eq!(dimension("2 N*m"), Some(TORQUE));
    assert_eq!(dimension("2*3"), None);
    assert!(!TIME.fits(MASS) && ANGLE.fits(NUMBER) && TORQUE.fits(FORCE));
}
