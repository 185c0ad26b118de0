import { type KubeObject, type Labels, type ObjectRef, refKey, refOf } from '../../../src/api/kube-object.ts';
import { ownerAnnotation } from '../../../src/api/names.ts';
import type { Routes } from '../../../src/api/routes.ts';
import { missingField } from '../../../src/controller/objects/drift.ts';
import { type RouteChange, RoutingError } from '../../../src/routers/index.ts';
import type { Raw } from '../../fakes/raw.ts';
import { parsed } from '../providers/canary-for.ts';
import type { ProviderFixture } from '../providers/provider-fixture.ts';
import { apexOf, routerOf } from '../shares/split-app.ts';
import type { Edit } from './edits.ts';
import type { LiveRelease } from './live-release.ts';

/** State of a release while it is held at a step. */
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
  /** Fields that the recorded routes need and that the objects lack, each by its object. */
  missing: string[];
}

export interface Played {
  before: Live;
  edited: Live;
  /** An object of ours has lost the mark of its owner, by the edit and one pass later. */
  isStripped: boolean;
  staysStripped: boolean;
  onePassLater: Live;
  /** The object that holds the weights, without what only a server writes. */
  routeBefore: Content;
  routeAfter: Content;
  /** Writes of Serin, to the objects that hold routes. */
  writes: number;
  /** Writes of another writer. */
  foreign: number;
}

/** One edit, one pass, and what has become of the release and its routes. */
export async function runEdit(
  release: LiveRelease,
  fixture: ProviderFixture,
  { canary, earlier }: { canary: KubeObject; earlier: KubeObject },
  edit: Edit,
): Promise<Played> {
  const watched = routerOf(fixture).watches(parsed(canary));
  const { name, namespace = '' } = canary.metadata;
  const routeRef = fixture.route({ name, namespace });
  const route = await release.find(routeRef);
  if (!route) throw new Error('route not found');
  const look = () => lookAt(release, fixture, canary);
  const marks = await marksOf(release, watched);
  /** The same objects, without the mark of their owner. */
  const stripped = async (): Promise<boolean> => {
    const now = await marksOf(release, watched);
    return [...marks].some(([uid, isMarked]) => isMarked && now.get(uid) === false);
  };
  const before = await look();
  const written = await release.writes(watched);
  const counter = { foreign: 0 };
  await edit.apply(counting(release, counter), { route, earlier, canary });
  const edited = await look();
  const isStripped = await stripped();
  await release.onePass(async () => (await look()).missing.length === 0 && !(await stripped()));
  const routeAfter = contentOf(await release.find(routeRef));
  const writes = (await release.writes(watched)) - written;
  return {
    before,
    edited,
    isStripped,
    staysStripped: await stripped(),
    onePassLater: await look(),
    routeBefore: contentOf(route),
    routeAfter,
    writes,
    ...counter,
  };
}

function counting(release: LiveRelease, counter: { foreign: number }): LiveRelease {
  const counted =
    <A extends unknown[]>(act: (...args: A) => Promise<void>) =>
    (...args: A): Promise<void> => {
      counter.foreign += 1;
      return act(...args);
    };
  const { put, create, patch } = release;
  return { ...release, put: counted(put), create: counted(create), patch: counted(patch), delete: counted(release.delete) };
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

export async function lookAt(release: LiveRelease, fixture: ProviderFixture, first: KubeObject): Promise<Live> {
  const raw = await release.find(refOf(first));
  if (!raw) throw new Error('the Canary is gone');
  const router = routerOf(fixture);
  const canary = parsed(raw);
  const held = heldIn(raw);
  const current = (await Promise.all(router.watches(canary).map((ref) => release.find(ref)))).flatMap((object) => object ?? []);
  const missing = missingIn(current, () => router.render(canary, apexOf(first.metadata), held.recorded, current));
  return { held, routes: router.readRoutes(canary, current), missing };
}

async function marksOf(release: LiveRelease, refs: readonly ObjectRef[]): Promise<Map<string, boolean>> {
  const objects = (await Promise.all(refs.map((ref) => release.find(ref)))).flatMap((object) => object ?? []);
  return new Map(objects.map(({ metadata }) => [metadata.uid ?? '', metadata.annotations?.[ownerAnnotation] !== undefined]));
}

function missingIn(current: readonly KubeObject[], render: () => RouteChange): string[] {
  try {
    const { write, remove } = render();
    const missing = write.flatMap((object) => {
      const found = current.find((one) => refKey(refOf(one)) === refKey(refOf(object)));
      const field = found ? missingField(object, found) : 'all of it';
      return field === undefined ? [] : [`${object.kind} ${object.metadata.name}: ${field}`];
    });
    return [...missing, ...remove.map((ref) => `${ref.kind} ${ref.name} is still there`)];
  } catch (error) {
    // The object from which the routes are made was deleted.
    if (error instanceof RoutingError) return [error.message];
    throw error;
  }
}

function heldIn({ status }: Raw): Held {
  const { phase, iterations, failedChecks, release } = status ?? {};
  const { run, startedMs, stepStartedMs, routes } = release ?? {};
  return { phase, run, startedMs, stepStartedMs, iterations, failedChecks, recorded: routes };
}
