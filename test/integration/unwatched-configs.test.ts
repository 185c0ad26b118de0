import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ModelClient } from '../fakes/model/client.ts';
import { Evidence } from '../fakes/model/evidence.ts';
import { APP, aDeployment, aModelCanary, ModelLab, NAMESPACE, targetRef } from '../fakes/model/lab.ts';
import { drawer } from '../fakes/model/life.ts';
import { raw } from '../fakes/raw.ts';

const weak = vi.hoisted(() => ({ isTrusting: false }));

// Only in this file: a config that is missing now and was missing before counts as missing all the time.
vi.mock('../../src/engine/pin.ts', async (original) => {
  const real = await original<typeof import('../../src/engine/pin.ts')>();
  const wereWrittenBetween: typeof real.wereWrittenBetween = (now, then) => {
    const there = Object.fromEntries(Object.entries(now).filter(([, { uid }]) => !weak.isTrusting || uid !== undefined));
    return real.wereWrittenBetween(there, then);
  };
  return { ...real, wereWrittenBetween };
});

const extra = { apiVersion: 'v1', kind: 'ConfigMap', name: 'extra', namespace: NAMESPACE };
const settings = { ...extra, name: 'settings' };
const metadata = ({ name, namespace }: typeof extra) => ({ name, namespace });

let lab: ModelLab;
let evidence: Evidence;
/** Steps in the order in which they were recorded. */
let steps: string[];
/** Called with each. */
let onStep: (step: string) => void;

/** Creates an idle Canary. Its pods read an existing ConfigMap and, with `optional`, a missing one. */
async function initialized({ optional = true } = {}): Promise<void> {
  lab = new ModelLab({ draw: drawer(1), startUpMs: [4_000, 4_001], lagMs: [0, 1], latencyMs: [1, 2], scaleDownDelayMs: 1_000 });
  evidence = new Evidence(lab);
  lab.refuse = (write) => evidence.sent(write);
  steps = [];
  onStep = () => undefined;
  lab.server.api.store.subscribe(({ object }) => {
    const now: string | undefined = object.kind === 'Canary' ? raw(object).status?.release?.step : undefined;
    if (now === undefined || now === steps.at(-1)) return;
    steps.push(now);
    onStep(now);
  });
  const target = aDeployment('1');
  const volumes = [
    { name: 'settings', configMap: { name: settings.name } },
    ...(optional ? [{ name: 'extra', configMap: { name: extra.name, optional: true } }] : []),
  ];
  const { template } = raw(target).spec;
  lab.server.create({ ...settings, metadata: metadata(settings), data: { text: 'blue' } });
  lab.server.create({ ...target, spec: { ...raw(target).spec, template: { ...template, spec: { ...template.spec, volumes } } } });
  await lab.pass(10_000);
  lab.server.create(aModelCanary({ stepWeight: 50, maxWeight: 50 }));
  lab.start();
  await until('resting', 'Initialized');
}

const step = () => raw(lab.canary())?.status?.release.step;
const run = () => raw(lab.canary())?.status?.release.run;

async function until(wanted: string, phase: string): Promise<void> {
  const isThere = () => lab.phase() === phase && step() === wanted;
  if (!(await lab.passUntil(isThere, 120_000))) throw new Error(`is ${lab.phase()} ${step()}, not ${phase} ${wanted}`);
}

/** Waits until pods are requested that will read their configs in two seconds. */
async function untilPodsAreComing(): Promise<void> {
  await until('scalingUp', 'Progressing');
  const isAsked = () => raw(lab.server.find(targetRef))?.spec.replicas === 1;
  if (!(await lab.passUntil(isAsked, 10_000))) throw new Error('no pod was asked for');
}

/** Creates the config for the moment in which the next pods read it. */
function flash(): void {
  lab.nodes.aroundRead = (read) => {
    lab.nodes.aroundRead = (again) => again();
    lab.server.create({ ...extra, metadata: metadata(extra), data: { text: 'red' } });
    read();
    lab.server.delete(extra);
  };
}

async function absence(ms = 6_000): Promise<void> {
  lab.kill();
  await lab.pass(ms);
  lab.start();
}

beforeEach(() => {
  weak.isTrusting = false;
});
afterEach(() => lab.close());

describe('a controller that comes back in the middle of a release', () => {
  it('E56: has new pods analysed if an optional config is missing, which could have existed for a moment in between', async () => {
    await initialized();
    lab.push('2');
    await untilPodsAreComing();
    flash();
    await absence();
    expect([...lab.nodes.runs(APP, NAMESPACE)].join(), 'they have read it').toContain('red');
    const before = run();
    await until('resting', 'Succeeded');
    expect(steps.slice(steps.indexOf('recycleRouting'))).toEqual(
      expect.arrayContaining(['recycleRouting', 'recycleStopping', 'scalingUp', 'analysing']),
    );
    expect(evidence.unanalysed).toEqual([]);
    expect([run(), evidence.promotions]).toEqual([before + 1, 1]);
  });

  it('I3: gets bytes promoted that no analysis has seen if it takes what is missing for missing all the time', async () => {
    weak.isTrusting = true;
    await initialized();
    lab.push('2');
    await untilPodsAreComing();
    flash();
    await absence();
    await until('resting', 'Succeeded');
    expect(evidence.unanalysed.length).toBeGreaterThan(0);
  });

  it('E56: starts new pods for the analysis once', async () => {
    await initialized();
    lab.push('2');
    await until('analysing', 'Progressing');
    const before = run();
    await absence();
    await until('resting', 'Succeeded');
    expect(run()).toBe(before + 1);
  });

  it('E56: goes on if every config exists in the recorded version', async () => {
    await initialized({ optional: false });
    lab.push('2');
    await until('analysing', 'Progressing');
    const before = run();
    await absence();
    await until('resting', 'Succeeded');
    expect([run(), evidence.promotions]).toEqual([before, 1]);
  });

  it('E56: goes on where no pod has been started yet', async () => {
    await initialized();
    lab.push('2');
    onStep = (now) => {
      if (now === 'scalingUp') lab.kill();
    };
    await until('scalingUp', 'Progressing');
    const before = run();
    expect(raw(lab.server.find(targetRef))?.spec.replicas).toBe(0);
    await absence();
    await until('resting', 'Succeeded');
    expect([run(), evidence.promotions]).toEqual([before, 1]);
  });

  it('I8: writes nothing and reads no workload where nothing is under way', async () => {
    await initialized();
    lab.kill();
    const reads = vi.spyOn(ModelClient.prototype, 'get');
    lab.start();
    await lab.pass(60_000);
    expect(lab.writes).toEqual([]);
    expect(reads.mock.calls).toEqual([]);
  });
});
