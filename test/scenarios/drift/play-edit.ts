import { type KubeObject, type Labels, type ObjectRef, refKey, refOf } from '../../../src/api/kube-object.ts';
import { ownerAnnotation } from '../../../src/api/names.ts';
import type { Routes } from '../../../src/api/routes.ts';
import { missingField } from '../../../src/controller/objects/drift.ts';
import { type Change, RoutingError } from '../../../src/routers/index.ts';
import type { Raw } from '../../fakes/raw.ts';
import { parsed } from '../providers/canary-for.ts';
import type { ProviderFixture } from '../providers/provider-fixture.ts';
import { apexOf, routerOf } from '../shares/split-app.ts';
import type { Edit } from './edits.ts';
import type { Scene } from './scene.ts';

/** What a release looks like while it is held at a step. */
export interface Held {
  phase: string;
  run: number;
  startedMs: number;
  stepStartedMs: number;
  iterations: number;
  failedChecks: number;
  recorded: Routes;
}

/** The cluster as the router sees it. */
interface Live {
  held: Held;
  /** The routes that the objects say. */
  routes: unknown;
  /** What the recorded routes need and the objects do not hold, each by its object. */
  missing: string[];
}

export interface Played {
  before: Live;
  edited: Live;
  /** An object of ours has lost what tells that it is, by the edit and one pass later. */
  isStripped: boolean;
  staysStripped: boolean;
  onePassLater: Live;
  /** The object that holds the weights, without what only a server writes. */
  routeBefore: Content;
  routeAfter: Content;
  /** Of Serin, to the objects that hold routes. */
  writes: number;
  /** Of somebody else. */
  foreign: number;
}

/** One edit, one pass, and what has become of the release and its routes. */
export async function playEdit(
  scene: Scene,
  fixture: ProviderFixture,
  { canary, earlier }: { canary: KubeObject; earlier: KubeObject },
  edit: Edit,
): Promise<Played> {
  const watched = routerOf(fixture).watches(parsed(canary));
  const { name, namespace = '' } = canary.metadata;
  const routeRef = fixture.route({ name, namespace });
  const route = await scene.find(routeRef);
  if (!route) throw new Error('there is no route');
  const look = () => lookAt(scene, fixture, canary);
  const marks = await marksOf(scene, watched);
  /** The same objects, which no longer say whose they are. */
  const stripped = async (): Promise<boolean> => {
    const now = await marksOf(scene, watched);
    return [...marks].some(([uid, isMarked]) => isMarked && now.get(uid) === false);
  };
  const before = await look();
  const written = await scene.writes(watched);
  const hands = { foreign: 0 };
  await edit.play(counting(scene, hands), { route, earlier, canary });
  const edited = await look();
  const isStripped = await stripped();
  await scene.onePass(async () => (await look()).missing.length === 0 && !(await stripped()));
  const routeAfter = contentOf(await scene.find(routeRef));
  const writes = (await scene.writes(watched)) - written;
  return {
    before,
    edited,
    isStripped,
    staysStripped: await stripped(),
    onePassLater: await look(),
    routeBefore: contentOf(route),
    routeAfter,
    writes,
    ...hands,
  };
}

function counting(scene: Scene, hands: { foreign: number }): Scene {
  const counted =
    <A extends unknown[]>(act: (...args: A) => Promise<void>) =>
    (...args: A): Promise<void> => {
      hands.foreign += 1;
      return act(...args);
    };
  const { put, create, patch } = scene;
  return { ...scene, put: counted(put), create: counted(create), patch: counted(patch), delete: counted(scene.delete) };
}

interface Content {
  spec: unknown;
  labels: Labels;
  annotations: Labels;
}

function contentOf(object: KubeObject | undefined): Content {
  const { labels = {}, annotations = {} } = object?.metadata ?? {};
  return { spec: object?.spec, labels, annotations };
}

export async function lookAt(scene: Scene, fixture: ProviderFixture, first: KubeObject): Promise<Live> {
  const raw = await scene.find(refOf(first));
  if (!raw) throw new Error('the Canary is gone');
  const router = routerOf(fixture);
  const canary = parsed(raw);
  const held = heldIn(raw);
  const current = (await Promise.all(router.watches(canary).map((ref) => scene.find(ref)))).flatMap((object) => object ?? []);
  const missing = missingIn(current, () => router.render(canary, apexOf(first.metadata), held.recorded, current));
  return { held, routes: router.readRoutes(canary, current), missing };
}

async function marksOf(scene: Scene, refs: readonly ObjectRef[]): Promise<Map<string, boolean>> {
  const objects = (await Promise.all(refs.map((ref) => scene.find(ref)))).flatMap((object) => object ?? []);
  return new Map(objects.map(({ metadata }) => [metadata.uid ?? '', metadata.annotations?.[ownerAnnotation] !== undefined]));
}

function missingIn(current: readonly KubeObject[], render: () => Change): string[] {
  try {
    const { write, remove } = render();
    const missing = write.flatMap((object) => {
      const found = current.find((one) => refKey(refOf(one)) === refKey(refOf(object)));
      const field = found ? missingField(object, found) : 'all of it';
      return field === undefined ? [] : [`${object.kind} ${object.metadata.name}: ${field}`];
    });
    return [...missing, ...remove.map((ref) => `${ref.kind} ${ref.name} is still there`)];
  } catch (error) {
    // What the routes are made from has been taken away.
    if (error instanceof RoutingError) return [error.message];
    throw error;
  }
}

function heldIn({ status }: Raw): Held {
  const { phase, iterations, failedChecks, release } = status ?? {};
  const { run, startedMs, stepStartedMs, routes } = release ?? {};
  return { phase, run, startedMs, stepStartedMs, iterations, failedChecks, recorded: routes };
}
