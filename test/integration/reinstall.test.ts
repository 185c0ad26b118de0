import { describe } from 'vitest';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { describeReinstall, waysByApi } from '../scenarios/reinstall.ts';

describe('on the embedded cluster', () => describeReinstall(anEnvironment(startVirtualEnvironment), ({ cluster }) => waysByApi(cluster)));
