import { describe } from 'vitest';
import { aStage, startRealStage } from '../scenarios/environment.ts';
import { describeStalls } from '../scenarios/stalling.ts';

describe('on a real control plane', () => {
  const stage = aStage(startRealStage);
  describeStalls(stage, () => ({ kubeconfigFile: stage().adminKubeconfigFile, kubectl: stage().kubectl }));
});
