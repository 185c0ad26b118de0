import { describe } from 'vitest';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { describeStalls } from '../scenarios/stalling.ts';

describe('on a real control plane', () => {
  const environment = anEnvironment(startRealEnvironment);
  describeStalls(environment, () => ({ kubeconfigFile: environment().adminKubeconfigFile, kubectl: environment().kubectl }));
});
