import pino, { type Logger } from 'pino';
import { numbered } from '../base/printable.ts';
import { isUnanswered } from '../kube/api-outage.ts';
import { isOfCluster } from '../kube/is-of-cluster.ts';
import type { ControllerHost } from './controller-host.ts';

/** pino's number of the level. */
const DEBUG = 20;

/** Errors of the cluster and the network are logged by their message; a stack is for faults of ours. */
function errorForLog(error: Error): unknown {
  return isOfCluster(error) ? { type: error.name, message: error.message } : pino.stdSerializers.err(error);
}

/** Fields with milliseconds are whole numbers: the monotonic clock has fractions of a millisecond. */
const inWholeMs = (fields: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, name.endsWith('Ms') && typeof value === 'number' ? Math.round(value) : value]),
  );

/** The log of a controller: one JSON object a line, its time by the clock of the host. */
export function controllerLog({ clock, log }: Pick<ControllerHost, 'clock' | 'log'>, level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${new Date(clock.nowMs()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }), log: inWholeMs },
      serializers: { err: errorForLog },
      // An API server that is away is one line (ApiOutage), not one for each request that waits for it.
      hooks: {
        streamWrite: numbered,
        logMethod([fields, ...rest], method, number) {
          const isRepeat = number > DEBUG && isUnanswered((fields as { err?: unknown })?.err);
          if (isRepeat) this.debug(fields, ...rest);
          else method.apply(this, [fields, ...rest]);
        },
      },
    },
    log,
  );
}
