import { type Environment, type EnvironmentOptions, startEmbeddedEnvironment, startRealEnvironment } from './environment.ts';

/** Both clusters, for `describe.each`: `vitest -t 'a real control plane'` takes one of them. */
export const clusters: readonly { cluster: string; start: (options?: EnvironmentOptions) => Promise<Environment> }[] = [
  { cluster: 'the embedded cluster', start: startEmbeddedEnvironment },
  { cluster: 'a real control plane', start: startRealEnvironment },
];
