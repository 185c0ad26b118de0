import type { ControllerReport } from '../../reading/documents/canary-documents.ts';
import { mayNotRead } from '../../reading/snapshot.ts';
import type { Output } from '../output/output.ts';

/** One sentence, to follow `Controller:`. */
export function controllerText({ held, pod, shard, shards, lease, since, ageSeconds }: ControllerReport): string {
  const ofShard = shard === undefined ? '' : ` (shard ${shard} of ${shards})`;
  const where = `lease ${lease.namespace}/${lease.name}`;
  if (held) return `pod ${pod}${ofShard}, ${where}${ageSeconds === undefined ? '' : ` renewed ${ageSeconds} s ago`}`;
  if (since === undefined) return `no replica has held ${where}${ofShard} yet`;
  return `no replica holds ${where}${ofShard} since ${since}${pod === undefined ? '' : `; pod ${pod} was the last`}`;
}

/** Without the right to read Leases the answer is left out; wide output gives the reason. */
export const hiddenLeases = (isHidden: boolean, { format }: Pick<Output, 'format'>): string[] =>
  isHidden && format === 'wide' ? [mayNotRead('Leases')] : [];

/** Screen lines; the command is never wrapped, since it is to be copied. */
export const controllerLines = (controller: ControllerReport | undefined): string[] =>
  controller === undefined
    ? []
    : [`Controller: ${controllerText(controller)}`, ...(controller.look === undefined ? [] : [`  ${controller.look}`])];
