import { describe, expect, it } from 'vitest';
import { endedBy, endedByCause } from '../../../test/fakes/ended-releases.ts';
import type { CanaryStatus } from '../../api/canary-status.ts';
import { attentionOf } from './attention.ts';
import { statusPatch } from './patch.ts';

const failed = (): CanaryStatus => {
  const { status } = endedByCause('ImageUnavailable').world.canary;
  if (status === undefined) throw new Error('no status');
  return status;
};
const refused = { type: 'Accepted', status: 'False', reason: 'InvalidSpec', message: 'spec.analysis: correct it' } as const;

describe('status.reason', () => {
  it('DF861: is the reason of a refused spec, before all else', () => {
    expect(attentionOf({ ...failed(), conditions: [refused] })).toBe('InvalidSpec');
  });

  it('is the cause of the first blocker, or its code', () => {
    const status = failed();
    const blocked = (blockers: object[]) =>
      attentionOf({ ...status, phase: 'Progressing', release: { ...status.release, blockers } as never });
    expect(
      blocked([
        { code: 'Paused', since: '' },
        { code: 'NoTraffic', since: '' },
      ]),
    ).toBe('Paused');
    expect(blocked([{ code: 'PodsNotReady', cause: 'CrashLoop', since: '' }])).toBe('CrashLoop');
  });

  it('is the cause of a failure, or its code, and absent where nothing needs attention', () => {
    expect(attentionOf(failed())).toBe('ImageUnavailable');
    expect(attentionOf(endedBy('RolledBackByUser').world.canary.status ?? failed())).toBe('RolledBackByUser');
    expect(attentionOf(endedBy('Succeeded').world.canary.status ?? failed())).toBeUndefined();
  });

  it('I8: is written with another change, and is never the only one', () => {
    const { reason: _, ...stored } = failed();
    expect(statusPatch(stored, failed(), '1', 0)).toBeUndefined();
    const patch = statusPatch(stored, { ...failed(), failedChecks: 1 }, '1', 0);
    expect(patch).toMatchObject({ status: { reason: 'ImageUnavailable', failedChecks: 1 } });
    const recovered = statusPatch({ ...stored, reason: 'ImageUnavailable' }, { ...failed(), phase: 'Progressing' }, '1', 0);
    expect(recovered).toMatchObject({ status: { reason: null } });
  });
});
