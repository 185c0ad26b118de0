import type { Pod } from '../../api/kinds/pod.ts';
import { parseQuantity } from '../../api/quantity.ts';

/** Behaviour of the application in a pod. Chosen by the first container's env, else by pod annotations `serin.dev/<NAME>`. */
export interface AppBehaviour {
  version: string;
  /** Fraction (0–1) of requests answered 500. */
  errorRate: number;
  /** Every so many requests of a pod one is answered 500, the first of them too; 0: none. */
  errorEvery: number;
  latencyMs: number;
  /** Requests in any second beyond which the pod answers 503; 0: unlimited. */
  capacityPerSecond: number;
  /** The process exits at once after each start. */
  crashes: boolean;
  /** The same, for it takes more `MEMORY` than its limit allows. */
  outOfMemory: boolean;
  /** From each start until the process ends, as a version does that leaks or meets a bad request; 0: it does not. */
  crashesAfterMs: number;
  /** Exit code of that end; 137 is out of memory. */
  exitCode: number;
  /** Its readiness fails in the last third of each period of this length; 0: it does not. */
  flapsEveryMs: number;
  /** Reason for which the kubelet never starts the container, as it words it: `CreateContainerConfigError`; empty if it does. */
  waitsFor: string;
  /** From start until the readiness path answers 200. */
  readyAfterMs: number;
  neverReady: boolean;
  /** Closes its listener as soon as SIGTERM comes, instead of serving through its grace. */
  exitsOnSigterm: boolean;
}

/** A pod without any setting answers 200 at once. A memory limit below `MEMORY` crashes it. */
export function behaviourOf(pod: Pod): AppBehaviour {
  const [container] = pod.spec.containers ?? [];
  const setting = (name: string): string | undefined =>
    container?.env?.find((entry) => entry.name === name)?.value ?? pod.metadata.annotations?.[`serin.dev/${name}`];
  const number = (name: string): number => Number(setting(name) ?? 0) || 0;
  const limit = container?.resources?.limits?.memory;
  const outOfMemory = limit !== undefined && (parseQuantity(setting('MEMORY') ?? '0') ?? 0) > (parseQuantity(String(limit)) ?? 0);
  const isOn = (name: string): boolean => !['', 'false', '0'].includes(setting(name) ?? '');
  return {
    version: setting('VERSION') ?? tagOf(container?.image ?? ''),
    errorRate: number('ERROR_RATE'),
    errorEvery: number('ERROR_EVERY'),
    latencyMs: number('LATENCY_MS'),
    capacityPerSecond: number('CAPACITY_PER_SECOND'),
    crashes: isOn('CRASH') || outOfMemory,
    outOfMemory,
    crashesAfterMs: number('CRASH_AFTER_MS'),
    exitCode: number('EXIT_CODE') || 1,
    flapsEveryMs: number('FLAP_EVERY_MS'),
    waitsFor: imageProblem(container?.image ?? '') ?? setting('WAITS_FOR') ?? '',
    readyAfterMs: number('READY_AFTER_MS'),
    neverReady: isOn('NEVER_READY'),
    exitsOnSigterm: isOn('EXIT_ON_SIGTERM'),
  };
}

/** No registry is below `.invalid` (RFC 2606), and no name of an image has capitals. */
function imageProblem(image: string): string | undefined {
  if (/[A-Z\s]/.test(image.split(/[:@]/)[0] ?? '')) return 'InvalidImageName';
  return /^[^/]+\.invalid\//.test(image) ? 'ImagePullBackOff' : undefined;
}

/** The tag of an image; a registry's port is not a tag. */
function tagOf(image: string): string {
  const last = image.split('@')[0]?.split('/').at(-1) ?? '';
  return last.split(':')[1] ?? 'latest';
}
