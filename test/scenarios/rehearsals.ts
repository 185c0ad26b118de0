import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/api/kube-object.ts';
import { startVirtualController } from '../../src/cli/controller/virtual-controller.ts';
import type { Rehearsal, RehearsalInput } from '../../src/rehearsal/rehearsal.ts';
import { rehearse } from '../../src/rehearsal/rehearse.ts';
import { scenarioOf } from '../../src/rehearsal/scenarios.ts';
import type { RequestCounts } from '../../src/rehearsal/users.ts';

const EXAMPLES = join(import.meta.dirname, '..', '..', 'examples');

/** The objects of an example; `edit` changes its Canary. */
export function example(file: string, edit: (canary: KubeObject) => void = () => undefined): KubeObject[] {
  const objects = parseAllDocuments(readFileSync(join(EXAMPLES, file), 'utf8')).map((document): KubeObject => document.toJS());
  edit(canaryIn(objects));
  return objects;
}

export function canaryIn(objects: readonly KubeObject[]): KubeObject {
  const canary = objects.find(({ kind }) => kind === 'Canary');
  if (canary === undefined) throw new Error('the manifests hold no Canary');
  return canary;
}

export function rehearsed(
  objects: readonly KubeObject[],
  scenarioName: string,
  other: Partial<Pick<RehearsalInput, 'seed' | 'assumed' | 'requestsPerSecond'>> = {},
): Promise<Rehearsal> {
  const scenario = scenarioOf(scenarioName);
  if (scenario === undefined) throw new Error(`no scenario ${scenarioName}`);
  return rehearse({
    objects,
    canary: canaryIn(objects),
    scenario,
    seed: 1,
    requestsPerSecond: 10,
    assumed: new Map(),
    ...other,
    startController: (world, args, log, apiUrl) => startVirtualController(world, args, log, () => apiUrl),
  });
}

export const phasesOf = ({ moments }: Rehearsal): string[] => moments.flatMap((moment) => (moment.kind === 'phase' ? moment.phase : []));
export const weightsOf = ({ moments }: Rehearsal): number[] =>
  moments.flatMap((moment) => (moment.kind === 'weight' ? moment.weightPercent : []));
export const callsOf = ({ moments }: Rehearsal) => moments.flatMap((moment) => (moment.kind === 'call' ? moment.received : []));
export const routesOf = ({ moments }: Rehearsal): string[] => moments.flatMap((moment) => (moment.kind === 'weight' ? moment.routes : []));

/** Requests of all users, whichever version answered. */
export const requestsIn = (counts: RequestCounts): { sent: number; failed: number } => {
  const all = Object.values(counts);
  const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);
  return { sent: sum(all.map(({ sent }) => sent)), failed: sum(all.map(({ failed }) => failed)) };
};
