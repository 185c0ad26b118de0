import { drawer } from '../fakes/model/life.ts';
import { aDisaster, aRestore, type Disaster } from './disasters.ts';

/** The first word of a version's name is its behaviour; pods of all versions except `broken` become ready. */
export type Version = `good-${number}` | `bad-${number}` | `exits-${number}` | `oom-${number}` | `flaps-${number}` | 'broken';

/** An action of users, of nodes or of Serin's machine. Names of Canaries are free; the application has one target and one Service. */
export type Action =
  | { do: 'push'; version: Version }
  /** The target's previous template. */
  | { do: 'push back' }
  | { do: 'delete the Canary' }
  | { do: 'create a Canary'; name: string }
  /** `kubectl replace --force`, Argo CD Replace: deleted and created at once, with a new uid. */
  | { do: 'replace --force' }
  | { do: 'rename'; name: string; first: 'delete' | 'create' }
  | { do: 'edit the spec'; stepWeight: number }
  | { do: 'suspend' }
  | { do: 'resume' }
  /** The user's explicit statement that the target's current version is to serve. */
  | { do: 'accept' }
  /** `to`: the traffic that the user gives a Knative Service. */
  | { do: 'edit the route by hand'; to?: KnativeEdit }
  /** Deployment and Service as Git has them: pods of the version that was pushed last, and a Service that leads to them. */
  | { do: 'apply the manifests again' }
  /** Another controller writes a field back whenever Serin has corrected it. */
  | { do: 'contest'; what: 'route' | 'Service'; forMs: number }
  | { do: 'helm uninstall'; order: readonly Part[]; gapMs: number }
  | { do: 'helm install'; version: Version }
  | { do: 'delete the namespace' }
  /** The target is deleted and made again with other labels, as a chart of another name does. */
  | { do: 'relabel the target' }
  | { do: 'kill Serin'; forMs: number; selectorLabels?: readonly string[] }
  | { do: 'crash'; side: Side; how: 'exit' | 'oom' | 'flap'; ms: number }
  | { do: 'drain'; side: Side; how: 'EvictionByEvictionAPI' | 'DeletionByTaintManager'; ms: number }
  | Disaster;
export type KnativeEdit = 'all to the newest' | 'half and half' | 'to the first one' | 'a tag' | 'no annotation';
export type Part = 'target' | 'Canary' | 'Service';
export type Side = 'target' | 'primary';

/** When: right away, or when a release is at this step, if that comes within two minutes; so long after it. */
export interface Timed {
  at: Moment;
  afterMs: number;
  action: Action;
}
export const moments = [
  'now',
  'resting',
  'creatingPrimary',
  'takingTraffic',
  'scalingUp',
  'settling',
  'analysing',
  'writingPrimary',
  'awaitingPrimary',
  'draining',
] as const;
export type Moment = (typeof moments)[number];

export interface Life {
  seed: number;
  hasScaler: boolean;
  revertOnDeletion: boolean;
  /** The user has an apex Service; without one Serin makes it. */
  hasService: boolean;
  /** Without a mesh the apex Service itself leads to one side or the other. Default: Istio. */
  provider?: 'kubernetes' | 'smi:v1alpha2' | 'appmesh:v1beta2' | 'knative';
  actions: readonly Timed[];
}

/** A life of a Deployment with its Service, on Istio; it differs in these fields. */
export const foundLife = (seed: number, differs: Partial<Life>, actions: Life['actions']): Life => ({
  seed,
  ...{ hasScaler: false, revertOnDeletion: false, hasService: true },
  ...differs,
  actions,
});

export type Draw = (from: number, to: number) => number;
const LABELS = [['app.kubernetes.io/name', 'app'], ['app']] as const;
const ORDERS: readonly (readonly Part[])[] = [
  ['target', 'Canary', 'Service'],
  ['Canary', 'target', 'Service'],
  ['Service', 'Canary', 'target'],
  ['target', 'Service', 'Canary'],
];

/** Everything that a life is follows from its seed. */
export function lifeOf(seed: number): Life {
  const draw = drawer(seed * 7919 + 1);
  for (let warm = 0; warm < 3; warm += 1) draw(0, 2); // neighbouring seeds begin alike
  const hasScaler = draw(0, 4) === 0;
  const revertOnDeletion = draw(0, 4) === 0;
  const hasService = draw(0, 3) > 0;
  let pushed = 1;
  const next = (kinds: readonly string[]): Version => {
    pushed += 1;
    const kind = kinds[draw(0, kinds.length)] ?? 'good';
    return kind === 'broken' ? 'broken' : (`${kind}-${pushed}` as Version);
  };
  const actions: Timed[] = [];
  const length = draw(3, 9);
  while (actions.length < length) {
    const kind = draw(0, 12);
    const drawn =
      kind < 4
        ? afterAPush(draw, next)
        : kind === 4
          ? aSeries(draw, next)
          : kind === 5
            ? aContestedPush(draw, next)
            : [{ at: aMoment(draw), afterMs: draw(0, 15_000), action: anAction(draw, next) }];
    actions.push(...drawn);
  }
  const life: Life = { seed, hasScaler, revertOnDeletion, hasService, actions };
  // Drawn apart, so that seeds keep their lives.
  const apart = drawer(seed * 104_729 + 7);
  for (let warm = 0; warm < 3; warm += 1) apart(0, 2);
  if (apart(0, 5) === 0) return struck({ ...life, provider: 'kubernetes', actions: [...actions, ...aSyncAfterAll(apart, next)] }, next);
  return struck(apart(0, 5) > 0 ? life : { ...life, actions: [...actions, ...aFailureUnderContest(apart, next)] }, next);
}

/** Adds a disaster to two lives of five, a return to one of eight, and other meshes to two of five lives with a mesh; drawn separately. */
function struck(life: Life, next: (kinds: readonly string[]) => Version): Life {
  const apart = drawer(life.seed * 15_485_863 + 11);
  for (let warm = 0; warm < 3; warm += 1) apart(0, 2);
  const provider = life.provider ?? ([undefined, undefined, undefined, 'smi:v1alpha2', 'appmesh:v1beta2'] as const)[apart(0, 5)];
  const moved = provider === undefined ? life : { ...life, provider };
  const isStruck = apart(0, 5) <= 1;
  const at = apart(0, life.actions.length + 1);
  const disaster = isStruck ? aDisaster(apart, next) : [];
  const restart = drawer(life.seed * 32_452_843 + 3)(0, 4) === 0 ? aCalmRestart(apart) : [];
  const again = drawer(life.seed * 49_979_687 + 5);
  for (let warm = 0; warm < 3; warm += 1) again(0, 2);
  const comeback = again(0, 8) === 0 ? aReturn(again, next) : [];
  return { ...moved, actions: [...life.actions.slice(0, at), ...disaster, ...life.actions.slice(at), ...comeback, ...restart] };
}

/** The application is uninstalled and comes back, in the grace of the uninstall or after it: by its chart, with a Canary before its target, or from a backup. */
function aReturn(draw: Draw, next: (kinds: readonly string[]) => Version): Timed[] {
  const soon = () => (draw(0, 3) === 0 ? draw(0, 330_000) : draw(0, 60_000));
  const then = (action: Action, afterMs = soon()): Timed => ({ at: 'now', afterMs, action });
  const perhaps = (action: Action): Timed[] => (draw(0, 2) === 0 ? [] : [then(action, draw(0, 20_000))]);
  const order = ORDERS[draw(0, ORDERS.length)] ?? ['target', 'Canary', 'Service'];
  const uninstall: Timed = { at: 'resting', afterMs: draw(0, 20_000), action: { do: 'helm uninstall', order, gapMs: draw(0, 10_000) } };
  const kill = (): Timed[] => perhaps({ do: 'kill Serin', forMs: draw(1, 60_000) });
  const restored: Timed[] = [then({ do: 'back up' }), then({ do: 'restore', ...aRestore(draw) }, draw(0, 20_000)), ...kill()];
  return [
    uninstall,
    ...kill(),
    ...perhaps({ do: 'create a Canary', name: `renamed-${draw(1, 1_000)}` }),
    ...(draw(0, 2) === 0 ? [] : restored),
    then({ do: 'helm install', version: next(['good']) }),
  ];
}

/** Nothing has happened for a long time, and nothing must be written. */
function aCalmRestart(draw: Draw): Timed[] {
  return [{ at: 'resting', afterMs: draw(80_000, 110_000), action: { do: 'kill Serin', forMs: draw(1, 20_000) } }];
}

/** A failing version is pushed when the brake pauses for longer than its checks last. */
function aFailureUnderContest(draw: Draw, next: (kinds: readonly string[]) => Version): Timed[] {
  return [
    { at: 'resting', afterMs: draw(0, 5_000), action: { do: 'contest', what: 'Service', forMs: draw(500_000, 600_000) } },
    { at: 'now', afterMs: draw(100_000, 120_000), action: { do: 'push', version: next(['bad']) } },
  ];
}

/** A GitOps tool applies what it has to what a deletion has left. */
function aSyncAfterAll(draw: Draw, next: (kinds: readonly string[]) => Version): Timed[] {
  return [
    { at: 'resting', afterMs: draw(0, 5_000), action: { do: 'push', version: next(['bad', 'broken', 'good']) } },
    { at: 'resting', afterMs: draw(0, 30_000), action: { do: 'delete the Canary' } },
    { at: 'now', afterMs: draw(0, 60_000), action: { do: 'apply the manifests again' } },
    { at: 'now', afterMs: draw(0, 60_000), action: { do: 'apply the manifests again' } },
  ];
}

const aMoment = (draw: Draw): Moment => (draw(0, 2) === 0 ? 'now' : (moments[draw(0, moments.length)] ?? 'now'));

/** Actions in the course of a release hit it hardest: they are drawn at a step after its push. */
function afterAPush(draw: Draw, next: (kinds: readonly string[]) => Version): Timed[] {
  const version = next(['good', 'good', 'bad', 'exits', 'oom', 'flaps', 'broken']);
  const at =
    (['settling', 'analysing', 'analysing', 'writingPrimary', 'awaitingPrimary', 'draining', 'resting'] as const)[draw(0, 7)] ?? 'now';
  return [
    { at: 'resting', afterMs: draw(0, 5_000), action: { do: 'push', version } },
    { at, afterMs: draw(0, 30_000), action: draw(0, 6) === 0 ? aContest(draw) : anAction(draw, next) },
  ];
}

/** A push under a contest: corrections are rare by then. */
function aContestedPush(draw: Draw, next: (kinds: readonly string[]) => Version): Timed[] {
  return [
    { at: 'resting', afterMs: draw(0, 5_000), action: aContest(draw) },
    { at: 'now', afterMs: draw(20_000, 120_000), action: { do: 'push', version: next(['bad', 'good']) } },
  ];
}

const aContest = (draw: Draw): Action => ({ do: 'contest', what: draw(0, 2) === 0 ? 'route' : 'Service', forMs: draw(60_000, 600_000) });

/** Releases one after the other, as on a busy day. */
function aSeries(draw: Draw, next: (kinds: readonly string[]) => Version): Timed[] {
  return Array.from({ length: 4 }, () => ({ at: 'resting', afterMs: draw(0, 5_000), action: { do: 'push', version: next(['good']) } }));
}

function anAction(draw: Draw, next: (kinds: readonly string[]) => Version): Action {
  const name = `renamed-${draw(1, 1_000)}`;
  const side: Side = draw(0, 3) === 0 ? 'primary' : 'target';
  const one: readonly (() => Action)[] = [
    () => ({ do: 'push', version: next(['good', 'good', 'bad', 'exits', 'broken']) }),
    () => ({ do: 'push', version: next(['good', 'good', 'bad', 'oom', 'flaps']) }),
    () => ({ do: 'push back' }),
    () => ({ do: 'delete the Canary' }),
    () => ({ do: 'delete the Canary' }),
    () => ({ do: 'create a Canary', name }),
    () => ({ do: 'replace --force' }),
    () => ({ do: 'replace --force' }),
    () => ({ do: 'rename', name, first: draw(0, 2) === 0 ? 'delete' : 'create' }),
    () => ({ do: 'edit the spec', stepWeight: [10, 25, 50][draw(0, 3)] ?? 25 }),
    () => ({ do: draw(0, 3) === 0 ? 'suspend' : 'resume' }),
    () => ({ do: 'resume' }),
    () => ({ do: 'edit the route by hand' }),
    () => aContest(draw),
    () => ({ do: 'accept' }),
    () => ({ do: 'helm uninstall', order: ORDERS[draw(0, ORDERS.length)] ?? ['target', 'Canary', 'Service'], gapMs: draw(0, 10_000) }),
    () => ({ do: 'helm install', version: next(['good']) }),
    () => (draw(0, 4) === 0 ? { do: 'delete the namespace' } : { do: 'push', version: next(['good']) }),
    () => (draw(0, 2) === 0 ? { do: 'relabel the target' } : { do: 'push', version: next(['bad']) }),
    () => ({ do: 'kill Serin', forMs: draw(1, 20_000) }),
    () => ({ do: 'kill Serin', forMs: draw(1, 20_000), selectorLabels: LABELS[draw(0, LABELS.length)] ?? ['app'] }),
    () => ({ do: 'crash', side, how: (['exit', 'oom', 'flap'] as const)[draw(0, 3)] ?? 'exit', ms: draw(1_000, 12_000) }),
    () => ({ do: 'drain', side, how: draw(0, 2) === 0 ? 'EvictionByEvictionAPI' : 'DeletionByTaintManager', ms: draw(500, 8_000) }),
  ];
  return (one[draw(0, one.length)] ?? (() => ({ do: 'push back' })))();
}

export function describeAction({ do: what, ...how }: Action): string {
  return Object.keys(how).length > 0 ? `${what} ${JSON.stringify(how)}` : what;
}

/** The life in words, for a reader who does not know the tests. */
export function describeLife({ seed, hasScaler, revertOnDeletion, hasService, provider, actions }: Life): string {
  const lines = actions.map(({ at, afterMs, action }) => {
    return `  ${at === 'now' ? '' : `once the release is ${at}, `}${(afterMs / 1000).toFixed(1)} s later: ${describeAction(action)}`;
  });
  const extras = [
    hasScaler ? 'an HPA' : '',
    revertOnDeletion ? 'revertOnDeletion' : '',
    hasService ? '' : 'no Service before it',
    provider === undefined ? '' : `provider ${provider}`,
  ].filter((one) => one !== '');
  return [`seed ${seed}, a Canary${extras.length > 0 ? ` with ${extras.join(' and ')}` : ''}:`, ...lines].join('\n');
}
