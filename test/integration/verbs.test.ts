import { describe } from 'vitest';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';
import { describeVerbs } from '../suite/verbs.ts';

// This API server knows nobody, so the name is the kubeconfig's.
describe('on the embedded cluster', () => describeVerbs(aStage(startEmbeddedStage), 'serin'));
