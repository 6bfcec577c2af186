//! One posture in which all skeletons can be compared, whatever their rest poses.

pub(crate) mod reference;
