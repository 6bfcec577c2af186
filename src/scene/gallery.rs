//! Built-in scenes and their data, compiled into the program.

/// Built-in scene.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Name on the command line.
    pub name: &'static str,
    /// File name in messages.
    pub file: &'static str,
    /// Text of the scene file.
    pub text: &'static str,
}

macro_rules! scenes {
    ($($name:literal),* $(,)?) => {
        /// All built-in scenes.
        pub const ALL: &[Entry] = &[$(Entry {
            name: $name,
            file: concat!($name, ".toml"),
            text: include_str!(concat!("../../data/scenes/", $name, ".toml")),
        }),*];
    };
}

scenes!(
    "contact_impacts",
    "contact_friction",
    "contact_overlaps",
    "joints",
    "chain",
    "structure",
    "cycles",
    "carousel",
    "carousel_euler",
    "carousel_midpoint",
    "carousel_velocity",
    "falling_objects",
    "vehicle",
    "vehicle_stop",
    "animation",
    "loose_arms",
    "limited_forces",
    "obstacles",
    "pointing_arm",
    "basket",
    "umbrella",
    "fat_man",
    "combined_animation",
    "markers",
    "hanged_man",
    "staircase",
    "chain_release",
    "bicycle_bent",
    "bicycle_straight",
    "coupled_pendula",
    "door_closer",
    "roller_coaster",
    "trapeze",
    "ball_to_nail",
    "compound_pendulum",
    "path",
    "towers",
    "space_station",
    "card_house",
    "pandora",
    "nail_pendulum",
    "windmill",
    "transition",
    "gears",
    "mobile",
    "clock_retainer",
    "tensegrity",
    "police_car",
    "three_bar",
    "four_bar",
    "can_car",
);

macro_rules! data {
    ($($name:literal $path:literal),* $(,)?) => {
        const DATA: &[(&str, &[u8])] = &[$(($name, include_bytes!(concat!("../../data/", $path)))),*];
    };
}

data!(
    "walk" "clips/walk.bvh",
    "run" "clips/run.bvh",
    "idle" "clips/idle.bvh",
    "wave" "clips/wave.bvh",
    "actor" "characters/actor.glb",
    "blow.wav" "scenes/blow.wav",
);

/// Finds a scene by name.
pub fn find(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.name == name)
}

/// Finds a scene by file name, for includes.
pub(crate) fn find_file(name: &str) -> Option<&'static Entry> {
    ALL.iter().find(|entry| entry.file == name)
}

/// Finds a built-in data file.
pub(crate) fn data(name: &str) -> Option<&'static [u8]> {
    DATA.iter().find(|(known, _)| *known == name).map(|(_, bytes)| *bytes)
}

/// Names of the built-in data files.
pub(crate) fn data_names() -> impl Iterator<Item = &'static str> {
    DATA.iter().map(|(name, _)| *name)
}
