import type { KubeObject } from '../../../src/api/kube-object.ts';
import type { ControllerConfig } from '../../../src/controller/config.ts';
import { raw } from '../raw.ts';
import { ordersTemplate } from './journals.ts';
import { APP, aModelCanary, canaryRef, type ModelLab } from './lab.ts';
import { labOf } from './life.ts';

/** A weighted release that is judged by what `lab.externalMetric` says. */
export const ordersPlan = {
  stepWeight: 25,
  maxWeight: 50,
  metrics: [{ name: 'orders', templateRef: { name: 'orders' }, thresholdRange: { max: 5 } }],
};

export const stepOf = (lab: ModelLab): string => raw(lab.canary())?.status?.release?.step ?? '';

const isEnded = (lab: ModelLab, phase: string) => lab.passUntil(() => lab.phase() === phase && stepOf(lab) === 'resting', 900_000);

export async function awaitEnd(lab: ModelLab, phase: string): Promise<void> {
  if (!(await isEnded(lab, phase))) throw new Error(`not ${phase}: ${lab.phase()} ${stepOf(lab)}`);
}

/** A lab whose Canary is initialized under these flags. */
export async function initializedLab(
  flags: Partial<ControllerConfig> = {},
  canary: KubeObject = aModelCanary(ordersPlan),
): Promise<ModelLab> {
  const { lab } = labOf({ seed: 5, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
  await lab.application();
  lab.server.create(ordersTemplate);
  lab.server.create(canary);
  lab.start(() => true, flags);
  await awaitEnd(lab, 'Initialized');
  return lab;
}

/** One release from the push to its end, and its journal stored. */
export async function release(lab: ModelLab, version: string, phase = 'Succeeded'): Promise<void> {
  lab.push(version);
  if (!(await lab.passUntil(() => lab.phase() === 'Progressing', 60_000))) throw new Error(`not started: ${lab.phase()}`);
  await awaitEnd(lab, phase);
  await lab.pass(5_000);
}

/** The Canary is deleted, and all of it is handed over. */
export async function deleteCanary(lab: ModelLab, name: string = APP): Promise<void> {
  lab.server.delete({ ...canaryRef, name });
  if (!(await lab.passUntil(() => lab.canary(name) === undefined, 300_000))) throw new Error(`Canary ${name} is not gone`);
  await lab.pass(120_000);
}
