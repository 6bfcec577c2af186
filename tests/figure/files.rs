//! Figure files, and what is refused.

use super::*;

#[test]
fn a_figure_file_keeps_every_bit() {
    for (name, capture) in all() {
        let mut figure = build(&capture);
        figure.widen_to_hold(&capture.clips[0]);
        figure.notes.clear();
        let text = figure.to_toml();
        let back = Figure::from_toml(&text, &capture.skeleton).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(back == figure, "{name}");
        assert_eq!(back.to_toml(), text);
    }
}

#[test]
fn faults_in_a_figure_file_are_pointed_at() {
    let skeleton = chain(3);
    let text = Figure::build(&skeleton, &FigureOptions::default()).unwrap().to_toml();
    let fails = |from: &str, to: &str| Figure::from_toml(&text.replacen(from, to, 1), &skeleton).unwrap_err();
    let line = |needle: &str| text.lines().position(|l| l.contains(needle)).unwrap() + 1;

    let error = fails("mass = ", "mas = ");
    assert_eq!((error.line, error.column), (Some(line("mass = ")), Some(1)));
    assert!(error.help.as_ref().unwrap().contains("did you mean \"mass\"?"), "{error:?}");
    let error = fails("kind = \"ball\"", "kind = \"bal\"");
    assert!(error.line == Some(line("kind = \"ball\"")) && error.help.unwrap().contains("\"ball\""));
    let error = fails("joint = \"link 2\"", "joint = \"lnk 2\"");
    assert!(error.message.contains("no joint \"lnk 2\"") && error.help.unwrap().contains("\"link 2\""));
    let error = fails("height = ", "height = -");
    assert!(error.line == Some(line("height = ")) && error.message.contains("positive"), "{error:?}");
    let error = fails("joint = \"link 1\"", "joint = \"link 0\"");
    assert!(error.message.contains("two segments"), "{error:?}");
    let error = fails("[[segment]]", "[[segment");
    assert!(error.line.is_some(), "{error:?}");
}

#[test]
fn nonsense_is_refused() {
    let skeleton = chain(3);
    let build = |options: FigureOptions| Figure::build(&skeleton, &options);
    assert!(build(FigureOptions { mass: Some(-1.0), ..Default::default() }).is_err());
    assert!(build(FigureOptions { height: Some(Real::NAN), ..Default::default() }).is_err());
    let clip = &read("clips/idle.bvh").clips[0];
    assert!(build(FigureOptions { clip: Some(clip), ..Default::default() }).is_err());
    assert!(build(FigureOptions { skin: Some(&[]), ..Default::default() }).is_err());
}
