import fc from 'fast-check';
import { type KubeObject, refOf } from '../../../src/api/kube-object.ts';
import { trackingAnnotation } from '../../../src/workloads/configs/tracking.ts';
import { raw } from '../raw.ts';
import { Evidence } from './evidence.ts';
import { APP, aDeployment, aModelCanary, ModelLab, NAMESPACE, primaryRef, targetRef } from './lab.ts';
import { drawer } from './life.ts';

/** Calls of a controller in one life: beyond them nothing is left to disturb. */
const MOST_CALLS = 120;
const LIFE_MS = 400_000;

const CONFIGS = { map: 'settings', secret: 'credentials', optional: 'extra' } as const;
const configs = [
  ['ConfigMap', CONFIGS.map],
  ['Secret', CONFIGS.secret],
  ['ConfigMap', CONFIGS.optional],
] as const;
type Content = { data?: object; binaryData?: object };
type ConfigKind = 'ConfigMap' | 'Secret';

/** Strikes against the objects of one application; each is one moment. */
const STRIKES = {
  push: (by) => by.push(by.next()),
  pushBack: (by) => by.push(by.templates.at(-2) ?? by.next()),
  pushFirst: (by) => by.push(by.templates[0] ?? by.next()),
  pushAndBack(by) {
    const now = raw(by.lab.server.find(targetRef))?.spec.template;
    by.push(by.next());
    by.push(now);
  },
  dropReference: (by) => by.push(by.next(['env'])),
  recreateTarget(by) {
    const { server } = by.lab;
    const target = server.find(targetRef);
    if (target === undefined) return;
    server.delete(targetRef);
    const template = by.draw(0, 2) === 0 ? raw(target).spec.template : by.next();
    server.create({ ...aDeployment('1'), spec: { ...raw(target).spec, template } });
  },
  editConfigMap: (by) => by.put('ConfigMap', CONFIGS.map, { data: { text: by.name() } }),
  editBinary: (by) => by.put('ConfigMap', CONFIGS.map, { binaryData: { bytes: btoa(by.name()) } }),
  editSecret: (by) => by.put('Secret', CONFIGS.secret, { data: { password: btoa(by.name()) } }),
  editOptional: (by) => by.put('ConfigMap', CONFIGS.optional, { data: { text: by.name() } }),
  configBack: (by) => by.back(by.aConfig()),
  editAndBack(by) {
    const config = by.aConfig();
    by.put(...config, { data: { text: btoa(by.name()) } });
    by.later(3_000, () => by.back(config));
  },
  /** Right before the next pods read it, and back right after. */
  blink(by) {
    const { nodes } = by.lab;
    const config = by.aConfig();
    nodes.aroundRead = (read) => {
      nodes.aroundRead = (again) => again();
      by.put(...config, { data: { text: btoa(by.name()) } });
      read();
      by.back(config);
    };
  },
  deleteConfig(by) {
    const [kind, name] = by.aConfig();
    by.lab.server.delete({ apiVersion: 'v1', kind, name, namespace: NAMESPACE });
    const content = by.draw(0, 2) === 0 ? (by.contents.get(name)?.at(-1) ?? {}) : { data: { text: btoa(by.name()) } };
    by.later(3_000, () => by.put(kind, name, content));
  },
  optOut(by) {
    const { server } = by.lab;
    const config = server.find({ apiVersion: 'v1', kind: 'ConfigMap', name: CONFIGS.map, namespace: NAMESPACE });
    if (config === undefined) return;
    const isOut = config.metadata.annotations?.[trackingAnnotation] !== undefined;
    server.patch(refOf(config), { metadata: { annotations: { [trackingAnnotation]: isOut ? null : 'disabled' } } });
  },
  editPrimary({ lab }) {
    if (lab.server.find(primaryRef)) lab.server.patch(primaryRef, { spec: { template: { metadata: { annotations: { by: 'hand' } } } } });
  },
  deletePrimary: ({ lab }) => lab.server.delete(primaryRef),
  scale({ lab, draw }) {
    if (lab.server.find(targetRef)) lab.server.patch(targetRef, { spec: { replicas: draw(0, 4) } });
  },
  kill({ lab, draw }) {
    lab.kill();
    lab.clock.setTimer(draw(1, 20_000), () => {
      if (!lab.isUp) lab.start();
    });
  },
} satisfies Record<string, (by: Adversary) => void>;
type Strike = keyof typeof STRIKES;
const strikes = Object.keys(STRIKES) as Strike[];

/** Drawn separately from the other strikes, so that the strikes of a recorded seed stay the same. */
const MORE_STRIKES = {
  /** Several things within moments, among them what undoes each other. */
  storm(by) {
    for (let left = by.draw(2, 5); left > 0; left -= 1) by.later(1_500, () => STRIKES[strikes[by.draw(0, strikes.length)] ?? 'push'](by));
  },
  /** The optional config exists, or is missing, only for the moment in which the next pods read it. */
  flashOptional(by) {
    const { nodes, server } = by.lab;
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', name: CONFIGS.optional, namespace: NAMESPACE };
    nodes.aroundRead = (read) => {
      nodes.aroundRead = (again) => again();
      const found = server.find(ref);
      if (found) server.delete(ref);
      else by.put('ConfigMap', CONFIGS.optional, { data: { text: by.name() } });
      read();
      if (found) by.put('ConfigMap', CONFIGS.optional, { ...(raw(found).data && { data: found.data }) });
      else server.delete(ref);
    };
  },
  /** Pods that Serin did not request start right before the configs that they read change. */
  scaleAndEdit(by) {
    if (by.lab.server.find(targetRef)) by.lab.server.patch(targetRef, { spec: { replicas: by.draw(1, 4) } });
    const config = by.aConfig();
    by.later(3_000, () => by.put(...config, { data: { text: btoa(by.name()) } }));
  },
  limit({ lab, draw }) {
    const minReplicas = draw(1, 4);
    if (lab.server.find(scalerRef)) lab.server.patch(scalerRef, { spec: { minReplicas, maxReplicas: minReplicas + draw(0, 6) } });
  },
  /** Writes of the scalers themselves, on either side. */
  autoscale({ lab, draw }) {
    const ref = draw(0, 2) === 0 ? targetRef : primaryRef;
    if ((raw(lab.server.find(ref))?.spec.replicas ?? 0) > 0) lab.server.patch(ref, { spec: { replicas: draw(1, 7) } });
  },
  recreateScaler({ lab }) {
    const scaler = lab.server.find(scalerRef);
    if (scaler === undefined) return;
    lab.server.delete(scalerRef);
    lab.server.create(aScaler());
  },
} satisfies Record<string, (by: Adversary) => void>;
type AnyStrike = Strike | keyof typeof MORE_STRIKES;
const moreStrikes = Object.keys(MORE_STRIKES) as (keyof typeof MORE_STRIKES)[];

const scalerRef = { apiVersion: 'autoscaling/v2', kind: 'HorizontalPodAutoscaler', name: APP, namespace: NAMESPACE };

function aScaler(): KubeObject {
  const { apiVersion, kind, name, namespace } = scalerRef;
  const scaleTargetRef = { apiVersion: 'apps/v1', kind: 'Deployment', name: APP };
  const metrics = [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }];
  return { apiVersion, kind, metadata: { name, namespace }, spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 6, metrics } };
}

const analyses = [
  { stepWeight: 50, maxWeight: 50 },
  { stepWeights: [10, 60] },
  { iterations: 2 },
  { iterations: 2, match: [{ headers: { user: { exact: 'a' } } }] },
] as const;

/** Steps in which a release waits for the cluster; the first steps belong to the bootstrap. */
const STEPS = [
  'creatingPrimary',
  'takingTraffic',
  'scalingUp',
  'settling',
  'analysing',
  'recycleRouting',
  'recycleDraining',
  'recycleStopping',
  'writingPrimary',
  'awaitingPrimary',
  'draining',
  'resting',
] as const;
interface Aimed {
  how: Strike;
  step: (typeof STEPS)[number];
  afterMs: number;
}

/** Everything that is drawn of one schedule. Delays follow from the seed. */
export const aSchedule = fc.record({
  seed: fc.integer({ min: 1, max: 2 ** 31 - 2 }),
  analysis: fc.constantFrom(...analyses),
  strikes: fc.array(
    fc.record({
      how: fc.constantFrom(...strikes),
      /** Right before this call of the controller is carried out, or so much later. */
      call: fc.integer({ min: 1, max: MOST_CALLS }),
      afterMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 12_000 }) }),
    }),
    { minLength: 1, maxLength: 10 },
  ),
  more: fc.oneof(
    fc.constant([] as { how: keyof typeof MORE_STRIKES; call: number }[]),
    fc.array(fc.record({ how: fc.constantFrom(...moreStrikes), call: fc.integer({ min: 1, max: MOST_CALLS }) }), { maxLength: 4 }),
  ),
  hasScaler: fc.oneof({ weight: 3, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  /** Time for the Deployment controller to observe a change. */
  observesAfterMs: fc.oneof({ weight: 2, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constantFrom(300, 3_000, 9_000) }),
  /** Strikes in sequence, each at its delay after the release has come to its step, independent of the number of calls. */
  aimed: fc.oneof(
    fc.constant([] as Aimed[]),
    fc.array(
      fc.record({
        how: fc.constantFrom(...strikes),
        step: fc.constantFrom(...STEPS),
        afterMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3_000 })),
      }),
      { maxLength: 4 },
    ),
  ),
});
export type Schedule = typeof aSchedule extends fc.Arbitrary<infer T> ? T : never;

export interface Played {
  /** Templates that the primary got without an analysis. */
  unanalysed: string[];
  promotions: number;
  struck: number;
  calls: number;
}

/** A life of one Canary, in which another writer edits what it reads between the calls of its controller. */
export async function play({ seed, analysis, strikes: first, more, hasScaler, observesAfterMs, aimed }: Schedule): Promise<Played> {
  const planned = [...first, ...more.map((one) => ({ ...one, afterMs: 0 }))];
  const draw = drawer(seed);
  const lab = new ModelLab({ draw, startUpMs: [200, 12_000], lagMs: [0, 1_000], latencyMs: [0, 200], scaleDownDelayMs: 1_000 });
  lab.nodes.observesAfterMs = observesAfterMs;
  const evidence = new Evidence(lab);
  const adversary = new Adversary(lab, evidence, draw);
  lab.refuse = (write) => evidence.sent(write);
  let calls = 0;
  let struck = 0;
  const left = [...aimed];
  let before = '';
  lab.betweenCalls = () => {
    calls += 1;
    const due: { how: AnyStrike; afterMs: number }[] = planned.filter(({ call }) => call === calls);
    const step: string = raw(lab.canary())?.status?.release?.step ?? '';
    while (step !== before && left[0]?.step === step) due.push(...left.splice(0, 1));
    before = step;
    for (const { how, afterMs } of due) {
      struck += 1;
      if (afterMs === 0) adversary.strike(how);
      else lab.clock.setTimer(afterMs, () => adversary.strike(how));
    }
  };
  adversary.prepare();
  if (hasScaler) lab.server.create(aScaler());
  await lab.pass(15_000);
  const { namespace: _, ...autoscalerRef } = scalerRef;
  lab.server.create(aModelCanary(analysis, hasScaler ? { autoscalerRef } : {}));
  lab.start();
  await lab.passUntil(() => lab.phase() === 'Initialized', 120_000);
  adversary.strike('push');
  for (let ms = 0; ms < LIFE_MS; ms += 5_000) {
    await lab.pass(5_000);
    evidence.lookAtPods();
    if (raw(lab.canary())?.status?.release.step === 'resting' && calls >= MOST_CALLS) break;
  }
  lab.close();
  return { unanalysed: evidence.unanalysed, promotions: evidence.promotions, struck, calls };
}

class Adversary {
  readonly lab: ModelLab;
  readonly draw: (from: number, to: number) => number;
  readonly #evidence: Evidence;
  /** Previous contents of each object, newest last. */
  readonly templates: KubeObject['spec'][] = [];
  readonly contents = new Map<string, Content[]>();
  #count = 0;

  constructor(lab: ModelLab, evidence: Evidence, draw: (from: number, to: number) => number) {
    this.lab = lab;
    this.#evidence = evidence;
    this.draw = draw;
  }

  prepare(): void {
    this.put('ConfigMap', CONFIGS.map, { data: { text: '0' }, binaryData: { bytes: 'AA==' } });
    this.put('Secret', CONFIGS.secret, { data: { password: 'MA==' } });
    this.lab.server.create({ ...aDeployment('1'), spec: { ...raw(aDeployment('1')).spec, replicas: 2, template: this.next() } });
  }

  strike(how: AnyStrike): void {
    const all: Record<string, (by: Adversary) => void> = { ...STRIKES, ...MORE_STRIKES };
    this.#evidence.foreign(() => all[how]?.(this));
  }

  /** Another strike, a while later. */
  later(mostMs: number, act: () => void): void {
    this.lab.clock.setTimer(this.draw(0, mostMs), () => this.#evidence.foreign(act));
  }

  name(): string {
    this.#count += 1;
    return `${this.#count}`;
  }

  next(without: readonly string[] = []): KubeObject['spec'] {
    const { template } = raw(aDeployment(this.name())).spec;
    const [container] = template.spec.containers;
    const env = [
      { name: 'TEXT', valueFrom: { configMapKeyRef: { name: CONFIGS.map, key: 'text' } } },
      { name: 'PASSWORD', valueFrom: { secretKeyRef: { name: CONFIGS.secret, key: 'password' } } },
    ];
    const volumes = [{ name: 'extra', configMap: { name: CONFIGS.optional, optional: true } }];
    return {
      ...template,
      spec: { ...template.spec, containers: [{ ...container, ...(without.includes('env') ? {} : { env }) }], volumes },
    };
  }

  push(template: KubeObject['spec']): void {
    const { server } = this.lab;
    const target = server.find(targetRef);
    if (target === undefined) return;
    this.templates.push(template);
    server.replace({ ...target, spec: { ...raw(target).spec, template } });
  }

  aConfig(): readonly [ConfigKind, string] {
    return configs[this.draw(0, configs.length)] ?? configs[0];
  }

  /** Restores the previous content of the config. */
  back([kind, name]: readonly [ConfigKind, string]): void {
    const before = this.contents.get(name)?.at(-2);
    if (before) this.put(kind, name, before);
  }

  put(kind: ConfigKind, name: string, content: Content): void {
    const { server } = this.lab;
    const object = { apiVersion: 'v1', kind, metadata: { name, namespace: NAMESPACE } };
    const found = server.find(refOf(object));
    const held: Content = {
      ...(raw(found)?.data && { data: raw(found).data }),
      ...(raw(found)?.binaryData && { binaryData: raw(found).binaryData }),
      ...content,
    };
    this.contents.set(name, [...(this.contents.get(name) ?? []), held]);
    if (found) server.replace({ ...found, ...held });
    else server.create({ ...object, ...held });
  }
}
