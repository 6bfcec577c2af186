//! Kinds of files that programs and data sets write, as far as published facts tell: units, up axes, rest poses, channels and names.

use super::variants::{PLAIN, Variant};
use sinew::formats::{Unit, UpAxis};

/// A kind of file, and the factors in which it differs from the plain form.
pub struct Kind {
    pub name: &'static str,
    pub variant: Variant,
}

/// Returns all kinds.
#[rustfmt::skip]
pub fn all() -> Vec<Kind> {
    let (inch, metre, z) = (Unit::INCH, Unit::METRE, UpAxis::PlusZ);
    let plain = Variant { names: "Mixamo", ..PLAIN };
    let kind = |name: &'static str, variant: Variant| Kind { name, variant };
    vec![
        kind("LAFAN1: every bone along +X, cm", Variant { rest: "+X", tree: "no fingers", ..plain }),
        kind("ACCAD: spine and arms along +X", Variant { rest: "legs -Y, rest +X", ..plain }),
        kind("Bandai: six channels, along +X", Variant { rest: "+X", channels: "replace", ..plain }),
        kind("Xsens: vertebrae, feet", Variant { names: "Xsens", tree: "no fingers", ..plain }),
        kind("Vicon: Acclaim names, own axes, mm", Variant { names: "Acclaim", rest: "own axes", unit: Unit::MILLIMETRE, ..plain }),
        kind("SFU: Acclaim names, hip joints, inch", Variant { names: "Acclaim", tree: "hip joints", unit: inch, ..plain }),
        kind("Noitom: positions on every joint", Variant { channels: "replace", start: "starts in a T", ..plain }),
        kind("Truebones: Z up, inch, Biped names", Variant { names: "Biped", up: z, unit: inch, ..plain }),
        kind("MANN: cm, root above", Variant { tree: "two roots above", channels: "root offset", ..plain }),
        kind("100STYLE: cm, five fingers, own axes", Variant { rest: "cube axes", tree: "no fingers", ..plain }),
        kind("ZeroEGGS: 75 joints, along +X", Variant { rest: "+X", tree: "five fingers", channels: "replace", ..plain }),
        kind("Motorica: no fingers, cm", Variant { tree: "no fingers", channels: "root offset", ..plain }),
        kind("BEAT: fingers and face", Variant { tree: "face bones", channels: "replace", ..plain }),
        kind("Unreal: ik and twist bones, Z up", Variant { names: "Unreal", tree: "ik bones", up: z, ..plain }),
        kind("Unreal: twist bones, +X", Variant { names: "Unreal", tree: "twist bones", rest: "+X", ..plain }),
        kind("Rigify: DEF names, Z up, m", Variant { names: "Rigify", up: z, unit: metre, ..plain }),
        kind("VRM: J_Bip names, skirt, m", Variant { names: "VRM", tree: "skirt", unit: metre, ..plain }),
        kind("MMD: Japanese names", Variant { names: "MMD", unit: metre, ..plain }),
        kind("Chinese names, Y up", Variant { names: "Chinese", ..plain }),
        kind("German names, Z up", Variant { names: "German", up: z, ..plain }),
        kind("Joint_12, m", Variant { names: "Joint_12", unit: metre, ..plain }),
        kind("Joint_12, along +X", Variant { names: "Joint_12", rest: "+X", ..plain }),
        kind("SMPL: m, Y up", Variant { names: "SMPL", tree: "no fingers", unit: metre, ..plain }),
        kind("Daz: cm, mixed channels", Variant { names: "Daz", channels: "mixed", ..plain }),
        kind("begins lying", Variant { start: "starts lying", ..plain }),
        kind("begins crawling, +X", Variant { start: "starts crawling", rest: "+X", ..plain }),
        kind("begins head down, Z up", Variant { start: "starts head down", up: z, ..plain }),
        kind("sits throughout", Variant { start: "sits", ..plain }),
        kind("sits throughout, +X, Z up", Variant { start: "sits", rest: "+X", up: z, ..plain }),
        kind("lies throughout", Variant { start: "lies", ..plain }),
        kind("crawls throughout, Z up", Variant { start: "crawls", up: z, ..plain }),
        kind("one frame", Variant { start: "one frame", ..plain }),
        kind("one frame, +X, Z up", Variant { start: "one frame", rest: "+X", up: z, ..plain }),
        kind("no motion", Variant { start: "no motion", ..plain }),
        kind("no motion, Joint_12, Z up", Variant { start: "no motion", names: "Joint_12", up: z, ..plain }),
    ]
}
