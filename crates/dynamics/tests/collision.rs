//! Where colliders touch: distances against closed forms, manifolds of known situations, order and filters, and the
//! questions that can be asked between steps.

#[path = "collision/distances.rs"]
mod distances;
#[path = "collision/filters.rs"]
mod filters;
#[path = "collision/manifolds.rs"]
mod manifolds;
#[path = "collision/queries.rs"]
mod queries;
#[path = "collision/scene.rs"]
mod scene;
#[path = "collision/shapes.rs"]
mod shapes;
#[path = "collision/surfaces.rs"]
mod surfaces;
#[path = "collision/sweeping.rs"]
mod sweeping;
