import type { Logger } from 'pino';
import type { ControllerConfig } from '../controller/config.ts';
import type { Controller } from '../controller/controller.ts';

const STALE_WATCH_MS = 300_000;

/** Reason why the process is not ready. `undefined` if its controllers are up to date, or if it is a standby without any. */
export function reasonOfStaleness(running: readonly { controller: Controller; hasRead: boolean }[]): string | undefined {
  const reading = running.filter(({ hasRead }) => !hasRead);
  if (reading.length > 0) {
    // Shards share their watches.
    const loading = [...new Set(reading.flatMap(({ controller }) => controller.loading()))];
    return ['the first read of the cluster is not done yet', ...(loading.length > 0 ? [`loading ${loading.join(', ')}`] : [])].join(': ');
  }
  const [stale] = running.flatMap(({ controller }) => controller.staleWatches(STALE_WATCH_MS));
  return stale && `the watch of ${stale.kind} has been silent for ${Math.round(stale.ageMs / 1000)} s`;
}

interface FirstReadLog {
  config: Pick<ControllerConfig, 'meshProvider' | 'namespaces'>;
  log: Logger;
  /** Address of the cluster of the routes, where it is another one. */
  routesAt?: string | undefined;
  shard?: number;
  /** The controller was stopped meanwhile: how its first read ends says nothing. */
  isOver?: () => boolean;
}

/** Logs how the first read of the cluster ends. */
export function reportFirstRead(
  controller: Controller,
  { config, log, routesAt, shard, isOver = () => false }: FirstReadLog,
  hasRead: () => void,
): void {
  controller.started.then(
    () => {
      if (isOver()) return;
      hasRead();
      log.info(
        {
          provider: config.meshProvider,
          ...(routesAt !== undefined && { routesAt }),
          ...(shard !== undefined && { shard }),
          namespaces: config.namespaces.length > 0 ? config.namespaces : 'all',
        },
        'reconciling Canaries',
      );
    },
    (error: unknown) => {
      if (!isOver()) log.error({ err: error }, 'the first read of the cluster failed');
    },
  );
}
