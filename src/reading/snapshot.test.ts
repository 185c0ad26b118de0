import { setImmediate as later } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { HeldCluster } from '../../test/fakes/held-cluster.ts';
import { aCanary } from '../../test/fakes/world.ts';
import type { KubeObject, ObjectRef } from '../api/kube-object.ts';
import { UnreachableError } from '../kube/errors.ts';
import { readSnapshot } from './snapshot.ts';

/** It goes when the Canary has been read, and each request learns of it in its own time. */
class LeavingCluster extends HeldCluster {
  override async get(ref: ObjectRef): Promise<KubeObject | undefined> {
    if (ref.kind === 'Canary') return super.get(ref);
    throw new UnreachableError('GET', new Error('gone'));
  }

  override async list(): Promise<never> {
    await later();
    throw new UnreachableError('LIST', new Error('gone'));
  }
}

// An unhandled rejection ends the program with a stack trace, and this run as well.
it('a cluster that is lost while a Canary is read gives one error, without a second one after it', async () => {
  const canary: KubeObject = JSON.parse(JSON.stringify(aCanary()));
  await expect(readSnapshot(new LeavingCluster([canary]), 'test', 'podinfo')).rejects.toThrow(UnreachableError);
  await later();
  await later();
});
