import { describe } from 'vitest';
import { isChosen, partOf, titleOf } from '../fakes/covering-part.ts';
import { describeComparedReleases } from '../scenarios/compared-releases.ts';
import { anEnvironment, startVirtualEnvironment } from '../scenarios/environment.ts';
import { comparedFixtures } from '../scenarios/providers/index.ts';

const part = partOf(3);
const fixtures = comparedFixtures.filter((_, row) => isChosen(part, row, 0));

// One pair; test/long plays twenty of each provider, also on a real control plane.
describe(`E123: releases compared with their primary, in virtual time (${titleOf(part)})`, () =>
  describeComparedReleases(anEnvironment(startVirtualEnvironment), fixtures, { apps: 1, pairs: 1 }));
