import { describe } from 'vitest';
import { chosenOf, classes, playableOnEmbedded } from '../attacks/classes.ts';
import { describeAttacks } from '../attacks/run.ts';
import { anEnvironment, startEmbeddedEnvironment, startRealEnvironment } from '../scenarios/environment.ts';

describe('on the embedded cluster', () =>
  describeAttacks(anEnvironment(startEmbeddedEnvironment), chosenOf(playableOnEmbedded, 1).classes));
describe('on a real control plane', () => describeAttacks(anEnvironment(startRealEnvironment), chosenOf(classes, 1).classes));
