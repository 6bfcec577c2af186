//! What links bodies together is to be seen although it is no body.

use super::{painted, patient};
use sinew::Vec3;
use sinew::show::{Layers, Line, Workspace};

/// The lines of a scene as it begins, without any overlay.
fn lines(scene: &str) -> Vec<Line> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("scene.toml");
    std::fs::write(&path, scene).expect("a file");
    let workspace = Workspace::open(&[path], &patient()).unwrap_or_else(|error| panic!("{error}"));
    painted(&workspace, &Layers { mesh: true, ..Layers::NONE }).lines
}

fn length(lines: &[Line]) -> f64 {
    lines.iter().map(|line| (line.to - line.from).norm()).sum()
}

const BALL: &str =
    "[[body]]\nname = \"ball\"\nmass = 1\nshape = { kind = \"sphere\", radius = 0.05 }\nat = [0.6, 2, 0]\n";

#[test]
fn a_rope_is_drawn_as_long_as_it_is_taut_or_slack() {
    for rope in [0.6, 0.7, 1.0, 3.0] {
        let tie =
            format!("[[joint]]\nkind = \"rope\"\nb = \"ball\"\nat_a = [0, 2, 0]\nat_b = [0, 0, 0]\nlength = {rope}\n");
        let drawn = lines(&format!("{BALL}{tie}"));
        let far = length(&drawn);
        assert!((far / rope - 1.0).abs() < 0.05, "{rope} m of rope, {far} m of line");
        let lowest = drawn.iter().map(|line| line.from.y.min(line.to.y)).fold(f64::INFINITY, f64::min);
        assert!((lowest < 1.99) == (rope > 0.6), "a slack rope hangs down: {lowest}");
    }
}

#[test]
fn a_spring_goes_from_end_to_end() {
    let tie = "[[force]]\nkind = \"spring\"\nb = \"ball\"\nat_a = [0, 2, 0]\nat_b = [0, 0, 0]\nstiffness = 10\n";
    let drawn = lines(&format!("{BALL}{tie}"));
    let (first, last) = (drawn.first().expect("lines").from, drawn.last().expect("lines").to);
    assert!((first - Vec3::new(0.0, 2.0, 0.0)).norm() < 1e-12, "{first}");
    assert!((last - Vec3::new(0.6, 2.0, 0.0)).norm() < 1e-12, "{last}");
    assert!(drawn.windows(2).all(|pair| pair[0].to == pair[1].from), "it is one line");
}

/// Two beads share a ring: a circle of 0.6 m is 2π 0.6 m long, and drawn once.
#[test]
fn a_wire_is_drawn_once_however_many_run_on_it() {
    let bead = |name: &str, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmass = 1\nshape = {{ kind = \"sphere\", radius = 0.05 }}\nat = [{x}, 2, 0]\n\
             [[joint]]\nkind = \"curve\"\nb = \"{name}\"\nat_b = [0, 0, 0]\n\
             curve = {{ kind = \"circle\", at = [0, 2, 0], axis = [0, 0, 1], radius = 0.6 }}\n"
        )
    };
    let far = length(&lines(&format!("{}{}", bead("one", 0.6), bead("two", -0.6))));
    assert!((far / (1.2 * std::f64::consts::PI) - 1.0).abs() < 0.01, "{far}");
}

#[test]
fn what_has_broken_is_gone() {
    let tie = "[[joint]]\nkind = \"bar\"\nb = \"ball\"\nat_a = [0, 2, 0]\nat_b = [0, 0, 0]\n";
    assert_eq!(lines(&format!("{BALL}{tie}")).len(), 1);
    assert_eq!(lines(&format!("{BALL}{tie}off = true\n")).len(), 0);
}
