import { type Stage, type StageOptions, startEmbeddedStage, startRealStage } from './environment.ts';

/** Both clusters, for `describe.each`: `vitest -t 'a real control plane'` takes one of them. */
export const clusters: readonly { cluster: string; start: (options?: StageOptions) => Promise<Stage> }[] = [
  { cluster: 'the embedded cluster', start: startEmbeddedStage },
  { cluster: 'a real control plane', start: startRealStage },
];
