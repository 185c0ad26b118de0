import { describe } from 'vitest';
import { describeComparedReleases, TWENTY } from '../scenarios/compared-releases.ts';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { comparedFixtures } from '../scenarios/providers/index.ts';

describe('E123: releases compared with their primary, on a real control plane with a real Prometheus', () =>
  describeComparedReleases(anEnvironment(startRealEnvironment), comparedFixtures, TWENTY));
