import { describe } from 'vitest';
import { describeComparedReleases } from '../scenarios/compared-releases.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { providerFixtures } from '../scenarios/providers/index.ts';

const compared = ['istio', 'gatewayapi:v1', 'nginx'];
const [apps, pairs] = (process.env.COMPARED ?? '1,1').split(',').map(Number) as [number, number];

/** One pair for each provider; test/long plays twenty. */
describe('E123: releases compared with their primary in the embedded mesh', () =>
  describeComparedReleases(
    anEnvironment(startVirtualEnvironment),
    providerFixtures.filter(({ provider }) => compared.includes(provider)),
    { apps, pairs },
  ));
