import { setTimeout as sleep } from 'node:timers/promises';
import { asEndpointSlice } from '../../src/api/kinds/endpoint-slice.ts';
import type { KubeObject } from '../../src/api/kube-object.ts';

const LOOK_EVERY_MS = 50;

/** Polls the configuration of a proxy, which publishes no watch. A failed `look` leaves the last result unmodified. */
export function keepLooking(look: () => Promise<void>): { stop(): Promise<void> } {
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      await look();
      await sleep(LOOK_EVERY_MS);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await looking;
    },
  };
}

/** The body of an answer, or undefined without an answer or after a failure. */
export const readJson = <T>(url: string): Promise<T | undefined> =>
  fetch(url, { headers: { accept: 'application/json' } }).then(
    async (answer) => (answer.ok ? ((await answer.json()) as T) : undefined),
    () => undefined,
  );

/** Addresses of the ready pods that an EndpointSlice names, and the Service that they are of. */
export function readyPods(slice: KubeObject): { service: string; addresses: string[] } {
  const ready = (asEndpointSlice(slice).endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
  return {
    service: slice.metadata.labels?.['kubernetes.io/service-name'] ?? '',
    addresses: ready.flatMap(({ addresses }) => addresses ?? []),
  };
}
