//! Timelines, numbers that change, wind, controllers.

use sinew::scene::{Files, SceneRun};
use std::path::Path;

/// A ball that falls freely from 10 m, with more text.
fn with(text: &str) -> SceneRun {
    let ball = "[[body]]\nname = 'ball'\nmass = 2\nshape = { kind = 'sphere', radius = 0.1 }\nat = [0, 10, 0]\n";
    let files = Files::read(&format!("{ball}{text}"), Path::new("test.toml"), None)
        .unwrap_or_else(|e| panic!("{e}: {:?}", e.help));
    let mut run = SceneRun::new(files, None).unwrap_or_else(|error| panic!("{error}"));
    run.finish(|_| ()).unwrap_or_else(|error| panic!("{error}"));
    assert!(run.holds(), "{:#?}", run.verdicts());
    run
}

#[test]
fn what_is_created_in_time_falls_from_then_on() {
    with(
        "[world]\nduration = 2\n[[event]]\nat = 1\n[[event.body]]\nname = 'shot'\nmass = 1\nshape = { kind = 'sphere', radius = 0.1 }\nat = [5, 5, 0]\nvelocity = [3, 0, 0]\n[[event]]\nat = 0\nrepeat = 3\nevery = 0.5\n[[event.body]]\nname = 'drop{i}'\nmass = 1\nshape = { kind = 'sphere', radius = 0.1 }\nat = ['10 + i', 5, 0]\n[expect.a]\nvalue = 'world.bodies'\nis = 5\nwithin = 0\n[expect.b]\nvalue = 'ball.vy'\nis = '-2*g'\nwithin = '0.1 %'\n",
    );
}

/// What an event brings joins the readings over many that its name matches, also where nobody had such a name at the start.
#[test]
fn what_appears_joins_readings_over_many() {
    let drops = "[world]\nduration = 2\n[[event]]\nat = 0.5\nrepeat = 3\nevery = 0.5\n[[event.body]]\nname = 'drop{i}'\nmass = 1\nshape = { kind = 'sphere', radius = 0.1 }\nat = ['10 + i', 5, 0]\n";
    with(&format!(
        "{drops}[expect.a]\nvalue = 'total(drop*.mass)'\nis = 3\nwithin = 0\n[expect.b]\nvalue = 'total(drop*.mass)'\nat = 1.2\nis = 2\nwithin = 0\n[expect.c]\nvalue = 'highest(drop*.x)'\nis = 12\nwithin = 1e-9\n[expect.d]\nvalue = 'lowest(drop*.vy)'\nis = '-1.5*g'\nwithin = '1 %'\n"
    ));
    for (reading, told) in [("drop*.heigth", "drop{i}"), ("drip*.y", "nothing is called")] {
        let text = format!("{drops}[expect.a]\nvalue = 'lowest({reading})'\nbelow = 1\n");
        let files = Files::read(&text, Path::new("test.toml"), None).expect("it can be read");
        let error = SceneRun::new(files, None).err().expect("nobody is called so").to_string();
        assert!(error.contains(told), "{error}");
    }
}

#[test]
fn what_is_removed_is_gone_and_what_is_switched_off_lets_go() {
    with(
        "[world]\nduration = 2\n[[joint]]\nname = 'nail'\nkind = 'ball'\nb = 'ball'\n[[body]]\nname = 'shelf'\nkind = 'fixed'\nshape = { kind = 'box', size = [1, 0.2, 1] }\nat = [5, 0, 0]\n[[body]]\nname = 'cup'\nmass = 1\nshape = { kind = 'box', size = [0.2, 0.2, 0.2] }\nat = [5, 0.2, 0]\n[[event]]\nat = 1\noff = 'nail'\nremove = 'shelf'\n[expect.held]\nvalue = 'ball.y'\nat = 1\nis = 10\nwithin = 1e-6\n[expect.let_go]\nvalue = 'ball.vy'\nis = '-g'\nwithin = '1 %'\n[expect.cup_stood]\nvalue = 'cup.y'\nat = 1\nis = 0.2\nwithin = 1e-3\n[expect.cup_falls]\nvalue = 'cup.vy'\nis = '-g'\nwithin = '1 %'\n",
    );
}

/// Entries changed at a time: a spring that becomes four times as stiff carries with a quarter of the stretch.
#[test]
fn parameters_change_at_their_time() {
    with(
        "[world]\nduration = 12\n[[force]]\nname = 'spring'\nkind = 'spring'\nb = 'ball'\nat_a = [0, 12, 0]\nrest_length = 1\nstiffness = 50\ndamping = 20\n[[event]]\nat = 6\nset = { 'spring.stiffness' = 200 }\n[expect.soft]\nvalue = '11 - ball.y'\nat = 6\nis = '2*g/50'\nwithin = '1 %'\n[expect.stiff]\nvalue = '11 - ball.y'\nis = '2*g/200'\nwithin = '1 %'\n",
    );
}

/// Any number may be a formula or a curve: gravity, mass, stiffness, the length of a rope, a motor's place.
#[test]
fn numbers_follow_formulas_and_curves() {
    // Gravity that rises with t gives t³/6 of way.
    with(
        "[world]\nduration = 2\nstep = 0.001\ngravity = [0, '-t', 0]\n[expect.a]\nvalue = '10 - ball.y'\nis = '8/6'\nwithin = '0.5 %'\n",
    );
    // A rope that is wound in takes its load along.
    with(
        "[world]\nduration = 3\n[[joint]]\nname = 'rope'\nkind = 'rope'\nb = 'ball'\nat_a = [0, 12, 0]\nat_b = [0, 0, 0]\nlength = { points = [[0, 2], [2, 1]] }\n[expect.a]\nvalue = 'ball.y'\nis = 11\nwithin = 1e-3\n",
    );
    // A spring whose stiffness grows carries ever higher.
    with(
        "[world]\nduration = 10\n[[force]]\nname = 'spring'\nkind = 'spring'\nb = 'ball'\nat_a = [0, 12, 0]\nrest_length = 1\nstiffness = '50 + 15*t'\ndamping = 30\n[expect.a]\nvalue = '11 - ball.y'\nis = '2*g/200'\nwithin = '3 %'\n",
    );
    // A mass that doubles halves the frequency's square: the spring sags twice as far.
    with(
        "[world]\nduration = 12\n[[body]]\nname = 'bucket'\nmass = { points = [[4, 1], [6, 2]] }\nshape = { kind = 'sphere', radius = 0.1 }\nat = [5, 0, 0]\n[[force]]\nkind = 'spring'\nb = 'bucket'\nat_a = [5, 1, 0]\nrest_length = 1\nstiffness = 100\ndamping = 20\n[expect.a]\nvalue = 'bucket.mass'\nis = 2\nwithin = 1e-9\n[expect.b]\nvalue = '-bucket.y'\nis = '2*g/100'\nwithin = '1 %'\n",
    );
    // A hinge led by a formula is where the formula is.
    with(
        "[world]\nduration = 2\n[[body]]\nname = 'arm'\nmass = 1\nshape = { kind = 'rod', length = 1 }\nat = [5.5, 0, 0]\n[[joint]]\nname = 'hinge'\nkind = 'hinge'\nb = 'arm'\nat = [5, 0, 0]\naxis = [0, 0, 1]\n[[joint]]\nkind = 'powered_axis'\nof = 'hinge'\nposition = '0.5*sin(2*t)^2'\n[expect.a]\nmax = 'abs(arm.angle_z - 0.5*sin(2*t)^2)'\nbelow = 1e-3\n",
    );
}

/// A PID controller with an integral holds a ball in the air where it should be.
#[test]
fn a_controller_holds_what_it_senses() {
    with(
        "[world]\nduration = 15\n[[force]]\nname = 'jet'\nkind = 'pid'\non = 'ball'\nalong = [0, 1, 0]\nsense = 'ball.y'\ntarget = 11\nproportional = 40\nintegral = 20\nderivative = 30\nlimit = 200\n[expect.a]\nvalue = 'ball.y'\nis = 11\nwithin = 1e-3\n[expect.b]\nvalue = 'jet.output'\nis = '2*g'\nwithin = '0.5 %'\n",
    );
}

/// A push of a formula gives its integral: ∫ 4 sin t dt over half a turn is 8 N·s.
#[test]
fn a_push_gives_the_integral_of_its_formula() {
    with(
        "[world]\nduration = 3.1415926535\nstep = 0.001\nstepper = 'rk4'\n[[force]]\nkind = 'push'\non = 'ball'\nforce = ['4*sin(t)', 0, 0]\n[expect.a]\nvalue = '2*ball.vx'\nis = 8\nwithin = '0.1 %'\n",
    );
}

/// Loudness can drive any number: a spring's anchor rises with the breath.
#[test]
fn loudness_drives_what_names_it() {
    with(
        "[world]\nduration = 4.8\ngravity = [0, 0, 0]\n[[body]]\nname = 'needle'\nkind = 'scripted'\nshape = { kind = 'box', size = [1, 0.1, 0.1] }\nat = [5, { loudness = 'blow.wav', gain = 2 }, 0]\n[expect.silent]\nmax = 'abs(needle.y)'\nto = 0.4\nbelow = 1e-9\n[expect.loud]\nmean = 'needle.y'\nfrom = 1\nto = 3.5\nabove = 0.4\nbelow = 0.8\n[expect.silent_again]\nvalue = 'abs(needle.y)'\nbelow = 1e-9\n",
    );
}

/// `rise` is the widest climb from a low to what comes later: sin from its low at 3π/2 to its next high is 2, and a thing that
/// only falls never rises.
#[test]
fn a_rise_is_measured_from_the_lowest_before() {
    with(
        "[world]\nduration = 8\n[expect.a]\nrise = 'sin(t)'\nis = 2\nwithin = 1e-4\n[expect.b]\nrise = 'sin(t)'\nto = 4\nis = 1\nwithin = 1e-4\n[expect.c]\nrise = 'ball.y'\nis = 0\nwithin = 0\n",
    );
}

/// Times are numbers like all others: a nail that holds for a time of `[let]`, then a free fall of v = g t for the rest.
#[test]
fn times_may_be_formulas_of_constants() {
    with(
        "[let]\nhold = 0.5\nlast = '3*hold'\n[world]\nduration = 'last'\nstep = '1/400'\n[[joint]]\nname = 'nail'\nkind = 'ball'\nb = 'ball'\nend = 'hold'\n[[force]]\nkind = 'push'\non = 'ball'\nforce = [4, 0, 0]\nstart = '2*hold'\nend = 'last'\n[expect.held]\nvalue = 'ball.y'\nat = 'hold'\nis = 10\nwithin = 1e-6\n[expect.fell]\nvalue = 'ball.vy'\nat = 'last'\nis = '-g*(last - hold)'\nwithin = '0.5 %'\n[expect.pushed]\nchange = '2*ball.vx'\nfrom = 'hold'\nto = 'last'\nis = '4*hold'\nwithin = '1 %'\n",
    );
    let moving =
        "[world]\nduration = '2 + t'\n[[body]]\nname = 'ball'\nmass = 1\nshape = { kind = 'sphere', radius = 0.1 }\n";
    let files = Files::read(moving, Path::new("test.toml"), None).expect("a scene");
    let error = SceneRun::new(files, None).err().expect("a duration that depends on the time is none").to_string();
    assert!(error.contains("test.toml:2") && error.contains("cannot change with time"), "{error}");
}

/// A clip played at a pace v(t) is at ∫v dt: at half and then full speed a walk of 1.33 m/s comes as far as in three
/// quarters of the time. Muscles that tire give way.
#[test]
fn muscles_and_the_pace_of_a_clip_follow_curves() {
    with(
        "[world]\nduration = 2\n[[figure]]\nname = 'man'\nfrom = 'walk'\nspeed = { points = [[0.999, 0.5], [1.001, 1]] }\n[expect.way]\nvalue = 'man.hips.z - at(0, man.hips.z)'\nis = '1.33*1.5'\nwithin = '5 %'\n[expect.follows]\nrms = 'man.tracking'\nbelow = '1 deg'\n",
    );
    with(
        "[world]\nduration = 3\n[[figure]]\nname = 'man'\nfrom = 'idle'\nlooped = true\nfrequency = '16 - 12*smooth(1, 2, t)'\nstrength = { points = [[1, 5], [2, 0.05]] }\nparts = { legs = '1 - 0.2*smooth(1, 2, t)' }\n[expect.load]\nmax = 'man.load'\nbelow = 1.001\n[expect.firm]\nmax = 'man.error'\nto = 1\nbelow = '1 deg'\n[expect.tired]\nvalue = 'man.error'\nabove = '3 deg'\n[expect.stiffness]\nvalue = 'man.left_upper_arm.stiffness/at(1, man.left_upper_arm.stiffness)'\nis = '(4/16)^2'\nwithin = '1 %'\n",
    );
}
