import { describe } from 'vitest';
import { chosenOf, classes, playableOnEmbedded } from '../attacks/classes.ts';
import { describeAttacks } from '../attacks/run.ts';
import { aStage, startEmbeddedStage, startRealStage } from '../scenarios/environment.ts';

describe('on the embedded cluster', () => describeAttacks(aStage(startEmbeddedStage), chosenOf(playableOnEmbedded, 1).classes));
describe('on a real control plane', () => describeAttacks(aStage(startRealStage), chosenOf(classes, 1).classes));
