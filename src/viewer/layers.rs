//! Layers by name: one table for the command line and for the check boxes of the window.

use crate::show::Layers;

/// Layer of the picture with its names.
pub struct NamedLayer<'a> {
    /// Name on the command line.
    pub name: &'static str,
    /// Label in the window.
    pub words: &'static str,
    /// Flag of the layer.
    pub on: &'a mut bool,
}

/// All layers in the order of the window.
pub fn named_layers(layers: &mut Layers) -> [NamedLayer<'_>; 15] {
    let named = |name, words, on| NamedLayer { name, words, on };
    [
        named("mesh", "skin", &mut layers.mesh),
        named("mannequin", "mannequin", &mut layers.mannequin),
        named("shapes", "collision shapes", &mut layers.shapes),
        named("skeleton", "skeleton", &mut layers.skeleton),
        named("limits", "joint limits", &mut layers.limits),
        named("ghost", "ghost of the source", &mut layers.ghost),
        named("onion", "poses before and after", &mut layers.onion),
        named("contacts", "contact points", &mut layers.contacts),
        named("contact_forces", "contact forces", &mut layers.contact_forces),
        named("torques", "joint torques", &mut layers.torques),
        named("reactions", "joint reactions", &mut layers.reactions),
        named("residual", "help to the root", &mut layers.residual),
        named("centre_of_mass", "centre of mass", &mut layers.centre_of_mass),
        named("support", "support polygon", &mut layers.support),
        named("zero_moment_point", "zero-moment point", &mut layers.zero_moment_point),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A layer that is added later must get a name too.
    #[test]
    fn the_names_reach_every_layer() {
        let mut layers = Layers::NONE;
        named_layers(&mut layers).into_iter().for_each(|layer| *layer.on = true);
        assert_eq!(layers, Layers::ALL);
    }
}
