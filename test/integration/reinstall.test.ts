import { describe } from 'vitest';
import { aStage, startVirtualStage } from '../scenarios/environment.ts';
import { describeReinstall, waysByApi } from '../scenarios/reinstall.ts';

describe('on the embedded cluster', () => describeReinstall(aStage(startVirtualStage), ({ cluster }) => waysByApi(cluster)));
