import { describe } from 'vitest';
import { describeComparedReleases, TWENTY } from '../scenarios/compared-releases.ts';
import { anEnvironment, startRealEnvironment } from '../scenarios/environment.ts';
import { comparedFixtures } from '../scenarios/providers/index.ts';

describe('E123: releases compared with their primary, on a real control plane with a real Prometheus', () =>
  describeComparedReleases(
    // The counters of five applications take longer than 250 ms on a busy machine; a real Prometheus waits ten seconds for an answer.
    anEnvironment(() => startRealEnvironment({ scrapeIntervalMs: 1_000 })),
    comparedFixtures,
    TWENTY,
  ));
