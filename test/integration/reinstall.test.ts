import { describe } from 'vitest';
import { describeReinstall, waysByApi } from '../suite/reinstall.ts';
import { aStage, startVirtualStage } from '../suite/stage.ts';

describe('on the embedded cluster', () => describeReinstall(aStage(startVirtualStage), ({ cluster }) => waysByApi(cluster)));
