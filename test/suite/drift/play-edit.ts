import { type KubeObject, type Labels, refKey, refOf } from '../../../src/api/kube-object.ts';
import type { Routes } from '../../../src/api/routes.ts';
import { missingField } from '../../../src/controller/drift.ts';
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
  onePassLater: Live;
  /** The object that holds the weights, without what only a server writes. */
  routeBefore: Content;
  routeAfter: Content;
  /** Of Serin, to the objects that hold routes. */
  writes: number;
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
  const before = await look();
  const written = await scene.writes(watched);
  await edit.play(scene, { route, earlier, canary });
  const edited = await look();
  await scene.onePass(async () => (await look()).missing.length === 0);
  const routeAfter = contentOf(await scene.find(routeRef));
  const writes = (await scene.writes(watched)) - written;
  return { before, edited, onePassLater: await look(), routeBefore: contentOf(route), routeAfter, writes };
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
  const { write, remove } = router.render(canary, apexOf(first.metadata), held.recorded, current);
  const missing = write.flatMap((object) => {
    const found = current.find((one) => refKey(refOf(one)) === refKey(refOf(object)));
    const field = found ? missingField(object, found) : 'all of it';
    return field === undefined ? [] : [`${object.kind} ${object.metadata.name}: ${field}`];
  });
  const left = remove.map((ref) => `${ref.kind} ${ref.name} is still there`);
  return { held, routes: router.readRoutes(canary, current), missing: [...missing, ...left] };
}

function heldIn({ status }: KubeObject): Held {
  const { phase, iterations, failedChecks, release } = status ?? {};
  const { run, startedMs, stepStartedMs, routes } = release ?? {};
  return { phase, run, startedMs, stepStartedMs, iterations, failedChecks, recorded: routes };
}
