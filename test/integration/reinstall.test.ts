import { describe } from 'vitest';
import { describeReinstall, waysByApi } from '../scenarios/reinstall.ts';
import { aStage, startVirtualStage } from '../scenarios/stage.ts';

describe('on the embedded cluster', () => describeReinstall(aStage(startVirtualStage), ({ cluster }) => waysByApi(cluster)));
