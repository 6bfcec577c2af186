// Opens a BVH or glTF file with three.js and tells where its joints are at given times.
import { readFileSync } from 'node:fs';
import { dirname, extname, resolve } from 'node:path';

// three.js expects a browser; these are the parts of one that its loaders touch.
globalThis.self ??= globalThis;
globalThis.ProgressEvent ??= class ProgressEvent {};

const THREE = await import('three');
const { BVHLoader } = await import('three/addons/loaders/BVHLoader.js');
const { GLTFLoader } = await import('three/addons/loaders/GLTFLoader.js');

const arrayBuffer = (bytes) => bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);

/** @returns {{root, joints: Map<string, object>, clips: object[]}} */
export async function openScene(file) {
  return extname(file).toLowerCase() === '.bvh' ? openBvh(file) : openGltf(file);
}

function openBvh(file) {
  const { skeleton, clip } = new BVHLoader().parse(readFileSync(file, 'utf8'));
  const joints = skeleton.bones.filter((bone) => bone.name !== 'ENDSITE');
  return { root: skeleton.bones[0], joints: new Map(joints.map((bone) => [bone.name, bone])), clips: [clip] };
}

async function openGltf(file) {
  const loader = new GLTFLoader();
  // Pictures cannot be decoded without a browser, and no joint depends on one.
  loader.register((parser) => {
    parser.loadTexture = async () => new THREE.Texture();
    return { name: 'NO_PICTURES' };
  });
  THREE.FileLoader.prototype.load = (url, done, _progress, failed) => {
    try {
      const bytes = url.startsWith('data:')
        ? Buffer.from(url.slice(url.indexOf(',') + 1), 'base64')
        : readFileSync(resolve(dirname(file), decodeURIComponent(url)));
      done(arrayBuffer(bytes));
    } catch (error) {
      failed?.(error);
    }
  };
  const bytes = readFileSync(file);
  const content = extname(file).toLowerCase() === '.gltf' ? bytes.toString('utf8') : arrayBuffer(bytes);
  const gltf = await loader.parseAsync(content, '');
  const joints = new Map();
  gltf.scene.traverse((node) => {
    // The loader renames nodes for its own use and keeps the file's name aside.
    if (node.isBone) joints.set(node.userData.name ?? node.name, node);
  });
  return { root: gltf.scene, joints, clips: gltf.animations };
}

/** World positions by joint name at `time` seconds of the clip: Map of name to [x, y, z]. */
export function positionsAt(scene, clip, time) {
  const mixer = new THREE.AnimationMixer(scene.root);
  const action = mixer.clipAction(clip);
  action.setLoop(THREE.LoopOnce);
  action.clampWhenFinished = true;
  action.play();
  mixer.setTime(Math.min(time, clip.duration));
  scene.root.updateMatrixWorld(true);
  const place = new THREE.Vector3();
  const found = new Map();
  for (const [name, joint] of scene.joints) found.set(name, joint.getWorldPosition(place).toArray());
  mixer.stopAllAction();
  mixer.uncacheRoot(scene.root);
  return found;
}
