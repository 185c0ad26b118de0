import { expect, it, vi } from 'vitest';
import { APP, aModelCanary, canaryRef } from '../../../test/fakes/model/lab.ts';
import { labOf } from '../../../test/fakes/model/life.ts';
import { each, kinds, OTHER, OWN, serviceOf } from '../../../test/fakes/model/own-routes.ts';
import { storedSpecs } from '../../../test/fakes/model/stored-specs.ts';
import { raw } from '../../../test/fakes/raw.ts';
import { refOf } from '../../api/kube-object.ts';

// A bound against a life that never ends; minutes of virtual time take a second.
vi.setConfig({ testTimeout: 60_000 });

const ADDED = 'added.example.org';

/** As Flagger leaves it at the end of a release; it drops fields that it does not know. */
const OF_FLAGGER = {
  ...{ phase: 'Succeeded', lastAppliedSpec: '5d5bdfbb6b', release: null },
  conditions: [{ type: 'Promoted', status: 'True', reason: 'Succeeded', message: 'Canary analysis completed successfully' }],
};

it.each(each)(
  'I17, E65: a host of a %s that was added under Flagger stays routed, where a later edit is refused and Serin is restarted',
  async (kind) => {
    const { lab } = labOf({ seed: 5, provider: 'istio', delayMs: 2_000, plan: 0, hasService: true });
    const { hosts, route, spec } = kinds[kind];
    const routed = () => raw(lab.server.find({ ...refOf(route(OWN)), name: APP }))?.spec[hosts];
    await lab.application();
    lab.server.create(aModelCanary({ stepWeight: 25, maxWeight: 50 }, { ...spec, service: serviceOf(kind, [OWN]) }));
    lab.start();
    expect(await lab.passUntil(() => lab.phase() === 'Initialized', 300_000)).toBe(true);
    await lab.pass(60_000);
    lab.kill();
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, ADDED]) } });
    lab.server.patch(canaryRef, { status: OF_FLAGGER }, 'status');
    lab.start();
    await lab.pass(60_000);
    expect([routed().includes(ADDED), lab.phase()]).toEqual([true, 'Succeeded']);
    expect(raw(storedSpecs(lab)[0])?.service.hosts).toContain(ADDED);

    lab.server.create(route(OTHER));
    lab.server.patch(canaryRef, { spec: { service: serviceOf(kind, [OWN, ADDED, OTHER]) } });
    await lab.pass(30_000);
    lab.kill();
    lab.start();
    await lab.pass(60_000);
    expect([routed().includes(ADDED), routed().includes(OTHER)]).toEqual([true, false]);
    const idle = lab.writes.length;
    await lab.pass(300_000);
    expect(lab.writes.slice(idle)).toEqual([]);
  },
);
