import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ensureContourDefinitions } from '../../scripts/e2e-contour.ts';
import { type ContourProxy, startContour } from '../planes/contour.ts';
import { applyCrdFiles } from '../scenarios/environment.ts';
import type { Behaviour } from './applications.ts';
import { BEHAVIOURS, FAULTS, play, type WayName } from './beside-flagger.ts';
import { CONTROLLERS, type Controller } from './controllers.ts';
import type { ControllerName } from './faults.ts';
import { givenTwoNodes } from './given-node.ts';
import { record } from './recorded.ts';

/** Versions that can get no request of a user: by weights, the others get some before a check has found them. */
const SPARED: Readonly<Record<WayName, readonly Behaviour[]>> = {
  'Blue/Green': BEHAVIOURS,
  weights: ['good', 'broken', 'unready'],
};
const rounds = (Object.keys(SPARED) as WayName[]).flatMap((way) => Object.keys(FAULTS).map((fault) => ({ way, fault })));

describe.each(Object.keys(CONTROLLERS) as ControllerName[])('%s', (name) => {
  const nodes = givenTwoNodes('application', name);
  let controller: Controller;
  let contour: ContourProxy;
  let checker = '';
  beforeAll(async () => {
    const { node } = nodes();
    await applyCrdFiles(node.plane.cluster, [(await ensureContourDefinitions()).contour]);
    controller = await CONTROLLERS[name](node);
    contour = await startContour({ kubeconfigFile: node.plane.adminKubeconfigFile });
    await controller.apply({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'checker' },
      spec: { nodeName: 'node1', containers: [{ name: 'web', image: 'serin.test/application:1', imagePullPolicy: 'Never' }] },
    });
    await node.kubectl('wait', 'pod/checker', '--for=condition=Ready', '--timeout=120s');
    checker = `${await node.kubectl('get', 'pod', 'checker', '-o', 'jsonpath={.status.podIP}')}:8080`;
  });
  afterEach(() => nodes().node.kubectl('uncordon', 'node2'));
  afterAll(async () => {
    await contour?.stop();
    controller?.helm.stop();
  });

  it.each(rounds)('I10: good and bad releases by $way, $fault', async ({ way, fault }) => {
    const played = await play(nodes().node, { controller, way, fault }, { proxyUrl: contour.url, checker });
    record('beside-flagger', { [`${name}, ${way}, ${fault}`]: played });
    const ends = Object.fromEntries(played.map(({ behaviour, phase }) => [behaviour, phase]));
    expect(Object.keys(ends)).toEqual(BEHAVIOURS);
    // Results of Flagger are recorded, and not judged.
    if (name === 'flagger') return;
    expect(ends).toEqual(Object.fromEntries(BEHAVIOURS.map((behaviour) => [behaviour, behaviour === 'good' ? 'Succeeded' : 'Failed'])));
    const spared = played.filter(({ behaviour }) => SPARED[way].includes(behaviour));
    expect(spared.map(({ behaviour, reasons }) => ({ behaviour, reasons }))).toEqual(
      spared.map(({ behaviour }) => ({ behaviour, reasons: {} })),
    );
  });
});
