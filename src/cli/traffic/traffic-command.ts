import { knativeReport, readTraffic } from '../../reading/traffic/read-traffic.ts';
import { trafficEntries } from '../../routers/knative/traffic.ts';
import { TrafficFlagError } from '../../routers/knative/traffic-flags.ts';
import type { Session } from '../canaries/session.ts';
import { type ExitName, usageError } from '../output/exit-codes.ts';
import { setTraffic, type TrafficChange } from './set-traffic.ts';
import { trafficAnswer } from './traffic-answer.ts';

/** `serin traffic show NAME`. */
export async function showTraffic(
  { cluster, namespace = '', output }: Session,
  name: string,
  { meshProvider }: { meshProvider: string },
): Promise<ExitName> {
  await output.show(trafficAnswer(await readTraffic(cluster, namespace, name, meshProvider)));
  return 'done';
}

/** `serin traffic set NAME`. Shows the requested traffic, which is in force when the revisions are ready. */
export async function runTrafficSet({ cluster, namespace = '', output }: Session, name: string, change: TrafficChange): Promise<ExitName> {
  try {
    if (![change.traffic, change.tag, change.untag].some((flags) => flags?.length))
      throw new TrafficFlagError('nothing to change: give --traffic, --tag or --untag');
    const written = await setTraffic(cluster, namespace, name, change);
    if (written) await output.show(trafficAnswer(knativeReport(written, trafficEntries(written))));
    else output.note(`Nothing was written: Service ${name} has this traffic already.`);
    return 'done';
  } catch (error) {
    if (error instanceof TrafficFlagError) throw usageError(error.message, { cause: error });
    throw error;
  }
}
