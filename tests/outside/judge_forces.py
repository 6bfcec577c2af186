"""Another engine's opinion on a filtered clip: MuJoCo's inverse dynamics of the written poses and the predicted forces.

    python judge_forces.py SINEW CLIP [LARGEST_MEAN [LARGEST_MAX]]

runs `SINEW filter CLIP --report`, builds the figure as a MuJoCo model (free root, ball joints, masses and inertias as told),
puts it through the poses, and asks which wrench on the root the motion needs beside the predicted ground forces. Velocities and
accelerations are differences of the poses at the rate of the clip. Fails when that wrench is, on average, more than
LARGEST_MEAN body weights (0.01), or anywhere more than LARGEST_MAX (0.05).
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import mujoco
import numpy as np

GRAVITY = 9.81


def model_of(segments):
    """The figure as a tree; body frames are those of the joints."""
    spec = mujoco.MjSpec()
    spec.option.gravity = [0.0, -GRAVITY, 0.0]
    spec.option.timestep = 1e-3
    bodies = []
    for segment in segments:
        parent = segment["parent"]
        above = spec.worldbody if parent is None else bodies[parent]
        place = [0.0, 0.0, 0.0] if parent is None else segment["joint_in_parent"]
        body = above.add_body(name=f"segment {len(bodies)}", pos=place)
        body.mass = segment["mass_kg"]
        body.ipos = segment["centre"]
        body.fullinertia = segment["inertia"]
        body.explicitinertial = True
        kind = mujoco.mjtJoint.mjJNT_FREE if parent is None else mujoco.mjtJoint.mjJNT_BALL
        body.add_joint(name=f"joint {len(bodies)}", type=kind)
        bodies.append(body)
    return spec.compile()


def times(p, q):
    """Product of quaternions w, x, y, z."""
    out = np.zeros(4)
    mujoco.mju_mulQuat(out, p, q)
    return out


def coordinates(model, segments, frame):
    """qpos of a frame: place and turn of the root, turns of all others against their parents."""
    qpos = np.zeros(model.nq)
    for k, segment in enumerate(segments):
        start = model.jnt_qposadr[k]
        turn = np.array(frame[k][3:])
        if segment["parent"] is None:
            qpos[start : start + 3] = frame[k][:3]
            qpos[start + 3 : start + 7] = turn
        else:
            above = np.array(frame[segment["parent"]][3:]) * [1, -1, -1, -1]
            qpos[start : start + 4] = times(above, turn)
    mujoco.mj_normalizeQuat(model, qpos)
    return qpos


def between(model, step, before, after):
    velocity = np.zeros(model.nv)
    mujoco.mj_differentiatePos(model, velocity, step, before, after)
    return velocity


def root_wrenches(curves):
    """For each inner frame: force and torque on the root that nothing supplies, N and N·m."""
    segments, rate = curves["segments"], curves["rate_hz"]
    model = model_of(segments)
    data = mujoco.MjData(model)
    step = 1.0 / rate
    poses = [coordinates(model, segments, frame) for frame in curves["segment_frames_xyz_wxyz"]]
    worst_gap, wrenches = 0.0, []
    for t in range(1, len(poses) - 1):
        before, after = between(model, step, poses[t - 1], poses[t]), between(model, step, poses[t], poses[t + 1])
        data.qpos[:] = poses[t]
        data.qvel[:] = 0.5 * (before + after)
        data.qacc[:] = (after - before) / step
        mujoco.mj_kinematics(model, data)
        mujoco.mj_comPos(model, data)
        told = np.array([frame[:3] for frame in curves["segment_frames_xyz_wxyz"][t]])
        worst_gap = max(worst_gap, np.abs(data.xpos[1:] - told).max())
        data.xfrc_applied[:] = 0.0
        applied = np.zeros(model.nv)
        for force in curves["contact_forces"][t]:
            vector, at = np.array(force["force_n"]), np.array(force["at"])
            mujoco.mj_applyFT(model, data, vector, np.zeros(3), at, force["segment"] + 1, applied)
        mujoco.mj_inverse(model, data)
        # The root's torque is told in its own axes; its length is that in the world's.
        wrenches.append((data.qfrc_inverse - applied)[:6].copy())
    return np.array(wrenches), worst_gap


def main():
    sinew, clip = sys.argv[1:3]
    largest_mean = float(sys.argv[3]) if len(sys.argv) > 3 else 0.01
    largest_max = float(sys.argv[4]) if len(sys.argv) > 4 else 0.05
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [sinew, "filter", clip, "--report", str(report)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        told = json.loads(report.read_text())
    weight = told["mass_kg"] * GRAVITY
    height = told["basis"]["after"]["height_m"]
    wrenches, gap = root_wrenches(told["curves"])
    force = np.linalg.norm(wrenches[:, :3], axis=1) / weight
    torque = np.linalg.norm(wrenches[:, 3:], axis=1) / (weight * height)
    print(
        f"{Path(clip).name}: root force mean {force.mean():.5f} max {force.max():.5f} BW, "
        f"torque mean {torque.mean():.5f} max {torque.max():.5f} BW·H, joints {1e3 * gap:.3f} mm apart"
    )
    if not (force.mean() <= largest_mean and force.max() <= largest_max):
        sys.exit(f"MuJoCo disagrees: at most {largest_mean} mean and {largest_max} max were expected")


if __name__ == "__main__":
    main()
