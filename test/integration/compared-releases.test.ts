import { describe } from 'vitest';
import { describeComparedReleases } from '../scenarios/compared-releases.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { comparedFixtures } from '../scenarios/providers/index.ts';

// One pair for each provider; test/long plays twenty, and on a real control plane, too.
describe('E123: releases compared with their primary, in virtual time', () =>
  describeComparedReleases(anEnvironment(startVirtualEnvironment), comparedFixtures, { apps: 1, pairs: 1 }));
