import { spawnSync } from 'node:child_process';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Played } from './play.ts';

/** Serin broken on purpose: a client has to notice within `MOST_LIVES`. */
export interface Breakage {
  name: string;
  /** One of them is broken by it. */
  invariants: readonly string[];
  /** Each `find` occurs exactly once in its file, which is in `src`. */
  changes: readonly Change[];
  /** Lives of this kind of target; default Deployment. */
  of?: 'Knative Service';
}
interface Change {
  file: string;
  find: string;
  replace: string;
}

export const breakages: readonly Breakage[] = [
  {
    name: 'a brake that blocks checks',
    invariants: ['I18'],
    changes: [
      {
        file: 'controller/reconcile/outcome.ts',
        find: "code: undoing.by === 'another' ? 'RouteContested' : 'RouteUnconfirmed',",
        replace: "code: 'RouteUnconfirmed',",
      },
      { file: 'controller/reconcile/outcome.ts', find: '({ ...HELD, retryInMs: ms })', replace: 'retryIn(ms)' },
      {
        file: 'engine/conditions/hold-ups.ts',
        find: 'return event.facts.converged || event.facts.unconfirmed !== undefined;',
        replace: 'return event.facts.converged;',
      },
    ],
  },
  {
    name: 'unpromoted bytes at deletion',
    invariants: ['I19'],
    changes: [{ file: 'controller/deletion/hand-over.ts', find: 'if (promoted.length === 0)', replace: 'if (promoted.length >= 0)' }],
  },
  {
    name: 'a crash that is not counted',
    invariants: ['I20'],
    changes: [
      {
        file: 'workloads/pods/failings.ts',
        find: 'if (before?.wasReady !== true || now.isExcused)',
        replace: 'if (before !== null || now.isExcused)',
      },
      {
        file: 'workloads/pods/failings.ts',
        find: 'return { crashes, lost, unready, ...(last',
        replace: 'return { crashes, lost, unready: 0 * unready, ...(last',
      },
    ],
  },
  {
    name: "a stale owner's mark",
    invariants: ['I18'],
    changes: [
      {
        file: 'controller/objects/known-annotations.ts',
        find: '    ...(isOwned && { [ownerAnnotation]: owner.canary.metadata.uid }),',
        replace: '    ...((uid ?? lost) !== undefined && { [ownerAnnotation]: uid ?? lost }),',
      },
      {
        file: 'controller/objects/known-annotations.ts',
        find: 'this.#remember(answered, marksOf(owner, answered));',
        replace: 'this.restored(owner, answered);',
      },
    ],
  },
  {
    name: 'a label that is computed anew',
    invariants: ['I7'],
    changes: [
      {
        file: 'api/selector-label.ts',
        find: 'if (held === undefined || own === undefined) {',
        replace: 'if (held === undefined || own !== null) {',
      },
    ],
  },
  {
    name: 'a restored object that is not adopted',
    invariants: ['I18', 'I19'],
    changes: [
      {
        file: 'controller/adoption/adopt-restored.ts',
        find: '|| !isLeft(canary, found, view)',
        replace: '|| isLeft(canary, found, view) || found',
      },
    ],
  },
  {
    name: 'a record of a promotion that is not looked for',
    invariants: ['I3', 'I19'],
    changes: [
      {
        file: 'controller/reconcile/sides.ts',
        find: 'const [promoted] = promotionsIn(records);',
        replace: 'const [promoted] = promotionsIn(records.slice(records.length));',
      },
    ],
  },
  {
    name: 'weights that are more than all requests',
    invariants: ['I1'],
    changes: [{ file: 'routers/weights.ts', find: 'ALL - canaryWeight;', replace: 'ALL - canaryWeight + Math.sign(canaryWeight);' }],
  },
  {
    name: 'a restart that signs each status',
    invariants: ['I8'],
    changes: [
      {
        file: 'controller/status/draft.ts',
        find: 'signedBy((stored as Partial<CanaryStatus> | undefined)?.release, recorded)',
        replace: 'signedBy(signature, recorded)',
      },
    ],
  },
  {
    name: 'a pause for proxies that does not end',
    invariants: ['no stall'],
    changes: [
      {
        file: 'engine/conditions/time.ts',
        find: 'return facts.nowMs >= context.release.stepStartedMs + facts.scaleDownDelayMs;',
        replace: 'return facts.nowMs < context.release.stepStartedMs - facts.scaleDownDelayMs;',
      },
    ],
  },
  {
    name: 'an older Revision that answers after a deletion',
    invariants: ['I19'],
    of: 'Knative Service',
    changes: [
      {
        file: 'workloads/knative/knative.ts',
        find: 'return primaryRevision(service) === undefined || latestServing',
        replace: 'return primaryRevision(service) !== null || latestServing',
      },
    ],
  },
  {
    name: 'a Service that is made again and counts as the former one',
    invariants: ['I18', 'I19'],
    of: 'Knative Service',
    changes: [
      {
        file: 'api/knative.ts',
        find: 'return release.targetUid !== uid ||',
        replace: 'return release.targetUid === null ||',
      },
    ],
  },
];

const MOST_LIVES = 100;
const src = join(import.meta.dirname, '..', '..', 'src');

/** Modules that are loaded from now on are the broken ones; no file is written. */
export function breakModules({ changes }: Pick<Breakage, 'changes'>): void {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const due = changes.filter(({ file }) => url === pathToFileURL(join(src, file)).href);
      if (due.length === 0) return loaded;
      return { ...loaded, source: due.reduce(changed, String(loaded.source)) };
    },
  });
}

export function breakageOf(name: string): Breakage {
  const found = breakages.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no breakage ${name}; there are: ${breakages.map((each) => each.name).join(', ')}`);
  return found;
}

/** Life that shows the breakage, and the break in it. `undefined` if no life does. */
async function findIn(breakage: Breakage): Promise<string | undefined> {
  breakModules(breakage);
  const playLife = await playerOf(breakage);
  for (let seed = 1; seed <= MOST_LIVES; seed += 1) {
    const { breaks } = await playLife(seed);
    const noticed = breaks.find(({ invariant }) => breakage.invariants.includes(invariant));
    if (noticed) return `life ${seed}: ${noticed.invariant}: ${noticed.text}`;
  }
  return undefined;
}

/** Loads the code under test. */
async function playerOf({ of }: Breakage): Promise<(seed: number) => Promise<Played>> {
  const { play } = await import('./play.ts');
  if (of === 'Knative Service') {
    const [{ knativeLifeOf }, { inVirtualTime }] = await Promise.all([import('./knative/life.ts'), import('./knative/virtual-lives.ts')]);
    return (seed) => inVirtualTime(knativeLifeOf(seed), play);
  }
  const [{ lifeOf }, { modelledWorld }] = await Promise.all([import('./life.ts'), import('./modelled-world.ts')]);
  return (seed) => play(lifeOf(seed), modelledWorld);
}

function changed(code: string, { file, find, replace }: Change): string {
  const parts = code.split(find);
  if (parts.length !== 2) throw new Error(`${file}: ${parts.length - 1} times, and not once: ${find}`);
  return parts.join(replace);
}

/** Each in a process of its own, since a module is loaded once: `program` with the name of the breakage. The exit code. */
export function runEach(program: string, all: readonly Pick<Breakage, 'name'>[], within: string): number {
  let missed = 0;
  for (const { name } of all) {
    const { stdout, status } = spawnSync(process.execPath, [program, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] });
    if (status !== 0) missed += 1;
    process.stdout.write(`${name}: ${stdout.trim() || 'NOT FOUND'}\n`);
  }
  process.stdout.write(`${all.length - missed} of ${all.length} breakages are found within ${within}.\n`);
  return missed === 0 ? 0 : 1;
}

if (import.meta.main) {
  const [name] = process.argv.slice(2);
  if (name === undefined) process.exit(runEach(import.meta.filename, breakages, `${MOST_LIVES} lives`));
  const text = await findIn(breakageOf(name));
  if (text !== undefined) process.stdout.write(`${text}\n`);
  process.exit(text === undefined ? 1 : 0);
}
