import { describe } from 'vitest';
import { describeReinstall, waysByApi } from '../suite/reinstall.ts';
import { aStage, startEmbeddedStage } from '../suite/stage.ts';

describe('on the embedded cluster', () => describeReinstall(aStage(startEmbeddedStage), ({ cluster }) => waysByApi(cluster)));
