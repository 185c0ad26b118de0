import { describe } from 'vitest';
import { describeComparedReleases, TWENTY } from '../scenarios/compared-releases.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { comparedFixtures } from '../scenarios/providers/index.ts';

describe('E123: releases compared with their primary, in virtual time', () =>
  describeComparedReleases(anEnvironment(startVirtualEnvironment), comparedFixtures, TWENTY));
